"""A store without space: what is raised, what is kept, and how it goes on once there is space.

Source: outputstream.md, "write(Stream, data)" for limits, "close()" for streams whose close fails, "Visibility of
Flushed Data" and "Persisting data" for what was acknowledged; filesystem.md, delete and create, for what comes after.
"""

from __future__ import annotations

from typing import Any

from fsconform.model.core.outcomes import Facts
from fsconform.model.filesystem.branches import ANY, Case, Difference, Level, Meaning, gives, lost, raises, returns
from fsconform.model.filesystem.input.rules import is_a, words_of
from fsconform.model.filesystem.input.scripts import error_of
from fsconform.model.filesystem.operations.mishaps import NOT_ASKED, FillUp
from fsconform.model.filesystem.output import clauses as clause
from fsconform.model.filesystem.state import MISSING, State, locate
from fsconform.model.filesystem.validity import COMMON_BITS, COMMON_CASES, flags

_LIMIT = "outputstream.write.limit"
_DELETED, _ANEW = "filesystem.delete.post.file", "filesystem.create.post"
_MET, _ELSE = 1 << COMMON_BITS, 1 << COMMON_BITS + 1


def _classify(root: State, op: FillUp) -> int:
    return _MET if locate(root, op.path) is MISSING and not flags(op.path) else _ELSE


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
    return _wrong(value) if _classify(root, op) == _MET else None


FILL_UP = Meaning(
    FillUp,
    (
        *COMMON_CASES,
        Case(
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
        ),
        Case(
            "another place",
            clause.PATH_CHANGED_WRITES,
            (
                returns(clause.PATH_CHANGED_WRITES, ANY, effect=lost, level="UNDEFINED"),
                raises(clause.PATH_CHANGED_WRITES, "Throwable", level="UNDEFINED"),
            ),
        ),
    ),
    _classify,
    _differs,
)

MEANINGS: tuple[Meaning, ...] = (FILL_UP,)
