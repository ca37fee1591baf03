"""Stores explored side by side: at the same time, those that take long first, each with its part of a budget."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.engine.effort import Pace, effort_of
from fsconform.engine.events import Doing, Event, unheard
from fsconform.engine.explorers import from_list
from fsconform.engine.protocol import Execution, Job, Session
from fsconform.harness import plans
from fsconform.harness.fleet import Assignment
from fsconform.harness.judging import judge_all
from fsconform.harness.lanes import LEAST_SECONDS, Lanes, Shares, lanes_for
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.programs import Program, Step
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.proving.session import ProvingStore
from fsconform.records.results import StoreRecord
from fsconform.suites.registry import SUITES

PATIENCE = 60
PROGRAM: Program = (Step(Mkdirs(("a",))), Step(ListStatus(()), probe=True))


class Held(ProvingStore):
    """A store whose sessions do something before each batch."""

    def __init__(self, name: str, before: Callable[[], object], fault: str | None = None) -> None:
        super().__init__(name, fault=fault)
        self.before = before

    def session(self) -> Session:  # type: ignore[override]
        return Before(super().session(), self.before)


class Before:
    def __init__(self, session: Session, before: Callable[[], object]) -> None:
        self._session, self._before = session, before

    def execute(self, jobs: Sequence[Job]) -> Iterator[Execution]:
        self._before()
        yield from self._session.execute(jobs)

    def close(self) -> None:
        self._session.close()


def assigned(store: ProvingStore, pace: Pace = "fast", **more: Any) -> Assignment:
    one = from_list("all", [PROGRAM] * 3, whole=True)
    contract = Contract({}, "c")
    return Assignment(
        store.name, lambda: store, contract, lambda oracle: (one,), None, 1, complete=False, pace=pace, **more
    )


def test_two_stores_are_explored_at_the_same_time() -> None:
    together = threading.Barrier(2)
    stores = [Held(name, lambda: together.wait(PATIENCE)) for name in ("one", "two")]
    found = judge_all([assigned(store) for store in stores], unheard, ())
    assert [(one.record.name, one.record.programs, one.record.problems) for one in found] == [
        ("one", 3, []),
        ("two", 3, []),
    ]


def test_of_what_waits_the_stores_that_take_long_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """All come up while the first is explored, which waits for that."""
    monkeypatch.setattr("fsconform.harness.judging.lanes_for", lambda stores: 1)
    begun: list[str] = []
    up = threading.Semaphore(0)

    def wait_for_all() -> None:
        for _ in others:
            assert up.acquire(timeout=PATIENCE)

    others: dict[str, Pace] = {"fast": "fast", "reference": "reference", "slow": "slow"}
    first = assigned(Held("first", wait_for_all))
    rest = [assigned(Held(name, lambda name=name: begun.append(name)), pace) for name, pace in others.items()]  # type: ignore[misc]

    def hear(event: Event) -> None:
        if isinstance(event, Doing) and event.text == "ready" and event.store in others:
            threading.Timer(0.3, up.release).start()

    judge_all([first, *rest], hear, ())
    assert begun == ["slow", "reference", "fast"]


class Lasting(Before):
    """A session that says that each call lasted half a minute."""

    def execute(self, jobs: Sequence[Job]) -> Iterator[Execution]:
        for execution in super().execute(jobs):
            events = tuple(replace(event, returned=event.invoked + 30 * 10**9) for event in execution.trace.events)
            yield replace(execution, trace=replace(execution.trace, events=events))


class Slow(Held):
    """A store whose calls all last."""

    def session(self) -> Session:  # type: ignore[override]
        return Lasting(ProvingStore.session(self), self.before)


def test_calls_that_last_long_are_heard_of_and_recorded_and_do_not_end_the_run() -> None:
    heard: list[str] = []
    (found,) = judge_all([assigned(Slow("slow", lambda: None))], lambda event: heard.append(str(event)), ())
    (slow,) = [one for one in found.record.slow_calls if one.operation == "mkdirs"]
    assert (slow.calls, slow.seconds) == (3, 30.0) and "--conf" in slow.advice
    assert found.record.programs == 3
    said = "3 calls of mkdirs lasted long, one of them 30 s: if its client retries"
    assert sum(said in text for text in heard) == 1


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_each_store_has_its_part_of_a_budget_and_they_all_end_with_it() -> None:
    clock = Clock()
    shares = Shares(300, 5, 2, clock)
    assert (shares.begin(), shares.begin()) == (100, 100)
    clock.now = 100
    shares.end()
    third = shares.begin()
    shares.end()
    assert (third, shares.begin()) == (100, 100)
    clock.now = 150
    shares.end()
    assert shares.begin() == 150, "what one leaves is for those after it"
    clock.now = 400
    shares.end()
    shares.end()
    assert shares.begin() == LEAST_SECONDS


def test_one_lane_deals_out_what_is_left_and_idle_time_does_not_count() -> None:
    clock = Clock()
    shares = Shares(90, 4, 1, clock)
    shares.without_one()
    assert shares.begin() == 30
    clock.now = 10
    shares.end()
    clock.now = 50
    assert shares.begin() == 40
    assert Shares(None, 2, 2).begin() is None and Shares(0, 2, 2).begin() is None


def test_as_many_lanes_as_stores_at_most() -> None:
    assert [lanes_for(stores, cores) for stores, cores in ((1, 2), (5, 2), (5, 4), (5, 16))] == [1, 2, 3, 5]


def counts(record: StoreRecord) -> tuple[object, ...]:
    return (
        record.operations,
        record.clauses,
        [(one.signature, one.count, one.program) for one in record.divergences],
        [(one.name, one.programs, one.operations) for one in record.explorers],
    )


def test_what_is_explored_beside_a_store_changes_nothing_of_it() -> None:
    suites = (SUITES["namespace"], SUITES["listing"])
    amounts = replace(effort_of("quick").amounts("slow"), machines=30, variations=15)

    def assignment(name: str, fault: str | None) -> Assignment:
        one = assigned(Held(name, lambda: None, fault))

        def explorers(oracle: Any) -> Any:
            kinds = frozenset(("variations", "hypothesis"))
            return plans.explorers(suites, oracle, 5, plans.Filter(), kinds=kinds, amounts=amounts)

        return replace(one, contract=load_shipped("proving"), explorers=explorers, shards=2)

    faults = (None, "mkdirs-existing-false", "rename-copies")
    names = ("one", "two", "three")
    beside = judge_all([assignment(name, fault) for name, fault in zip(names, faults, strict=True)], unheard, ())
    for name, fault, other in zip(names, faults, beside, strict=True):
        (alone,) = judge_all([assignment(name, fault)], unheard, ())
        assert counts(alone.record) == counts(other.record)
    assert [bool(one.record.divergences) for one in beside] == [False, True, True]


@pytest.mark.timeout(60)
def test_a_signal_that_is_handled_for_longer_than_is_to_be_waited_does_not_make_it_wait_for_ever() -> None:
    """So an interrupt, which is met once the wait is over, is met on a busy machine too."""
    lanes, heard = Lanes(1, Shares(None, 1, 1)), []

    def slowly(number: int, _frame: object) -> None:
        time.sleep(0.2)
        heard.append(number)

    before = signal.signal(signal.SIGALRM, slowly)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        assert lanes.take(0.1) is None
        assert heard == [signal.SIGALRM]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        lanes.stop()
