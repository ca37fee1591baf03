"""getFileStatus. Source: filesystem.md, "FileStatus getFileStatus(Path p)"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.outcomes import Status
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Cases, gives, meaning, raises
from fsconform.model.filesystem.options.core import DIRECTORIES_HAVE_LENGTH
from fsconform.model.filesystem.state import MISSING, Dir, File, State, locate
from fsconform.model.filesystem.status.case_variants import CASE_CLAUSE, CASE_NAME, INSENSITIVE, SENSITIVE, case_variant
from fsconform.model.filesystem.status.entries import DIRECTORY_STATUS, EXISTS, FILE_STATUS, agrees, missing
from fsconform.model.filesystem.validity import COMMON_CASES, bits


@operation
@dataclass(frozen=True, slots=True)
class GetFileStatus(Operation):
    """``getFileStatus(path)``."""

    NAME: ClassVar[str] = "getFileStatus"
    VIAS: ClassVar[tuple[str, ...]] = ("link", "context")
    path: Path
    via: str = ""


def _right(root: State, op: GetFileStatus, status: object) -> bool:
    node = locate(root, op.path)
    assert type(node) is File or type(node) is Dir
    return isinstance(status, Status) and status.path == op.path and agrees(status, node, any_length=False)


def _directory_of_any_length(_root: State, op: GetFileStatus, status: object) -> bool:
    return isinstance(status, Status) and status.path == op.path and status.is_dir


def _of_variant(root: State, op: GetFileStatus, status: object) -> bool:
    node = case_variant(root, op.path)
    return isinstance(status, Status) and status.is_dir is (type(node) is Dir)


_MET = Cases(*COMMON_CASES)
_FILE = _MET.case("file", FILE_STATUS, (gives(FILE_STATUS, "status of the file", _right),))
_DIRECTORY = _MET.case(
    "directory",
    DIRECTORY_STATUS,
    (
        gives(DIRECTORY_STATUS, "status of a directory of length 0", _right),
        gives(
            DIRECTORY_STATUS,
            "status of a directory",
            _directory_of_any_length,
            (DIRECTORIES_HAVE_LENGTH, True),
            departs=True,
        ),
    ),
)
_MISSING = _MET.add(missing(EXISTS))
_VARIANT = _MET.case(
    CASE_NAME,
    CASE_CLAUSE,
    (
        raises(CASE_CLAUSE, "FileNotFoundException", SENSITIVE, level="MUST NOT"),
        gives(CASE_CLAUSE, "status of the other name", _of_variant, INSENSITIVE, level="MUST NOT", departs=True),
    ),
)


@meaning(GetFileStatus, _MET)
def _classify(root: State, op: GetFileStatus) -> int:
    node = locate(root, op.path)
    if type(node) is File:
        return bits(op.path, node) | _FILE
    if type(node) is Dir:
        return bits(op.path, node) | _DIRECTORY
    if node is MISSING and case_variant(root, op.path) is not None:
        return bits(op.path, node) | _VARIANT
    return bits(op.path, node) | _MISSING
