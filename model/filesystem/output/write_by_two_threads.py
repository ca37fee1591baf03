"""Two threads that write through one stream. Source: outputstream.md, "Concurrency"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from fsconform.model.core.drawing import Draft, drawn
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.outcomes import Facts
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Cases, gives, meaning
from fsconform.model.filesystem.output import clauses as clause
from fsconform.model.filesystem.output.stream_states import answer, elsewhere, is_free
from fsconform.model.filesystem.state import State
from fsconform.model.filesystem.validity import COMMON_CASES

if TYPE_CHECKING:
    from random import Random

_SAFE = "outputstream.thread-safe"
TOGETHER = ("write", "sync", "close")
"""What a second thread does while one writes: write, or hsync; or it closes while the first calls hsync."""


@operation
@dataclass(frozen=True, slots=True)
class WriteTogether(Operation):
    """A file is written through one stream by two threads at once, closed and read.

    Returns facts ``together``: ``answer`` (of the close), ``writes`` (how many were made, each of bytes of its own),
    ``whole`` (how many of these are in the file in one piece) and ``length`` (that of the file, in writes; -1 where it
    is no number of them).
    """

    NAME: ClassVar[str] = "write by two threads"
    MUTATES: ClassVar[bool] = True
    WORDS: ClassVar[Mapping[str, tuple[str, ...]]] = {"beside": TOGETHER}
    path: Path
    beside: str


def _is_whole(_root: State, _op: WriteTogether, value: Any) -> bool:
    if not isinstance(value, Facts) or answer(value) != "done":
        return False
    return value.get("whole") == value.get("writes") == value.get("length")


def _is_told(_root: State, _op: Any, value: Any) -> bool:
    return isinstance(value, Facts)


_MET = Cases(*COMMON_CASES)
_FREE = _MET.case(
    "two threads",
    _SAFE,
    (
        gives(_SAFE, "each write in one piece, and none lost", _is_whole, level="SHOULD"),
        gives(_SAFE, "each write in one piece, and none lost", _is_told, level="SHOULD", deviates=True),
    ),
)
_ELSEWHERE = _MET.add(elsewhere(clause.PATH_CHANGED_WRITES))


@meaning(WriteTogether, _MET)
def _classify(root: State, op: WriteTogether) -> int:
    return _FREE if is_free(root, op.path) else _ELSEWHERE


@drawn(WriteTogether)
def _draw(draft: Draft, dice: Random, _path: Path) -> WriteTogether:
    return WriteTogether(draft.aside(), dice.choice(TOGETHER))
