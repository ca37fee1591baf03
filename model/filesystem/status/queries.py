"""Predicates and other state access operations: getFileStatus, exists, listStatus.

Source: filesystem.md, "Predicates and other state access operations".
"""

from __future__ import annotations

from collections.abc import Callable

from fsconform.model.core import content as contents
from fsconform.model.core.outcomes import Status
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import (
    Branch,
    Case,
    Difference,
    Meaning,
    below_a_file,
    gives,
    raises,
    returns,
    runtime_instead,
)
from fsconform.model.filesystem.operations import Exists, GetFileStatus, ListStatus, Operation, paths_of
from fsconform.model.filesystem.options.core import DIRECTORIES_HAVE_LENGTH, IS_CASE_SENSITIVE
from fsconform.model.filesystem.state import MISSING, UNDER_FILE, Dir, File, Node, State, locate
from fsconform.model.filesystem.validity import COMMON_CASES, bits

_SENSITIVE = (IS_CASE_SENSITIVE, True)
_INSENSITIVE = (IS_CASE_SENSITIVE, False)
_LONG_DIRECTORIES = (DIRECTORIES_HAVE_LENGTH, True)
CASE_CLAUSE = "introduction.paths.no-case-insensitive-comparison"


def case_variant(root: State, path: Path) -> Node | None:
    """The node whose path differs from ``path`` only in the case of its last element, if there is one."""
    other = path[-1].swapcase()
    if other == path[-1]:
        return None
    parent = locate(root, path[:-1])
    return parent.children.get(other) if type(parent) is Dir else None


def confused(root: State, operation: Operation) -> bool:
    """True if a path of the operation meets a name that differs in case only, and no case of the model covers that."""
    if isinstance(operation, GetFileStatus | Exists) and operation.path:
        return case_variant(root, operation.path) is None and _meets_variant(root, operation.path)
    return any(_meets_variant(root, path) for path in paths_of(operation))


def _meets_variant(root: State, path: Path) -> bool:
    node: Node | None = root.tree
    for name in path:
        if type(node) is not Dir:
            return False
        if name not in node.children:
            folded = name.casefold()
            return any(other.casefold() == folded for other in node.children)
        node = node.children[name]
    return False


def _is_file_status(status: Status, content: contents.Content) -> bool:
    return not status.is_dir and status.length == contents.length(content) and status.block_size > 0


def _right_status(root: State, op: GetFileStatus, status: Status) -> bool:
    node = locate(root, op.path)
    if not isinstance(status, Status) or status.path != op.path:
        return False
    if type(node) is File:
        return _is_file_status(status, node.content)
    return status.is_dir and status.length == 0


def _directory_of_any_length(root: State, op: GetFileStatus, status: Status) -> bool:
    return isinstance(status, Status) and status.path == op.path and status.is_dir


def _status_of_variant(root: State, op: GetFileStatus, status: Status) -> bool:
    node = case_variant(root, op.path)
    return isinstance(status, Status) and status.is_dir is (type(node) is Dir)


def _classify_status(root: State, op: GetFileStatus) -> int:
    node = locate(root, op.path)
    if type(node) is File:
        return bits(op.path, node) | 4
    if type(node) is Dir:
        return bits(op.path, node) | 8
    if node is MISSING and case_variant(root, op.path) is not None:
        return bits(op.path, node) | 32
    return bits(op.path, node) | 16


_STATUS = "filesystem.getFileStatus"

GET_FILE_STATUS = Meaning(
    GetFileStatus,
    (
        *COMMON_CASES,
        Case("file", f"{_STATUS}.post.file", (gives(f"{_STATUS}.post.file", "status of the file", _right_status),)),
        Case(
            "directory",
            f"{_STATUS}.post.directory",
            (
                gives(f"{_STATUS}.post.directory", "status of a directory of length 0", _right_status),
                gives(
                    f"{_STATUS}.post.directory",
                    "status of a directory",
                    _directory_of_any_length,
                    _LONG_DIRECTORIES,
                    departs=True,
                ),
            ),
        ),
        Case(
            "missing",
            f"{_STATUS}.pre.exists",
            runtime_instead((raises(f"{_STATUS}.pre.exists", "FileNotFoundException"),)),
        ),
        Case(
            "a name that differs in case only",
            CASE_CLAUSE,
            (
                raises(CASE_CLAUSE, "FileNotFoundException", _SENSITIVE, level="MUST NOT"),
                gives(
                    CASE_CLAUSE,
                    "status of the other name",
                    _status_of_variant,
                    _INSENSITIVE,
                    level="MUST NOT",
                    departs=True,
                ),
            ),
        ),
    ),
    _classify_status,
)


def _classify_exists(root: State, op: Exists) -> int:
    node = locate(root, op.path)
    if type(node) is File or type(node) is Dir:
        return bits(op.path, node) | 4
    if node is MISSING and case_variant(root, op.path) is not None:
        return bits(op.path, node) | 16
    return bits(op.path, node) | 8


_EXISTS = "filesystem.exists"

EXISTS = Meaning(
    Exists,
    (
        *COMMON_CASES,
        Case("existing", _EXISTS, (returns(_EXISTS, True),)),
        Case("missing", _EXISTS, (returns(_EXISTS, False),)),
        Case(
            "a name that differs in case only",
            CASE_CLAUSE,
            (
                returns(CASE_CLAUSE, False, _SENSITIVE, level="MUST NOT"),
                returns(CASE_CLAUSE, True, _INSENSITIVE, level="MUST NOT", departs=True),
            ),
        ),
    ),
    _classify_exists,
)


def _right_listing(any_length: bool) -> Callable[[State, ListStatus, object], bool]:
    def check(root: State, op: ListStatus, listed: object) -> bool:
        if not isinstance(listed, tuple):
            return False
        node = locate(root, op.path)
        if type(node) is File:
            return len(listed) == 1 and listed[0].path == op.path and _is_file_status(listed[0], node.content)
        assert type(node) is Dir
        children, path, depth = node.children, op.path, len(op.path)
        if len(listed) != len(children):
            return False
        seen = set()
        for status in listed:
            if len(status.path) != depth + 1 or status.path[:depth] != path:
                return False
            name = status.path[depth]
            child = children.get(name)
            if child is None:
                return False
            if type(child) is File:
                if not _is_file_status(status, child.content):
                    return False
            elif not status.is_dir or (status.length and not any_length):
                return False
            seen.add(name)
        return len(seen) == len(children)

    return check


_VIA_BITS = {
    "filter": (64, 16),
    "array": (128, 256),
    "array and filter": (128, 256),
    "iterator": (512, 1024),
    "located": (2048, 4096),
}
"""By the ways to list that have sections of their own: the cases of a path that exists and of one that does not."""


def _classify_list(root: State, op: ListStatus) -> int:
    node = locate(root, op.path)
    if op.via and op.via != "context":
        there, missing = _VIA_BITS[op.via]
        if type(node) is Dir or type(node) is File:
            return bits(op.path, node) | there
        return bits(op.path, node) | missing | (32 if node is UNDER_FILE else 0)
    if type(node) is Dir:
        return bits(op.path, node) | 4
    if type(node) is File:
        return bits(op.path, node) | 8
    return bits(op.path, node) | (48 if node is UNDER_FILE else 16)


_LIST = "filesystem.listStatus"


_NOT_NULL = f"{_LIST}.post.not-null"
_NO_FILTER = f"{_LIST}.default-filter"


def _listing(clause: str, expected: str, *also: str) -> tuple[Branch, ...]:
    lengths = f"{_STATUS}.post.directory"
    return (
        gives(clause, expected, _right_listing(any_length=False), also=also),
        gives(lengths, expected, _right_listing(any_length=True), _LONG_DIRECTORIES, departs=True, also=also),
    )


def _by(way: str, exists: str, post: str, *also: str) -> tuple[Case, Case]:
    """A path that exists and one that is missing, for a way to list that has clauses of its own."""
    return (
        Case(f"existing, by {way}", post, _listing(post, "the statuses of all entries", *also)),
        Case(f"missing, by {way}", exists, runtime_instead((raises(exists, "FileNotFoundException"),))),
    )


def _null_listing(_root: State, op: ListStatus, value: object) -> Difference | None:
    # Of the iterators nothing is said of null, but there is nothing that they could give then.
    return Difference(_NOT_NULL, "MUST NOT", "null") if value is None else None


_FILTERED = f"{_LIST}.post.filtered"
_LOCATED = "filesystem.listLocatedStatus"


LIST_STATUS = Meaning(
    ListStatus,
    (
        *COMMON_CASES,
        Case(
            "directory",
            f"{_LIST}.post.directory",
            _listing(f"{_LIST}.post.directory", "the statuses of all children", _NOT_NULL, _NO_FILTER),
        ),
        Case(
            "file",
            f"{_LIST}.post.file",
            _listing(f"{_LIST}.post.file", "the status of the file alone", _NOT_NULL, _NO_FILTER),
        ),
        Case(
            "missing",
            f"{_LIST}.pre.exists",
            runtime_instead((raises(f"{_LIST}.pre.exists", "FileNotFoundException"),)),
        ),
        below_a_file(f"{_LIST}.pre.exists"),
        Case("existing, by filter", _FILTERED, _listing(_FILTERED, "the statuses of all entries", _NOT_NULL)),
        *_by("array", f"{_LIST}.many.pre.exist", f"{_LIST}.many.post", _NOT_NULL),
        *_by("iterator", "filesystem.listStatusIterator.pre.exists", "filesystem.listStatusIterator.post"),
        *_by("located", f"{_LOCATED}.pre.exists", f"{_LOCATED}.post", _NO_FILTER),
    ),
    _classify_list,
    _null_listing,
)
