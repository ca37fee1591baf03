"""Calls that do not return: inconclusive, told with the call that hung, and open to a waiver that says so."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Sequence

from fsconform.engine.benches import Benches
from fsconform.engine.collect import Collected, Sample
from fsconform.engine.confirm import HANGS, Proven, prove
from fsconform.engine.filesystem import Filesystem
from fsconform.engine.judge import Judge
from fsconform.engine.protocol import Execution, Job
from fsconform.engine.recorder import divergences
from fsconform.engine.trial import Bench, Trial
from fsconform.engine.waivers import Waiver, apply
from fsconform.model.core.outcomes import Unknown
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Event, Program, Trace
from fsconform.proving.session import ProvingStore

HUNG = "exists (missing) did not return"
GONE = "exists (missing) unknown"
TODAY = datetime.date(2027, 1, 31)
ORACLE = Oracle(Contract())
WHY = "in step 1: no answer within 2 s"


def _tried(trace: Callable[[str], Trace], hung: bool) -> Trial:
    told = trace("exists /a -> unknown")
    (event,) = told.events
    lost = Trace(told.program, (Event(Unknown("no answer", hung), event.invoked, event.returned),))
    return Trial(told.program, Execution(lost, lost=WHY), Judge(ORACLE).judge(lost))


def test_a_call_that_does_not_return_is_inconclusive(trace: Callable[[str], Trace]) -> None:
    (finding,) = _tried(trace, hung=True).judgement.findings
    assert (finding.signature, finding.verdict) == (HUNG, "inconclusive")
    (finding,) = _tried(trace, hung=False).judgement.findings
    assert (finding.signature, finding.verdict) == (GONE, "inconclusive")


def test_a_waiver_accepts_it_and_its_loss(trace: Callable[[str], Trace]) -> None:
    collected = Collected()
    collected.add(_tried(trace, hung=True))
    assert collected.told_losses() == [f"lost 1 times: {WHY}"]
    assert collected.told_losses({HUNG}) == []
    assert collected.told_losses({"exists (file) did not return"}) == [f"lost 1 times: {WHY}"]
    (sample,) = collected.samples.values()
    proven = Proven(sample.finding, sample.program, sample.count)
    assert proven.finding.waivable
    waived = apply(
        [Waiver("s", "exists (*) did not return", "r", "l", TODAY)], "s", {HUNG: proven.failing}, TODAY, complete=True
    )
    assert list(waived.by_signature) == [HUNG] and not waived.problems
    (record,) = divergences(Filesystem(ORACLE), "s", [proven], waived, "")
    assert (record.verdict, record.waiver) == ("waived", "r (l, until 2027-01-31)")


class Hanging:
    """A session on a store with a fault, on which programs that look at nothing hang, all but one; it counts them."""

    def __init__(self, fault: str, but: Program) -> None:
        self._session, self._but, self.hung = ProvingStore(fault=fault).session(), but, 0

    def execute(self, jobs: Sequence[Job]) -> Iterator[Execution]:
        for job, done in zip(jobs, self._session.execute(jobs), strict=True):
            if job.program == self._but or any(step.probe for step in job.program):
                yield done
                continue
            self.hung += 1
            hung = Event(Unknown("no answer", hung=True), 0, 1)
            yield Execution(Trace(job.program, (hung,)), lost=WHY)

    def close(self) -> None:
        self._session.close()


def test_candidates_that_hang_end_the_minimising(program: Callable[[str], Program]) -> None:
    others = "".join(f"mkdirs /d{number};" for number in range(40))
    long = program(f"{others} create /a 1; delete /a")
    benches = Benches(ProvingStore(), Contract(), 1)
    session = Hanging("delete-file-false", but=long)
    bench = Bench(session, benches.judge)
    (trial,) = bench.try_all([long])
    finding = next(one for one in trial.judgement.findings if one.operation == "delete")
    proven = prove(benches, bench, Sample(finding, long, 1))
    assert proven is not None and (proven.program, proven.shown) == (long, 3)
    assert session.hung == HANGS


def test_a_worker_that_died_is_not_to_be_waived(trace: Callable[[str], Trace]) -> None:
    collected = Collected()
    collected.add(_tried(trace, hung=False))
    (sample,) = collected.samples.values()
    assert not sample.finding.waivable
