"""Datasets as a subject of the harness: how programs of jobs are judged, shrunk and told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from fsconform.engine import layers
from fsconform.engine.datasets import describe
from fsconform.engine.datasets.judge import Observed, judge
from fsconform.engine.subject import Finding
from fsconform.model.datasets.contract import CommitContract
from fsconform.model.datasets.operations import Operation, Program, Stream, Write, check, encode
from fsconform.specs.layers import dataset_clauses

ATTEMPTS = 14
COSTLY_ATTEMPTS = 3
"""A program is shrunk in at most so many executions, in fewer where each takes a driver or executors of its own."""

Tried = layers.Tried[Operation, Observed]
Proven = layers.Proven[Operation, Observed]
Collected = layers.Collected[Operation, Observed]


def rows(tried: Tried) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What a perfect committer does in each step, and what the store's changed."""
    states = tried.judgement.states
    for index, (operation, seen) in enumerate(zip(tried.program, tried.seen, strict=False)):
        state = states[min(index, len(states) - 1)]
        yield describe.expected(operation, state), _changed(seen.look.rows, state.rows)


def _changed(now: tuple[str, ...], before: tuple[str, ...]) -> tuple[str, ...]:
    added, gone = Counter(now) - Counter(before), Counter(before) - Counter(now)
    words = [f"+ {added.total()} rows"] if added else []
    return tuple(words + ([f"- {gone.total()} rows"] if gone else []))


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


def smaller(program: Program, finding: Finding | None) -> Iterator[Program]:
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


DATASETS: layers.Layer[Operation, Observed, CommitContract] = layers.Layer(
    judge=judge,
    smaller=smaller,
    attempts=lambda program: COSTLY_ATTEMPTS if _costly(program) else ATTEMPTS,
    catalogue=dataset_clauses,
    every_option=CommitContract.OPTIONS,
    call=describe.call,
    encoded=encode,
    observed=lambda seen: describe.observed(seen.ending, seen.look),
    rows=rows,
    heading=lambda finding: finding.signature.partition(":")[0].partition(" (")[0].partition(",")[0],
)
"""The datasets that Spark's writers leave."""
