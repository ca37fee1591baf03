"""A store without space: what is raised, what is kept, and how it goes on once there is space.

Source: outputstream.md, "write(Stream, data)" for limits, "close()" for streams whose close fails, "Visibility of
Flushed Data" and "Persisting data" for what was acknowledged; filesystem.md, delete and create, for what comes after.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from fsconform.model.core.drawing import Draft, drawn
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.outcomes import Facts
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Cases, Difference, Level, gives, meaning
from fsconform.model.filesystem.output import clauses as clause
from fsconform.model.filesystem.output.stream_states import elsewhere, is_free
from fsconform.model.filesystem.state import State
from fsconform.model.filesystem.stream_answers import is_a, words_of
from fsconform.model.filesystem.stream_scripts import error_of
from fsconform.model.filesystem.validity import COMMON_CASES

if TYPE_CHECKING:
    from random import Random

_LIMIT = "outputstream.write.limit"
_DELETED, _ANEW = "filesystem.delete.post.file", "filesystem.create.post"
NOT_ASKED = ""
"""The answer of a call that the store has no word for."""


@operation
@dataclass(frozen=True, slots=True)
class FillUp(Operation):
    """A file is written until the store has no space left for it, closed, deleted, and another one written.

    The store has little space to begin with, or, where directories have quotas of space, the directory is given one;
    ``path`` is that directory, and is made. With ``synced`` hsync follows each write, where the stream says that it
    keeps its promise. Returns facts ``full``: ``refused`` (what the first call raised that failed, done if none did)
    and ``by`` (which it was: write, hsync or close; empty if none); ``closed`` and ``again`` (the answers of the first
    close and a second one), ``later`` (that of a write thereafter); ``acknowledged`` (true if hsync returned before, or
    the close did), ``kept`` (all that was acknowledged can be read), ``sound`` (what can be read begins what was
    written); ``deleted`` (true if delete returned true and the file is gone) and ``anew`` (done if a file that had room
    at the beginning is then written and read, else what was raised, or other bytes).
    """

    NAME: ClassVar[str] = "fill up"
    MUTATES: ClassVar[bool] = True
    path: Path
    synced: bool


def _raised(value: Facts, name: str, *classes: str) -> bool:
    answer = value.get(name)
    return isinstance(answer, str) and is_a(error_of(answer), *classes)


def _lost(value: Facts) -> Difference | None:
    """What of the data a store without space lost, though it had promised to have it."""
    if value.get("acknowledged") is True and value.get("kept") is not True:
        if value.get("closed") == "done":
            return Difference(clause.SAVED, "MUST", "success of a close that did not save all")
        return Difference(clause.SYNC_VISIBLE, "MUST", "the loss of bytes that hsync had saved")
    if value.get("sound") is not True:
        return Difference(clause.SAVED, "MUST", "other bytes than were written")
    return None


def _wrong(value: Any) -> Difference | None:
    """What is wrong, beside the class of the error that says that there is no space."""
    if not isinstance(value, Facts):
        return Difference(_LIMIT, "SHOULD", "no facts")
    found = _lost(value)
    if found is not None:
        return found
    level: Level = "MUST"
    # A close that failed may raise the same once more.
    if value.get("again") not in ("done", NOT_ASKED, value.get("closed")) and not _raised(
        value, "again", "IOException"
    ):
        return Difference(clause.CLOSED, level, f"{words_of(str(value.get('again')))} from a second close")
    # By which error a closed stream refuses bytes is judged of plain writes.
    if value.get("later") == "done":
        return Difference(clause.WRITE_OPEN, level, f"{words_of(str(value.get('later')))} from a write once closed")
    if value.get("deleted") is not True:
        return Difference(_DELETED, level, "a file that can't be deleted once the store is full")
    if value.get("anew") != "done":
        return Difference(_ANEW, level, f"{words_of(str(value.get('anew')))} where there is space again")
    return None


def _right(_root: State, _op: FillUp, value: Any) -> bool:
    return isinstance(value, Facts) and _raised(value, "refused", "IOException") and _wrong(value) is None


def _otherwise(_root: State, _op: FillUp, value: Any) -> bool:
    return isinstance(value, Facts) and _wrong(value) is None


def _differs(root: State, op: FillUp, value: Any) -> Difference | None:
    return _wrong(value) if is_free(root, op.path) else None


_MET = Cases(*COMMON_CASES)
_FREE = _MET.case(
    "a free path",
    _LIMIT,
    (
        gives(
            _LIMIT,
            "raise IOException without space, keep what was acknowledged, and go on with space",
            _right,
            level="SHOULD",
            also=(clause.SAVED, clause.SYNC_VISIBLE, clause.CLOSED, clause.WRITE_OPEN, _DELETED, _ANEW),
        ),
        gives(_LIMIT, "raise IOException without space", _otherwise, level="SHOULD", deviates=True),
    ),
)
_ELSEWHERE = _MET.add(elsewhere(clause.PATH_CHANGED_WRITES))


@meaning(FillUp, _MET, differs=_differs)
def _classify(root: State, op: FillUp) -> int:
    return _FREE if is_free(root, op.path) else _ELSEWHERE


@drawn(FillUp)
def _draw(draft: Draft, dice: Random, _path: Path) -> FillUp:
    return FillUp(draft.aside(), dice.random() < 0.5)
