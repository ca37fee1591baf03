"""Outcomes: what a call gave back, as an adapter reports it."""

from __future__ import annotations

from dataclasses import dataclass

from fsconform.model.core.paths import Path


@dataclass(frozen=True, slots=True)
class Status:
    """A FileStatus: ``length`` and ``block_size`` are in bytes."""

    path: Path
    is_dir: bool
    length: int
    block_size: int = 1


@dataclass(frozen=True, slots=True)
class Data:
    """What reading a file to its end gave: length in bytes and SHA-256 digest in hexadecimal."""

    length: int
    digest: str


Fact = str | int | bool | tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Facts:
    """What a call returned that is neither a status nor a file's bytes: named facts, in the order of their names.

    Paths are texts in the form of ``paths.show``, times milliseconds since 1970, lengths bytes.
    """

    kind: str
    items: tuple[tuple[str, Fact], ...]

    def get(self, name: str) -> Fact:
        """The fact of a name, None if there is none."""
        return next((value for own, value in self.items if own == name), None)


def facts(kind: str, **values: Fact) -> Facts:
    """Facts by keyword."""
    return Facts(kind, tuple(sorted(values.items())))


@dataclass(frozen=True, slots=True)
class Garbled:
    """A result of a type that no call returns, in words: no clause allows it."""

    words: str


Value = bool | None | Data | Status | Facts | Garbled | tuple[Status, ...]


@dataclass(frozen=True, slots=True)
class Returned:
    """The call returned ``value``; ``None`` for a call that has no result, or a stream that was written and closed."""

    value: Value


@dataclass(frozen=True, slots=True)
class Raised:
    """The call raised an error.

    ``classes`` is its class ancestry as fully qualified Java names, the class itself first, up to java.lang.Throwable.
    ``stack`` is there only where it was asked for.
    """

    classes: tuple[str, ...]
    message: str = ""
    stack: str = ""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Nobody knows what the call did: a time-out, a lost response, a crash. ``hung`` is true of a time-out."""

    reason: str
    hung: bool = False


@dataclass(frozen=True, slots=True)
class NotExpressible:
    """The adapter has no such call, or can't name such a path; the store was not asked."""

    reason: str


Outcome = Returned | Raised | Unknown | NotExpressible
