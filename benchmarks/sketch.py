"""A bare sketch of the same operations, without clauses, options, sets of states or explanations.

It is what one would write first: one function per operation over nested persistent maps, which says whether an outcome
is right and what comes next. The oracle's speed is measured against it.
"""

from __future__ import annotations

from typing import Any

from immutables import Map

from fsconform.model import content as contents
from fsconform.model.operations import (
    Append,
    Create,
    Delete,
    Exists,
    GetFileStatus,
    ListStatus,
    Mkdirs,
    Open,
    Operation,
    Rename,
)
from fsconform.model.outcomes import Raised, Returned

Tree = Any
"""A directory is a Map from names to trees, a file is its content, a tuple."""

EMPTY: Tree = Map()


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


def step(tree: Tree, op: Operation, outcome: Any) -> Tree | None:
    """The next tree if the outcome is right, else None."""
    value: Any = outcome.value if type(outcome) is Returned else None
    failed = type(outcome) is Raised
    kind = type(op)
    if kind is Rename:
        return _rename(tree, op, value, failed)  # type: ignore[arg-type]
    path = op.path  # type: ignore[union-attr]
    node = _get(tree, path)
    if kind is GetFileStatus:
        if node is None:
            return tree if failed else None
        if failed or value.path != path:
            return None
        if type(node) is Map:
            return tree if value.is_dir and not value.length else None
        return tree if not value.is_dir and value.length == contents.length(node) else None
    if kind is Exists:
        return tree if value is (node is not None) else None
    if kind is ListStatus:
        if node is None:
            return tree if failed else None
        if failed:
            return None
        if type(node) is not Map:
            return tree if len(value) == 1 and value[0].path == path else None
        return tree if {status.path[-1] for status in value} == set(node) and len(value) == len(node) else None
    if kind is Mkdirs:
        if type(node) is Map:
            return tree if value is True else None
        if node is not None or _under_file(tree, path):
            return tree if failed else None
        return _put(tree, path, EMPTY) if value is True else None
    if kind is Create:
        if type(node) is Map or (node is not None and not op.overwrite) or _under_file(tree, path):  # type: ignore[union-attr]
            return tree if failed else None
        return None if failed else _put(tree, path, op.content)  # type: ignore[union-attr]
    if kind is Append:
        if node is None or type(node) is Map:
            return tree if failed else None
        return None if failed else _put(tree, path, node + op.content)  # type: ignore[union-attr]
    if kind is Open:
        if node is None or type(node) is Map:
            return tree if failed else None
        return tree if not failed and value.digest == contents.digest(node) else None
    assert kind is Delete
    if node is None:
        return tree if value is False else None
    if type(node) is Map and node and not op.recursive:  # type: ignore[union-attr]
        return tree if failed else None
    return _drop(tree, path) if value is True else None


def _rename(tree: Tree, op: Rename, value: Any, failed: bool) -> Tree | None:
    src, dest = op.src, op.dst
    node = _get(tree, src)
    if dest != src and type(_get(tree, dest)) is Map:
        dest = (*dest, src[-1])
    if node is not None and src == dest:
        return tree
    if (
        node is None
        or dest[: len(src)] == src
        or _get(tree, dest) is not None
        or type(_get(tree, dest[:-1])) is not Map
    ):
        return tree if failed else None
    return _put(_drop(tree, src), dest, node) if value is True else None
