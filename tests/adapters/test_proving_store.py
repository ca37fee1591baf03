"""The in-memory store against the documents: every call in a small tree, and every behaviour it can be given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from fsconform.proving.store import BLOCK_SIZE, Behaviour, FileStatus, MemoryStore

# A call is plain data, as conftest.py describes it.
Call = tuple[Any, ...]
Calls = tuple[Call, ...]
Perform = Callable[[MemoryStore, Call], Any]
Results = Callable[[MemoryStore, Calls], list[Any]]
Shape = Callable[..., dict[str, bytes | None]]


def directory(path: str) -> FileStatus:
    return FileStatus(path, True, 0, 0)


def file(path: str, length: int = 1) -> FileStatus:
    return FileStatus(path, False, length, BLOCK_SIZE)


TREE = (("put", "/d/s/f"), ("put", "/f", b"old"), ("mk", "/e"))
FNF, EXISTS, PARENT = "FileNotFoundException", "FileAlreadyExistsException", "ParentNotDirectoryException"
IO, NOT_EMPTY, INVALID = "IOException", "PathIsNotEmptyDirectoryException", "InvalidPathException"


@pytest.fixture
def tree(results: Results) -> MemoryStore:
    """The sound store, filled with a small tree."""
    store = MemoryStore()
    results(store, TREE)
    return store


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (("has", "/d/s/f"), True),
        (("has", "/"), True),
        (("has", "/f/x"), False),
        (("has", "/no"), False),
        (("stat", "/"), directory("/")),
        (("stat", "/d"), directory("/d")),
        (("stat", "/f"), file("/f", 3)),
        (("stat", "/no"), FNF),
        (("stat", "/f/x"), FNF),
        (("ls", "/d"), [directory("/d/s")]),
        (("ls", "/d/s"), [file("/d/s/f")]),
        (("ls", "/f"), [file("/f", 3)]),
        (("ls", "/e"), []),
        (("ls", "/no"), FNF),
        (("ls", "/f/x"), FNF),
        (("cat", "/f"), b"old"),
        (("cat", "/d"), FNF),
        (("cat", "/no"), FNF),
        (("cat", "/f/x"), FNF),
        (("mk", "/d/s"), True),
        (("mk", "/"), True),
        (("mk", "/f"), EXISTS),
        (("mk", "/f/x/y"), PARENT),
        (("put", "/f"), EXISTS),
        (("put", "/e"), EXISTS),
        (("put", "/e", b"x", True), EXISTS),
        (("put", "/", b"x", True), EXISTS),
        (("put", "/f/x/y"), PARENT),
        (("add", "/no", b"x"), FNF),
        (("add", "/f/x", b"x"), FNF),
        (("add", "/d", b"x"), EXISTS),
        (("rm", "/no"), False),
        (("rm", "/f/x", True), False),
        (("rm", "/d"), NOT_EMPTY),
        (("rm", "/"), NOT_EMPTY),
        (("mv", "/no", "/x"), FNF),
        (("mv", "/f/x", "/x"), FNF),
        (("mv", "/f", "/f"), True),
        (("mv", "/d", "/d"), True),
        (("mv", "/d/s", "/d"), True),
        (("mv", "/d/s/f", "/d/s"), True),
        (("mv", "/", "/"), True),
        (("mv", "/", "/x"), IO),
        (("mv", "/", "/e"), IO),
        (("mv", "/d", "/d/s"), IO),
        (("mv", "/d", "/d/s/x"), IO),
        (("mv", "/f", "/no/x"), IO),
        (("mv", "/d/s/f", "/f/x"), IO),
        (("mv", "/d/s/f", "/f"), EXISTS),
        (("mv", "/d", "/f"), EXISTS),
    ],
    ids=repr,
)
def test_calls_that_change_nothing(
    call: Call, expected: Any, tree: MemoryStore, perform: Perform, shape: Shape
) -> None:
    before = shape(tree)
    assert perform(tree, call) == expected
    assert shape(tree) == before


D, S, F, E, SF = {"/d": None}, {"/d/s": None}, {"/f": b"old"}, {"/e": None}, {"/d/s/f": b"x"}


@pytest.mark.parametrize(
    ("call", "expected", "after"),
    [
        (("mk", "/e/g/h"), True, D | S | SF | F | E | {"/e/g": None, "/e/g/h": None}),
        (("put", "/e/g/h"), None, D | S | SF | F | E | {"/e/g": None, "/e/g/h": b"x"}),
        (("put", "/f", b"n", True), None, D | S | SF | {"/f": b"n"} | E),
        (("add", "/f", b"er"), None, D | S | SF | {"/f": b"older"} | E),
        (("rm", "/f"), True, D | S | SF | E),
        (("rm", "/e"), True, D | S | SF | F),
        (("rm", "/d", True), True, F | E),
        (("rm", "/", True), True, {}),
        (("mv", "/f", "/g"), True, D | S | SF | E | {"/g": b"old"}),
        (("mv", "/f", "/e"), True, D | S | SF | E | {"/e/f": b"old"}),
        (("mv", "/d", "/g"), True, F | E | {"/g": None, "/g/s": None, "/g/s/f": b"x"}),
        (("mv", "/d", "/e"), True, F | E | {"/e/d": None, "/e/d/s": None, "/e/d/s/f": b"x"}),
        (("mv", "/d/s", "/"), True, D | F | E | {"/s": None, "/s/f": b"x"}),
        (("mv", "/d/s/f", "/e/n"), True, D | S | F | E | {"/e/n": b"x"}),
    ],
    ids=repr,
)
def test_calls_that_change_the_store(
    call: Call, expected: Any, after: dict[str, bytes | None], tree: MemoryStore, perform: Perform, shape: Shape
) -> None:
    assert perform(tree, call) == expected
    assert shape(tree) == after


def test_deleting_the_empty_root_changes_nothing(results: Results) -> None:
    store = MemoryStore()
    assert results(store, (("rm", "/"), ("rm", "/", True), ("has", "/"))) == [True, True, True]


def test_rename_into_a_taken_name_is_refused(results: Results) -> None:
    calls = (
        ("mk", "/a"),
        ("mk", "/d/a"),
        ("put", "/f"),
        ("mk", "/d/f"),
        ("mv", "/a", "/d"),
        ("mv", "/f", "/d"),
        ("has", "/a"),
        ("has", "/f"),
    )
    assert results(MemoryStore(), calls)[4:] == [EXISTS, EXISTS, True, True]


@pytest.mark.parametrize("path", ["/a:b", "/a/", "/a//b", "/.", "/a/..", "/a/./b", "a", ""])
def test_every_call_refuses_invalid_paths(path: str, results: Results) -> None:
    calls = [
        ("mk", path),
        ("put", path),
        ("add", path, b""),
        ("cat", path),
        ("rm", path),
        ("stat", path),
        ("has", path),
        ("ls", path),
    ]
    assert results(MemoryStore(), (*calls, ("mv", path, "/x"), ("mv", "/x", path))) == [INVALID] * 10


@pytest.mark.parametrize("path", ["/.hidden", "/a.", "/...", "/a ", "/\x01", "/a+b", "/a%2Fb", "/\U0001f600"])
def test_hostile_names_are_kept_as_they_are(path: str, results: Results) -> None:
    assert results(MemoryStore(), (("put", path), ("ls", "/"), ("cat", path))) == [None, [file(path)], b"x"]


VARIED: list[tuple[str, Calls, Call, Any, dict[str, bytes | None]]] = [
    ("rename_returns_false_if_source_missing", (), ("mv", "/a", "/b"), False, {}),
    (
        "rename_returns_false_if_dest_exists",
        (("put", "/a"), ("put", "/b", b"y")),
        ("mv", "/a", "/b"),
        False,
        {"/b": b"y"},
    ),
    ("rename_returns_false_if_dest_exists", (("mk", "/a"), ("mk", "/b/a")), ("mv", "/a", "/b"), False, {"/a": None}),
    ("rename_overwrites_dest", (("put", "/a"), ("put", "/b", b"y")), ("mv", "/a", "/b"), True, {"/b": b"x"}),
    ("rename_overwrites_dest", (("put", "/a"), ("put", "/b/a", b"y")), ("mv", "/a", "/b"), True, {"/b/a": b"x"}),
    ("rename_overwrites_dest", (("mk", "/a"), ("put", "/b")), ("mv", "/a", "/b"), EXISTS, {"/a": None, "/b": b"x"}),
    ("rename_overwrites_dest", (("put", "/a"), ("mk", "/b/a")), ("mv", "/a", "/b"), EXISTS, {"/a": b"x", "/b/a": None}),
    ("rename_creates_dest_dirs", (("put", "/a"),), ("mv", "/a", "/b/c/d"), True, {"/b/c": None, "/b/c/d": b"x"}),
    ("rename_creates_dest_dirs", (("put", "/a"), ("put", "/b")), ("mv", "/a", "/b/c/d"), IO, {"/a": b"x"}),
    ("rename_remove_dest_if_empty_dir", (("put", "/a/f"), ("mk", "/b")), ("mv", "/a", "/b"), True, {"/b/f": b"x"}),
    ("rename_remove_dest_if_empty_dir", (("put", "/a"), ("mk", "/b")), ("mv", "/a", "/b"), True, {"/b/a": b"x"}),
    ("rename_remove_dest_if_empty_dir", (("mk", "/a"), ("mk", "/b/c")), ("mv", "/a", "/b"), True, {"/b/a": None}),
    ("rename_remove_dest_if_empty_dir", (("mk", "/a/b"),), ("mv", "/a", "/a/b"), IO, {"/a/b": None}),
    ("rename_remove_dest_if_empty_dir", (("mk", "/a"),), ("mv", "/a", "/a"), True, {"/a": None}),
    ("rename_returns_false_on_failure", (("mk", "/a"),), ("mv", "/a", "/a/b"), False, {"/a": None}),
    ("rename_returns_false_on_failure", (("put", "/a"),), ("mv", "/a", "/b/c"), False, {"/a": b"x"}),
    ("rename_returns_false_on_failure", (("put", "/a"), ("put", "/b")), ("mv", "/a", "/b/c"), False, {"/a": b"x"}),
    ("rename_returns_false_on_failure", (("put", "/a"), ("put", "/b")), ("mv", "/a", "/b"), EXISTS, {"/a": b"x"}),
    ("rename_returns_false_on_failure", (), ("mv", "/a", "/b"), FNF, {}),
    ("create_overwrites_directory", (("put", "/a/b/c"),), ("put", "/a", b"y", True), None, {"/a": b"y"}),
    ("create_overwrites_directory", (("put", "/a/b/c"),), ("put", "/a", b"y"), EXISTS, {"/a/b/c": b"x"}),
    ("create_overwrites_directory", (("put", "/a"),), ("put", "/", b"y", True), EXISTS, {"/a": b"x"}),
    ("supports_append", (("put", "/a"),), ("add", "/a", b"y"), "UnsupportedOperationException", {"/a": b"x"}),
    ("strict_exceptions", (), ("stat", "/a"), IO, {}),
    ("strict_exceptions", (("mk", "/a/b"),), ("rm", "/a"), IO, {"/a/b": None}),
    ("strict_exceptions", (), ("stat", "/a:"), INVALID, {}),
    ("case_sensitive", (("put", "/a"),), ("cat", "/A"), b"x", {"/a": b"x"}),
    ("case_sensitive", (("put", "/Ab/C"),), ("put", "/aB/c", b"y", True), None, {"/Ab": None, "/Ab/C": b"y"}),
    ("case_sensitive", (("put", "/a"),), ("mv", "/a", "/A"), True, {"/a": b"x"}),
    ("case_sensitive", (("mk", "/a/B"),), ("mv", "/A", "/C"), True, {"/C": None, "/C/B": None}),
]


def varied(option: str) -> MemoryStore:
    return MemoryStore(replace(Behaviour(), **{option: not getattr(Behaviour(), option)}))


@pytest.mark.parametrize(("option", "setup", "call", "expected", "probes"), VARIED, ids=repr)
def test_behaviours(
    option: str,
    setup: Calls,
    call: Call,
    expected: Any,
    probes: dict[str, bytes | None],
    perform: Perform,
    results: Results,
    shape: Shape,
) -> None:
    store = varied(option)
    results(store, setup)
    before = shape(store)
    assert perform(store, call) == expected
    after = shape(store)
    assert {path: after[path] for path in probes} == probes
    if expected not in (True, None):
        assert after == before
    elif call[0] == "mv" and len({each.lower() for each in call[1:]}) == 2:
        assert call[1] not in after


def test_every_behaviour_is_seen_in_one_of_its_tests(results: Results, shape: Shape) -> None:
    seen = set()
    for option, setup, call, _, _ in VARIED:
        sound, other = MemoryStore(), varied(option)
        if results(sound, (*setup, call)) != results(other, (*setup, call)) or shape(sound) != shape(other):
            seen.add(option)
    assert seen == set(Behaviour.__dataclass_fields__)
