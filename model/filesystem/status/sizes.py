"""The calls that ask for one number of a path, and for the defaults of a filesystem.

Source: filesystem.md, "long getBlockSize(Path p)", "long getDefaultBlockSize()" and "FileStatus getFileStatus(Path p)".
"""

from __future__ import annotations

from typing import Any

from fsconform.model.core import content as contents
from fsconform.model.core.outcomes import Facts
from fsconform.model.filesystem.branches import Case, Check, Difference, Meaning, gives, raises, runtime_instead
from fsconform.model.filesystem.metadata.setting import UNSUPPORTED, answers
from fsconform.model.filesystem.operations.metadata import (
    GetBlockSize,
    GetDefaultBlockSize,
    GetDefaultReplication,
    GetLength,
    GetReplication,
    GetServerDefaults,
)
from fsconform.model.filesystem.options.core import DIRECTORIES_HAVE_LENGTH
from fsconform.model.filesystem.state import Dir, File, State, locate
from fsconform.model.filesystem.validity import COMMON_CASES, bits, lenient_bits

_STATUS = "filesystem.getFileStatus"
_LONG_DIRECTORIES = (DIRECTORIES_HAVE_LENGTH, True)


def missing(clause: str) -> Case:
    """The case of a path that does not exist, for a query that is then refused."""
    return Case("missing", clause, runtime_instead((raises(clause, "FileNotFoundException"),)))


def classify_query(root: State, op: Any) -> int:
    """The cases of a query of one path: file, directory, missing."""
    node = locate(root, op.path)
    return bits(op.path, node) | (4 if type(node) is File else 8 if type(node) is Dir else 16)


def number(value: Any) -> int | None:
    """The number that a call gave, None if it gave none."""
    found = value.get("value") if isinstance(value, Facts) else None
    return found if type(found) is int else None


def _at_least(least: int) -> Check:
    def check(_root: State, _op: Any, value: Any) -> bool:
        found = number(value)
        return found is not None and found >= least

    return check


_BLOCK = "filesystem.getBlockSize"


def _block_difference(root: State, op: GetBlockSize, value: Any) -> Difference | None:
    found, node = number(value), locate(root, op.path)
    if found is None:
        return Difference(f"{_BLOCK}.post", "MUST", "no number")
    if isinstance(node, File) and found <= 0:
        filled = contents.length(node.content) > 0
        return Difference(f"{_BLOCK}.post.positive" if filled else f"{_STATUS}.post.file", "MUST", "no number above 0")
    status = value.get("status")
    if status is not None and status != found:
        return Difference(f"{_BLOCK}.post", "MUST", "another block size than the status has")
    return None


def _right_block(root: State, op: GetBlockSize, value: Any) -> bool:
    return _block_difference(root, op, value) is None


def _classify_block(root: State, op: GetBlockSize) -> int:
    node = locate(root, op.path)
    if type(node) is File and node.content:
        return bits(op.path, node) | 4
    return bits(op.path, node) | (8 if isinstance(node, File | Dir) else 16)


GET_BLOCK_SIZE = Meaning(
    GetBlockSize,
    (
        *COMMON_CASES,
        Case(
            "file that is not empty",
            f"{_BLOCK}.post.positive",
            (
                gives(
                    f"{_BLOCK}.post.positive",
                    "the status's block size, above 0",
                    _right_block,
                    also=(f"{_BLOCK}.post",),
                ),
            ),
        ),
        Case(
            "empty file or directory",
            f"{_BLOCK}.post",
            (gives(f"{_BLOCK}.post", "the status's block size", _right_block),),
        ),
        missing(f"{_BLOCK}.pre.exists"),
    ),
    _classify_block,
    _block_difference,
)


def _right_length(root: State, op: GetLength, value: Any) -> bool:
    node = locate(root, op.path)
    return number(value) == (contents.length(node.content) if isinstance(node, File) else 0)


def _length_difference(root: State, op: GetLength, value: Any) -> Difference | None:
    node = locate(root, op.path)
    if isinstance(node, File) and not _right_length(root, op, value):
        return Difference(f"{_STATUS}.post.file", "MUST", "a wrong length")
    return None


GET_LENGTH = Meaning(
    GetLength,
    (
        *COMMON_CASES,
        Case(
            "file",
            f"{_STATUS}.post.file",
            (gives(f"{_STATUS}.post.file", "the number of the file's bytes", _right_length),),
        ),
        Case(
            "directory",
            f"{_STATUS}.post.directory",
            (
                gives(f"{_STATUS}.post.directory", "0", _right_length),
                gives(f"{_STATUS}.post.directory", "a number", _at_least(0), _LONG_DIRECTORIES, departs=True),
            ),
        ),
        missing(f"{_STATUS}.pre.exists"),
    ),
    classify_query,
    _length_difference,
)

GET_REPLICATION = Meaning(
    GetReplication,
    (
        *COMMON_CASES,
        Case("file", f"{_STATUS}.post.file", (gives(f"{_STATUS}.post.file", "a number of replicas", _at_least(0)),)),
        Case(
            "directory",
            f"{_STATUS}.post.directory",
            (gives(f"{_STATUS}.post.directory", "a number of replicas", _at_least(0)),),
        ),
        missing(f"{_STATUS}.pre.exists"),
    ),
    classify_query,
)

_DEFAULT = "filesystem.getDefaultBlockSize"


def _classify_default(root: State, op: GetDefaultBlockSize) -> int:
    if op.via:
        return 4
    node = locate(root, op.path)
    return lenient_bits(op.path, node) | (8 if isinstance(node, File | Dir) else 16)


GET_DEFAULT_BLOCK_SIZE = Meaning(
    GetDefaultBlockSize,
    (
        *COMMON_CASES,
        Case("of the filesystem", f"{_DEFAULT}.post", (gives(f"{_DEFAULT}.post", "a number above 0", _at_least(1)),)),
        Case(
            "of a path",
            f"{_DEFAULT}.path.post",
            (gives(f"{_DEFAULT}.path.post", "a number that is not negative", _at_least(0)),),
        ),
        Case(
            "of a missing path",
            f"{_DEFAULT}.path.missing",
            (gives(f"{_DEFAULT}.path.missing", "a number that is not negative", _at_least(0)),),
        ),
    ),
    _classify_default,
)


def _classify_any(root: State, op: Any) -> int:
    return (0 if op.via == "plain" else lenient_bits(op.path, locate(root, op.path))) | 4


def _defaults(kind: type, expected: str, check: Check) -> Meaning:
    """A query of defaults of which the documents say nothing: it answers, or is not implemented."""
    return Meaning(kind, (*COMMON_CASES, Case("any path", UNSUPPORTED, answers(expected, check))), _classify_any)


def _are_defaults(_root: State, _op: Any, value: Any) -> bool:
    return isinstance(value, Facts) and value.kind == "server defaults"


MEANINGS: tuple[Meaning, ...] = (
    GET_BLOCK_SIZE,
    GET_LENGTH,
    GET_REPLICATION,
    GET_DEFAULT_BLOCK_SIZE,
    _defaults(GetDefaultReplication, "return a number of replicas", _at_least(0)),
    _defaults(GetServerDefaults, "return the defaults", _are_defaults),
)
