"""Efforts: what each asks for, and that the same one gives the same, however fast a store answers."""

from __future__ import annotations

import itertools
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, get_args

import pytest

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.engine import exploration
from fsconform.engine.benches import Benches
from fsconform.engine.effort import (
    AMOUNTS,
    DEFAULT_EFFORT,
    LEVELS,
    Amounts,
    Effort,
    Pace,
    effort_of,
    machine_programs,
)
from fsconform.engine.exploration import Outcome, Plan, explore
from fsconform.engine.explorers import from_list, sampled
from fsconform.engine.protocol import Execution, Job, Session
from fsconform.harness.plans import Filter, explorers
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program, Step
from fsconform.proving.session import ProvingStore
from fsconform.suites.registry import DEFAULT, SUITES

PACES: tuple[Pace, ...] = get_args(Pace)
USUAL = [SUITES[name] for name in DEFAULT]


def test_every_level_has_its_amounts_at_every_pace_and_more_is_more() -> None:
    assert set(AMOUNTS) == {(level, pace) for level in LEVELS for pace in PACES}
    for pace in PACES:
        rows = [AMOUNTS[level, pace] for level in LEVELS]
        for less, more in itertools.pairwise(rows):
            assert less.machines < more.machines and less.longer <= more.longer
            for name in ("variations", "ladders", "pairs", "traces"):
                few, many = getattr(less, name), getattr(more, name)
                assert many is None or (few is not None and few <= many)


def test_the_default_job_is_as_deep_as_it_is_said_to_be() -> None:
    fast, reference, slow = (Effort(DEFAULT_EFFORT).amounts(pace) for pace in PACES)
    assert (fast.variations, fast.ladders, fast.pairs, fast.machines) == (None, None, None, 2000)
    assert (reference.variations, reference.ladders, reference.pairs, reference.machines) == (None, None, None, 3000)
    assert (slow.variations, slow.ladders, slow.machines) == (2000, None, 1000)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("pace", PACES)
def test_no_suite_goes_without_and_all_together_keep_to_the_number(level: Any, pace: Pace) -> None:
    amounts = Effort(level).amounts(pace)
    found = machine_programs(USUAL, amounts)
    assert list(found) == list(DEFAULT) and sum(found.values()) == amounts.machines
    assert min(found.values()) >= amounts.least >= (50 if level != "quick" else 10)


def test_suites_of_a_store_of_their_own_have_the_least() -> None:
    amounts = Amounts(None, None, None, 0, None, 500)
    assert machine_programs([SUITES["root"]], amounts) == {"root": 50}
    assert machine_programs([SUITES["namespace"], SUITES["large"]], amounts) == {"namespace": 450, "large": 50}
    assert machine_programs([SUITES["rename"]], amounts) == {"rename": 500}


@pytest.mark.parametrize("programs", [0, 1, 16, 17, 799, 800, 5000])
def test_a_number_is_what_the_state_machines_get(programs: int) -> None:
    effort = effort_of(str(programs))
    amounts = effort.amounts("fast")
    assert str(effort) == str(programs) and amounts.variations is None
    assert sum(machine_programs(USUAL, amounts).values()) == programs


def test_levels_and_numbers_are_named_as_they_are_written() -> None:
    for text in (*LEVELS, "0", "1200"):
        assert str(effort_of(text)) == text
    assert effort_of("1200").amounts("fast").machines == 1200


@pytest.mark.parametrize("text", ["", "fast", "-1", "1.5", "Quick", "٣", "normal "])
def test_what_is_no_effort_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="quick, normal, deep"):
        effort_of(text)


def test_a_sample_is_of_the_seed_and_in_order() -> None:
    programs: list[Program] = [(Step(Mkdirs((str(number),))),) for number in range(100)]
    everything = from_list("all", programs)

    def drawn(quota: int, seed: int, first: int = 0) -> list[int]:
        found = list(sampled(everything, quota, seed).source(first))
        assert [program for _, program in found] == [programs[place] for place, _ in found]
        return [place for place, _ in found]

    assert drawn(30, 1) == drawn(30, 1) == sorted(drawn(30, 1)) != drawn(30, 2)
    assert len(set(drawn(30, 1))) == 30 and drawn(30, 1, first=50) == [place for place in drawn(30, 1) if place >= 50]
    assert sampled(everything, 30, 1).planned == 30
    assert sampled(everything, 100, 1) is everything is sampled(everything, None, 1)


class Slowed:
    """A session whose calls take longer: each by what ``delay`` says at that moment."""

    def __init__(self, session: Session, delay: Callable[[], float]) -> None:
        self.session, self.delay = session, delay

    def execute(self, jobs: Sequence[Job]) -> Iterator[Execution]:
        for job in jobs:
            time.sleep(sum(self.delay() for _ in job.program))
            yield from self.session.execute([job])

    def close(self) -> None:
        self.session.close()


class SlowStore(ProvingStore):
    def __init__(self, fault: str, delay: Callable[[], float]) -> None:
        super().__init__(fault=fault)
        self.delay = delay

    def session(self) -> Session:  # type: ignore[override]
        return Slowed(super().session(), self.delay)


def explored(fault: str, delay: Callable[[], float], shards: int, budget: float | None = None) -> Outcome:
    oracle = Oracle(load_shipped("proving"))
    amounts = Amounts(None, 40, 40, 0, None, 60, least=5)
    suites = (SUITES["listing"], SUITES["namespace"], SUITES["changes"])
    kinds = frozenset(("ladders", "enumeration", "hypothesis"))
    chosen = explorers(suites, oracle, 7, Filter(), kinds=kinds, amounts=amounts)
    benches = Benches(SlowStore(fault, delay), oracle.contract, shards)
    try:
        return explore(benches, Plan(chosen, budget, shards))
    finally:
        benches.close()


def counts(outcome: Outcome) -> dict[str, Any]:
    """All that a run tells but for times."""
    collected = outcome.collected
    return {
        "programs": [(one.name, one.programs, one.operations, one.place, one.ended) for one in outcome.covered],
        "operations": (collected.programs, collected.operations, collected.probes, collected.not_expressible),
        "clauses": dict(collected.clauses),
        "used": dict(collected.used),
        "situations": collected.situations,
        "samples": {
            name: (one.count, one.met, one.program, one.finding) for name, one in sorted(collected.samples.items())
        },
    }


@pytest.mark.parametrize("fault", ["delete-file-false", "mkdirs-existing-false"])
def test_a_slow_machine_gives_what_a_fast_one_gives(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every call 5 ms slower; and calls that take any time, by more sessions: batches, order and threads differ."""
    monkeypatch.setattr(exploration, "GO_ON_LIMIT", 1)
    expected = counts(explored(fault, lambda: 0.0, 1))
    most = max(count for count, *_ in expected["samples"].values())
    assert most > 2 * exploration.GO_ON_LIMIT, "the limit plays a part"
    dice, lock = random.Random(fault), threading.Lock()

    def any_time() -> float:
        with lock:
            return dice.choice((0.0, 0.0, 0.0005, 0.004))

    assert counts(explored(fault, lambda: 0.005, 3)) == expected
    assert counts(explored(fault, any_time, 4)) == expected


def test_what_a_budget_cuts_off_is_known() -> None:
    outcome = explored("delete-non-empty", lambda: 0.01, 1, budget=0.5)
    assert outcome.cut_off and any(one.programs < (one.planned or 0) for one in outcome.covered)
    assert not explored("delete-non-empty", lambda: 0.0, 2, budget=600).cut_off
