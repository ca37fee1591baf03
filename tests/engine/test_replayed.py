"""A replay shows the recorded divergence, other ones, none, or says why it can not know."""

from __future__ import annotations

import datetime
from collections.abc import Callable

import pytest

from fsconform.engine.gate import Terms
from fsconform.engine.judge import Judge
from fsconform.engine.protocol import Execution
from fsconform.engine.replayed import of_trial, to_its_end
from fsconform.engine.trial import Bench, Trial
from fsconform.engine.waivers import Waiver
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program, Trace
from fsconform.proving.full_store import FullStore
from fsconform.proving.session import ProvingStore

JUDGE = Judge(Oracle(Contract({"supports-strict-exceptions": True, "create-file-under-file-allowed": True})))
NONE = Terms("proving", ())


def accepting(signature: str) -> Terms:
    return Terms("proving", (Waiver("proving", signature, "why", "where", datetime.date(2099, 1, 1)),))


@pytest.fixture
def tried(trace: Callable[[str], Trace]) -> Callable[[str], Trial]:
    """From the text of a trace to the trial of a store that answered so."""

    def trial(text: str) -> Trial:
        told = trace(text)
        return Trial(told.program, Execution(told), JUDGE.judge(told))

    return trial


def test_the_recorded_one_is_told_apart_from_others(tried: Callable[[str], Trial]) -> None:
    trial = tried("create /a 1 -> ok; delete /a -> false")
    (signature,) = (one.signature for one in trial.judgement.findings)
    shown = of_trial(trial, signature, NONE)
    assert shown.wanted is not None and (shown.shown.wanted, shown.others, shown.unknown) == ("violation", (), "")
    assert of_trial(trial, signature, accepting(signature)).waiver is not None
    other = of_trial(trial, "another one", NONE)
    assert (other.wanted, [one.signature for one in other.others], other.accepted) == (None, [signature], ())
    accepted = of_trial(trial, "another one", accepting(signature))
    assert (accepted.others, [one.signature for one, _ in accepted.accepted]) == ((), [signature])


def test_what_breaks_no_clause_that_binds_is_no_other(tried: Callable[[str], Trial]) -> None:
    trial = tried("open /a -> RuntimeException")
    assert [one.verdict for one in trial.judgement.findings] == ["deviation"]
    assert of_trial(trial, "another one", NONE).others == ()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "the program has no steps: nothing was asked of the store"),
        ("mkdirs /a -> not-expressible", "the store can't express step 1, mkdirs(/a), and was not asked: no such call"),
        ("mkdirs /a -> unknown; exists /a -> true", "step 1 could not be judged: unknown: time-out"),
        (
            "create /a 1 -> ok; create /a/b 1 -> ok; exists /a -> true",
            "judging ended with step 2: what is there after it is not known",
        ),
        ("mkdirs /a -> true; exists /a -> true", ""),
    ],
)
def test_why_it_is_not_known_whether_it_shows(text: str, why: str, tried: Callable[[str], Trial]) -> None:
    trial = tried(text) if text else Trial((), Execution(Trace((), ())), JUDGE.judge(Trace((), ())))
    assert of_trial(trial, "what was recorded", NONE).unknown == why
    assert (of_trial(trial, "what was recorded", NONE).shown.unknown == "") == (why == "")


class TwoFaults(FullStore):
    """A file is not deleted, and false is returned; no directory is made, and true is returned."""

    def delete(self, path: str, recursive: bool) -> bool:
        return False

    def mkdirs(self, path: str) -> bool:
        return True if path.endswith("/d") else super().mkdirs(path)


def test_judging_goes_on_behind_what_is_accepted(program: Callable[[str], Program]) -> None:
    class Store(ProvingStore):
        def make(self) -> FullStore:
            return TwoFaults(self.behaviour)

    bench = Bench(Store().session(), JUDGE)
    (trial,) = bench.try_all([program("create /a 1; delete /a; mkdirs /d; exists /d")])
    (first,) = trial.judgement.findings
    second = "exists (missing) returned false after mkdirs (missing)"
    assert to_its_end(bench, trial, first.signature, NONE) is trial
    whole = to_its_end(bench, trial, "what is recorded", NONE)
    assert [one.operation for one in whole.judgement.findings] == ["delete", "exists"]
    lost = Trial(trial.program, Execution(trial.execution.trace, lost="gone"), trial.judgement)
    assert to_its_end(bench, lost, second, NONE) is lost
