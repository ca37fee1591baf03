"""The tree against a plain dictionary from path to node, written down the way the specification's sets are."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from fsconform.model.core import content as contents
from fsconform.model.core.paths import Path, is_ancestor
from fsconform.model.filesystem.invariants import breaches, sets_of
from fsconform.model.filesystem.state import (
    EMPTY,
    EMPTY_DIR,
    MISSING,
    NO_PARENT,
    UNDER_FILE,
    Absence,
    File,
    Node,
    State,
    locate,
    put,
    remove,
    walk,
)

Flat = dict[Path, int | None]
"""The length of each file, None for each directory."""

PATHS = st.lists(st.sampled_from("abc"), max_size=4).map(tuple)
EDITS = st.lists(st.tuples(st.sampled_from(["dir", "file", "remove"]), PATHS, st.integers(0, 9)), max_size=25)


def flat_kind(flat: Flat, path: Path) -> int | Absence | None:
    if path in flat:
        return flat[path]
    above = [path[:size] for size in range(len(path))]
    if any(flat.get(one, None) is not None for one in above):
        return UNDER_FILE
    return MISSING if path[:-1] in flat else NO_PARENT


def node_kind(node: Node | Absence) -> int | Absence | None:
    if isinstance(node, Absence):
        return node
    return contents.length(node.content) if isinstance(node, File) else None


def edited(edits: list[tuple[str, Path, int]]) -> tuple[State, Flat]:
    root, flat = EMPTY, Flat({(): None})
    for what, path, size in edits:
        kind = flat_kind(flat, path)
        if what == "remove":
            if path and not isinstance(kind, Absence):
                root = remove(root, path)
                flat = {one: flat[one] for one in flat if one != path and not is_ancestor(path, one)}
        elif kind is not UNDER_FILE and path:
            root = put(root, path, File(contents.of(1, size)) if what == "file" else EMPTY_DIR)
            flat = {one: flat[one] for one in flat if not is_ancestor(path, one)}
            flat.update({path[:depth]: None for depth in range(len(path))})
            flat[path] = size if what == "file" else None
    return root, flat


@given(EDITS, PATHS)
def test_locate_agrees_with_a_dictionary(edits: list[tuple[str, Path, int]], path: Path) -> None:
    root, flat = edited(edits)
    assert node_kind(locate(root, path)) == flat_kind(flat, path)


@given(EDITS)
def test_walk_gives_every_path_once_ancestors_first(edits: list[tuple[str, Path, int]]) -> None:
    root, flat = edited(edits)
    walked = [(path, node_kind(node)) for path, node in walk(root)]
    assert walked == sorted(flat.items(), key=lambda item: item[0])
    assert breaches(sets_of(root)) == ()


@given(EDITS, EDITS)
def test_states_are_values(first: list[tuple[str, Path, int]], second: list[tuple[str, Path, int]]) -> None:
    one, flat_one = edited(first)
    other, flat_other = edited(second)
    assert (one == other) == (flat_one == flat_other)
    if flat_one == flat_other:
        assert hash(one) == hash(other)


@given(EDITS, PATHS)
def test_old_states_stay_as_they_were(edits: list[tuple[str, Path, int]], path: Path) -> None:
    root, _ = edited(edits)
    before = list(walk(root))
    found = locate(root, path)
    if path and found is not UNDER_FILE:
        after = put(root, path, File(contents.of(7, 77)))
        assert locate(after, path) == File(contents.of(7, 77))
        if isinstance(found, Absence):
            assert node_kind(locate(remove(after, path), path)) is MISSING
    assert list(walk(root)) == before


def test_absences_say_why(tree: Callable[[str], State]) -> None:
    state = tree("a=1 b/c/")
    assert locate(state, ("x",)) is MISSING
    assert locate(state, ("x", "y")) is NO_PARENT is locate(state, ("b", "x", "y"))
    assert locate(state, ("a", "x")) is UNDER_FILE is locate(state, ("a", "x", "y"))
    assert locate(state, ()) is state.tree
    assert repr(state) == repr(tree("b/c/ a=1")) and state.tree != "b"


def test_put_at_the_root_replaces_everything(tree: Callable[[str], State]) -> None:
    assert put(tree("a=1"), (), tree("b/").tree) == tree("b/")
