"""Calls that do not return: inconclusive, told with the call that hung, and open to a waiver that says so."""

from __future__ import annotations

import datetime
from collections.abc import Callable

from fsconform.engine.collect import Collected
from fsconform.engine.confirm import Proven
from fsconform.engine.judge import Judge
from fsconform.engine.protocol import Execution
from fsconform.engine.recorder import ClauseText, divergences
from fsconform.engine.trial import Trial
from fsconform.engine.waivers import Waiver, apply
from fsconform.model.contract import Contract
from fsconform.model.oracle import Oracle
from fsconform.model.outcomes import Unknown
from fsconform.model.programs import Event, Trace

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
    proven = Proven(sample.finding, sample.program, sample.count, 0, 0, None)
    assert proven.waivable
    waived = apply(
        [Waiver("s", "exists (*) did not return", "r", "l", TODAY)], "s", {HUNG: proven.failing}, TODAY, complete=True
    )
    assert list(waived.by_signature) == [HUNG] and not waived.problems
    text = ClauseText("statement", "source")
    (record,) = divergences(ORACLE, "s", [proven], lambda _: text, waived, "")
    assert (record.verdict, record.waiver) == ("waived", "r (l, until 2027-01-31)")


def test_a_worker_that_died_is_not_to_be_waived(trace: Callable[[str], Trace]) -> None:
    collected = Collected()
    collected.add(_tried(trace, hung=False))
    (sample,) = collected.samples.values()
    assert not Proven(sample.finding, sample.program, sample.count, 0, 0, None).waivable
