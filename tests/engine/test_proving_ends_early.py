"""What is not proven says why: the time was up, the store was lost, or too many others came before it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace

import pytest

from fsconform.engine import confirm
from fsconform.engine.confirm import NOT_REPLAYED, Proven
from fsconform.engine.protocol import Execution, Job, Session, StoreLost
from fsconform.model.filesystem.programs import Program
from fsconform.proving.full_store import FullStore
from fsconform.proving.session import ProvingSession, ProvingStore
from fsconform.proving.store import FileStatus

Make = Callable[[str], Program]
Proving = Callable[..., list[Proven]]
Before = Callable[[int, Job], None]

CALLS = tuple(
    f"{made}{call} /a" for made in ("", "mkdirs /a;", "create /a 1;") for call in ("status", "list", "delete", "open")
)


class MostCallsRaise(FullStore):
    """All calls but those that make files and directories raise an error that no clause allows."""

    def get_file_status(self, path: str) -> FileStatus:
        self.fail("UnsupportedOperationException", path)

    def list_status(self, path: str) -> list[FileStatus]:
        self.fail("UnsupportedOperationException", path)

    def delete(self, path: str, recursive: bool) -> bool:
        self.fail("UnsupportedOperationException", path)

    def open(self, path: str) -> bytes:
        self.fail("UnsupportedOperationException", path)


class Watched:
    """A session that calls a function with the number of each program, from 1, and its job before it."""

    def __init__(self, session: ProvingSession, before: Before) -> None:
        self.session, self.before, self.asked = session, before, 0

    def execute(self, jobs: Sequence[Job]) -> Iterator[Execution]:
        for job in jobs:
            self.asked += 1
            self.before(self.asked, job)
            yield from self.session.execute([job])

    def close(self) -> None:
        pass


class Store(ProvingStore):
    """A store with a function for each of its sessions that is called before each program."""

    def __init__(self, kind: type[FullStore], *before: Before) -> None:
        self.kind, self.before, self.sessions = kind, iter(before), list[Watched]()
        super().__init__()

    def make(self) -> FullStore:
        return self.kind(self.behaviour)

    def session(self) -> Session:  # type: ignore[override]
        self.sessions.append(Watched(super().session(), next(self.before)))
        return self.sessions[-1]


def nothing(number: int, job: Job) -> None:
    pass


def test_without_time_nothing_is_replayed(program: Make, proving: Proving) -> None:
    found = proving(Store(MostCallsRaise, nothing), map(program, CALLS), seconds=0.0)
    assert len(found) > 5
    assert {(one.note, one.confirmed, one.trial) for one in found} == {(NOT_REPLAYED, "", None)}
    assert all(one.met_in is not None for one in found)


def test_of_many_signatures_the_most_serious_are_proven(
    program: Make, proving: Proving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(confirm, "SIGNATURE_LIMIT", 2)
    found = proving(Store(MostCallsRaise, nothing), map(program, CALLS))
    assert [one.confirmed for one in found[:2]] == ["3/3"] * 2
    assert {(one.note, one.confirmed) for one in found[2:]} == {("too many signatures to minimise all", "")}


def test_a_store_that_is_lost_is_not_asked_for_every_signature(program: Make, proving: Proving) -> None:
    calls = [program(text) for text in CALLS]

    def lose(number: int, job: Job) -> None:
        if number > len(calls) and not job.snapshot_after:
            time.sleep(0.05)
            raise StoreLost("it went away")

    store = Store(MostCallsRaise, lose)
    found = proving(store, calls)
    assert len(found) > 5 and not any(one.confirmed for one in found)
    assert {one.note for one in found} == {"not replayed: it went away"}
    assert store.sessions[0].asked < 2 * len(calls) + len(found)


def test_a_lost_store_ends_what_other_sessions_minimise(program: Make, proving: Proving) -> None:
    """The second session is in its first program when the first one loses the store, and begins no other."""

    def lose(number: int, job: Job) -> None:
        if number > 2:
            time.sleep(0.02)
            raise StoreLost("it went away")

    def wait(number: int, job: Job) -> None:
        time.sleep(0.5)

    store = Store(MostCallsRaise, lose, wait)
    calls = [program(f"mkdirs /a; mkdirs /b; mkdirs /c; {call} /c") for call in ("status", "list")]
    found = proving(store, calls, shards=2)
    assert {one.note for one in found} == {"not replayed: it went away"}
    assert store.sessions[1].asked == 1


class SecondFailsAfterFirst(FullStore):
    """A delete raises, and after it no directory is made."""

    deleted = False

    def reset(self) -> None:
        self.deleted = False
        super().reset()

    def delete(self, path: str, recursive: bool) -> bool:
        self.deleted = True
        self.fail("UnsupportedOperationException", path)

    def mkdirs(self, path: str) -> bool:
        return not self.deleted and super().mkdirs(path)


def test_what_shows_after_another_and_was_not_minimised_in_time_says_so(
    program: Make, proving: Proving, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The half of the time that is for minimising is used up by one candidate, and there is time left at the end."""
    whole, clock = program("delete /a; exists /b; exists /c; mkdirs /d"), [0.0]

    def spend(number: int, job: Job) -> None:
        clock[0] += job.program == whole

    monkeypatch.setattr(confirm, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    found = {one.finding.operation: one for one in proving(Store(SecondFailsAfterFirst, spend), [whole], seconds=6.0)}
    assert found["delete"].confirmed == "3/3" and clock[0] < 12
    assert (found["mkdirs"].confirmed, found["mkdirs"].note) == ("", NOT_REPLAYED)
