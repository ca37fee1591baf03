"""What a known bug may do to deep trees is worked out in steps that grow with the tree, and not twofold a level.

Evaluations are counted; nothing here is timed.
"""

from __future__ import annotations

from typing import Any

import pytest

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.adapters.stores.quirks import local_trees
from fsconform.adapters.stores.quirks.local_trees import COLON, DEEPER, MOST, Result, renamed
from fsconform.engine.judge import FAILING, Judge
from fsconform.model.core import content as contents
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Outcome, Returned
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Event, Step, Trace
from fsconform.model.filesystem.state import EMPTY, EMPTY_DIR, File, Node, locate, put

DEPTHS = (31, 200)


@pytest.fixture
def evaluated(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The sources of all copies of a file or directory that are worked out."""
    found: list[Path] = []
    of = local_trees._Copy.of

    def counted(self: Any, root: Any, src: Path, *rest: Any) -> tuple[Result, ...]:
        found.append(src)
        return of(self, root, src, *rest)

    monkeypatch.setattr(local_trees._Copy, "of", counted)
    renamed.cache_clear()
    return found


def chain(top: str, depth: int) -> Path:
    return (top, *(f"c{number}" for number in range(depth)))


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("store", ["file", "rawlocal"])
def test_a_deep_directory_is_renamed_onto_another(store: str, depth: int, evaluated: list[Path]) -> None:
    played: list[tuple[Operation, Outcome]] = [
        (Mkdirs(chain("x", depth)), Returned(True)),
        (Mkdirs(("y", "z")), Returned(True)),
        (Rename(("x",), ("y",)), Returned(True)),
    ]
    program = tuple(Step(operation) for operation, _ in played)
    trace = Trace(program, tuple(Event(outcome) for _, outcome in played))
    judged = Judge(Oracle(load_shipped(store))).judge(trace)
    assert [one.signature for one in judged.findings if one.verdict in FAILING] == []
    assert 0 < len(evaluated) <= 2 * (depth + 1)  # the call itself, and as the disk has it


@pytest.mark.parametrize("depth", DEPTHS)
def test_no_child_is_copied_twice_beside_a_sibling(depth: int, evaluated: list[Path]) -> None:
    root = put(EMPTY, ("y", "z"), EMPTY_DIR)
    for level in range(depth):
        root = put(root, (*("x",) * (level + 1), "a"), File(contents.of(1, 3)))
    (result,) = renamed(root, ("x",), ("y",))
    assert (result.value, result.error, result.met) == (True, "", frozenset())
    assert locate(result.tree, ("y", *("x",) * depth, "a")) == File(contents.of(1, 3))
    assert len(evaluated) == len(set(evaluated)) == 2 * depth


@pytest.mark.parametrize("depth", DEPTHS)
def test_a_chain_that_ends_in_a_refused_name(depth: int, evaluated: list[Path]) -> None:
    root = put(put(EMPTY, ("y", "z"), EMPTY_DIR), (*chain("x", depth), "a:b"), EMPTY_DIR)
    (result,) = renamed(root, ("x",), ("y",))
    assert (result.error, result.met) == ("IllegalArgumentException", frozenset((COLON,)))
    assert len(evaluated) == depth + 1


@pytest.mark.parametrize("depth", DEPTHS)
def test_a_chain_that_goes_deeper_at_each_level(depth: int, evaluated: list[Path]) -> None:
    root = put(EMPTY, chain("x", depth), EMPTY_DIR)
    root = put(root, ("y", "x", *(name for name in chain("x", depth)[1:] for _ in "12")), EMPTY_DIR)
    (result,) = renamed(root, ("x",), ("y",))
    assert result.met == frozenset((DEEPER,))
    assert len(evaluated) == depth + 1


def tree(depth: int) -> Node:
    """Directories that each hold one like themselves, one file and one name that is refused."""
    root = put(EMPTY, ("a:b",), File(contents.EMPTY))
    for _ in range(depth):
        root = put(put(put(EMPTY, ("d",), root.tree), ("f",), File(contents.EMPTY)), ("a:b",), File(contents.EMPTY))
    return root.tree


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("src", [("x",), ("y", "y")])
def test_a_call_with_too_many_results_has_unknown_effects(depth: int, src: Path, evaluated: list[Path]) -> None:
    root = put(put(EMPTY, ("y", "z"), EMPTY_DIR), src, tree(depth))
    assert renamed(root, src, ("y",) if src == ("x",) else ()) == ()
    assert len(evaluated) <= MOST + 1


def test_a_tree_deeper_than_is_looked_at_has_unknown_effects(evaluated: list[Path]) -> None:
    root = put(put(EMPTY, ("y", "z"), EMPTY_DIR), chain("x", 900), EMPTY_DIR)
    assert renamed(root, ("x",), ("y",)) == ()
    assert len(evaluated) <= local_trees.DEEPEST + 2
