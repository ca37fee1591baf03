"""The union of calls' intervals, told by several sessions in any order, against a plain sum over moments."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import pytest

from fsconform.engine import busy
from fsconform.engine.benches import Benches
from fsconform.engine.busy import BusyTime, Span, spans
from fsconform.engine.protocol import Execution
from fsconform.model.core.outcomes import Returned
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.programs import Event, Program, Trace
from fsconform.proving.session import ProvingStore

Make = Callable[[str], Program]


def union(found: list[Span]) -> int:
    return len({moment for start, end in found for moment in range(start, end)})


def test_a_union_counts_no_moment_twice() -> None:
    kept = BusyTime()
    kept.begin(1, 0)
    kept.begin(2, 0)
    kept.add(1, [(0, 10), (20, 30)])
    kept.add(2, [(5, 22), (30, 31), (40, 40), (50, 45)])
    assert kept.nanoseconds == 31
    kept.end(1)
    kept.end(2)
    assert kept.nanoseconds == 31


def sessions(chance: random.Random) -> list[list[list[Span]]]:
    """For each of some sessions what it tells, in pieces; within a session all in order of time."""
    told = []
    for _ in range(chance.randint(1, 4)):
        moment, pieces = 0, []
        for _ in range(chance.randint(1, 12)):
            piece = []
            for _ in range(chance.randint(0, 6)):
                start = moment + chance.randint(0, 9)
                moment = start + chance.randint(0, 12)
                piece.append((start, moment))
            pieces.append(piece)
        told.append(pieces)
    return told


@pytest.mark.parametrize("seed", range(150))
def test_any_order_of_telling_gives_the_union(seed: int) -> None:
    chance = random.Random(seed)
    told = sessions(chance)
    kept = BusyTime()
    for number in range(len(told)):
        kept.begin(number, 0)
    left = {number: list(pieces) for number, pieces in enumerate(told)}
    while left:
        number = chance.choice(sorted(left))
        kept.add(number, left[number].pop(0))
        if not left[number]:
            del left[number]
            kept.end(number)
    assert kept.nanoseconds == union([span for pieces in told for piece in pieces for span in piece])


def test_what_is_settled_is_forgotten() -> None:
    kept = BusyTime()
    for moment in range(0, 100_000, 10):
        kept.begin(1, moment)
        kept.add(1, [(moment, moment + 4)])
        kept.end(1)
        assert len(kept._pending) <= 1
    assert kept.nanoseconds == 40_000


def test_a_session_that_stays_away_costs_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(busy, "MOST_PENDING", 100)
    kept = BusyTime()
    kept.begin(1, 0)
    kept.begin(2, 0)
    for moment in range(0, 100_000, 10):
        kept.add(1, [(moment, moment + 4)])
        assert len(kept._pending) <= 101
    kept.add(2, [(0, 100_000)])
    assert 40_000 < kept.nanoseconds <= 100_000, "what comes too late is left out, never counted twice"


def test_an_execution_is_in_the_store_in_its_calls_and_its_housekeeping(program: Make) -> None:
    events = (Event(Returned(True), 5, 7), Event(Returned(()), 9, 12))
    execution = Execution(Trace(program("mkdirs /a; ?list /"), events), housekeeping=((1, 4),))
    assert sorted(spans(execution)) == [(1, 4), (5, 7), (9, 12)]


def test_sessions_in_the_store_by_turns_are_no_longer_there_than_it_took(program: Make) -> None:
    benches = Benches(ProvingStore(), Contract({}), 2)
    started = time.monotonic_ns()
    one, two = benches.take(), benches.take()
    for _ in range(20):
        one.try_all([program("create /a 9; ?list /; delete /a")] * 5)
        two.try_all([program("mkdirs /a; ?list /")] * 5)
    assert benches.sessions == 2
    assert 0 < benches.busy.nanoseconds <= benches.store_nanoseconds < time.monotonic_ns() - started
