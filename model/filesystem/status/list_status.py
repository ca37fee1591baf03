"""listStatus, listStatusIterator and listLocatedStatus of one path.

Source: filesystem.md, "FileStatus[] listStatus(Path path, PathFilter filter)" and the sections that follow it. Via a
filter, here, is with one that accepts every path; those that reject some are in :mod:`list_filtered`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Branch, Cases, Difference, below_a_file, gives, meaning
from fsconform.model.filesystem.options.core import DIRECTORIES_HAVE_LENGTH
from fsconform.model.filesystem.state import UNDER_FILE, Dir, File, State, locate
from fsconform.model.filesystem.status.entries import DIRECTORY_STATUS, NOT_NULL, agrees, missing
from fsconform.model.filesystem.validity import COMMON_CASES, bits

_LIST = "filesystem.listStatus"
_FILTERED, _NO_FILTER = f"{_LIST}.post.filtered", f"{_LIST}.default-filter"
_ITERATED, _LOCATED = "filesystem.listStatusIterator", "filesystem.listLocatedStatus"


@operation
@dataclass(frozen=True, slots=True)
class ListStatus(Operation):
    """``listStatus(path)``."""

    NAME: ClassVar[str] = "listStatus"
    VIAS: ClassVar[tuple[str, ...]] = ("filter", "array", "array and filter", "iterator", "located", "context")
    path: Path
    via: str = ""


def _right_listing(any_length: bool) -> Callable[[State, ListStatus, object], bool]:
    def check(root: State, op: ListStatus, listed: object) -> bool:
        if not isinstance(listed, tuple):
            return False
        node = locate(root, op.path)
        if type(node) is File:
            return len(listed) == 1 and listed[0].path == op.path and agrees(listed[0], node, any_length)
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
            if child is None or not agrees(status, child, any_length):
                return False
            seen.add(name)
        return len(seen) == len(children)

    return check


def _listing(clause: str, expected: str, *also: str) -> tuple[Branch, ...]:
    return (
        gives(clause, expected, _right_listing(any_length=False), also=also),
        gives(
            DIRECTORY_STATUS,
            expected,
            _right_listing(any_length=True),
            (DIRECTORIES_HAVE_LENGTH, True),
            departs=True,
            also=also,
        ),
    )


_ALL_CHILDREN, _ALL_ENTRIES = "the statuses of all children", "the statuses of all entries"

_MET = Cases(*COMMON_CASES)

# --- preconditions: the path exists

_MISSING = _MET.add(missing(f"{_LIST}.pre.exists"))
_BELOW_FILE = _MET.add(below_a_file(f"{_LIST}.pre.exists"))

# --- postconditions

_FILE = _MET.case(
    "file",
    f"{_LIST}.post.file",
    _listing(f"{_LIST}.post.file", "the status of the file alone", NOT_NULL, _NO_FILTER),
)
_DIRECTORY = _MET.case(
    "directory",
    f"{_LIST}.post.directory",
    _listing(f"{_LIST}.post.directory", _ALL_CHILDREN, NOT_NULL, _NO_FILTER),
)
_BY_FILTER = _MET.case("existing, by filter", _FILTERED, _listing(_FILTERED, _ALL_ENTRIES, NOT_NULL))


# --- the ways to list that have sections of their own: listStatus(Path[]), listStatusIterator and listLocatedStatus


def _by(way: str, exists: str, post: str, *also: str) -> tuple[int, int]:
    """A path that exists and one that is missing, for a way to list that has clauses of its own."""
    there = _MET.case(f"existing, by {way}", post, _listing(post, _ALL_ENTRIES, *also))
    return there, _MET.case(f"missing, by {way}", exists, missing(exists).branches)


_BY_ARRAY = _by("array", f"{_LIST}.many.pre.exist", f"{_LIST}.many.post", NOT_NULL)
_BY_WAY = {
    "filter": (_BY_FILTER, _MISSING),
    "array": _BY_ARRAY,
    "array and filter": _BY_ARRAY,
    "iterator": _by("iterator", f"{_ITERATED}.pre.exists", f"{_ITERATED}.post"),
    "located": _by("located", f"{_LOCATED}.pre.exists", f"{_LOCATED}.post", _NO_FILTER),
}
"""By the ways to list that have clauses of their own: the cases of a path that exists and of one that does not."""


def _null_listing(_root: State, _op: ListStatus, value: object) -> Difference | None:
    # Of the iterators nothing is said of null, but there is nothing that they could give then.
    return Difference(NOT_NULL, "MUST NOT", "null") if value is None else None


@meaning(ListStatus, _MET, differs=_null_listing)
def _classify(root: State, op: ListStatus) -> int:
    node = locate(root, op.path)
    there, absent = _BY_WAY.get(op.via, (_FILE if type(node) is File else _DIRECTORY, _MISSING))
    if type(node) is Dir or type(node) is File:
        return bits(op.path, node) | there
    return bits(op.path, node) | absent | (_BELOW_FILE if node is UNDER_FILE else 0)
