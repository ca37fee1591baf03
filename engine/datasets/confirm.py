"""From a finding to the smallest program that shows it, replayed in fresh directories."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fsconform.engine.datasets.judge import judge
from fsconform.engine.datasets.protocol import Observed, Session
from fsconform.engine.layers import confirm
from fsconform.engine.layers.confirm import REPLAYS
from fsconform.engine.layers.findings import Finding
from fsconform.model.datasets.contract import CommitContract
from fsconform.model.datasets.operations import Operation, Program, Stream, Write, check

__all__ = ["REPLAYS", "Proven", "Tried", "attempt", "prove"]

ATTEMPTS = 14
COSTLY_ATTEMPTS = 3
"""A program is shrunk in at most so many executions, in fewer where each takes a driver or executors of its own."""

Tried = confirm.Tried[Operation, Observed]
Proven = confirm.Proven[Operation, Observed]


def attempt(session: Session, program: Program, contract: CommitContract) -> Tried:
    """Execute and judge a program. Raises StoreLost."""
    seen = session.execute(program)
    return Tried(program, seen, judge(program, seen, contract))


def prove(session: Session, finding: Finding, tried: Tried, count: int, contract: CommitContract) -> Proven:
    """Shrink the program that showed a finding, and replay it. Raises StoreLost."""
    attempts = COSTLY_ATTEMPTS if _costly(tried.program) else ATTEMPTS
    return confirm.prove(
        lambda program: attempt(session, program, contract), _smaller, Proven(finding, tried, count), attempts
    )


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
