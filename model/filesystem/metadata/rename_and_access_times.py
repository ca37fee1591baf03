"""Times over a rename, and times of access. Source: introduction.md, "Timestamps"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from fsconform.model.core.drawing import drawn_plainly
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.outcomes import Facts
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import ANY, Cases, Difference, gives, meaning, raises, returns
from fsconform.model.filesystem.options.metadata import HDFS_TIMESTAMPS
from fsconform.model.filesystem.state import ACCESSED, Dir, File, State, locate, put
from fsconform.model.filesystem.status.entries import EXISTS, missing
from fsconform.model.filesystem.validity import COMMON_CASES, bits

_TIMES = "introduction.timestamps.hdfs"
_RENAMED, _UNSET, _GRAIN = f"{_TIMES}.rename", f"{_TIMES}.unset", f"{_TIMES}.access-time"
_AS_HDFS, _OTHERWISE = (HDFS_TIMESTAMPS, True), (HDFS_TIMESTAMPS, False)


@operation
@dataclass(frozen=True, slots=True)
class RenameTimed(Operation):
    """A file is renamed into a new directory beside it, and back; the new directory is removed then.

    Returns facts ``times``: ``kept`` (it has its modification time there), ``directories`` (those of both directories
    are later than before), ``least`` (the least time of all statuses seen); nothing if the path is a directory.
    """

    NAME: ClassVar[str] = "times over a rename"
    path: Path


@operation
@dataclass(frozen=True, slots=True)
class ReadTimed(Operation):
    """A file is opened half an hour and, again, two hours after its time of access, which setTimes put there.

    Returns facts ``access``: ``soon`` and ``late``, true where the time of access has moved on; nothing if the path is
    a directory.
    """

    NAME: ClassVar[str] = "times of access"
    MUTATES: ClassVar[bool] = True
    path: Path


def _times_wrong(_root: State, _op: RenameTimed, value: Any) -> Difference | None:
    if not isinstance(value, Facts):
        return None
    least = value.get("least")
    if type(least) is not int or least < 0:
        return Difference(_UNSET, "MUST", "a time below 0")
    if value.get("kept") is not True:
        return Difference(_RENAMED, "MUST", "another time of modification than before the rename")
    if value.get("directories") is not True:
        return Difference(_RENAMED, "MUST", "a directory with the time that it had before the rename")
    return None


def _times_right(root: State, op: RenameTimed, value: Any) -> bool:
    return isinstance(value, Facts) and _times_wrong(root, op, value) is None


def _access_wrong(_root: State, _op: ReadTimed, value: Any) -> Difference | None:
    if not isinstance(value, Facts):
        return None
    if value.get("soon") is not False:
        return Difference(_GRAIN, "MUST", "a new time of access within the granularity")
    return None if value.get("late") is True else Difference(_GRAIN, "MUST", "no new time of access after it")


def _access_right(root: State, op: ReadTimed, value: Any) -> bool:
    return isinstance(value, Facts) and _access_wrong(root, op, value) is None


def _facts(_root: State, _op: Any, value: Any) -> bool:
    return isinstance(value, Facts)


def read(root: State, op: ReadTimed) -> State:
    """Nothing is known any more of the file's time of access."""
    node = locate(root, op.path)
    if type(node) is not File or node.meta is None or ACCESSED not in node.meta:
        return root
    return put(root, op.path, File(node.content, node.meta.delete(ACCESSED)))


_OVER_RENAME = Cases(*COMMON_CASES)
_RENAMED_FILE = _OVER_RENAME.case(
    "file",
    _RENAMED,
    (
        gives(_RENAMED, "the file's own time, and new ones of the directories", _times_right, _AS_HDFS, also=(_UNSET,)),
        gives(_RENAMED, "any times", _facts, _OTHERWISE),
    ),
)
_RENAMED_DIRECTORY = _OVER_RENAME.case("directory", _RENAMED, (returns(_RENAMED, ANY),))
_NO_RENAME = _OVER_RENAME.add(missing(EXISTS))


@meaning(RenameTimed, _OVER_RENAME, differs=_times_wrong)
def _classify_rename(root: State, op: RenameTimed) -> int:
    node = locate(root, op.path)
    case = _RENAMED_FILE if type(node) is File else _RENAMED_DIRECTORY if type(node) is Dir else _NO_RENAME
    return bits(op.path, node) | case


_OF_ACCESS = Cases(*COMMON_CASES)
_READ_FILE = _OF_ACCESS.case(
    "file",
    _GRAIN,
    (
        gives(
            _GRAIN, "a new time of access where the old one is over an hour old", _access_right, _AS_HDFS, effect=read
        ),
        gives(_GRAIN, "any times", _facts, _OTHERWISE, effect=read),
        # A store may be without setTimes.
        raises(_GRAIN, "Exception", _OTHERWISE),
    ),
)
_READ_DIRECTORY = _OF_ACCESS.case("directory", _GRAIN, (returns(_GRAIN, ANY),))
_NO_READ = _OF_ACCESS.add(missing(EXISTS))


@meaning(ReadTimed, _OF_ACCESS, differs=_access_wrong)
def _classify_access(root: State, op: ReadTimed) -> int:
    node = locate(root, op.path)
    case = _READ_FILE if type(node) is File else _READ_DIRECTORY if type(node) is Dir else _NO_READ
    return bits(op.path, node) | case


drawn_plainly(RenameTimed, ReadTimed)
