"""getBlockSize, getLength and getReplication: one number of a path, that of its status.

Source: filesystem.md, "long getBlockSize(Path p)" and "FileStatus getFileStatus(Path p)".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from fsconform.model.core import content as contents
from fsconform.model.core.drawing import drawn_plainly
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Cases, Difference, gives, meaning
from fsconform.model.filesystem.options.core import DIRECTORIES_HAVE_LENGTH
from fsconform.model.filesystem.state import Dir, File, State, locate
from fsconform.model.filesystem.status.entries import (
    DIRECTORY_STATUS,
    EXISTS,
    FILE_STATUS,
    at_least,
    missing,
    number,
)
from fsconform.model.filesystem.validity import COMMON_CASES, bits

_BLOCK = "filesystem.getBlockSize"
_POSITIVE = f"{_BLOCK}.post.positive"


@operation
@dataclass(frozen=True, slots=True)
class GetBlockSize(Operation):
    """``getBlockSize(path)``. Returns facts ``number`` with ``value``, in bytes, and that of the ``status``."""

    NAME: ClassVar[str] = "getBlockSize"
    path: Path


@operation
@dataclass(frozen=True, slots=True)
class GetLength(Operation):
    """``getLength(path)``. Returns facts ``number`` with ``value``, in bytes."""

    NAME: ClassVar[str] = "getLength"
    path: Path


@operation
@dataclass(frozen=True, slots=True)
class GetReplication(Operation):
    """``getReplication(path)``. Returns facts ``number`` with ``value``."""

    NAME: ClassVar[str] = "getReplication"
    path: Path


def _wrong_block_size(root: State, op: GetBlockSize, value: Any) -> Difference | None:
    found, node = number(value), locate(root, op.path)
    if found is None:
        return Difference(f"{_BLOCK}.post", "MUST", "no number")
    if isinstance(node, File) and found <= 0:
        filled = contents.length(node.content) > 0
        return Difference(_POSITIVE if filled else FILE_STATUS, "MUST", "no number above 0")
    status = value.get("status")
    if status is not None and status != found:
        return Difference(f"{_BLOCK}.post", "MUST", "another block size than the status has")
    return None


def _right_block_size(root: State, op: GetBlockSize, value: Any) -> bool:
    return _wrong_block_size(root, op, value) is None


_BLOCKS = Cases(*COMMON_CASES)
_FILLED = _BLOCKS.case(
    "file that is not empty",
    _POSITIVE,
    (gives(_POSITIVE, "the status's block size, above 0", _right_block_size, also=(f"{_BLOCK}.post",)),),
)
_EMPTY = _BLOCKS.case(
    "empty file or directory",
    f"{_BLOCK}.post",
    (gives(f"{_BLOCK}.post", "the status's block size", _right_block_size),),
)
_NO_BLOCKS = _BLOCKS.add(missing(f"{_BLOCK}.pre.exists"))


@meaning(GetBlockSize, _BLOCKS, differs=_wrong_block_size)
def _classify_block_size(root: State, op: GetBlockSize) -> int:
    node = locate(root, op.path)
    if type(node) is File and node.content:
        return bits(op.path, node) | _FILLED
    return bits(op.path, node) | (_EMPTY if isinstance(node, File | Dir) else _NO_BLOCKS)


def _right_length(root: State, op: GetLength, value: Any) -> bool:
    node = locate(root, op.path)
    return number(value) == (contents.length(node.content) if isinstance(node, File) else 0)


def _wrong_length(root: State, op: GetLength, value: Any) -> Difference | None:
    node = locate(root, op.path)
    if isinstance(node, File) and not _right_length(root, op, value):
        return Difference(FILE_STATUS, "MUST", "a wrong length")
    return None


_LENGTHS = Cases(*COMMON_CASES)
_FILE = _LENGTHS.case("file", FILE_STATUS, (gives(FILE_STATUS, "the number of the file's bytes", _right_length),))
_DIRECTORY = _LENGTHS.case(
    "directory",
    DIRECTORY_STATUS,
    (
        gives(DIRECTORY_STATUS, "0", _right_length),
        gives(DIRECTORY_STATUS, "a number", at_least(0), (DIRECTORIES_HAVE_LENGTH, True), departs=True),
    ),
)
_MISSING = _LENGTHS.add(missing(EXISTS))


@meaning(GetLength, _LENGTHS, differs=_wrong_length)
def _classify_length(root: State, op: GetLength) -> int:
    node = locate(root, op.path)
    return bits(op.path, node) | (_FILE if type(node) is File else _DIRECTORY if type(node) is Dir else _MISSING)


_A_NUMBER = "a number of replicas"

_REPLICAS = Cases(*COMMON_CASES)
_OF_FILE = _REPLICAS.case("file", FILE_STATUS, (gives(FILE_STATUS, _A_NUMBER, at_least(0)),))
_OF_DIRECTORY = _REPLICAS.case("directory", DIRECTORY_STATUS, (gives(DIRECTORY_STATUS, _A_NUMBER, at_least(0)),))
_OF_NOTHING = _REPLICAS.add(missing(EXISTS))


@meaning(GetReplication, _REPLICAS)
def _classify_replication(root: State, op: GetReplication) -> int:
    node = locate(root, op.path)
    case = _OF_FILE if type(node) is File else _OF_DIRECTORY if type(node) is Dir else _OF_NOTHING
    return bits(op.path, node) | case


drawn_plainly(GetBlockSize, GetLength, GetReplication)
