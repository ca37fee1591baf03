"""A bare sketch of the same operations, without clauses, options, sets of states or explanations.

It is what one would write first: one function over nested persistent maps, which says whether an outcome is right,
error classes and statuses included, and what comes next. It knows one contract, that of the store in memory, by heart,
and gives the oracle's answers under it; but it can't say why. The oracle's speed is measured against it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from immutables import Map

from fsconform.model.core import content as contents
from fsconform.model.core.outcomes import Data, Raised, Returned, Status
from fsconform.model.core.paths import valid
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.predicates import Exists

Tree = Any
"""A directory is a Map from names to trees, a file is its content, a tuple."""

EMPTY: Tree = Map()
ABSENT = object()
"""The value of a call that raised."""


def _get(tree: Tree, path: tuple[str, ...]) -> Tree:
    for name in path:
        if type(tree) is not Map:
            return None
        tree = tree.get(name)
        if tree is None:
            return None
    return tree


def _put(tree: Tree, path: tuple[str, ...], node: Tree) -> Tree:
    if len(path) == 1:
        return tree.set(path[0], node)
    return tree.set(path[0], _put(tree.get(path[0], EMPTY), path[1:], node))


def _drop(tree: Tree, path: tuple[str, ...]) -> Tree:
    if len(path) == 1:
        return tree.delete(path[0])
    return tree.set(path[0], _drop(tree[path[0]], path[1:]))


def _under_file(tree: Tree, path: tuple[str, ...]) -> bool:
    for name in path[:-1]:
        tree = tree.get(name)
        if tree is None:
            return False
        if type(tree) is not Map:
            return True
    return False


FNF = "java.io.FileNotFoundException"
EXISTS = "org.apache.hadoop.fs.FileAlreadyExistsException"
NOT_DIRECTORY = "org.apache.hadoop.fs.ParentNotDirectoryException"
INVALID = "org.apache.hadoop.fs.InvalidPathException"
IO = "java.io.IOException"

_valid = lru_cache(maxsize=1 << 16)(valid)


def _raised(outcome: Any, *names: str) -> bool:
    return type(outcome) is Raised and any(name in outcome.classes for name in names)


def _is_status(status: Any, path: tuple[str, ...], node: Tree) -> bool:
    if type(status) is not Status or status.path != path:
        return False
    if type(node) is Map:
        return status.is_dir and status.length == 0
    return not status.is_dir and status.length == contents.length(node) and status.block_size > 0


def step(tree: Tree, op: Any, outcome: Any) -> Tree | None:
    """The next tree if the outcome is right, else None."""
    value = outcome.value if type(outcome) is Returned else ABSENT
    kind = type(op)
    if kind is Rename:
        return _rename(tree, op, value, outcome)
    path = op.path
    if not _valid(path):
        refused = (value is False and kind in (Exists, Delete)) or _raised(outcome, INVALID, IO)
        return tree if refused else None
    node = _get(tree, path)
    if kind is GetFileStatus:
        right = _raised(outcome, FNF) if node is None else _is_status(value, path, node)
        return tree if right else None
    if kind is Exists:
        return tree if value is (node is not None) else None
    if kind is ListStatus:
        if node is None:
            return tree if _raised(outcome, FNF) else None
        return tree if _is_listing(value, path, node) else None
    if kind is Mkdirs:
        if type(node) is Map:
            return tree if value is True else None
        if node is not None or _under_file(tree, path):
            return tree if _raised(outcome, EXISTS, NOT_DIRECTORY) else None
        return _put(tree, path, EMPTY) if value is True else None
    if kind is Create:
        if type(node) is Map or (node is not None and not op.overwrite):
            return tree if _raised(outcome, EXISTS) else None
        if _under_file(tree, path):
            return tree if _raised(outcome, NOT_DIRECTORY, EXISTS) else None
        return _put(tree, path, op.content) if value is None else None
    if kind is Append:
        if node is None:
            return tree if _raised(outcome, FNF) else None
        if type(node) is Map:
            return tree if _raised(outcome, IO) else None
        return _put(tree, path, node + op.content) if value is None else None
    if kind is Open:
        if node is None or type(node) is Map:
            return tree if _raised(outcome, FNF, IO) else None
        right = type(value) is Data and value.length == contents.length(node) and value.digest == contents.digest(node)
        return tree if right else None
    assert kind is Delete
    if node is None:
        return tree if value is False else None
    if type(node) is Map and node and not op.recursive:
        return tree if _raised(outcome, IO) else None
    return _drop(tree, path) if value is True else None


def _is_listing(value: Any, path: tuple[str, ...], node: Tree) -> bool:
    if type(value) is not tuple:
        return False
    if type(node) is not Map:
        return len(value) == 1 and _is_status(value[0], path, node)
    names = set()
    for status in value:
        name = status.path[-1] if status.path else ""
        if name not in node or not _is_status(status, (*path, name), node[name]):
            return False
        names.add(name)
    return len(names) == len(node) == len(value)


def _to_itself(node: Tree, value: Any, outcome: Any) -> bool:
    return value is True or (type(node) is Map and (value is not ABSENT or _raised(outcome, IO)))


def _rename(tree: Tree, op: Rename, value: Any, outcome: Any) -> Tree | None:
    src, dest = op.src, op.dst
    if not _valid(src) or not _valid(dest):
        return tree if _raised(outcome, INVALID, IO) else None
    node = _get(tree, src)
    if node is not None and src == dest:
        return tree if _to_itself(node, value, outcome) else None
    if type(_get(tree, dest)) is Map:
        dest = (*dest, src[-1])
        if node is not None and src == dest:
            return tree if _to_itself(node, value, outcome) else None
    below, taken = len(dest) > len(src) and dest[: len(src)] == src, _get(tree, dest) is not None
    orphan = type(_get(tree, dest[:-1])) is not Map
    if node is None and _raised(outcome, FNF):
        return tree
    target = _get(tree, dest)
    if value is True and type(node) is Map and type(target) is Map and not below and not set(node) & set(target):
        return _put(_drop(tree, src), dest, target.update(node))
    if below or taken or orphan:
        return tree if _raised(outcome, IO) else None
    return _put(_drop(tree, src), dest, node) if node is not None and value is True else None
