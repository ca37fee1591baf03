"""What the tests of races share: concurrent programs on the store in memory, and how a seeded fault is found there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

import pytest

from fsconform.adapters.meeting import board
from fsconform.engine.histories.confirming import Confirmed, Confirmer, Met
from fsconform.engine.histories.delays import Delays
from fsconform.engine.histories.execution import Clients
from fsconform.engine.histories.judging import Judge
from fsconform.engine.histories.matrix import Row
from fsconform.engine.histories.subject import RACES
from fsconform.proving.session import ProvingStore

SESSIONS = 3
"""As many as the lanes of the widest program."""


@contextmanager
def clients(fault: str = "") -> Iterator[Clients]:
    store = ProvingStore(fault=fault or None)
    sessions = [store.session() for _ in range(SESSIONS)]
    try:
        yield Clients(sessions, board)
    finally:
        for session in sessions:
            session.close()
        store.close()


def met(those: Clients, judge: Judge, delays: Delays, rows: Sequence[Row], rounds: int) -> list[Met]:
    found = []
    for number in range(rounds):
        histories = those.execute([delays.moved(row.program, number) for row in rows])
        delays.note(histories)
        found += [Met(history, judge.judge(history)) for history in histories]
    return found


def on_sound_store(judge: Judge, rows: Sequence[Row], rounds: int) -> list[Met]:
    with clients() as those:
        return met(those, judge, Delays(), rows, rounds)


def found_and_told(judge: Judge, fault: str, row: Row, verdict: str, clause: str) -> Confirmed:
    judged = "violation" if verdict == "deviation" else verdict
    with clients(fault) as those:
        delays = Delays()
        first: Met | None = None
        for _ in range(20):
            shown = [one for one in met(those, judge, delays, [row] * 8, 8) if one.judged.verdict == judged]
            if shown:
                first = shown[0]
                break
        assert first is not None
        confirmed = Confirmer(those, judge, delays).confirm(first)
        told = RACES.proven(judge, confirmed, 1)
    assert confirmed.is_confirmed and not confirmed.alone
    assert (told.finding.verdict, told.finding.clause) == (verdict, clause)
    assert confirmed.met.history.program.size <= first.history.program.size
    beside = 1 if row.program.kill is None else 0
    assert told.finding.signature.count(" beside ") == beside and "/" not in told.finding.signature
    return confirmed


@pytest.fixture(scope="session")
def met_of() -> Callable[[Judge, Sequence[Row], int], list[Met]]:
    """From a judge, rows and a number of rounds to what is met of the rows on a store without a fault."""
    return on_sound_store


@pytest.fixture(scope="session")
def confirmed_of() -> Callable[[Judge, str, Row, str, str], Confirmed]:
    """From a judge, a seeded fault and a row to what is confirmed of it, which has this verdict and breaks this clause.

    Fails if the row does not show the fault within some rounds, or if it is not confirmed, made smaller and told.
    """
    return found_and_told


@pytest.fixture(scope="session")
def clients_with() -> Callable[[str], AbstractContextManager[Clients]]:
    """From a seeded fault to clients of the store in memory that has it."""
    return clients
