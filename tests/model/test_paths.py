"""Paths: their text form, which elements the specification forbids, and which names a store may refuse."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconform.model.core.paths import (
    ROOT,
    is_ancestor,
    parse,
    show,
    valid,
    valid_element,
)
from fsconform.model.filesystem.state import EMPTY_DIR, MISSING
from fsconform.model.filesystem.validity import (
    INVALID,
    ODD,
    SURE_DEPTH,
    SURE_ELEMENT_BYTES,
    SURE_PATH_BYTES,
    bits,
    flags,
)

ELEMENTS = st.text(st.characters(exclude_characters="/"), max_size=5)


@given(st.lists(ELEMENTS).map(tuple).filter(lambda path: path != ("",)))
def test_text_form_names_one_path(path: tuple[str, ...]) -> None:
    assert parse(show(path)) == path


def test_root_and_relative_texts() -> None:
    assert parse("/") == ROOT and show(ROOT) == "/"
    assert parse("/a//b/") == ("a", "", "b", "")
    for text in ("", "a", "a/b", " /a"):
        with pytest.raises(ValueError, match="absolute"):
            parse(text)


@pytest.mark.parametrize("element", ["", ".", "..", "/", ":", "a:b", "a/b", ":a"])
def test_forbidden_elements(element: str) -> None:
    assert not valid_element(element)
    assert not valid((element,)) and not valid(("a", element, "b"))
    assert flags(("a", element)) == INVALID


@pytest.mark.parametrize("element", ["a", "...", ".a", "a.", "~", "\\", " ", "\n", "é", "\U0001f600"])
def test_other_elements_are_valid(element: str) -> None:
    assert valid_element(element) and valid(("a", element))


def test_root_is_valid() -> None:
    assert valid(ROOT) and flags(ROOT) == 0


@pytest.mark.parametrize("name", ["a", "A9", "a.b", ".a", "_a-", "-", "a" * SURE_ELEMENT_BYTES])
def test_portable_names_may_not_be_refused(name: str) -> None:
    assert flags((name,)) == 0


@pytest.mark.parametrize(
    "name", ["a.", "...", "a b", "a+", "é", "a\n", "\x1f", "\ud800", "a" * (SURE_ELEMENT_BYTES + 1)]
)
def test_other_names_may_be_refused(name: str) -> None:
    assert flags((name,)) == ODD


def test_sizes_at_the_edges() -> None:
    assert flags(("a",) * SURE_DEPTH) == 0
    assert flags(("a",) * (SURE_DEPTH + 1)) == ODD
    edge = ("a" * 127,) * (SURE_PATH_BYTES // 128)
    assert flags(edge) == 0
    assert flags((*edge[:-1], "a" * 128)) == ODD


def test_what_exists_was_accepted_once() -> None:
    assert bits(("a b",), MISSING) == ODD
    assert bits(("a b",), EMPTY_DIR) == 0
    assert bits(("a:b",), EMPTY_DIR) == INVALID == bits(("a:b",), MISSING)
    assert bits(("a",), MISSING) == 0


@given(st.lists(st.sampled_from("ab"), max_size=4).map(tuple), st.lists(st.sampled_from("ab"), max_size=4).map(tuple))
def test_ancestors_are_proper_prefixes(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    assert is_ancestor(one, other) == any(other[:size] == one for size in range(len(other)))
