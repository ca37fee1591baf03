"""No operation takes a value of a type that it does not return for a right one, and judging it raises nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.engine.benches import Benches
from fsconform.engine.judge import FAILING, Judge
from fsconform.engine.trial import Trial
from fsconform.model.core.outcomes import Data, Facts, Returned, Status, Value
from fsconform.model.filesystem.programs import Trace
from fsconform.proving.session import ProvingStore
from fsconform.specs.witness import witnesses

ENTRY = Status(("zz",), False, 0)
OTHERS: tuple[Value, ...] = (Data(0, ""), ENTRY, (), (ENTRY,), Facts("nothing known", ()), None, True, False)
MOST_STEPS = 200

NOTHING_IS_RIGHT = {("getFileChecksum", None)}
"""Where null is what a store without checksums returns."""


def answers(benches: Benches) -> Iterator[tuple[Trial, int, Value]]:
    """The first value that each operation returns in a witness, with its place there."""
    bench, met = benches.take(), set[type]()
    for witness in witnesses():
        program = witness.program
        if witness.root or len(program) > MOST_STEPS or all(type(step.operation) in met for step in program):
            continue
        (trial,) = bench.try_all([program])
        for place, event in enumerate(trial.execution.trace.events):
            kind = type(program[place].operation)
            if kind not in met and isinstance(event.outcome, Returned):
                met.add(kind)
                yield trial, place, event.outcome.value


def test_a_value_of_another_type_is_a_divergence_of_every_operation() -> None:
    benches = Benches(ProvingStore(), load_shipped("proving"), 1)
    operations, accepted = set[str](), set[tuple[str, Value]]()
    for trial, place, right in answers(benches):
        program, events = trial.program[: place + 1], trial.execution.trace.events[:place]
        operations.add(program[place].operation.NAME)
        for other in OTHERS:
            if type(other) is type(right):
                continue
            last = replace(trial.execution.trace.events[place], outcome=Returned(other))
            judged = Judge(benches.oracle).judge(Trace(program, (*events, last)))
            if not any(one.noticed == place and one.verdict in FAILING for one in judged.findings):
                accepted.add((program[place].operation.NAME, other))
    assert len(operations) > 100
    assert accepted == NOTHING_IS_RIGHT
