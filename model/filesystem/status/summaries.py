"""getContentSummary and getQuotaUsage.

Source: filesystem.md, "ContentSummary getContentSummary(Path path)"; FileSystem.getQuotaUsage (Javadoc).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from fsconform.model.core import content as contents
from fsconform.model.core.drawing import Draft, drawn, drawn_plainly
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.outcomes import Facts
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import (
    ANY,
    Cases,
    Difference,
    below_a_file,
    gives,
    meaning,
    raises,
    returns,
)
from fsconform.model.filesystem.state import UNDER_FILE, Dir, File, State, locate
from fsconform.model.filesystem.status import entries as of
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    from random import Random


_SUMMARY = "filesystem.getContentSummary"
_QUOTA = "filesystem.getQuotaUsage"


@operation
@dataclass(frozen=True, slots=True)
class GetContentSummary(Operation):
    """``getContentSummary(path)``.

    Returns facts ``summary``: length, files, directories, quota, spaceConsumed, spaceQuota.
    """

    NAME: ClassVar[str] = "getContentSummary"
    VIAS: ClassVar[tuple[str, ...]] = ("context",)
    path: Path
    via: str = ""


@operation
@dataclass(frozen=True, slots=True)
class GetQuotaUsage(Operation):
    """``getQuotaUsage(path)``. Returns facts ``quota usage``: entries, quota, spaceConsumed, spaceQuota."""

    NAME: ClassVar[str] = "getQuotaUsage"
    path: Path


def _counts(root: State, op: Any) -> tuple[int, int, int]:
    """Bytes, files and directories below a path; of a file, itself."""
    node = of.existing(root, op.path)
    if type(node) is File:
        return contents.length(node.content), 1, 0
    length = files = directories = 0
    for below in of.descendants(root, op.path).values():
        if type(below) is File:
            length, files = length + contents.length(below.content), files + 1
        else:
            directories += 1
    return length, files, directories


def _wrong(root: State, op: Any, value: Facts) -> str:
    """What is wrong with a summary. Whether a directory counts itself is not said."""
    length, files, directories = _counts(root, op)
    itself = type(of.existing(root, op.path)) is Dir
    words = []
    if value.get("files") != files:
        words.append("file count")
    if value.get("directories") not in (directories, directories + itself):
        words.append("directory count")
    if value.get("length") != length:
        words.append("length")
    return "a summary with another " + " and ".join(words) if words else ""


def _right(root: State, op: Any, value: object) -> bool:
    return isinstance(value, Facts) and not _wrong(root, op, value)


def _differs(root: State, op: GetContentSummary, value: object) -> Difference | None:
    node = of.existing(root, op.path)
    if node is None or not isinstance(value, Facts):
        return None
    words = _wrong(root, op, value)
    kind = "file" if type(node) is File else "directory"
    if not words:
        return None
    length, files, directories = _counts(root, op)
    wanted = {"files": str(files), "directories": str(directories), "length": f"{length} bytes"}
    # The words name the facts in this order.
    name = next(name for name, word in zip(wanted, ("file", "directory", "length"), strict=True) if f" {word}" in words)
    return Difference(f"{_SUMMARY}.post.{kind}", "MUST", words, name, wanted[name])


_MET = Cases(*COMMON_CASES)
_FILE = _MET.case("file", f"{_SUMMARY}.post.file", (gives(f"{_SUMMARY}.post.file", "one file and its length", _right),))
_DIRECTORY = _MET.case(
    "directory",
    f"{_SUMMARY}.post.directory",
    (gives(f"{_SUMMARY}.post.directory", "the files and directories below, and their length", _right),),
)
_ABSENT = _MET.add(of.missing(f"{_SUMMARY}.pre.exists"))
_BELOW_FILE = _MET.add(below_a_file(f"{_SUMMARY}.pre.exists"))


@meaning(GetContentSummary, _MET, differs=_differs, derived=True)
def _classify(root: State, op: Any) -> int:
    node = locate(root, op.path)
    found = bits(op.path, node)
    if type(node) is File:
        return found | _FILE
    if type(node) is Dir:
        return found | _DIRECTORY
    return found | _ABSENT | (_BELOW_FILE if node is UNDER_FILE else 0)


def _right_count(root: State, op: GetQuotaUsage, value: object) -> bool:
    _, files, directories = _counts(root, op)
    itself = type(of.existing(root, op.path)) is Dir
    entries = files + directories
    return isinstance(value, Facts) and value.get("entries") in (entries, entries + itself)


def _count_differs(root: State, op: GetQuotaUsage, value: object) -> Difference | None:
    if of.existing(root, op.path) is None or not isinstance(value, Facts) or _right_count(root, op, value):
        return None
    _, files, directories = _counts(root, op)
    return Difference(_ENTRIES, "MUST", "another number of entries", "entries", str(files + directories))


_ENTRIES = f"{_QUOTA}.post.entries"
_MISSING = f"{_QUOTA}.missing"


_OF_USAGE = Cases(*COMMON_CASES)
_EXISTING = _OF_USAGE.case(
    "existing", _ENTRIES, (gives(_ENTRIES, "the number of files and directories", _right_count),)
)
_GONE = _OF_USAGE.case(
    "missing",
    _MISSING,
    (
        raises(_MISSING, "IOException", level="UNDEFINED"),
        raises(_MISSING, "RuntimeException", level="UNDEFINED"),
        returns(_MISSING, ANY, level="UNDEFINED"),
    ),
)


@meaning(GetQuotaUsage, _OF_USAGE, differs=_count_differs, derived=True)
def _classify_usage(root: State, op: GetQuotaUsage) -> int:
    return bits(op.path, locate(root, op.path)) | (_GONE if of.existing(root, op.path) is None else _EXISTING)


@drawn(GetContentSummary)
def _draw(_draft: Draft, dice: Random, path: Path) -> GetContentSummary:
    return GetContentSummary(path, dice.choice(("", *GetContentSummary.VIAS)))


drawn_plainly(GetQuotaUsage)
