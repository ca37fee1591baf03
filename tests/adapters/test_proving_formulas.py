"""The in-memory store against the document's formulas, straight, on every small state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fsconform.proving.store import MemoryStore

# A call is plain data, as conftest.py describes it.
Call = tuple[Any, ...]
Calls = tuple[Call, ...]
Perform = Callable[[MemoryStore, Call], Any]
Results = Callable[[MemoryStore, Calls], list[Any]]
Shape = Callable[..., dict[str, bytes | None]]

FNF, EXISTS, PARENT = "FileNotFoundException", "FileAlreadyExistsException", "ParentNotDirectoryException"
IO, NOT_EMPTY = "IOException", "PathIsNotEmptyDirectoryException"

# A state is a set of directories and a map of files; paths are tuples.
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


def test_store_agrees_with_the_formulas_on_every_small_state(perform: Perform, results: Results, shape: Shape) -> None:
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
