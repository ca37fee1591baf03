"""setTimes. Source: introduction.md, "Timestamps"; see :mod:`shared_by_setters`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from fsconform.model.core.drawing import Draft, any_way, drawn
from fsconform.model.core.operation import Long, Operation, operation
from fsconform.model.core.outcomes import Fact
from fsconform.model.core.paths import Path, show
from fsconform.model.filesystem.branches import Cases, meaning, raises, returns
from fsconform.model.filesystem.metadata.shared_by_setters import FAILURE, know
from fsconform.model.filesystem.options.metadata import IS_BLOBSTORE, SUPPORTS_SETTIMES
from fsconform.model.filesystem.refusals import EXCEPTIONS, UNSUPPORTED
from fsconform.model.filesystem.state import ACCESSED, MODIFIED, STALE, TIMED_AT, Dir, File, State, locate, put, untimed
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    from random import Random

_TIMES = "introduction.timestamps.hdfs.set-times"
_IGNORED_CLAUSE = "introduction.timestamps.object-stores.set-times"
_TIMED, _UNTIMED = (SUPPORTS_SETTIMES, True), (SUPPORTS_SETTIMES, False)
_OBJECTS, _NO_OBJECTS = (IS_BLOBSTORE, True), (IS_BLOBSTORE, False)

TIMES = (-1, 0, 1, 999, 1000, 86_399_999, 951_782_400_000, 1_600_000_000_123)
"""Milliseconds since 1970."""


@operation
@dataclass(frozen=True, slots=True)
class SetTimes(Operation):
    """``setTimes(path, modified, accessed)``, in milliseconds since 1970; -1 leaves a time alone."""

    NAME: ClassVar[str] = "setTimes"
    MUTATES: ClassVar[bool] = True
    VIAS: ClassVar[tuple[str, ...]] = ("context",)
    path: Path
    modified: Long
    accessed: Long
    via: str = ""


def set_times(root: State, op: SetTimes) -> State:
    """The times of a file are known as far as they were named; those of directories change with their entries."""
    node = locate(root, op.path)
    if not isinstance(node, File):
        return root
    times: dict[str, Fact] = {
        name: time for name, time in ((MODIFIED, op.modified), (ACCESSED, op.accessed)) if time >= 0
    }
    if not times:
        return root
    if node.meta is not None and node.meta.get(TIMED_AT) != show(op.path):
        root = put(root, op.path, File(node.content, untimed(node.meta)))
    times[TIMED_AT] = show(op.path)
    return know(root, op.path, times, (STALE,) if MODIFIED in times else ())


_IGNORED = (
    returns(_IGNORED_CLAUSE, None, _UNTIMED, level="MAY"),
    raises(UNSUPPORTED, "UnsupportedOperationException", _UNTIMED),
)

_MET = Cases(*COMMON_CASES)
_FILE = _MET.case(
    "file",
    _TIMES,
    (
        returns(_TIMES, None, _TIMED, _NO_OBJECTS, effect=set_times),
        returns(_IGNORED_CLAUSE, None, _TIMED, _OBJECTS, level="MAY"),
        *_IGNORED,
    ),
)
_DIRECTORY = _MET.case(
    "directory",
    EXCEPTIONS,
    (
        returns(EXCEPTIONS, None, _TIMED, level="SHOULD"),
        raises(EXCEPTIONS, "IOException", _TIMED, level="SHOULD"),
        *_IGNORED,
    ),
)
_MISSING = _MET.case(
    "missing", EXCEPTIONS, (*FAILURE, returns(EXCEPTIONS, None, _TIMED, level="SHOULD", deviates=True), *_IGNORED)
)
_NOTHING_ASKED = _MET.case(
    "no time that is named, missing path",
    EXCEPTIONS,
    (returns(EXCEPTIONS, None, _TIMED, level="SHOULD"), *FAILURE, *_IGNORED),
)


@meaning(SetTimes, _MET)
def _classify(root: State, op: SetTimes) -> int:
    """Which cases are met."""
    node = locate(root, op.path)
    found = bits(op.path, node)
    if type(node) is File:
        return found | _FILE
    if type(node) is Dir:
        return found | _DIRECTORY
    # Nothing is asked for without times, and so nothing fails if there is nothing.
    return found | (_NOTHING_ASKED if op.modified < 0 and op.accessed < 0 else _MISSING)


@drawn(SetTimes)
def _draw(_draft: Draft, dice: Random, path: Path) -> SetTimes:
    return SetTimes(path, dice.choice(TIMES), dice.choice(TIMES), any_way(SetTimes, dice))
