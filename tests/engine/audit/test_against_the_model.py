"""The meaning of an audit log's commands against the reference model: every small namespace, every call."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from immutables import Map

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.engine.audit.effects import Assumptions, Effects
from fsconform.engine.audit.lines import Entry
from fsconform.engine.audit.tree import A_FILE, DIRECTORY, SURELY_ABSENT, Node, Shape
from fsconform.model.core.content import Segment
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Returned
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.state import Dir, File, State
from fsconform.model.filesystem.state import Node as ModelNode

EFFECTS = Effects(Assumptions(no_half_done_calls=True, from_empty=True))
ORACLE = Oracle(load_shipped("hdfs"))
CONTENT = (Segment(1, 3, 0),)
LEAVES: tuple[ModelNode | None, ...] = (None, File(CONTENT), Dir(Map()))
NAMES = ("a", "b")
PATHS = [path for depth in range(4) for path in itertools.product(NAMES, repeat=depth)]


def _directories(children: tuple[ModelNode | None, ...]) -> Iterator[Dir]:
    for chosen in itertools.product(children, repeat=len(NAMES)):
        yield Dir(Map({name: node for name, node in zip(NAMES, chosen, strict=True) if node is not None}))


STATES = [State(tree) for tree in _directories((None, File(CONTENT), *_directories(LEAVES)))]


def _at(state: State, path: tuple[str, ...]) -> ModelNode | None:
    node: ModelNode | None = state.tree
    for name in path:
        node = node.children.get(name) if isinstance(node, Dir) else None
    return node


def _tree(node: ModelNode) -> Node:
    if isinstance(node, File):
        return A_FILE
    tree = Node(DIRECTORY, True)
    for name, child in node.children.items():
        tree = Shape(SURELY_ABSENT).put(tree, name, _tree(child))
    return tree


def _allowed(state: State, operation: Operation) -> set[int]:
    """The trees after the call, for each way in which the model lets it succeed."""
    found: set[int] = set()
    for outcome in (Returned(True), Returned(None)):
        found.update(
            _tree(after.tree).digest for _, after in ORACLE.step(state, operation, outcome) if after is not None
        )
    return found


def _said(state: State, command: str, src: tuple[str, ...], dst: tuple[str, ...] | None = None) -> set[int]:
    entry = Entry(1, True, command, None, (src,), dst, "")
    return {tree.digest for tree in EFFECTS.apply(_tree(state.tree), entry)}


def test_there_are_states_enough() -> None:
    assert len(STATES) == 121


@pytest.mark.parametrize("command", ["mkdirs", "create", "append", "delete"])
def test_one_path(command: str) -> None:
    """What the log says was done is possible exactly where the model lets the call succeed, and leads to the same."""
    for state, path in itertools.product(STATES, PATHS[1:]):
        by_command: dict[str, list[Operation]] = {
            "mkdirs": [Mkdirs(path)],
            "create": [Create(path, CONTENT, True), Create(path, CONTENT, False)],
            "append": [Append(path, CONTENT)],
            "delete": [Delete(path, True), Delete(path, False)],
        }
        calls = by_command[command]
        if command == "delete" and _at(state, path) is None:
            continue  # the specification lets a store say true; HDFS says false, which is logged as not allowed
        assert _said(state, command, path) == set().union(*(_allowed(state, call) for call in calls)), (state, path)


def test_rename() -> None:
    for state, src, dst in itertools.product(STATES, PATHS[1:], PATHS):
        if src == dst and isinstance(_at(state, src), Dir):
            continue  # the specification leaves the result open; HDFS says false, which is not logged
        assert _said(state, "rename", src, dst) == _allowed(state, Rename(src, dst)), (state, src, dst)
