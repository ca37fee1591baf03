"""Exploring in turns, on a clock that only the stores' calls move: budgets, weights, places, interrupts, two stores."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from typing import Any

import pytest

from fsconform.adapters.proving.session import ProvingStore
from fsconform.engine.benches import Benches
from fsconform.engine.exploration import Exploration, Plan, Progress
from fsconform.engine.explorers import Explorer, from_list
from fsconform.engine.protocol import Execution, Job, Session, StoreLost
from fsconform.engine.schedule import Dealer
from fsconform.model.contract import Contract
from fsconform.model.programs import Program

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


def endless(name: str, text: Program, weight: int = 1) -> Explorer:
    return Explorer(name, lambda first: ((place, text) for place in itertools.count(first)), weight=weight)


def exploration(
    store: TimedStore, *explorers: Explorer, listener: Callable[[Progress], None] = lambda progress: None, **more: Any
) -> Exploration:
    benches = Benches(store, CONTRACT, 1)
    return Exploration(benches, Plan(explorers, 0, **more), listener, store.clock, Inline())


@pytest.fixture
def plain(program: Make) -> Program:
    return program("mkdirs /a; ?list /")


def test_a_turn_takes_its_time_and_a_batch_at_most_more(plain: Program) -> None:
    store = TimedStore(Clock(), 0.01)
    one = exploration(store, endless("endless", plain))
    for seconds in (2.0, 5.0, 0.1):
        before = store.clock.now
        one.run_for(seconds)
        assert seconds <= store.clock.now - before <= seconds + 2 * 0.4 + 0.02
    (covered,) = one.outcome.covered
    assert covered.place == covered.programs == store.executed == one.outcome.collected.programs
    assert one.outcome.seconds == pytest.approx(store.executed * 0.01) == covered.seconds
    assert one.account.speed == pytest.approx(100)
    assert not one.ended


def test_what_is_whole_runs_whole_and_first(plain: Program) -> None:
    phases: list[str] = []
    store = TimedStore(Clock(), 1.0)
    one = exploration(
        store,
        from_list("first", [plain] * 20, whole=True),
        endless("endless", plain),
        from_list("second", [plain] * 30, whole=True),
        listener=lambda progress: phases.append(progress.phase),
    )
    assert one.whole_left
    one.run_whole()
    assert not one.whole_left and not one.ended
    assert list(dict.fromkeys(phases)) == ["first", "second"]
    assert [(each.name, each.programs, each.ended) for each in one.outcome.covered] == [
        ("first", 20, True),
        ("endless", 0, False),
        ("second", 30, True),
    ]


def test_explorers_share_a_turn_by_weight(plain: Program) -> None:
    store = TimedStore(Clock(), 0.02)
    one = exploration(store, endless("heavy", plain, 6), endless("light", plain, 2), endless("other", plain, 1))
    one.run_for(400)
    heavy, light, other = (each.seconds for each in one.outcome.covered)
    assert heavy / other == pytest.approx(6, rel=0.1) and light / other == pytest.approx(2, rel=0.1)


def test_an_explorer_that_finds_something_gets_more(plain: Program, program: Make) -> None:
    def novel(first: int) -> Iterator[tuple[int, Program]]:
        """Programs of which every tenth meets a situation that was not met before."""
        fresh = iter(
            program(f"{start} /x{probe}; {call}")
            for start in ("mkdirs", "create", "delete", "open", "list", "status", "exists")
            for probe in ("", " 3")
            if ("create" in start) == bool(probe)
            for call in ("mkdirs /x", "delete /x", "open /x", "list /x", "status /x", "rename /x /y", "append /x 1")
        )
        for place in itertools.count(first):
            yield place, next(fresh, plain) if place % 10 == 0 else plain

    store = TimedStore(Clock(), 0.1)
    one = exploration(store, Explorer("novel", novel), endless("dull", plain))
    one.run_for(30)
    found, dull = (each.seconds for each in one.outcome.covered)
    assert found > 1.5 * dull > 0


def test_an_explorer_that_ends_leaves_its_time(plain: Program) -> None:
    store = TimedStore(Clock(), 0.1)
    one = exploration(store, from_list("short", [plain] * 15), endless("long", plain))
    one.run_for(20)
    short, long = one.outcome.covered
    assert short.ended and short.place == 15 and long.programs >= 185
    alone = exploration(TimedStore(Clock(), 0.1), from_list("short", [plain] * 15))
    alone.run_for(20)
    assert alone.ended and alone.outcome.seconds == pytest.approx(1.5)


def test_a_lost_store_is_taken_up_at_the_program_that_was_lost(plain: Program) -> None:
    store = TimedStore(Clock(), 0.05, lost_at=70)
    one = exploration(store, from_list("all", [plain] * 200, whole=True))
    one.run_whole()
    (covered,) = one.outcome.covered
    assert one.ended and not covered.ended and one.outcome.problems == ["gone"]
    assert covered.place == 69 == covered.programs
    store.lost_at = store.executed = 0
    again = exploration(store, from_list("all", [plain] * 200, whole=True), places={"all": (69, 69)})
    again.run_whole()
    assert store.executed == 131 and again.outcome.covered[0].ended


def test_an_interrupt_leaves_places_from_which_nothing_is_missed(plain: Program) -> None:
    def interrupt(progress: Progress) -> None:
        if progress.programs > 30:
            raise KeyboardInterrupt

    store = TimedStore(Clock(), 0.05)
    one = exploration(store, endless("endless", plain), listener=interrupt)
    with pytest.raises(KeyboardInterrupt):
        one.run_for(1e6)
    (covered,) = one.outcome.covered
    assert one.ended and covered.place == covered.programs == store.executed == one.outcome.collected.programs
    assert one.outcome.seconds == pytest.approx(store.executed * 0.05)


def test_fail_fast_ends_a_store_and_keeps_the_place(program: Make) -> None:
    store = TimedStore(Clock(), 0.05, fault="delete-file-false")
    one = exploration(store, endless("endless", program("create /a 1; delete /a")), fail_fast=True)
    one.run_for(1e6)
    assert one.ended and 0 < store.executed <= 24
    assert one.outcome.covered[0].place == one.outcome.collected.programs <= store.executed


def test_two_stores_share_a_budget_by_their_speed(plain: Program) -> None:
    clock = Clock()
    slow, fast = TimedStore(clock, 0.2, "slow"), TimedStore(clock, 0.001, "fast")
    explorations = [exploration(store, endless("endless", plain)) for store in (slow, fast)]
    dealer = Dealer(200, 2)
    while (turn := dealer.next(explorations)) is not None:
        before = turn.party.account.seconds
        turn.party.run_for(turn.seconds)
        dealer.ran(turn, turn.party.account.seconds - before)
    assert clock.now == pytest.approx(1200, abs=2)
    assert 165 < slow.executed * 0.2 < 186 and 14 < fast.executed * 0.001 < 35


def test_coverage_grows_over_the_seconds_of_a_run(program: Make, plain: Program) -> None:
    store = TimedStore(Clock(), 0.05, fault="delete-file-false")
    one = exploration(store, endless("a", plain), endless("b", program("create /a 1; delete /a")))
    one.run_for(300)
    points = one.outcome.curve.ended(one.outcome.seconds, one.outcome.collected)
    assert 40 <= len(points) <= 100
    seconds = [point.seconds for point in points]
    assert seconds == sorted(set(seconds)) and seconds[-1] == round(one.outcome.seconds, 3)
    assert max(later - earlier for earlier, later in itertools.pairwise(seconds)) < 3 * 300 / 49
    for earlier, later in itertools.pairwise(points):
        assert earlier.operations <= later.operations and earlier.situations <= later.situations
    last = points[-1]
    assert (last.operations, last.signatures) == (one.outcome.collected.operations, 1)
    assert last.situations == 3 and last.clauses == len(one.outcome.collected.clauses)
