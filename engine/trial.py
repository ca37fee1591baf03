"""Trials: executing programs in a session and judging what came back, with resynchronisation where a trace departs."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

from fsconform.engine.busy import BusyTime, spans
from fsconform.engine.findings import Finding
from fsconform.engine.intake import taken
from fsconform.engine.internal import PASSED, InternalErrors
from fsconform.engine.judge import FAILING, Judge, Judgement
from fsconform.engine.protocol import Execution, Job, Session, Snapshot, StoreLost
from fsconform.model.core.outcomes import NotExpressible, Unknown
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Event, Program, Trace

RESYNCHRONISATIONS = 8
"""A program is executed at most so many times to go on after divergences."""

BROKEN_AT_MOST = 8
"""After so many programs in a row in which a session raised an error of its own the store counts as lost."""

Situation = tuple[type, int]
"""An operation with the set of its preconditions that were met or failed, as the oracle's bit mask."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A program, the execution that was judged last, and the judgement."""

    program: Program
    execution: Execution
    judgement: Judgement

    def situations(self, oracle: Oracle) -> Iterator[Situation]:
        """The situations in which the program's own operations were judged."""
        steps = zip(self.program, self.judgement.states, self.execution.trace.events, strict=False)
        for step, state, event in steps:
            if not step.probe and type(event.outcome) is not NotExpressible:
                yield type(step.operation), oracle.situation(state, step.operation).mask

    def cases(self, oracle: Oracle, finding: Finding) -> frozenset[str]:
        """The cases that the call of one of its findings met, the departing one among them."""
        state, operation = self.judgement.states[finding.step], self.program[finding.step].operation
        return frozenset(case.name for case in oracle.situation(state, operation).cases)


class Bench:
    """A session with a judge: where programs are tried. ``busy`` hears when the session is inside the store.

    An error in our own code costs one program, and ``internal`` hears of it: the program is judged to nothing then. A
    session that raised one is closed; ``reopen`` opens the next, and without it the store counts as lost.
    """

    def __init__(
        self,
        session: Session,
        judge: Judge,
        busy: BusyTime | None = None,
        internal: InternalErrors | None = None,
        reopen: Callable[[], Session] | None = None,
    ) -> None:
        self.session = session
        self.judge = judge
        self.internal = internal if internal is not None else InternalErrors()
        self._reopen = reopen
        self._broken = 0
        self.store_nanoseconds = 0
        self.throttled: Counter[str] = Counter()
        """How often the store asked to try again, by the reason it gave."""
        self._busy = busy if busy is not None else BusyTime()

    def try_all(self, programs: Sequence[Program], stacks: bool = False) -> list[Trial]:
        """Execute and judge programs once each, without going on after a divergence. Raises StoreLost."""
        return list(self.tries(programs, stacks))

    def tries(self, programs: Sequence[Program], stacks: bool = False) -> Generator[Trial, None, None]:
        """As :meth:`try_all`, one by one as they are executed: what came before a loss is not lost with it."""
        with closing(self._execute([Job(program, stacks=stacks) for program in programs])) as executions:
            for program, execution in zip(programs, executions, strict=True):
                yield Trial(program, execution, self._judged(execution))

    def execute(self, jobs: Sequence[Job]) -> list[Execution]:
        """Execute programs without judging them. Raises StoreLost."""
        return list(self._execute(jobs))

    def _execute(self, jobs: Sequence[Job]) -> Generator[Execution, None, None]:
        key = id(self)
        self._busy.begin(key, time.monotonic_ns())
        try:
            for execution in self._executed(jobs):
                self.store_nanoseconds += execution.store_nanoseconds
                self._busy.add(key, spans(execution))
                if execution.throttled:
                    self.throttled[execution.throttling] += execution.throttled
                yield execution
        finally:
            self._busy.end(key)

    def _executed(self, jobs: Sequence[Job]) -> Iterator[Execution]:
        """One execution for each job, whatever the session does. Raises StoreLost."""
        left = list(jobs)
        while left:
            try:
                for given in self.session.execute(left[:]):
                    execution = taken(left.pop(0).program, given)
                    self._broken = 0
                    yield execution
                if left:
                    raise RuntimeError(f"the session gave no execution of the last {len(left)} programs of a batch")
            except PASSED:
                raise
            except Exception as error:  # an adapter's own fault, or ours
                if left:
                    yield self._without(left.pop(0).program, error)
                else:
                    self.internal.add("driving the store", error)

    def _without(self, program: Program, error: Exception) -> Execution:
        """The execution of a program in which the session raised an error of its own. Raises StoreLost."""
        noted = self.internal.add("driving the store", error, program)
        self._broken += 1
        if self._reopen is None or self._broken >= BROKEN_AT_MOST:
            raise StoreLost(f"the session ended by an internal error: {noted.error}") from error
        with self.internal.noting("closing a session", program):
            self.session.close()
        self.session = self._reopen()
        return Execution(Trace(program, (Event(Unknown(f"internal error: {noted.error}"), 0, 0),)))

    def _judged(self, execution: Execution, snapshots: Mapping[int, Snapshot] | None = None) -> Judgement:
        """What judging gives; nothing at all where our own code raised an error."""
        try:
            return self.judge.judge(execution.trace, snapshots)
        except Exception as error:
            self.internal.add("judging", error, execution.trace.program)
            return Judgement()

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
            (execution,) = self._execute([Job(trial.program, tuple(wanted))])
            judgement = self._judged(execution, dict(execution.snapshots))
            if not _extends(judgement.findings, trial.judgement.findings):
                break
            trial = Trial(trial.program, execution, judgement)
        return trial


def _extends(longer: list[Finding], shorter: list[Finding]) -> bool:
    """Whether all that was found is found again; a look may add to a signature what became of the data."""
    return [_core(one) for one in longer[: len(shorter)]] == [_core(one) for one in shorter]


def _core(finding: Finding) -> tuple[object, ...]:
    return finding.operation, finding.roles, finding.observed_kind, finding.after, finding.quirk


EXPLAINED = frozenset(("declared", "undeclared", "declared-false"))
"""The verdicts that rest on option values."""


def shown_alike(judgement: Judgement, like: Finding, alone: bool = True) -> Finding | None:
    """As :func:`shown`, of any finding that is like another but for the call that it came after.

    Where option values explain the other, the same ones explain this, or some of them: a program in which more values
    would help meets a second failed precondition.
    """
    core = (like.operation, like.roles, like.observed_kind)
    ways = set(like.changes)
    explained = like.verdict in EXPLAINED

    def alike(one: Finding) -> bool:
        return (one.operation, one.roles, one.observed_kind) == core and (
            not explained or (bool(one.changes) and ways.issuperset(one.changes))
        )

    return _first(judgement, alike, alone)


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
