"""Drawn races: programs of the state machine dealt out to clients, the same for one seed."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from random import Random

import pytest

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.engine.histories.confirming import Met
from fsconform.engine.histories.judging import Judge
from fsconform.engine.histories.small_steps import ATOMIC_DELETE, ATOMIC_RENAME
from fsconform.model.core.content import of
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.options.writers import EXCLUSIVE_WRITER
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Step
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.suites.drawn_races import FEWEST, LONGEST_BEGINNING, MOST, PLACES, deal, drawn_races
from fsconform.suites.races import DRAWN_RACES, planned

DECLARED = load_shipped("proving").declared
CONTRACT = Contract({**DECLARED, ATOMIC_RENAME: True, ATOMIC_DELETE: True, EXCLUSIVE_WRITER: True})


def test_the_seed_says_what_is_drawn() -> None:
    first, again, other = (list(islice(drawn_races(CONTRACT, seed), 40)) for seed in (0, 0, 1))
    assert first == again != other
    assert [row for row, _ in planned(DRAWN_RACES, 40, 0, CONTRACT)] == first


def test_programs_are_of_several_clients_and_keep_their_bounds() -> None:
    rows = list(islice(drawn_races(CONTRACT, 0), 200))
    assert {len(row.program.lanes) for row in rows} == {2, 3}
    for row in rows:
        calls = [call for lane in row.program.lanes for call in lane]
        assert all(row.program.lanes) and FEWEST <= len(calls) <= MOST
        assert len(row.program.beginning) <= LONGEST_BEGINNING and len(row.program.ending) <= 1 + 2 * PLACES
    assert len({row.pair for row in rows}) > 10 and max(len(row.program.beginning) for row in rows) > 4


def test_calls_are_dealt_in_their_order_and_looked_at_in_the_end() -> None:
    steps = [Step(Create((name,), of(1, 3), False)) for name in "abc"] + [Step(Rename(("a",), ("d",)))]
    program = deal(tuple(steps), Random(0))
    assert program is not None
    calls = [step.operation for step in steps][len(program.beginning) :]
    assert sorted(map(repr, calls)) == sorted(repr(call) for lane in program.lanes for call in lane)
    assert all([calls.index(one) for one in lane] == sorted(calls.index(one) for one in lane) for lane in program.lanes)
    assert GetFileStatus(("a",)) in program.ending and GetFileStatus(("d",)) in program.ending
    assert deal(tuple(steps[:2]), Random(0)) is None


@pytest.mark.timeout(120)
def test_a_sound_store_shows_no_race(met_of: Callable[..., list[Met]]) -> None:
    found = met_of(Judge(Oracle(CONTRACT)), list(islice(drawn_races(CONTRACT, 0), 150)), 1)
    assert {one.judged.verdict for one in found} == {"conforms"}
    assert sum(one.history.overlaps for one in found) > len(found) // 2
