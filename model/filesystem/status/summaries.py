"""getContentSummary and getQuotaUsage.

Source: filesystem.md, "ContentSummary getContentSummary(Path path)"; FileSystem.getQuotaUsage (Javadoc).
"""

from __future__ import annotations

from typing import Any

from fsconform.model.core import content as contents
from fsconform.model.core.outcomes import Facts
from fsconform.model.filesystem.branches import ANY, Case, Difference, Meaning, below_a_file, gives, raises, returns
from fsconform.model.filesystem.operations.listing import GetContentSummary, GetQuotaUsage
from fsconform.model.filesystem.state import UNDER_FILE, Dir, File, State, locate
from fsconform.model.filesystem.status import entries as of
from fsconform.model.filesystem.validity import COMMON_CASES, bits

_SUMMARY = "filesystem.getContentSummary"
_QUOTA = "filesystem.getQuotaUsage"


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


def _classify(root: State, op: Any) -> int:
    node = locate(root, op.path)
    found = bits(op.path, node)
    if type(node) is File:
        return found | 4
    if type(node) is Dir:
        return found | 8
    return found | 16 | (32 if node is UNDER_FILE else 0)


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


GET_CONTENT_SUMMARY = Meaning(
    GetContentSummary,
    (
        *COMMON_CASES,
        Case("file", f"{_SUMMARY}.post.file", (gives(f"{_SUMMARY}.post.file", "one file and its length", _right),)),
        Case(
            "directory",
            f"{_SUMMARY}.post.directory",
            (gives(f"{_SUMMARY}.post.directory", "the files and directories below, and their length", _right),),
        ),
        of.missing(f"{_SUMMARY}.pre.exists"),
        below_a_file(f"{_SUMMARY}.pre.exists"),
    ),
    _classify,
    _differs,
    derived=True,
)


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
_COUNT = Case("existing", _ENTRIES, (gives(_ENTRIES, "the number of files and directories", _right_count),))

GET_QUOTA_USAGE = Meaning(
    GetQuotaUsage,
    (
        *COMMON_CASES,
        _COUNT,
        Case(
            "missing",
            _MISSING,
            (
                raises(_MISSING, "IOException", level="UNDEFINED"),
                raises(_MISSING, "RuntimeException", level="UNDEFINED"),
                returns(_MISSING, ANY, level="UNDEFINED"),
            ),
        ),
    ),
    lambda root, op: bits(op.path, locate(root, op.path)) | (8 if of.existing(root, op.path) is None else 4),
    _count_differs,
    derived=True,
)
