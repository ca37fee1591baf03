"""Several stores in one run: brought up ahead, judged on one budget, taken down behind, whatever happens on the way."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from fsconform.engine.events import Advanced, Confirming, Event, Listener, unheard
from fsconform.engine.explorers import Explorer, from_list
from fsconform.engine.protocol import Execution, Job, SandboxRefused, Session, StoreLost
from fsconform.harness.fleet import Assignment
from fsconform.harness.judging import Judged, judge_all, judge_store
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program, Step
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.proving.session import ProvingStore

PATIENCE = 60
"""Seconds for what happens at once, or never."""

PROGRAM: Program = (Step(Mkdirs(("a",))), Step(ListStatus(()), probe=True))


class Asked:
    """A session that does something before each batch."""

    def __init__(self, session: Session, before: Callable[[], None]) -> None:
        self.session, self.before = session, before

    def execute(self, jobs: Sequence[Job]) -> Iterator[Execution]:
        self.before()
        yield from self.session.execute(jobs)

    def close(self) -> None:
        self.session.close()


class FakeStore(ProvingStore):
    """A store in memory that notes when it is closed and does what it is told at each step."""

    def __init__(self, name: str, **at: Callable[[], None]) -> None:
        super().__init__(name)
        self.at, self.closed = at, threading.Event()

    def do(self, step: str) -> None:
        self.at.get(step, lambda: None)()

    def build(self) -> FakeStore:
        self.do("build")
        return self

    def session(self) -> Session:  # type: ignore[override]
        self.do("session")
        return Asked(super().session(), lambda: self.do("execute"))

    def close(self) -> None:
        self.do("close")
        self.closed.set()


def assigned(store: FakeStore, *explorers: Explorer, budget: float = 0.0, **more: Any) -> Assignment:
    chosen = explorers or (from_list("all", [PROGRAM] * 30, whole=True),)

    def plan(oracle: Oracle) -> tuple[Explorer, ...]:
        store.do("plan")
        return chosen

    return Assignment(store.name, store.build, Contract({}, "c"), plan, budget, 1, complete=False, **more)


def waits_for(event: threading.Event) -> Callable[[], None]:
    def wait() -> None:
        assert event.wait(PATIENCE), "it waited for what should not be waited for"

    return wait


def judged(*stores: FakeStore, hear: Listener = unheard) -> list[Judged]:
    return judge_all([assigned(store) for store in stores], hear, (StoreLost, OSError))


def test_the_next_store_comes_up_while_the_first_is_judged() -> None:
    up = threading.Event()
    first = FakeStore("first", execute=waits_for(up))
    second = FakeStore("second", build=up.set)
    assert [one.record.programs for one in judged(first, second)] == [30, 30]


def test_a_store_that_is_up_does_not_wait_for_one_that_is_not() -> None:
    done = threading.Event()
    slow = FakeStore("slow", build=waits_for(done))
    quick = FakeStore("quick", execute=done.set)
    found = judged(slow, quick)
    assert [(one.record.name, one.record.programs) for one in found] == [("slow", 30), ("quick", 30)]


def test_stopping_one_does_not_keep_the_next_and_the_end_waits_for_all() -> None:
    stopped = threading.Event()
    first = FakeStore("first", close=waits_for(stopped))
    second = FakeStore("second", close=stopped.set)
    judged(first, second)
    assert first.closed.is_set() and second.closed.is_set()


def fails(error: Exception) -> Callable[[], None]:
    def fail() -> None:
        raise error

    return fail


@pytest.mark.parametrize("step", ["build", "session", "plan"])
def test_a_store_that_does_not_come_up_leaves_the_others(step: str) -> None:
    bad = FakeStore("bad", **{step: fails(StoreLost("see some.log"))})
    good = FakeStore("good")
    refused, fine = judged(bad, good)
    assert refused.record.problems == ["see some.log"] and refused.record.operations == 0
    assert refused.record.contract == "c" and refused.record.seconds == 0.0
    assert fine.record.programs == 30 and not fine.record.problems
    assert bad.closed.is_set() is (step != "build") and good.closed.is_set()


def test_a_refused_sandbox_ends_the_run_and_stops_all() -> None:
    error = SandboxRefused("not ours")
    up = threading.Event()
    good, late = FakeStore("good", execute=waits_for(up)), FakeStore("late")
    bad = FakeStore("bad", build=up.set, session=fails(error))
    with pytest.raises(type(error)):
        judged(good, bad, late)
    assert good.closed.is_set() and bad.closed.is_set()


def test_an_interrupt_stops_also_what_is_still_coming_up() -> None:
    interrupted = threading.Event()

    def interrupt(event: Event) -> None:
        if isinstance(event, Advanced):
            interrupted.set()
            raise KeyboardInterrupt

    first = FakeStore("first")
    coming = FakeStore("coming", build=waits_for(interrupted))
    stuck = FakeStore("stuck", build=waits_for(interrupted))
    never = FakeStore("never", build=fails(AssertionError("it was started after the interrupt")))
    found = judged(first, coming, stuck, never, hear=interrupt)
    assert all(one.interrupted for one in found)
    assert found[0].record.programs > 0 and "interrupted: " in found[0].record.problems[0]
    assert [one.record.problems for one in found[1:]] == [["interrupted while it was started"]] * 3
    assert first.closed.is_set()
    assert coming.closed.is_set() and stuck.closed.is_set()


def test_an_interrupt_while_minimising_leaves_the_later_stores_as_met() -> None:
    explored = {"first": threading.Event(), "second": threading.Event()}

    def interrupt(event: Event) -> None:
        match event:
            case Advanced(store):
                explored[store].set()
            case Confirming():
                for each in explored.values():
                    assert each.wait(PATIENCE)
                raise KeyboardInterrupt

    begun = {name: threading.Event() for name in explored}

    def begins(name: str) -> Callable[[], None]:
        def begin() -> None:
            begun[name].set()
            for each in begun.values():
                assert each.wait(PATIENCE)

        return begin

    first, second = (FakeStore(name, execute=begins(name)) for name in explored)
    for store in (first, second):
        store._fault = "mkdirs-existing-false"
    programs = [(Step(Mkdirs(("a",))), Step(Mkdirs(("a",))))] * 5
    assignments = [assigned(store, from_list("all", programs, whole=True)) for store in (first, second)]
    found = judge_all(assignments, interrupt, ())
    for one in found:
        (divergence,) = one.record.divergences
        assert divergence.note == "not minimised and not replayed" and divergence.confirmed == ""
        assert one.interrupted and "interrupted while minimising" in one.record.problems[0]
    assert first.closed.is_set() and second.closed.is_set()


def test_the_budget_is_that_of_all_and_the_records_tell_where_it_went() -> None:
    def endless(first: int) -> Iterator[tuple[int, Program]]:
        place = first
        while True:
            yield place, PROGRAM
            place += 1

    stores = [FakeStore("one"), FakeStore("two")]
    assignments = [
        assigned(store, from_list("all", [PROGRAM] * 30, whole=True), Explorer("endless", endless), budget=0.5)
        for store in stores
    ]
    one, two = judge_all(assignments, unheard, ())
    for each in (one, two):
        record = each.record
        assert record.sessions == 1 and record.starting_seconds >= 0
        assert [row.note for row in record.explorers] == ["complete", "stopped by the budget"]
        assert (
            0 < record.store_wall_seconds <= record.store_seconds + 0.002 and record.store_wall_seconds < record.seconds
        )
        assert record.coverage[-1].operations == record.operations
        assert each.places["endless"][0] == each.places["endless"][1] > 0
    assert one.record.seconds + two.record.seconds >= 0.9


def test_one_store_alone() -> None:
    store = FakeStore("only")
    found = judge_store(assigned(store, statement="A store in memory."), unheard, ())
    assert found.record.statement == "A store in memory." and found.record.programs == 30
    assert found.places == {"all": (30, 30)} and store.closed.is_set()
