"""What a session gave is brought into form: the program that was asked for, and no blame of a store for a full disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest

from fsconform.engine.benches import Benches
from fsconform.engine.intake import NO_SPACE, taken
from fsconform.engine.judge import Judge
from fsconform.engine.protocol import Execution, Job
from fsconform.engine.trial import RESYNCHRONISATIONS, Bench
from fsconform.model.core.errors import ancestry
from fsconform.model.core.outcomes import Raised, Returned, Unknown
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.output.full_disk import FillUp
from fsconform.model.filesystem.programs import Event, Program, Step, Trace
from fsconform.proving.session import ProvingSession, ProvingStore

Make = Callable[[str], Program]
JUDGE = Judge(Oracle(Contract({"supports-strict-exceptions": True})))


def test_a_trace_is_of_the_program_that_was_asked_for(program: Make) -> None:
    asked, other = program("mkdirs /a; exists /a"), program("mkdirs /b; exists /b")
    events = (Event(Returned(True), 1, 2), Event(Returned(True), 3, 4))
    trace = taken(asked, Execution(Trace(other, events))).trace
    assert trace == Trace(asked, events) and not JUDGE.judge(trace).findings


@pytest.mark.parametrize("message", NO_SPACE)
def test_a_disk_that_is_full_is_no_fault_of_the_store(message: str, program: Make) -> None:
    events = (
        Event(Returned(None), 1, 2),
        Event(Raised(ancestry("IOException"), f"a.txt: {message}"), 3, 4),
        Event(Returned(True), 5, 6),
    )
    asked = program("create /a 1; append /a 5; exists /a")
    cut = taken(asked, Execution(Trace(asked, events))).trace
    assert cut.events[0] == events[0] and len(cut.events) == 2
    assert isinstance(cut.events[1].outcome, Unknown) and message in cut.events[1].outcome.reason
    assert [one.verdict for one in JUDGE.judge(cut).findings] == ["inconclusive"]


def test_a_program_that_fills_a_place_up_is_there_to_see_it(program: Make) -> None:
    asked = (*program("mkdirs /a"), Step(FillUp(("a",), False)))
    events = (Event(Returned(True), 1, 2), Event(Raised(ancestry("IOException"), NO_SPACE[0]), 3, 4))
    assert taken(asked, Execution(Trace(asked, events))).trace.events == events


class Short:
    """A session that gives no execution of the last program of a batch, or raises once it gave them all."""

    def __init__(self, session: ProvingSession, raises: bool) -> None:
        self.session, self.raises = session, raises

    def execute(self, jobs: Sequence[Job]) -> Iterator[Execution]:
        yield from self.session.execute(jobs if self.raises or len(jobs) == 1 else jobs[:-1])
        if self.raises:
            raise ValueError("too late")

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("raises", "told", "unknown"),
    [
        (False, "RuntimeError: the session gave no execution of the last 1 programs", 1),
        (True, "ValueError: too late", 0),
    ],
)
def test_a_session_that_ends_too_early_or_in_an_error_costs_no_other_program(
    raises: bool, told: str, unknown: int, program: Make
) -> None:
    class Store(ProvingStore):
        def session(self) -> Short:  # type: ignore[override]
            return Short(super().session(), raises)

    benches = Benches(Store(), Contract({}), 1)
    with benches.lent() as bench:
        trials = bench.try_all([program(f"mkdirs /a{number}") for number in range(3)])
    outcomes = [trial.execution.trace.events[0].outcome for trial in trials]
    assert sum(isinstance(one, Unknown) for one in outcomes) == unknown
    assert [one.error.startswith(told) for one in benches.internal.all()] == [True]


def test_a_program_that_departs_at_every_step_is_judged_so_often_and_no_further(program: Make) -> None:
    steps = RESYNCHRONISATIONS + 4
    text = program(";".join(f"create /a{number} 0; delete /a{number}" for number in range(steps)))
    bench = Bench(ProvingStore(fault="delete-file-false").session(), JUDGE)
    (trial,) = bench.try_all([text])
    assert len(bench.go_on(trial).judgement.findings) == RESYNCHRONISATIONS + 1
