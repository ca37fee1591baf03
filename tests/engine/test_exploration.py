"""Exploring, on a clock that only the stores' calls move: the order of a plan, quotas, budgets, places, interrupts."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest

from fsconform.engine.benches import Benches
from fsconform.engine.events import Advanced, Event, Listener, unheard
from fsconform.engine.exploration import Exploration, Plan
from fsconform.engine.explorers import Explorer, from_list
from fsconform.engine.ground import Ground
from fsconform.engine.protocol import Execution, Job, Session, StoreLost
from fsconform.engine.sifting import Files
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.programs import Program
from fsconform.proving.session import ProvingStore

Make = Callable[[str], Program]
CONTRACT = Contract({"supports-append": True, "supports-strict-exceptions": True})


class Clock:
    """A clock that goes on only when a store is at work."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Timed:
    """A session whose programs take so long each."""

    def __init__(self, session: Session, tick: Callable[[], None]) -> None:
        self.session, self.tick = session, tick

    def execute(self, jobs: Sequence[Job]) -> Iterator[Execution]:
        for job in jobs:
            self.tick()
            yield from self.session.execute([job])

    def close(self) -> None:
        self.session.close()


class TimedStore(ProvingStore):
    """A store in memory whose programs take so many seconds each; from program ``lost_at`` on it is lost."""

    def __init__(self, clock: Clock, seconds: float, name: str = "timed", fault: str = "", lost_at: int = 0) -> None:
        super().__init__(name, fault=fault or None)
        self.clock, self.seconds, self.lost_at = clock, seconds, lost_at
        self.executed = 0

    def tick(self) -> None:
        self.executed += 1
        if self.executed >= self.lost_at > 0:
            raise StoreLost("gone")
        self.clock.now += self.seconds

    def session(self) -> Session:  # type: ignore[override]
        return Timed(super().session(), self.tick)


class Inline(Executor):
    """Executes at once, in the thread that asks."""

    def submit(self, call: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        try:
            future.set_result(call(*arguments, **named))
        except BaseException as error:
            future.set_exception(error)
        return future


def endless(name: str, text: Program, quota: int | None = None) -> Explorer:
    return Explorer(name, lambda first: ((place, text) for place in itertools.count(first)), quota=quota)


def exploration(store: TimedStore, *explorers: Explorer, listener: Listener = unheard, **more: Any) -> Exploration:
    benches = Benches(store, CONTRACT, 1)
    return Exploration(Files(benches, more.get("terms")), Plan(explorers, **more), listener, store.clock, Inline())


@pytest.fixture
def plain(program: Make) -> Program:
    return program("mkdirs /a; ?list /")


def test_a_turn_takes_its_time_and_a_batch_at_most_more(plain: Program) -> None:
    store = TimedStore(Clock(), 0.01)
    one = exploration(store, endless("endless", plain))
    for seconds in (2.0, 5.0, 0.1):
        before = store.clock.now
        one.run(seconds)
        assert seconds <= store.clock.now - before <= seconds + 2 * 0.4 + 0.02
    (covered,) = one.outcome.covered
    assert covered.place == covered.programs == store.executed == one.outcome.collected.programs
    assert one.outcome.seconds == pytest.approx(store.executed * 0.01) == covered.seconds
    assert one.outcome.cut_off and not one.ended


def test_what_is_whole_runs_whole_and_first(plain: Program) -> None:
    phases: list[str] = []

    def hear(event: Event) -> None:
        assert isinstance(event, Advanced)
        phases.append(event.explorer)

    explorers = (
        from_list("first", [plain] * 20, whole=True),
        endless("part", plain, 10),
        from_list("second", [plain] * 30, whole=True),
    )
    for budget, third in ((None, [("part", 10, True)]), (0.0, [("part", 0, False)])):
        phases.clear()
        store = TimedStore(Clock(), 1.0)
        one = exploration(store, *explorers, listener=hear, budget=budget)
        one.run()
        assert one.ended and not one.outcome.cut_off
        assert list(dict.fromkeys(phases)) == ["first", "second", *(name for name, programs, _ in third if programs)]
        assert [(each.name, each.programs, each.ended) for each in one.outcome.covered] == [
            ("first", 20, True),
            *third,
            ("second", 30, True),
        ]


def test_quotas_are_kept_to_the_program(plain: Program) -> None:
    quotas = (0, 1, 7, 63, 64, 65, 300)
    store = TimedStore(Clock(), 0.003)
    one = exploration(store, *(endless(str(quota), plain, quota) for quota in quotas), from_list("all", [plain] * 90))
    one.run()
    assert [(each.programs, each.planned, each.ended) for each in one.outcome.covered] == [
        *((quota, quota, True) for quota in quotas),
        (90, 90, True),
    ]
    assert one.ended and not one.outcome.cut_off


def test_explorers_come_to_their_ends_together(plain: Program) -> None:
    """Where a budget cuts off, it cuts off as much of each: none is starved by those that come before it."""
    store = TimedStore(Clock(), 0.01)
    one = exploration(store, endless("long", plain, 4000), endless("other", plain, 2000), endless("short", plain, 200))
    one.run(31)
    shares = [each.programs / (each.planned or 0) for each in one.outcome.covered]
    assert shares == [pytest.approx(0.5, abs=0.35)] * 3 and shares[:2] == [pytest.approx(0.5, abs=0.05)] * 2
    assert one.outcome.cut_off and not any(each.ended for each in one.outcome.covered[:2])


def test_an_explorer_that_ends_before_its_quota_leaves_the_others_theirs(plain: Program) -> None:
    short = Explorer("short", lambda first: ((place, plain) for place in range(first, 15)), quota=1000)
    one = exploration(TimedStore(Clock(), 0.1), short, endless("long", plain, 200))
    one.run()
    found = [(each.programs, each.ended, each.place) for each in one.outcome.covered]
    assert found == [(15, True, 15), (200, True, 200)] and one.ended


def test_a_run_that_is_taken_up_does_the_rest_of_a_quota(plain: Program) -> None:
    store = TimedStore(Clock(), 0.1)
    one = exploration(
        store, endless("part", plain, 100), endless("done", plain, 50), places={"part": (70, 60), "done": (55, 50)}
    )
    one.run()
    assert [(each.programs, each.place) for each in one.outcome.covered] == [(100, 110), (50, 55)]
    assert store.executed == 40


def test_a_lost_store_is_taken_up_at_the_program_that_was_lost(plain: Program) -> None:
    store = TimedStore(Clock(), 0.05, lost_at=70)
    one = exploration(store, from_list("all", [plain] * 200, whole=True))
    one.run()
    (covered,) = one.outcome.covered
    assert one.ended and not covered.ended and one.outcome.problems == ["gone"]
    assert covered.place == 69 == covered.programs
    store.lost_at = store.executed = 0
    again = exploration(store, from_list("all", [plain] * 200, whole=True), places={"all": (69, 69)})
    again.run()
    assert store.executed == 131 and again.outcome.covered[0].ended


def test_an_interrupt_leaves_places_from_which_nothing_is_missed(plain: Program) -> None:
    def interrupt(event: Event) -> None:
        if isinstance(event, Advanced) and event.done > 30:
            raise KeyboardInterrupt

    store = TimedStore(Clock(), 0.05)
    one = exploration(store, endless("endless", plain), listener=interrupt)
    with pytest.raises(KeyboardInterrupt):
        one.run(1e6)
    (covered,) = one.outcome.covered
    assert one.ended and covered.place == covered.programs == store.executed == one.outcome.collected.programs
    assert one.outcome.seconds == pytest.approx(store.executed * 0.05)


def test_fail_fast_ends_a_store_and_keeps_the_place(program: Make) -> None:
    store = TimedStore(Clock(), 0.05, fault="delete-file-false")
    one = exploration(store, endless("endless", program("create /a 1; delete /a")), fail_fast=True)
    one.run(1e6)
    # Two batches of eight, what of them went on, and the replays that confirm.
    assert one.ended and 0 < store.executed <= 48
    assert one.outcome.covered[0].place == one.outcome.collected.programs <= store.executed


def test_coverage_grows_over_the_seconds_of_a_run(program: Make, plain: Program) -> None:
    store = TimedStore(Clock(), 0.05, fault="delete-file-false")
    one = exploration(store, endless("a", plain), endless("b", program("create /a 1; delete /a")))
    one.run(300)
    points = one.outcome.curve.ended(one.outcome.seconds, one.outcome.collected)
    assert 40 <= len(points) <= 100, "the batches of a run are many"
    seconds = [point.seconds for point in points]
    assert seconds == sorted(set(seconds)) and seconds[-1] == round(one.outcome.seconds, 3)
    assert max(later - earlier for earlier, later in itertools.pairwise(seconds)) < 3 * 300 / 49
    for earlier, later in itertools.pairwise(points):
        assert earlier.operations <= later.operations and earlier.situations <= later.situations
    last = points[-1]
    assert (last.operations, last.signatures) == (one.outcome.collected.operations, 1)
    assert last.situations == 3 and last.clauses == len(one.outcome.collected.clauses)


class Sums(Ground[int, int, list[int]]):
    """Programs of numbers, which are added up; one that has a 0 is lost."""

    def __init__(self) -> None:
        super().__init__("sums", [])

    def lent(self) -> AbstractContextManager[Sums]:
        return nullcontext(self)

    def tries(self, programs: Sequence[tuple[int, ...]]) -> Generator[int, None, None]:
        for one in programs:
            if 0 in one:
                raise StoreLost("gone")
            yield sum(one)

    def go_on(self, trial: int) -> int:
        raise AssertionError("nothing is to go on")

    def add(self, trial: int) -> tuple[int, int]:
        self.collected.append(trial)
        return trial, 0

    def standing(self) -> tuple[int, int, int]:
        return sum(self.collected), 1, 2


def test_any_subject_is_explored_in_the_order_of_its_plan() -> None:
    told: list[Event] = []
    programs = [(number,) for number in range(1, 30)]
    plan = Plan((from_list("whole", programs, whole=True), from_list("last", [(7, 7), (0,), (9,)])), first=1)
    outcome = Exploration(Sums(), plan, told.append).to_its_end()
    assert outcome.collected == [*range(1, 30), 14] and outcome.problems == ["gone"]
    assert [(one.name, one.programs, one.operations, one.place, one.ended) for one in outcome.covered] == [
        ("whole", 29, 435, 29, True),
        ("last", 1, 14, 1, False),
    ]
    assert told[0] == Advanced("sums", "whole", 1, 29, 1, 1, 2), "a first batch of one program"
    assert told[-1] == Advanced("sums", "last", 1, 3, 449, 1, 2)


def test_an_error_of_ours_that_a_subject_does_not_keep_is_raised() -> None:
    def source(first: int) -> Iterator[tuple[int, tuple[int, ...]]]:
        yield first, (1,)
        raise ValueError("ours")

    ground = Sums()
    with pytest.raises(ValueError, match="ours"):
        Exploration(ground, Plan((Explorer("wrong", source),), first=1)).to_its_end()
    assert ground.collected == [1]
