"""The in-memory store against the documents, and every seeded fault against the sound store."""

from __future__ import annotations

import hashlib
import random
import re
from dataclasses import replace
from itertools import chain
from typing import Any

import pytest

from fsconform.adapters.proving.faults import FAULTS, faulty
from fsconform.adapters.proving.session import ProvingStore
from fsconform.adapters.proving.store import BLOCK_SIZE, Behaviour, FileStatus, MemoryStore, StoreError
from fsconform.engine.protocol import Job
from fsconform.model import content as contents
from fsconform.model import operations as ops
from fsconform.model.outcomes import Data, NotExpressible, Raised, Returned, Status
from fsconform.model.programs import Step

# A call is a method's name and its arguments; an integer in front of the name is the client that makes it.
Call = tuple[Any, ...]
Calls = tuple[Call, ...]


def perform(store: MemoryStore, call: Call) -> Any:
    store.caller, call = (call[0], call[1:]) if isinstance(call[0], int) else (0, call)
    try:
        result = getattr(store, call[0])(*call[1:])
    except StoreError as error:
        return error.classes[0].rpartition(".")[2]
    return sorted(result, key=repr) if isinstance(result, list) else result


def results(store: MemoryStore, calls: Calls) -> list[Any]:
    return [perform(store, call) for call in calls]


def mk(path: str) -> Call:
    return ("mkdirs", path)


def put(path: str, data: bytes = b"x", overwrite: bool = False) -> Call:
    return ("create", path, data, overwrite)


def mv(src: str, dst: str) -> Call:
    return ("rename", src, dst)


def rm(path: str, recursive: bool = False) -> Call:
    return ("delete", path, recursive)


def cat(path: str) -> Call:
    return ("open", path)


def ls(path: str) -> Call:
    return ("list_status", path)


def stat(path: str) -> Call:
    return ("get_file_status", path)


def has(path: str) -> Call:
    return ("exists", path)


def add(path: str, data: bytes) -> Call:
    return ("append", path, data)


def directory(path: str) -> FileStatus:
    return FileStatus(path, True, 0, 0)


def file(path: str, length: int = 1) -> FileStatus:
    return FileStatus(path, False, length, BLOCK_SIZE)


TREE = (put("/d/s/f"), put("/f", b"old"), mk("/e"))
FNF, EXISTS, PARENT = "FileNotFoundException", "FileAlreadyExistsException", "ParentNotDirectoryException"
IO, NOT_EMPTY, INVALID = "IOException", "PathIsNotEmptyDirectoryException", "InvalidPathException"


def shape(store: MemoryStore, top: str = "/") -> dict[str, bytes | None]:
    """All paths below the top: a file's bytes, None for a directory; through public calls only."""
    found: dict[str, bytes | None] = {}
    for entry in store.list_status(top):
        found[entry.path] = None if entry.is_dir else store.open(entry.path)
        if entry.is_dir:
            found |= shape(store, entry.path)
    return found


def tree(behaviour: Behaviour | None = None) -> MemoryStore:
    store = MemoryStore(behaviour)
    results(store, TREE)
    return store


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (has("/d/s/f"), True),
        (has("/"), True),
        (has("/f/x"), False),
        (has("/no"), False),
        (stat("/"), directory("/")),
        (stat("/d"), directory("/d")),
        (stat("/f"), file("/f", 3)),
        (stat("/no"), FNF),
        (stat("/f/x"), FNF),
        (ls("/d"), [directory("/d/s")]),
        (ls("/d/s"), [file("/d/s/f")]),
        (ls("/f"), [file("/f", 3)]),
        (ls("/e"), []),
        (ls("/no"), FNF),
        (ls("/f/x"), FNF),
        (cat("/f"), b"old"),
        (cat("/d"), FNF),
        (cat("/no"), FNF),
        (cat("/f/x"), FNF),
        (mk("/d/s"), True),
        (mk("/"), True),
        (mk("/f"), EXISTS),
        (mk("/f/x/y"), PARENT),
        (put("/f"), EXISTS),
        (put("/e"), EXISTS),
        (put("/e", overwrite=True), EXISTS),
        (put("/", overwrite=True), EXISTS),
        (put("/f/x/y"), PARENT),
        (add("/no", b"x"), FNF),
        (add("/f/x", b"x"), FNF),
        (add("/d", b"x"), EXISTS),
        (rm("/no"), False),
        (rm("/f/x", True), False),
        (rm("/d"), NOT_EMPTY),
        (rm("/"), NOT_EMPTY),
        (mv("/no", "/x"), FNF),
        (mv("/f/x", "/x"), FNF),
        (mv("/f", "/f"), True),
        (mv("/d", "/d"), True),
        (mv("/d/s", "/d"), True),
        (mv("/d/s/f", "/d/s"), True),
        (mv("/", "/"), True),
        (mv("/", "/x"), IO),
        (mv("/", "/e"), IO),
        (mv("/d", "/d/s"), IO),
        (mv("/d", "/d/s/x"), IO),
        (mv("/f", "/no/x"), IO),
        (mv("/d/s/f", "/f/x"), IO),
        (mv("/d/s/f", "/f"), EXISTS),
        (mv("/d", "/f"), EXISTS),
    ],
    ids=repr,
)
def test_calls_that_change_nothing(call: Call, expected: Any) -> None:
    store, before = tree(), shape(tree())
    assert perform(store, call) == expected
    assert shape(store) == before


D, S, F, E, SF = {"/d": None}, {"/d/s": None}, {"/f": b"old"}, {"/e": None}, {"/d/s/f": b"x"}


@pytest.mark.parametrize(
    ("call", "expected", "after"),
    [
        (mk("/e/g/h"), True, D | S | SF | F | E | {"/e/g": None, "/e/g/h": None}),
        (put("/e/g/h"), None, D | S | SF | F | E | {"/e/g": None, "/e/g/h": b"x"}),
        (put("/f", b"n", True), None, D | S | SF | {"/f": b"n"} | E),
        (add("/f", b"er"), None, D | S | SF | {"/f": b"older"} | E),
        (rm("/f"), True, D | S | SF | E),
        (rm("/e"), True, D | S | SF | F),
        (rm("/d", True), True, F | E),
        (rm("/", True), True, {}),
        (mv("/f", "/g"), True, D | S | SF | E | {"/g": b"old"}),
        (mv("/f", "/e"), True, D | S | SF | E | {"/e/f": b"old"}),
        (mv("/d", "/g"), True, F | E | {"/g": None, "/g/s": None, "/g/s/f": b"x"}),
        (mv("/d", "/e"), True, F | E | {"/e/d": None, "/e/d/s": None, "/e/d/s/f": b"x"}),
        (mv("/d/s", "/"), True, D | F | E | {"/s": None, "/s/f": b"x"}),
        (mv("/d/s/f", "/e/n"), True, D | S | F | E | {"/e/n": b"x"}),
    ],
    ids=repr,
)
def test_calls_that_change_the_store(call: Call, expected: Any, after: dict[str, bytes | None]) -> None:
    store = tree()
    assert perform(store, call) == expected
    assert shape(store) == after


def test_deleting_the_empty_root_changes_nothing() -> None:
    store = MemoryStore()
    assert results(store, (rm("/"), rm("/", True), has("/"))) == [True, True, True]


def test_rename_into_a_taken_name_is_refused() -> None:
    calls = (mk("/a"), mk("/d/a"), put("/f"), mk("/d/f"), mv("/a", "/d"), mv("/f", "/d"), has("/a"), has("/f"))
    assert results(MemoryStore(), calls)[4:] == [EXISTS, EXISTS, True, True]


@pytest.mark.parametrize("path", ["/a:b", "/a/", "/a//b", "/.", "/a/..", "/a/./b", "a", ""])
def test_every_call_refuses_invalid_paths(path: str) -> None:
    calls = [mk(path), put(path), add(path, b""), cat(path), rm(path), stat(path), has(path), ls(path)]
    assert results(MemoryStore(), (*calls, mv(path, "/x"), mv("/x", path))) == [INVALID] * 10


@pytest.mark.parametrize("path", ["/.hidden", "/a.", "/...", "/a ", "/\x01", "/a+b", "/a%2Fb", "/\U0001f600"])
def test_hostile_names_are_kept_as_they_are(path: str) -> None:
    assert results(MemoryStore(), (put(path), ls("/"), cat(path))) == [None, [file(path)], b"x"]


VARIED: list[tuple[str, Calls, Call, Any, dict[str, bytes | None]]] = [
    ("rename_returns_false_if_source_missing", (), mv("/a", "/b"), False, {}),
    ("rename_returns_false_if_dest_exists", (put("/a"), put("/b", b"y")), mv("/a", "/b"), False, {"/b": b"y"}),
    ("rename_returns_false_if_dest_exists", (mk("/a"), mk("/b/a")), mv("/a", "/b"), False, {"/a": None}),
    ("rename_overwrites_dest", (put("/a"), put("/b", b"y")), mv("/a", "/b"), True, {"/b": b"x"}),
    ("rename_overwrites_dest", (put("/a"), put("/b/a", b"y")), mv("/a", "/b"), True, {"/b/a": b"x"}),
    ("rename_overwrites_dest", (mk("/a"), put("/b")), mv("/a", "/b"), EXISTS, {"/a": None, "/b": b"x"}),
    ("rename_overwrites_dest", (put("/a"), mk("/b/a")), mv("/a", "/b"), EXISTS, {"/a": b"x", "/b/a": None}),
    ("rename_creates_dest_dirs", (put("/a"),), mv("/a", "/b/c/d"), True, {"/b/c": None, "/b/c/d": b"x"}),
    ("rename_creates_dest_dirs", (put("/a"), put("/b")), mv("/a", "/b/c/d"), IO, {"/a": b"x"}),
    ("rename_remove_dest_if_empty_dir", (put("/a/f"), mk("/b")), mv("/a", "/b"), True, {"/b/f": b"x"}),
    ("rename_remove_dest_if_empty_dir", (put("/a"), mk("/b")), mv("/a", "/b"), True, {"/b/a": b"x"}),
    ("rename_remove_dest_if_empty_dir", (mk("/a"), mk("/b/c")), mv("/a", "/b"), True, {"/b/a": None}),
    ("rename_remove_dest_if_empty_dir", (mk("/a/b"),), mv("/a", "/a/b"), IO, {"/a/b": None}),
    ("rename_remove_dest_if_empty_dir", (mk("/a"),), mv("/a", "/a"), True, {"/a": None}),
    ("rename_returns_false_on_failure", (mk("/a"),), mv("/a", "/a/b"), False, {"/a": None}),
    ("rename_returns_false_on_failure", (put("/a"),), mv("/a", "/b/c"), False, {"/a": b"x"}),
    ("rename_returns_false_on_failure", (put("/a"), put("/b")), mv("/a", "/b/c"), False, {"/a": b"x"}),
    ("rename_returns_false_on_failure", (put("/a"), put("/b")), mv("/a", "/b"), EXISTS, {"/a": b"x"}),
    ("rename_returns_false_on_failure", (), mv("/a", "/b"), FNF, {}),
    ("create_overwrites_directory", (put("/a/b/c"),), put("/a", b"y", True), None, {"/a": b"y"}),
    ("create_overwrites_directory", (put("/a/b/c"),), put("/a", b"y"), EXISTS, {"/a/b/c": b"x"}),
    ("create_overwrites_directory", (put("/a"),), put("/", b"y", True), EXISTS, {"/a": b"x"}),
    ("supports_append", (put("/a"),), add("/a", b"y"), "UnsupportedOperationException", {"/a": b"x"}),
    ("strict_exceptions", (), stat("/a"), IO, {}),
    ("strict_exceptions", (mk("/a/b"),), rm("/a"), IO, {"/a/b": None}),
    ("strict_exceptions", (), stat("/a:"), INVALID, {}),
    ("case_sensitive", (put("/a"),), cat("/A"), b"x", {"/a": b"x"}),
    ("case_sensitive", (put("/Ab/C"),), put("/aB/c", b"y", True), None, {"/Ab": None, "/Ab/C": b"y"}),
    ("case_sensitive", (put("/a"),), mv("/a", "/A"), True, {"/a": b"x"}),
    ("case_sensitive", (mk("/a/B"),), mv("/A", "/C"), True, {"/C": None, "/C/B": None}),
]


def varied(option: str) -> MemoryStore:
    return MemoryStore(replace(Behaviour(), **{option: not getattr(Behaviour(), option)}))


@pytest.mark.parametrize(("option", "setup", "call", "expected", "probes"), VARIED, ids=repr)
def test_behaviours(option: str, setup: Calls, call: Call, expected: Any, probes: dict[str, bytes | None]) -> None:
    store = varied(option)
    results(store, setup)
    before = shape(store)
    assert perform(store, call) == expected
    after = shape(store)
    assert {path: after[path] for path in probes} == probes
    if expected not in (True, None):
        assert after == before
    elif call[0] == "rename" and len({each.lower() for each in call[1:]}) == 2:
        assert call[1] not in after


def test_every_behaviour_is_seen_in_one_of_its_tests() -> None:
    seen = set()
    for option, setup, call, _, _ in VARIED:
        sound, other = MemoryStore(), varied(option)
        if results(sound, (*setup, call)) != results(other, (*setup, call)) or shape(sound) != shape(other):
            seen.add(option)
    assert seen == set(Behaviour.__dataclass_fields__)


# --- the document's formulas, straight: a state is a set of directories and a map of files, paths are tuples

Where = tuple[str, ...]
State = tuple[frozenset[Where], tuple[tuple[Where, bytes], ...]]


def formula(state: State, call: Call) -> tuple[Any, State]:
    """filesystem.md for one mutating call on tuples; where it leaves a choice, the one that the store states."""
    dirs, files = state[0], dict(state[1])
    paths = dirs | files.keys()
    p = call[1]

    def below(q: Where, top: Where) -> bool:
        return len(q) > len(top) and q[: len(top)] == top

    def made(new_dirs: Any, new_files: dict[Where, bytes]) -> State:
        return frozenset(new_dirs), tuple(sorted(new_files.items()))

    ancestors = {p[:n] for n in range(len(p))}
    match call[0]:
        case "mkdirs":
            if p in files:
                return EXISTS, state
            if ancestors & files.keys():
                return PARENT, state
            return True, made(dirs | {p} | ancestors, files)
        case "create":
            if p in dirs or (p in files and not call[3]):
                return EXISTS, state
            if ancestors & files.keys():
                return PARENT, state
            return None, made(dirs | ancestors, files | {p: call[2]})
        case "append":
            if p not in paths:
                return FNF, state
            return (EXISTS, state) if p in dirs else (None, made(dirs, files | {p: files[p] + call[2]}))
        case "delete":
            if p not in paths:
                return False, state
            if p in dirs and not call[2] and any(q[:-1] == p for q in paths if q):
                return NOT_EMPTY, state
            kept = {q for q in paths if (q != p or not p) and not below(q, p)}
            return True, made(dirs & kept, {q: data for q, data in files.items() if q in kept})
    src, d = call[1], call[2]
    if src not in paths:
        return FNF, state
    if d in dirs and d != src and not src:
        return IO, state
    dest = (*d, src[-1]) if d in dirs and d != src else d
    if dest == src:
        return True, state
    if below(dest, src) or dest[:-1] not in dirs:
        return IO, state
    if dest in paths:
        return EXISTS, state

    def moved(q: Where) -> Where:
        return dest + q[len(src) :] if q == src or below(q, src) else q

    return True, made({moved(q) for q in dirs}, {moved(q): data for q, data in files.items()})


def test_store_agrees_with_the_formulas_on_every_small_state() -> None:
    universe: list[Where] = [(), ("a",), ("ab",), ("a", "a"), ("a", "ab"), ("ab", "a")]
    calls: list[Call] = [("rename", p, q) for p in universe for q in [*universe, ("c", "a")]]
    for p in universe:
        calls += [("mkdirs", p), ("append", p, b"2"), ("delete", p, False), ("delete", p, True)]
        calls += [("create", p, b"1", False), ("create", p, b"3", True)]

    def text(call: Call) -> Call:
        return tuple("/" + "/".join(each) if isinstance(each, tuple) else each for each in call)

    def state_of(store: MemoryStore) -> State:
        found = {tuple(path[1:].split("/")): data for path, data in shape(store).items()}
        files = {path: data for path, data in found.items() if data is not None}
        return frozenset(found.keys() - files.keys() | {()}), tuple(sorted(files.items()))

    empty: State = (frozenset({()}), ())
    routes: dict[State, Calls] = {empty: ()}
    newest, compared = [empty], 0
    for _ in range(4):
        reached: dict[State, Calls] = {}
        for state in newest:
            for call in calls:
                store = MemoryStore()
                results(store, tuple(map(text, routes[state])))
                expected, after = formula(state, call)
                assert (perform(store, text(call)), state_of(store)) == (expected, after), (routes[state], call)
                compared += 1
                if after not in routes and after not in reached:
                    reached[after] = (*routes[state], call)
        routes |= reached
        newest = list(reached)
    assert compared > 10_000


# --- faults

NFC, NFD = "/\u00e9", "/e\u0301"
LONG = "/" + "n" * 255
MANY = tuple(put(f"/d/{number}", b"") for number in range(65))

SEEN: dict[str, Calls | tuple[Calls, Calls]] = {
    "ancestors-not-listed": (mk("/a/b"), ls("/")),
    "ancestors-not-made": (put("/a/b"), has("/a")),
    "append-creates": (add("/a", b"x"),),
    "append-doubled": (put("/a"), add("/a", b"x" * 4096), cat("/a")),
    "append-ignored": (put("/a"), add("/a", b"y"), cat("/a")),
    "append-truncates": (put("/a"), add("/a", b"y"), cat("/a")),
    "cached-404": (has("/a"), put("/a"), cat("/a")),
    "case-ignored": (mk("/a"), has("/A")),
    "colon-accepted": (mk("/a:b"),),
    "content-ends-at-nul": (put("/a", b"a\0b"), cat("/a")),
    "create-after-miss-fails": (has("/a"), put("/a")),
    "create-below-file": (put("/a"), put("/a/b")),
    "create-needs-parent": (put("/a/b"),),
    "create-over-directory": (mk("/a"), put("/a")),
    "delete-below-file": (put("/a"), rm("/a/b")),
    "delete-file-false": (put("/a"), rm("/a")),
    "delete-leaves-directories": (mk("/a/b"), rm("/a", True), has("/a")),
    "delete-missing-raises": (rm("/a"),),
    "delete-missing-true": (rm("/a"),),
    "delete-non-empty": (mk("/a/b"), rm("/a")),
    "delete-removes-empty-parent": (put("/a/b"), rm("/a/b"), has("/a")),
    "delete-removes-root": (rm("/", True), has("/")),
    "delete-removes-siblings": (mk("/a"), mk("/ab"), rm("/a", True), has("/ab")),
    "deleted-still-listed": (put("/a"), rm("/a"), ls("/")),
    "directory-length-4096": (stat("/"),),
    "deep-path-fails": (mk("/a" * 9),),
    "dots-resolved": (has("/."),),
    "empty-directory-unlisted": (mk("/a"), ls("/")),
    "empty-file-missing": (put("/a", b""), has("/a")),
    "exists-below-file-raises": (put("/a"), has("/a/b")),
    "exists-directory-false": (has("/"),),
    "file-and-directory": (put("/a"), mk("/a")),
    "folder-markers-unlisted": (mk("/x_$folder$"), ls("/")),
    "four-byte-characters-replaced": (mk("/\U0001f600"), ls("/")),
    "fragment-dropped": (mk("/a#b"), ls("/")),
    "hidden-names-unlisted": (mk("/_temporary"), ls("/")),
    "high-bytes-replaced": (put("/a", b"\x80"), cat("/a")),
    "implicit-parent-vanishes": (put("/a/b"), mv("/a/b", "/c"), has("/a")),
    "last-byte-dropped": (put("/a", b"x" * 65537), cat("/a")),
    "length-in-blocks": (put("/a", b"x" * 4097), stat("/a")),
    "listing-cached": (ls("/"), mk("/a"), ls("/")),
    "listing-cut": (MANY, (ls("/d"),)),
    "listing-includes-self": (ls("/"),),
    "listing-of-file-empty": (put("/a"), ls("/a")),
    "listing-of-missing-empty": (ls("/a"),),
    "listing-repeats": (MANY[:5], (ls("/d"),)),
    "missing-raises-runtime-error": (cat("/a"),),
    "missing-raises-superclass": (stat("/a"),),
    "mkdirs-below-file": (put("/a"), mk("/a/b")),
    "mkdirs-existing-false": (mk("/"),),
    "mkdirs-over-file": (put("/a"), mk("/a")),
    "name-cut": (mk(LONG), ls("/")),
    "names-in-nfc": (mk(NFC), has(NFD)),
    "newlines-translated": (put("/a", b"\n"), cat("/a")),
    "open-directory-empty": (cat("/"),),
    "open-missing-empty": (cat("/a"),),
    "overwrite-ignored": (put("/a"), put("/a", b"y", True), cat("/a")),
    "overwrite-keeps-tail": (put("/a", b"xx"), put("/a", b"y", True), cat("/a")),
    "overwrite-unchecked": (put("/a"), put("/a")),
    "percent-decoded": (mk("/a%2Fb"), ls("/")),
    "plus-decoded": (mk("/a+b"), ls("/")),
    "recreate-after-recursive-delete-resurrects": (put("/a/b"), rm("/a", True), mk("/a"), ls("/a")),
    "recreate-refused": (put("/a"), rm("/a"), put("/a")),
    "rename-back-loses": (mk("/a"), mv("/a", "/b"), mv("/b", "/a"), has("/a")),
    "rename-below-file": (put("/a"), put("/b"), mv("/a", "/b/c")),
    "rename-below-itself": (mk("/a"), mv("/a", "/a/b")),
    "rename-copies": (mk("/a"), mv("/a", "/b"), has("/a")),
    "rename-directory-over-file": (mk("/a"), put("/b"), mv("/a", "/b")),
    "rename-loses-content": (put("/b"), rm("/b"), put("/a"), mv("/a", "/b"), cat("/b")),
    "rename-loses-empty-directory": (mk("/a"), mv("/a", "/b"), has("/b")),
    "rename-loses-grandchildren": (mk("/a/b/c"), mv("/a", "/d"), has("/d/b/c")),
    "rename-missing-source-false": (mv("/a", "/b"),),
    "rename-missing-source-true": (mv("/a", "/b"),),
    "rename-moves-siblings": (mk("/a"), mk("/ab"), mv("/a", "/c"), has("/ab")),
    "rename-overwrites-file": (put("/a"), put("/b"), mv("/a", "/b")),
    "rename-refused-by-prefix": (mk("/a"), mv("/a", "/ab")),
    "rename-replaces-directory": (put("/a"), mk("/b"), mv("/a", "/b"), stat("/b")),
    "rename-says-false": (mk("/a"), mv("/a", "/b")),
    "rename-into-taken-name": (mk("/a"), mk("/b/a"), mv("/a", "/b")),
    "rename-to-missing-parent-loses": (mk("/a"), mv("/a", "/b/c")),
    "rename-to-self-deletes": (put("/a"), mv("/a", "/a"), has("/a")),
    "root-status-fails": (stat("/"),),
    "sibling-prefix-unlists": (mk("/a/b"), mk("/ab"), ls("/a")),
    "stale-length-in-listing": (put("/a"), add("/a", b"y"), ls("/")),
    "stale-read-by-other-client": (put("/a"), (1, *cat("/a")), put("/a", b"y", True), (1, *cat("/a"))),
    "stale-status-after-recreate": (put("/a"), rm("/a"), put("/a", b"yy"), stat("/a")),
    "status-below-file": (put("/a"), stat("/a/b")),
    "trailing-dot-trimmed": (mk("/a."), ls("/")),
    "trailing-space-trimmed": (mk("/a "), ls("/")),
    "zero-block-size": (put("/a"), stat("/a")),
}


def split(name: str) -> tuple[Calls, Calls]:
    """The set-up and the program that shows a fault."""
    seen = SEEN[name]
    return seen if isinstance(seen[0][0], tuple) else ((), seen)  # type: ignore[return-value]


def differ(name: str, calls: Calls) -> bool:
    return results(faulty(Behaviour(), name), calls) != results(MemoryStore(), calls)


def test_every_fault_has_a_program_and_there_are_many() -> None:
    assert SEEN.keys() == FAULTS.keys()
    assert len(FAULTS) >= 34
    assert all(fault.description and fault.name == name for name, fault in FAULTS.items())


@pytest.mark.parametrize("name", SEEN)
def test_fault_is_seen_by_its_program_and_by_no_shorter_one(name: str) -> None:
    setup, calls = split(name)
    assert differ(name, setup + calls)
    for skipped in range(len(calls)):
        assert not differ(name, setup + calls[:skipped] + calls[skipped + 1 :])


def steps(calls: Calls) -> tuple[Step, ...]:
    """Calls as a program for a session; content of the right length stands for the bytes of the call."""
    kinds: dict[str, type] = {
        re.sub("[A-Z]", lambda m: "_" + m[0].lower(), name): kind for kind, name in ops.NAMES.items()
    }
    program = []
    for call in calls:
        client, call = (call[0], call[1:]) if isinstance(call[0], int) else (0, call)
        arguments = [
            contents.of(sum(each) % 1000, len(each))
            if isinstance(each, bytes)
            else tuple(each[1:].split("/"))
            if isinstance(each, str) and each != "/"
            else ()
            if each == "/"
            else each
            for each in call[1:]
        ]
        program.append(Step(kinds[call[0]](*arguments), client))
    return tuple(program)


def test_sessions_see_every_fault_in_a_program_directory() -> None:
    # Only in a real root can the root be lost; other content stands for special bytes, which has them all when longer.
    special = {"high-bytes-replaced", "newlines-translated", "content-ends-at-nul"}
    for name in SEEN.keys() - {"delete-removes-root"}:
        calls = (put("/a", b"x" * 100), cat("/a")) if name in special else tuple(chain(*split(name)))
        job = Job(steps(calls))
        sound, wrong = (next(iter(ProvingStore(fault=each).session().execute([job]))) for each in (None, name))
        assert [e.outcome for e in sound.trace.events] != [e.outcome for e in wrong.trace.events], name


@pytest.mark.parametrize("name", [None, *FAULTS])
def test_random_programs_never_break_a_store_and_leave_nothing_behind(name: str | None) -> None:
    draw = random.Random(7)
    names = ["/a", "/ab", "/a/a", "/a/ab", "/ab/a", "/a/a/a", "/", "/A", "/a.", "/a%2Fb", "/a/.."]
    jobs = []
    for _ in range(150):
        calls: list[Call] = []
        for _ in range(12):
            p, q = draw.choice(names), draw.choice(names)
            recursive = draw.random() < 0.5 and p != "/"
            made = [mk(p), put(p, b"x" * draw.randrange(3), draw.random() < 0.5), mv(p, q), add(p, b"y"), ls(p)]
            calls.append(draw.choice([*made, cat(p), stat(p), has(p), rm(p, recursive)]))
        jobs.append(Job(steps(tuple(calls)), snapshot_after=(5, 11)))
    session = ProvingStore(fault=name).session()
    for execution in session.execute(jobs):
        assert len(execution.trace.events) == 12
    assert session.store.nodes.keys() == {""}
    assert not session.store.nodes[""].names


# --- the session

A, AF = ("a",), ("a", "f")


def test_session_turns_results_into_outcomes() -> None:
    content = contents.of(3, 5000)
    digest = hashlib.sha256(b"".join(contents.chunks(content))).hexdigest()
    program = (ops.Create(AF, content, False), ops.Open(AF), ops.GetFileStatus(AF), ops.ListStatus(A), ops.Open(A))
    (execution,) = ProvingStore().session().execute([Job(tuple(Step(each) for each in program), (4,), stacks=True)])
    *good, error = (event.outcome for event in execution.trace.events)
    status = Status(AF, False, 5000, BLOCK_SIZE)
    assert good == [Returned(value) for value in (None, Data(5000, digest), status, (status,))]
    assert isinstance(error, Raised)
    assert error.classes[:2] == ("java.io.FileNotFoundException", "java.io.IOException")
    assert "StoreError" in error.stack
    ((number, snapshot),) = execution.snapshots
    assert (number, snapshot.consistent, len(snapshot.entries)) == (4, True, 2)
    assert snapshot.entries[1].data == Data(5000, digest)
    spent = sum(event.returned - event.invoked for event in execution.trace.events)
    assert execution.store_nanoseconds == spent > 0


def test_programs_do_not_see_each_other() -> None:
    job = Job((Step(ops.Mkdirs(A)), Step(ops.ListStatus(()))))
    for real_root in (False, True):
        for execution in ProvingStore(real_root=real_root).session().execute([job, job]):
            assert execution.trace.events[1].outcome == Returned((Status(A, True, 0, 0),))


def test_real_root_is_the_root_and_elsewhere_it_is_a_directory() -> None:
    job = Job((Step(ops.Rename((), A)), Step(ops.Delete((), True)), Step(ops.Exists(()))))
    (real,) = ProvingStore(real_root=True).session().execute([job])
    (inner,) = ProvingStore().session().execute([job])
    assert [event.outcome for event in real.trace.events[1:]] == [Returned(True), Returned(True)]
    assert inner.trace.events[2].outcome == Returned(False)


def test_what_has_no_string_or_no_room_is_not_expressible() -> None:
    program = (ops.Mkdirs(("a/b",)), ops.Exists(("",)), ops.Create(A, contents.of(1, 1 << 40), False))
    (execution,) = ProvingStore(real_root=True).session().execute([Job(tuple(Step(each) for each in program))])
    assert all(isinstance(event.outcome, NotExpressible) for event in execution.trace.events)


@pytest.mark.parametrize("name", ["deleted-still-listed", "listing-repeats", "stale-length-in-listing"])
def test_snapshots_of_a_store_that_contradicts_itself_say_so(name: str) -> None:
    setup, calls = split(name)
    program = steps(setup + calls)
    (execution,) = ProvingStore(fault=name).session().execute([Job(program, (len(program) - 1,))])
    assert not execution.snapshots[0][1].consistent
    assert execution.snapshots[0][1].problem
