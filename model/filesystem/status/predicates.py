"""exists, isDirectory and isFile.

Source: filesystem.md, "boolean exists(Path p)", "boolean isDirectory(Path p)" and "boolean isFile(Path p)".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fsconform.model.core.drawing import drawn_plainly
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Cases, meaning, returns
from fsconform.model.filesystem.state import MISSING, Dir, File, State, locate
from fsconform.model.filesystem.status.case_variants import CASE_CLAUSE, CASE_NAME, INSENSITIVE, SENSITIVE, case_variant
from fsconform.model.filesystem.validity import COMMON_CASES, bits

_EXISTS, _IS_FILE, _IS_DIRECTORY = "filesystem.exists", "filesystem.isFile", "filesystem.isDirectory"


@operation
@dataclass(frozen=True, slots=True)
class Exists(Operation):
    """``exists(path)``."""

    NAME: ClassVar[str] = "exists"
    VIAS: ClassVar[tuple[str, ...]] = ("context",)
    path: Path
    via: str = ""


@operation
@dataclass(frozen=True, slots=True)
class IsFile(Operation):
    """``isFile(path)``. Returns true or false."""

    NAME: ClassVar[str] = "isFile"
    path: Path


@operation
@dataclass(frozen=True, slots=True)
class IsDirectory(Operation):
    """``isDirectory(path)``. Returns true or false."""

    NAME: ClassVar[str] = "isDirectory"
    path: Path


_MET = Cases(*COMMON_CASES)
_THERE = _MET.case("existing", _EXISTS, (returns(_EXISTS, True),))
_MISSING = _MET.case("missing", _EXISTS, (returns(_EXISTS, False),))
_VARIANT = _MET.case(
    CASE_NAME,
    CASE_CLAUSE,
    (
        returns(CASE_CLAUSE, False, SENSITIVE, level="MUST NOT"),
        returns(CASE_CLAUSE, True, INSENSITIVE, level="MUST NOT", departs=True),
    ),
)


@meaning(Exists, _MET)
def _classify(root: State, op: Exists) -> int:
    node = locate(root, op.path)
    if type(node) is File or type(node) is Dir:
        return bits(op.path, node) | _THERE
    if node is MISSING and case_variant(root, op.path) is not None:
        return bits(op.path, node) | _VARIANT
    return bits(op.path, node) | _MISSING


_OF_FILE = Cases(*COMMON_CASES)
_A_FILE = _OF_FILE.case("file", _IS_FILE, (returns(_IS_FILE, True),))
_NO_FILE = _OF_FILE.case("directory", _IS_FILE, (returns(_IS_FILE, False),))
_NO_FILE_MISSING = _OF_FILE.case("missing", _IS_FILE, (returns(_IS_FILE, False),))


@meaning(IsFile, _OF_FILE, derived=True)
def _classify_file(root: State, op: IsFile) -> int:
    node = locate(root, op.path)
    asked = _A_FILE if type(node) is File else _NO_FILE if type(node) is Dir else _NO_FILE_MISSING
    return bits(op.path, node) | asked


_OF_DIRECTORY = Cases(*COMMON_CASES)
_A_DIRECTORY = _OF_DIRECTORY.case("directory", _IS_DIRECTORY, (returns(_IS_DIRECTORY, True),))
_NO_DIRECTORY = _OF_DIRECTORY.case("file", _IS_DIRECTORY, (returns(_IS_DIRECTORY, False),))
_NO_DIRECTORY_MISSING = _OF_DIRECTORY.case("missing", _IS_DIRECTORY, (returns(_IS_DIRECTORY, False),))


@meaning(IsDirectory, _OF_DIRECTORY, derived=True)
def _classify_directory(root: State, op: IsDirectory) -> int:
    node = locate(root, op.path)
    asked = _A_DIRECTORY if type(node) is Dir else _NO_DIRECTORY if type(node) is File else _NO_DIRECTORY_MISSING
    return bits(op.path, node) | asked


drawn_plainly(IsFile, IsDirectory)
