"""Every seeded fault against the sound store: the shortest program that shows it, alone and through a session."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import chain
from typing import Any

import pytest

from fsconform.engine.protocol import Job
from fsconform.model.filesystem.programs import Step
from fsconform.proving.faults import FAULTS, faulty
from fsconform.proving.session import ProvingStore
from fsconform.proving.store import Behaviour, MemoryStore

# A call is plain data, as conftest.py describes it.
Call = tuple[Any, ...]
Calls = tuple[Call, ...]
Results = Callable[[MemoryStore, Calls], list[Any]]
Steps = Callable[[Calls], tuple[Step, ...]]
Differ = Callable[[str, Calls], bool]

NFC, NFD = "/\u00e9", "/e\u0301"
LONG = "/" + "n" * 255
MANY = tuple(("put", f"/d/{number}", b"") for number in range(65))

SEEN: dict[str, Calls | tuple[Calls, Calls]] = {
    "ancestors-not-listed": (("mk", "/a/b"), ("ls", "/")),
    "ancestors-not-made": (("put", "/a/b"), ("has", "/a")),
    "append-creates": (("add", "/a", b"x"),),
    "append-doubled": (("put", "/a"), ("add", "/a", b"x" * 4096), ("cat", "/a")),
    "append-ignored": (("put", "/a"), ("add", "/a", b"y"), ("cat", "/a")),
    "append-truncates": (("put", "/a"), ("add", "/a", b"y"), ("cat", "/a")),
    "cached-404": (("has", "/a"), ("put", "/a"), ("cat", "/a")),
    "case-ignored": (("mk", "/a"), ("has", "/A")),
    "colon-accepted": (("mk", "/a:b"),),
    "content-ends-at-nul": (("put", "/a", b"a\0b"), ("cat", "/a")),
    "create-after-miss-fails": (("has", "/a"), ("put", "/a")),
    "create-below-file": (("put", "/a"), ("put", "/a/b")),
    "create-needs-parent": (("put", "/a/b"),),
    "create-over-directory": (("mk", "/a"), ("put", "/a")),
    "delete-below-file": (("put", "/a"), ("rm", "/a/b")),
    "delete-file-false": (("put", "/a"), ("rm", "/a")),
    "delete-leaves-directories": (("mk", "/a/b"), ("rm", "/a", True), ("has", "/a")),
    "delete-missing-raises": (("rm", "/a"),),
    "delete-missing-true": (("rm", "/a"),),
    "delete-non-empty": (("mk", "/a/b"), ("rm", "/a")),
    "delete-removes-empty-parent": (("put", "/a/b"), ("rm", "/a/b"), ("has", "/a")),
    "delete-removes-root": (("rm", "/", True), ("has", "/")),
    "delete-removes-siblings": (("mk", "/a"), ("mk", "/ab"), ("rm", "/a", True), ("has", "/ab")),
    "deleted-still-listed": (("put", "/a"), ("rm", "/a"), ("ls", "/")),
    "directory-length-4096": (("stat", "/"),),
    "deep-path-fails": (("mk", "/a" * 9),),
    "dots-resolved": (("has", "/."),),
    "empty-directory-unlisted": (("mk", "/a"), ("ls", "/")),
    "empty-file-missing": (("put", "/a", b""), ("has", "/a")),
    "exists-below-file-raises": (("put", "/a"), ("has", "/a/b")),
    "exists-directory-false": (("has", "/"),),
    "file-and-directory": (("put", "/a"), ("mk", "/a")),
    "folder-markers-unlisted": (("mk", "/x_$folder$"), ("ls", "/")),
    "four-byte-characters-replaced": (("mk", "/\U0001f600"), ("ls", "/")),
    "fragment-dropped": (("mk", "/a#b"), ("ls", "/")),
    "hidden-names-unlisted": (("mk", "/_temporary"), ("ls", "/")),
    "high-bytes-replaced": (("put", "/a", b"\x80"), ("cat", "/a")),
    "implicit-parent-vanishes": (("put", "/a/b"), ("mv", "/a/b", "/c"), ("has", "/a")),
    "last-byte-dropped": (("put", "/a", b"x" * 65537), ("cat", "/a")),
    "length-in-blocks": (("put", "/a", b"x" * 4097), ("stat", "/a")),
    "listing-cached": (("ls", "/"), ("mk", "/a"), ("ls", "/")),
    "listing-cut": (MANY, (("ls", "/d"),)),
    "listing-includes-self": (("ls", "/"),),
    "listing-of-file-empty": (("put", "/a"), ("ls", "/a")),
    "listing-of-missing-empty": (("ls", "/a"),),
    "listing-repeats": (MANY[:5], (("ls", "/d"),)),
    "missing-raises-runtime-error": (("cat", "/a"),),
    "missing-raises-superclass": (("stat", "/a"),),
    "mkdirs-below-file": (("put", "/a"), ("mk", "/a/b")),
    "mkdirs-existing-false": (("mk", "/"),),
    "mkdirs-over-file": (("put", "/a"), ("mk", "/a")),
    "name-cut": (("mk", LONG), ("ls", "/")),
    "names-in-nfc": (("mk", NFC), ("has", NFD)),
    "newlines-translated": (("put", "/a", b"\n"), ("cat", "/a")),
    "open-directory-empty": (("cat", "/"),),
    "open-missing-empty": (("cat", "/a"),),
    "overwrite-ignored": (("put", "/a"), ("put", "/a", b"y", True), ("cat", "/a")),
    "overwrite-keeps-tail": (("put", "/a", b"xx"), ("put", "/a", b"y", True), ("cat", "/a")),
    "overwrite-unchecked": (("put", "/a"), ("put", "/a")),
    "percent-decoded": (("mk", "/a%2Fb"), ("ls", "/")),
    "plus-decoded": (("mk", "/a+b"), ("ls", "/")),
    "recreate-after-recursive-delete-resurrects": (("put", "/a/b"), ("rm", "/a", True), ("mk", "/a"), ("ls", "/a")),
    "recreate-refused": (("put", "/a"), ("rm", "/a"), ("put", "/a")),
    "rename-back-loses": (("mk", "/a"), ("mv", "/a", "/b"), ("mv", "/b", "/a"), ("has", "/a")),
    "rename-below-file": (("put", "/a"), ("put", "/b"), ("mv", "/a", "/b/c")),
    "rename-below-itself": (("mk", "/a"), ("mv", "/a", "/a/b")),
    "rename-copies": (("mk", "/a"), ("mv", "/a", "/b"), ("has", "/a")),
    "rename-directory-over-file": (("mk", "/a"), ("put", "/b"), ("mv", "/a", "/b")),
    "rename-loses-content": (("put", "/b"), ("rm", "/b"), ("put", "/a"), ("mv", "/a", "/b"), ("cat", "/b")),
    "rename-loses-empty-directory": (("mk", "/a"), ("mv", "/a", "/b"), ("has", "/b")),
    "rename-loses-grandchildren": (("mk", "/a/b/c"), ("mv", "/a", "/d"), ("has", "/d/b/c")),
    "rename-missing-source-false": (("mv", "/a", "/b"),),
    "rename-missing-source-true": (("mv", "/a", "/b"),),
    "rename-moves-siblings": (("mk", "/a"), ("mk", "/ab"), ("mv", "/a", "/c"), ("has", "/ab")),
    "rename-overwrites-file": (("put", "/a"), ("put", "/b"), ("mv", "/a", "/b")),
    "rename-refused-by-prefix": (("mk", "/a"), ("mv", "/a", "/ab")),
    "rename-replaces-directory": (("put", "/a"), ("mk", "/b"), ("mv", "/a", "/b"), ("stat", "/b")),
    "rename-says-false": (("mk", "/a"), ("mv", "/a", "/b")),
    "rename-into-taken-name": (("mk", "/a"), ("mk", "/b/a"), ("mv", "/a", "/b")),
    "rename-to-missing-parent-loses": (("mk", "/a"), ("mv", "/a", "/b/c")),
    "rename-to-self-deletes": (("put", "/a"), ("mv", "/a", "/a"), ("has", "/a")),
    "root-status-fails": (("stat", "/"),),
    "sibling-prefix-unlists": (("mk", "/a/b"), ("mk", "/ab"), ("ls", "/a")),
    "stale-length-in-listing": (("put", "/a"), ("add", "/a", b"y"), ("ls", "/")),
    "stale-read-by-other-client": (("put", "/a"), (1, "cat", "/a"), ("put", "/a", b"y", True), (1, "cat", "/a")),
    "stale-status-after-recreate": (("put", "/a"), ("rm", "/a"), ("put", "/a", b"yy"), ("stat", "/a")),
    "status-below-file": (("put", "/a"), ("stat", "/a/b")),
    "trailing-dot-trimmed": (("mk", "/a."), ("ls", "/")),
    "trailing-space-trimmed": (("mk", "/a "), ("ls", "/")),
    "zero-block-size": (("put", "/a"), ("stat", "/a")),
}


ELSEWHERE = {
    *("attributes", "builders", "changes", "claims", "copies", "iterators", "metadata", "overloads"),
    *("protocols", "queries"),
}
"""Modules whose faults test_full_store.py and test_proving_changes.py show."""

CORE = {name for name, fault in FAULTS.items() if fault.kind.__module__.rpartition(".")[2] not in ELSEWHERE}


def split(name: str) -> tuple[Calls, Calls]:
    """The set-up and the program that shows a fault."""
    seen = SEEN[name]
    return seen if isinstance(seen[0][0], tuple) else ((), seen)  # type: ignore[return-value]


@pytest.fixture
def differ(results: Results) -> Differ:
    """Whether a fault is seen in some calls."""
    return lambda name, calls: results(faulty(Behaviour(), name), calls) != results(MemoryStore(), calls)


def test_every_fault_has_a_program_and_there_are_many() -> None:
    assert SEEN.keys() == CORE
    assert len(CORE) >= 90
    assert all(fault.description and fault.name == name for name, fault in FAULTS.items())


@pytest.mark.parametrize("name", SEEN)
def test_fault_is_seen_by_its_program_and_by_no_shorter_one(name: str, differ: Differ) -> None:
    setup, calls = split(name)
    assert differ(name, setup + calls)
    for skipped in range(len(calls)):
        assert not differ(name, setup + calls[:skipped] + calls[skipped + 1 :])


def test_sessions_see_every_fault_in_a_program_directory(steps: Steps) -> None:
    # Only in a real root can the root be lost; other content stands for special bytes, which has them all when longer.
    special = {"high-bytes-replaced", "newlines-translated", "content-ends-at-nul"}
    for name in SEEN.keys() - {"delete-removes-root"}:
        calls = (("put", "/a", b"x" * 100), ("cat", "/a")) if name in special else tuple(chain(*split(name)))
        job = Job(steps(calls))
        sound, wrong = (next(iter(ProvingStore(fault=each).session().execute([job]))) for each in (None, name))
        assert [e.outcome for e in sound.trace.events] != [e.outcome for e in wrong.trace.events], name


@pytest.mark.parametrize("name", [None, *FAULTS])
def test_random_programs_never_break_a_store_and_leave_nothing_behind(name: str | None, steps: Steps) -> None:
    draw = random.Random(7)
    names = ["/a", "/ab", "/a/a", "/a/ab", "/ab/a", "/a/a/a", "/", "/A", "/a.", "/a%2Fb", "/a/.."]
    jobs = []
    for _ in range(150):
        calls: list[Call] = []
        for _ in range(12):
            p, q = draw.choice(names), draw.choice(names)
            recursive = draw.random() < 0.5 and p != "/"
            made = [
                ("mk", p),
                ("put", p, b"x" * draw.randrange(3), draw.random() < 0.5),
                ("mv", p, q),
                ("add", p, b"y"),
                ("ls", p),
            ]
            calls.append(draw.choice([*made, ("cat", p), ("stat", p), ("has", p), ("rm", p, recursive)]))
        jobs.append(Job(steps(tuple(calls)), snapshot_after=(5, 11)))
    session = ProvingStore(fault=name).session()
    for execution in session.execute(jobs):
        assert len(execution.trace.events) == 12
    assert session.store.nodes.keys() == {""}
    assert not session.store.nodes[""].names


@pytest.mark.parametrize("name", ["deleted-still-listed", "listing-repeats", "stale-length-in-listing"])
def test_snapshots_of_a_store_that_contradicts_itself_say_so(name: str, steps: Steps) -> None:
    setup, calls = split(name)
    program = steps(setup + calls)
    (execution,) = ProvingStore(fault=name).session().execute([Job(program, (len(program) - 1,))])
    assert not execution.snapshots[0][1].consistent
    assert execution.snapshots[0][1].problem
