"""The meaning of calls that are told of by what they do to each other: etags, times and handles seen twice.

Source: filesystem.md, "Etag probes through the interface EtagSource", "boolean
copyFromLocalFile(boolean delSrc, boolean overwrite, Path src, Path dst)"; introduction.md, "Timestamps".
"""

from __future__ import annotations

from typing import Any

from fsconform.model.core.content import Content, digest, length
from fsconform.model.core.outcomes import Facts
from fsconform.model.filesystem.branches import (
    ANY,
    Branch,
    Case,
    Check,
    Difference,
    Meaning,
    gives,
    lost,
    raises,
    returns,
    runtime_instead,
)
from fsconform.model.filesystem.operations.protocols import (
    CompareEtags,
    ReadTimed,
    RenameTimed,
)
from fsconform.model.filesystem.options.metadata import ETAGS_AVAILABLE, HDFS_TIMESTAMPS
from fsconform.model.filesystem.state import ACCESSED, UNDER_FILE, Dir, File, State, locate, put
from fsconform.model.filesystem.validity import COMMON_CASES, bits

_CONTENTS = "filesystem.etagSource.contents"
_TAGGED, _UNTAGGED = (ETAGS_AVAILABLE, True), (ETAGS_AVAILABLE, False)


def same(one: Content, other: Content) -> bool:
    """True of the same bytes."""
    return length(one) == length(other) and digest(one) == digest(other)


def written(root: State, op: CompareEtags) -> State:
    """The file holds what was written last."""
    return put(root, op.path, File(op.other))


def _etags_differ(_root: State, _op: CompareEtags, value: Any) -> bool:
    return isinstance(value, Facts) and bool(value.get("first")) and value.get("first") != value.get("second")


def _etags(_root: State, _op: CompareEtags, value: Any) -> bool:
    return isinstance(value, Facts) and bool(value.get("first")) and bool(value.get("second"))


def _no_etags(_root: State, _op: CompareEtags, value: Any) -> bool:
    return isinstance(value, Facts) and not value.get("first") and not value.get("second")


def _etags_wrong(_root: State, op: CompareEtags, value: Any) -> Difference | None:
    if same(op.content, op.other) or not _etags(_root, op, value) or _etags_differ(_root, op, value):
        return None
    return Difference(_CONTENTS, "MUST", "one etag for two contents")


def _classify_etags(root: State, op: CompareEtags) -> int:
    node = locate(root, op.path)
    if type(node) is Dir or node is UNDER_FILE:
        return bits(op.path, node) | 4
    return bits(op.path, node) | (8 if same(op.content, op.other) else 16)


def _tagged(expected: str, check: Check) -> tuple[Branch, ...]:
    return (
        gives(_CONTENTS, expected, check, _TAGGED, effect=written),
        gives(_CONTENTS, "no etags", _no_etags, _UNTAGGED, effect=written),
        returns(_CONTENTS, None, _UNTAGGED, effect=written, expected="give no etags"),
    )


COMPARE_ETAGS = Meaning(
    CompareEtags,
    (
        *COMMON_CASES,
        # What create does there is asked elsewhere.
        Case(
            "no place for a file",
            _CONTENTS,
            (raises(_CONTENTS, "Exception"), returns(_CONTENTS, ANY, effect=lost)),
        ),
        Case("the same bytes twice", _CONTENTS, _tagged("etags", _etags)),
        Case("different bytes", _CONTENTS, _tagged("different etags", _etags_differ)),
    ),
    _classify_etags,
    _etags_wrong,
)


_TIMES = "introduction.timestamps.hdfs"
_RENAMED, _UNSET, _GRAIN = f"{_TIMES}.rename", f"{_TIMES}.unset", f"{_TIMES}.access-time"
_AS_HDFS, _OTHERWISE = (HDFS_TIMESTAMPS, True), (HDFS_TIMESTAMPS, False)
_STATUS = "filesystem.getFileStatus.pre.exists"


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


def _classify_file(root: State, op: RenameTimed | ReadTimed) -> int:
    node = locate(root, op.path)
    return bits(op.path, node) | (4 if type(node) is File else 8 if type(node) is Dir else 16)


def _of_files(clause: str, *branches: Branch) -> tuple[Case, ...]:
    missing = runtime_instead((raises(_STATUS, "FileNotFoundException"),))
    return (
        *COMMON_CASES,
        Case("file", clause, branches),
        Case("directory", clause, (returns(clause, ANY),)),
        Case("missing", _STATUS, missing),
    )


RENAME_TIMED = Meaning(
    RenameTimed,
    _of_files(
        _RENAMED,
        gives(_RENAMED, "the file's own time, and new ones of the directories", _times_right, _AS_HDFS, also=(_UNSET,)),
        gives(_RENAMED, "any times", _facts, _OTHERWISE),
    ),
    _classify_file,
    _times_wrong,
)

READ_TIMED = Meaning(
    ReadTimed,
    _of_files(
        _GRAIN,
        gives(
            _GRAIN, "a new time of access where the old one is over an hour old", _access_right, _AS_HDFS, effect=read
        ),
        gives(_GRAIN, "any times", _facts, _OTHERWISE, effect=read),
        # A store may be without setTimes.
        raises(_GRAIN, "Exception", _OTHERWISE),
    ),
    _classify_file,
    _access_wrong,
)

MEANINGS: tuple[Meaning, ...] = (
    COMPARE_ETAGS,
    RENAME_TIMED,
    READ_TIMED,
)
