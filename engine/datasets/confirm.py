"""From a finding to the smallest program that shows it, replayed in fresh directories."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fsconform.engine.datasets.judge import Finding, Judgement, judge
from fsconform.engine.datasets.protocol import Observed, Session
from fsconform.model.datasets.contract import CommitContract
from fsconform.model.datasets.operations import Program, Stream, Write, check

REPLAYS = 3
ATTEMPTS = 14
COSTLY_ATTEMPTS = 3
"""A program is shrunk in at most so many executions, in fewer where each takes a driver or executors of its own."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A program with what was observed of it, and the judgement."""

    program: Program
    seen: tuple[Observed, ...]
    judgement: Judgement


@dataclass(frozen=True, slots=True)
class Proven:
    """A finding with the smallest program, how often it was replayed, and how often that showed it."""

    finding: Finding
    tried: Tried
    count: int
    replays: int = 0
    shown: int = 0

    @property
    def confirmed(self) -> str:
        """Such as 3/3."""
        return f"{self.shown}/{self.replays}"


def attempt(session: Session, program: Program, contract: CommitContract) -> Tried:
    """Execute and judge a program. Raises StoreLost."""
    seen = session.execute(program)
    return Tried(program, seen, judge(program, seen, contract))


def shows(tried: Tried, signature: str) -> Finding | None:
    """The finding of that signature, if no other one that fails the gate stands at an earlier step."""
    for one in tried.judgement.findings:
        if one.signature == signature:
            return one
    return None


def prove(session: Session, finding: Finding, tried: Tried, count: int, contract: CommitContract) -> Proven:
    """Shrink the program that showed a finding, and replay it. Raises StoreLost."""
    small = tried
    left = COSTLY_ATTEMPTS if _costly(tried.program) else ATTEMPTS
    progress = True
    while progress and left > 0:
        progress = False
        for candidate in _smaller(small.program, shows(small, finding.signature)):
            if left <= 0:
                break
            left -= 1
            again = attempt(session, candidate, contract)
            if shows(again, finding.signature) is not None:
                small, progress = again, True
                break
    shown = 0
    last = small
    for _ in range(REPLAYS):
        again = attempt(session, small.program, contract)
        if shows(again, finding.signature) is not None:
            shown += 1
            last = again
    return Proven(shows(last, finding.signature) or finding, last, count, REPLAYS, shown)


def _costly(program: Program) -> bool:
    return any(
        isinstance(one, Write | Stream)
        and (
            (isinstance(one, Write) and one.cluster)
            or (one.fault is not None and one.fault.action == "halt")
            or (one.gate is not None and one.gate.action == "halt")
        )
        for one in program
    )


def _smaller(program: Program, finding: Finding | None) -> Iterator[Program]:
    """Programs that are smaller in one thing: fewer steps first, then simpler jobs."""
    if finding is not None and finding.step + 1 < len(program):
        yield program[: finding.step + 1]
    for index in range(len(program) - 1):
        yield (*program[:index], *program[index + 1 :])
    jobs = [one for one in program if isinstance(one, Write)]
    # One layout throughout: a reader of a dataset that is half in partitions misses rows, whoever wrote it.
    if len(jobs) == len(program):
        if any(one.format != "parquet" for one in jobs):
            yield tuple(replace(one, format="parquet") for one in jobs)
        if any(one.partitioned for one in jobs) and not any(one.dynamic for one in jobs):
            yield tuple(replace(one, partitioned=False) for one in jobs)
    for index, operation in enumerate(program):
        if isinstance(operation, Write):
            for simpler in _simpler(operation):
                yield (*program[:index], simpler, *program[index + 1 :])


def _simpler(write: Write) -> Iterator[Write]:
    candidates = []
    if write.records:
        candidates.append(replace(write, records=0))
    needed = 2 * write.tasks if write.fault is not None else write.tasks
    if len(write.rows) > needed:
        candidates.append(replace(write, rows=write.rows[:needed]))
    if write.fault is None and write.gate is None and write.tasks > 1:
        candidates.append(replace(write, tasks=1))
    for one in candidates:
        try:
            check(one)
        except ValueError:
            continue
        yield one
