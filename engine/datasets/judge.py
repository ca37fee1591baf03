"""The judge of datasets: follows a program step by step, and says of each departure whether the contract permits it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from fsconform.engine.datasets import describe
from fsconform.engine.datasets.protocol import Observed
from fsconform.model.datasets.contract import CommitContract
from fsconform.model.datasets.dataset import EMPTY, Dataset, rows_of
from fsconform.model.datasets.findings import Breach, Verdicts
from fsconform.model.datasets.further import Streamed, judge_both, judge_stream
from fsconform.model.datasets.operations import Feed, Operation, Program, Stream, Write, WriteBoth
from fsconform.model.datasets.rules import judge_write

FAILING = ("violation", "undeclared")


@dataclass(frozen=True, slots=True)
class Finding:
    """A departure at a step. ``used`` is the declared option that permits it, empty if none does."""

    signature: str
    verdict: str
    step: int
    breach: Breach
    used: str = ""

    @property
    def failing(self) -> bool:
        """Whether it fails the gate."""
        return self.verdict in FAILING


@dataclass(slots=True)
class Judgement:
    """What judging a program gave. ``skipped`` says why steps were not carried out."""

    findings: list[Finding] = field(default_factory=list)
    clauses: Counter[str] = field(default_factory=Counter)
    operations: int = 0
    states: list[Dataset] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)


def judge(program: Program, seen: Sequence[Observed], contract: CommitContract) -> Judgement:
    """Judge a program by what was observed of its steps, under a contract."""
    found = Judgement()
    state, streamed = EMPTY, Streamed()
    for step, (operation, observed) in enumerate(zip(program, seen, strict=False)):
        found.states.append(state)
        if observed.ending.ended == "not-expressible":
            found.skipped.append(observed.ending.why)
            break
        found.operations += 1
        if isinstance(operation, Feed):
            streamed = replace(streamed, fed=streamed.fed + rows_of(operation.rows))
            continue
        verdicts = _verdicts(operation, state, streamed, observed)
        found.clauses.update(set(verdicts.clauses))
        found.findings += [_finding(operation, state, step, one, contract) for one in verdicts.breaches]
        state = verdicts.after
        if isinstance(operation, Stream):
            streamed = replace(streamed, seen=observed.look.counted())
    found.states.append(state)
    return found


def _verdicts(operation: Operation, state: Dataset, streamed: Streamed, observed: Observed) -> Verdicts:
    match operation:
        case Write():
            return judge_write(operation, state, observed.ending, observed.look)
        case WriteBoth():
            return judge_both(operation, state, observed.ending, observed.look)
        case Stream():
            return judge_stream(operation, streamed, observed.ending, observed.look)
        case Feed():
            return Verdicts()


def _finding(operation: Operation, state: Dataset, step: int, breach: Breach, contract: CommitContract) -> Finding:
    signature = f"{breach.who or describe.situation(operation, state)}: {breach.symptom}"
    used = next((option for option in breach.options if contract.permits(option)), "")
    if breach.should:
        verdict = "deviation"
    elif used:
        verdict = "declared"
    else:
        verdict = "undeclared" if breach.options else "violation"
    return Finding(signature, verdict, step, breach, used)
