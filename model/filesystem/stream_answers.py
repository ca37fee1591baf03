"""How a stream's answers are read, and what is said of one that is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from fsconform.model.core import content as contents
from fsconform.model.core.errors import FULL_NAMES, ancestry
from fsconform.model.filesystem.branches import Difference, Level
from fsconform.model.filesystem.stream_scripts import SHOWN_BYTES, error_of, told_digest, told_pieces


@dataclass(frozen=True, slots=True)
class Rules:
    """What options say; None where either way will do. ``unbuffers`` is whether the stream can unbuffer.

    ``refused`` are the actions that are refused as unsupported.
    """

    rejects: bool | None = None
    seeks_closed: bool = True
    unbuffers: bool | None = None
    early: bool | None = None
    overlaps: bool = True
    refused: tuple[str, ...] = ()


LENIENT = Rules()
STRICT = Rules(rejects=True, seeks_closed=False, overlaps=False)


class Departs(Exception):
    """An answer is wrong; ``instead`` is what is wrong where the text can be read in two ways and it fits neither."""

    def __init__(self, broken: str, words: str, level: Level = "MUST", instead: Departs | None = None) -> None:
        super().__init__(words)
        self.broken, self.words, self.level, self.instead = broken, words, level, instead
        self.number, self.wanted = 0, ""

    @property
    def difference(self) -> Difference:
        """What is wrong."""
        return Difference(self.broken, self.level, self.words, str(self.number or "close"), self.wanted)


@lru_cache(maxsize=4096)
def expected(content: contents.Content, start: int, size: int) -> str | None:
    """The answer for so many bytes of a content; None where they are not known."""
    try:
        part = contents.slice_of(content, start, size)
        if contents.length(part) <= SHOWN_BYTES:
            return told_pieces(contents.chunks(part))
    except ValueError:
        return None
    digest = contents.digest(part)  # no more than a chunk is ever in memory
    return None if digest is None else told_digest(contents.length(part), digest)


def number_of(answer: str) -> int | None:
    """The number that an answer is, or begins with; None if there is none."""
    first = answer.split(" ")[0]
    return int(first) if first.removeprefix("-").isdecimal() else None


def is_a(error: tuple[str, str] | None, *classes: str) -> bool:
    """True of an error of one of these classes."""
    return error is not None and any(FULL_NAMES[name] in ancestry(error[1]) for name in classes)


def words_of(answer: str) -> str:
    error = error_of(answer)
    if error is not None:
        return f"raised {error[0]}"
    return "another result" if answer != "done" else "no error"


@dataclass(frozen=True, slots=True)
class Wanted:
    """An error that an answer must be: ``classes`` for a broken precondition of the clause."""

    broken: str
    classes: tuple[str, ...]
    words: str


def refusal(wanted: Sequence[Wanted], answer: str, what: str) -> None:
    """Raise Departs unless the answer is an error of any of the preconditions that fail."""
    error = error_of(answer)
    if not any(is_a(error, *one.classes) for one in wanted):
        raise Departs(wanted[0].broken, f"{words_of(answer) if error else 'no error'} from {what} {wanted[0].words}")
