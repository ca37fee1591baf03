"""Trials: executing programs in a session and judging what came back, with resynchronisation where a trace departs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from fsconform.engine.findings import Finding
from fsconform.engine.judge import FAILING, Judge, Judgement
from fsconform.engine.protocol import Execution, Job, Session
from fsconform.model.programs import Program

RESYNCHRONISATIONS = 8
"""A program is executed at most so many times to go on after divergences."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A program, the execution that was judged last, and the judgement."""

    program: Program
    execution: Execution
    judgement: Judgement


class Bench:
    """A session with a judge: where programs are tried."""

    def __init__(self, session: Session, judge: Judge) -> None:
        self.session = session
        self.judge = judge
        self.store_nanoseconds = 0

    def try_all(self, programs: Sequence[Program], stacks: bool = False) -> list[Trial]:
        """Execute and judge programs once each, without going on after a divergence. Raises StoreLost."""
        return list(self.tries(programs, stacks))

    def tries(self, programs: Sequence[Program], stacks: bool = False) -> Iterator[Trial]:
        """As :meth:`try_all`, one by one as they are executed: what came before a loss is not lost with it."""
        jobs = [Job(program, stacks=stacks) for program in programs]
        for program, execution in zip(programs, self.session.execute(jobs), strict=True):
            self.store_nanoseconds += execution.store_nanoseconds
            yield Trial(program, execution, self.judge.judge(execution.trace))

    def go_on(self, trial: Trial) -> Trial:
        """Judge a program to its end: where it departed, execute it again with a snapshot there. Raises StoreLost.

        Only what departs in both executions counts, so that a store which answers differently adds nothing false.
        """
        wanted: list[int] = []
        for _ in range(RESYNCHRONISATIONS):
            at = trial.judgement.wants_snapshot
            if at is None or at in wanted:
                break
            wanted.append(at)
            (execution,) = self.session.execute([Job(trial.program, tuple(wanted))])
            self.store_nanoseconds += execution.store_nanoseconds
            judgement = self.judge.judge(execution.trace, dict(execution.snapshots))
            if not _extends(judgement.findings, trial.judgement.findings):
                break
            trial = Trial(trial.program, execution, judgement)
        return trial


def _extends(longer: list[Finding], shorter: list[Finding]) -> bool:
    return [one.signature for one in longer[: len(shorter)]] == [one.signature for one in shorter]


def shown_alike(judgement: Judgement, like: Finding, alone: bool = True) -> Finding | None:
    """As :func:`shown`, of any finding that is like another but for the call that it came after."""
    core = (like.operation, like.roles, like.observed_kind)
    return _first(judgement, lambda one: (one.operation, one.roles, one.observed_kind) == core, alone)


def shown(judgement: Judgement, signature: str, alone: bool = True) -> Finding | None:
    """The finding of a signature, or None; ``alone`` asks that no failing departure comes before it."""
    return _first(judgement, lambda one: one.signature == signature, alone)


def _first(judgement: Judgement, wanted: Callable[[Finding], bool], alone: bool) -> Finding | None:
    for finding in judgement.findings:
        if wanted(finding):
            return finding
        if alone and finding.verdict in FAILING:
            return None
    return None
