"""Whatever a store answers is judged: no answer, of the right type or of any other, makes our own code raise."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.app.campaigns.programs import programs as units_programs
from fsconform.engine.collect import Collected
from fsconform.engine.explorers import both_modes
from fsconform.engine.intake import NO_CLASS, taken
from fsconform.engine.judge import Judge
from fsconform.engine.protocol import Execution, Job
from fsconform.engine.trial import Bench
from fsconform.model.core import content as contents
from fsconform.model.core.outcomes import Data, Facts, Garbled, Raised, Returned, Status, Unknown
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.programs import Event, Program, Step, Trace
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.pipeline.units import Unit
from fsconform.proving.nonsense import NonsenseStore, Odd
from fsconform.proving.session import ProvingStore
from fsconform.specs.witness import witnesses
from fsconform.suites.registry import SUITES

CONTRACTS = (Contract({}, "none"), *map(load_shipped, ("rawlocal", "hdfs", "s3a")))
FEW, MANY = 2_000, 100_000
DRAWN = 60
"""Programs that are drawn from each suite."""

MOST_BYTES, MOST_STEPS = 200_000, 200


@cache
def _pool() -> tuple[Program, ...]:
    """The witnesses in both modes of probing, and drawn programs of every suite; those of much content left out."""
    oracle = Oracle(CONTRACTS[0])
    found = both_modes([one.program for one in witnesses() if not one.root], oracle)
    for name, suite in SUITES.items():
        if suite.default and not suite.root:
            unit = Unit(0, "proving", name, "drawn", 0, DRAWN)
            found += [program for _, program in units_programs(oracle, 1, unit)]
    return tuple(one for one in found if len(one) <= MOST_STEPS and _written(one) <= MOST_BYTES)


def _written(program: Program) -> int:
    return sum(contents.length(getattr(step.operation, "content", ())) for step in program)


def _judged(typed: bool, count: int, seed: int = 0) -> list[Collected]:
    """Judge so many programs on a store that answers nonsense, each under one of several contracts."""
    session = NonsenseStore(seed, typed).session()
    benches = [(Bench(session, Judge(Oracle(contract))), Collected()) for contract in CONTRACTS]
    dice = Random(f"{typed}/{seed}")
    for number in range(count):
        bench, collected = benches[number % len(benches)]
        (trial,) = bench.try_all([dice.choice(_pool())])
        collected.add(bench.go_on(trial), bench.judge.oracle)
    return [collected for _, collected in benches]


@pytest.mark.parametrize("typed", [True, False], ids=["well-typed", "ill-typed"])
@pytest.mark.parametrize("count", [FEW, pytest.param(MANY, marks=[pytest.mark.long, pytest.mark.timeout(4 * 3600)])])
def test_all_answers_are_judged(typed: bool, count: int) -> None:
    found = _judged(typed, count)
    assert sum(one.programs for one in found) == count
    kinds = {sample.finding.observed_kind for one in found for sample in one.samples.values()}
    assert len(kinds) > 60
    assert "returned a value of another type" in kinds or typed
    assert any("extra entries" in one for one in kinds)


WRITING = (Step(Mkdirs(("d",))), Step(OpenWriter(("d", "f"), "w", "create")))


@pytest.mark.parametrize(
    "entry",
    [Status(("d",), True, 0), Status((), True, 0), Status(("d", "f", "g"), False, 0), Status(("e",), False, -1)],
)
@pytest.mark.parametrize("before", [WRITING, WRITING[:1]], ids=["while a file is written", "at rest"])
def test_a_listing_with_what_is_no_child_is_a_violation(entry: Status, before: tuple[Step, ...]) -> None:
    program = (*before, Step(ListStatus(("d",))))
    (execution,) = ProvingStore().session().execute([Job(program)])
    *events, last = execution.trace.events
    assert isinstance(last.outcome, Returned)
    listed = last.outcome.value
    assert isinstance(listed, tuple)
    changed = Trace(program, (*events, Event(Returned((entry, *listed)), last.invoked, last.returned)))
    judge = Judge(Oracle(Contract({}, "none")))
    assert not judge.judge(execution.trace).findings
    (finding,) = judge.judge(changed).findings
    assert finding.verdict == "violation"


PROGRAM = (Step(Create(("f",), (), False)), Step(GetFileStatus(("f",))))
SOUND = Status(("f",), False, 0)


@pytest.mark.parametrize(
    "value",
    [
        *(1, 1.5, "a", b"", [], {}, object(), Odd(), [SOUND], (SOUND, None), Facts("status", ((1, 2),))),  # type: ignore[arg-type]
        *(Facts("status", (("length", 1.5),)), Data(True, "x"), Data(0, b""), Status("f", False, 0)),  # type: ignore[arg-type]
        *(Status((1,), False, 0), Status(("f",), 0, 0), Status(("f",), False, False), Status(("f",), False, None)),  # type: ignore[arg-type]
        *(Status(("f",), False, 1 << 63), Data(-(1 << 63) - 1, ""), Facts("status", (("length", 1 << 200),))),
    ],
)
def test_a_value_of_another_type_is_a_violation(value: object) -> None:
    events = (Event(Returned(None), 1, 2), Event(Returned(value), 3, 4))  # type: ignore[arg-type]
    execution = taken(PROGRAM, Execution(Trace(PROGRAM, events)))
    outcome = execution.trace.events[1].outcome
    assert isinstance(outcome, Returned) and isinstance(outcome.value, Garbled)
    (finding,) = Judge(Oracle(Contract({}, "none"))).judge(execution.trace).findings
    assert (finding.verdict, finding.observed_kind) == ("violation", "returned a value of another type")


@pytest.mark.parametrize("events", [(), None, [1], (None,), (1, 2, 3), (Event(None, 0, 0),)])  # type: ignore[arg-type]
def test_what_is_no_outcome_leaves_the_program_inconclusive(events: tuple[Event, ...]) -> None:
    execution = taken(PROGRAM, Execution(Trace(PROGRAM, events)))
    assert isinstance(execution.trace.events[-1].outcome, Unknown)
    assert [one.verdict for one in Judge(Oracle(CONTRACTS[0])).judge(execution.trace).findings] == ["inconclusive"]


def test_an_error_without_a_class_is_a_violation() -> None:
    events = (Event(Raised(()), 1, 2), Event(Returned(SOUND), 3, 4))
    execution = taken(PROGRAM, Execution(Trace(PROGRAM, events)))
    assert execution.trace.events[0].outcome == Raised((NO_CLASS,))
    finding = Judge(Oracle(CONTRACTS[0])).judge(execution.trace).findings[0]
    assert finding.verdict == "violation"


def test_what_is_sound_is_left_as_it_is() -> None:
    (execution,) = ProvingStore().session().execute([Job(PROGRAM, (0,))])
    assert taken(PROGRAM, execution) == execution
    (execution,) = ProvingStore().session().execute([Job(PROGRAM)])
    assert taken(PROGRAM, execution) is execution
