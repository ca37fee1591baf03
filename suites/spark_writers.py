"""Spark's writers: programs of jobs that write datasets, with faults in each phase of the commit protocol."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fsconform.model.datasets.operations import FORMATS, MODES, Fault, Gate, Phase, Program, Write, WriteBoth

FIRST = (0, 1, 2, 3, 4, 5)
MORE = (6, 7, 8, 9, 10, 11)
IN_X, MORE_IN_X, IN_Y = (12, 15, 18, 21), (30, 33, 36, 39), (31, 34, 37, 40)
"""Rows of one partition alone."""

HELD: tuple[tuple[Phase, int | None], ...] = (("job-commit", None), ("task-commit", 1))
"""The phases in which the first of two jobs is held until the second has ended."""

GATES = (1, 2, 4)
"""The publishing calls at which a job is stopped: before anything is published, and in the midst of it."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A program with its place in the suite: ``group`` names what it is about; ``short`` is of the short selection."""

    group: str
    program: Program
    short: bool = False


@dataclass(frozen=True, slots=True)
class DatasetSuite:
    """A suite of programs on datasets. All are run, in their order."""

    name: str
    statement: str
    trials: tuple[Trial, ...]
    default: bool = True

    def chosen(self, short: bool) -> tuple[Trial, ...]:
        """All trials, or those of the short selection."""
        return tuple(one for one in self.trials if one.short or not short)


def _modes() -> Iterator[Trial]:
    """Each mode onto nothing and onto a dataset, flat and in partitions."""
    for partitioned in (False, True):
        base = Write(FIRST, partitioned=partitioned)
        for mode in MODES:
            yield Trial("modes", (replace(base, mode=mode),))
            onto = (base, Write(MORE, mode, partitioned=partitioned))
            yield Trial("modes", onto, short=partitioned and mode in ("append", "overwrite"))


def _formats() -> Iterator[Trial]:
    for format in FORMATS[1:]:
        for partitioned in (False, True):
            yield Trial(
                "formats", (Write(FIRST, "error", format, partitioned), Write(MORE, "append", format, partitioned))
            )
    yield Trial("formats", (Write(FIRST, format="json", tasks=4), Write(FIRST, "overwrite", "csv")))


def _dynamic() -> Iterator[Trial]:
    base = Write(FIRST, partitioned=True)
    over = Write(IN_X, "overwrite", partitioned=True, dynamic=True)
    yield Trial("dynamic overwrite", (base, over), short=True)
    yield Trial("dynamic overwrite", (over, over))
    yield Trial("dynamic overwrite", (replace(base, format="json"), replace(over, format="json")))
    yield Trial("dynamic overwrite", (base, replace(over, rows=MORE, fault=Fault("fail", "task-write", 1))))
    for nth in GATES:
        yield Trial("dynamic overwrite", (base, replace(over, rows=MORE, gate=Gate("fail", nth))))


def _task_faults() -> Iterator[Trial]:
    """A task that fails in each phase, once and for good, and a job that fails in each of its own."""
    phases: tuple[Phase, ...] = ("task-setup", "task-write", "task-commit")
    for phase in phases:
        once = Fault("fail", phase, 1, "first")
        yield Trial("task failures", (Write(FIRST, fault=once),), short=phase == "task-write")
        good = replace(once, attempts="all")
        yield Trial("task failures", (Write(FIRST, fault=good),), short=phase == "task-commit")
        yield Trial("task failures", (Write(FIRST), Write(MORE, fault=good)))
        yield Trial(
            "task failures", (Write(FIRST, partitioned=True), Write(MORE, "overwrite", partitioned=True, fault=good))
        )
    for phase in ("job-setup", "job-commit"):
        fault = Fault("fail", phase)
        yield Trial("failed jobs", (Write(FIRST, fault=fault),))
        yield Trial("failed jobs", (Write(FIRST), Write(MORE, fault=fault), Write(IN_X)))


def _commit_faults() -> Iterator[Trial]:
    """A job that fails in the midst of publishing its output, flat and in partitions of several files."""
    for nth in GATES:
        gate = Gate("fail", nth)
        yield Trial("interrupted commits", (Write(FIRST), Write(MORE, gate=gate)))
        yield Trial("interrupted commits", (Write(FIRST, partitioned=True, records=1, gate=gate),))
    yield Trial(
        "interrupted commits", (Write(FIRST), Write(MORE, "overwrite", gate=Gate("fail", 2)), Write(IN_X, "overwrite"))
    )


def _readers() -> Iterator[Trial]:
    """What another reader sees before the commit of a job, and in the midst of it."""
    before = Fault("hold", "job-commit")
    yield Trial("readers", (Write(FIRST, fault=before),), short=True)
    yield Trial("readers", (Write(FIRST), Write(MORE, fault=before)))
    yield Trial("readers", (Write(FIRST, partitioned=True), Write(MORE, partitioned=True, fault=before)))
    for nth in (2, 4):
        yield Trial("readers", (Write(FIRST), Write(MORE, tasks=3, gate=Gate("hold", nth))))
        yield Trial("readers", (Write(FIRST, partitioned=True, records=1, gate=Gate("hold", nth)),))


def _together() -> Iterator[Trial]:
    """Two jobs at once: the first is held in its commit, or before it, until the second has ended."""
    for partitioned in (False, True):
        base = Write((24, 25, 26, 27), partitioned=partitioned)
        second = Write(MORE, partitioned=partitioned)
        at_commit = replace(second, rows=FIRST, fault=Fault("hold", "job-commit"))
        yield Trial("concurrent jobs", (base, WriteBoth(at_commit, second)))
        at_task = replace(second, rows=FIRST, fault=Fault("hold", "task-commit", 1))
        yield Trial("concurrent jobs", (base, WriteBoth(at_task, second)))
    flat = Write((24, 25, 26, 27))
    appends, overwrites = Write(FIRST), Write(FIRST, "overwrite")
    for first, second in ((overwrites, appends), (appends, overwrites), (overwrites, overwrites)):
        for phase, task in HELD:
            held = replace(first, fault=Fault("hold", phase, task))
            yield Trial("concurrent jobs", (flat, WriteBoth(held, replace(second, rows=MORE))))
    yield from _dynamic_together()


def _dynamic_together() -> Iterator[Trial]:
    """Dynamic overwrites at once, of the same partition and of different ones, and one beside an append."""
    base = Write((24, 25, 26, 27), partitioned=True)
    over = Write(IN_X, "overwrite", partitioned=True, dynamic=True)
    appends = Write(MORE, partitioned=True)
    others: tuple[Write, ...] = (replace(over, rows=MORE_IN_X), replace(over, rows=IN_Y), appends)
    for phase, task in HELD:
        held = replace(over, fault=Fault("hold", phase, task))
        for second in others:
            yield Trial("concurrent jobs", (base, WriteBoth(held, second)))
    yield Trial(
        "concurrent jobs",
        (base, WriteBoth(replace(appends, fault=Fault("hold", "job-commit")), replace(over, rows=MORE_IN_X))),
    )


def _killed() -> Iterator[Trial]:
    """A driver that is killed, and a job after it that has to cope with what is left."""
    for phase in ("task-write", "task-commit", "job-commit"):
        fault = Fault("halt", phase, 1 if phase.startswith("task") else None)
        yield Trial("killed drivers", (Write(FIRST), Write(MORE, fault=fault), Write(IN_X)))
    yield Trial("killed drivers", (Write(FIRST), Write(MORE, gate=Gate("halt", 2)), Write(IN_X)))


def _cluster() -> Iterator[Trial]:
    """Executors in processes of their own: one that is killed, and a slow task that is attempted twice."""
    base = Write(FIRST, cluster=True)
    for phase in ("task-write", "task-commit"):
        yield Trial("executors", (replace(base, fault=Fault("halt", phase, 1, "first")),))
    slow = Fault("sleep", "task-write", 1, "first")
    yield Trial("speculation", (replace(base, speculative=True, fault=slow),))
    late = Fault("sleep", "task-commit", 1, "first")
    yield Trial("speculation", (replace(base, speculative=True, fault=late),))


SPARK_WRITERS = DatasetSuite(
    "spark-writers",
    "jobs of Spark that write datasets, and what is there after they were committed, failed or killed",
    (
        *_modes(),
        *_formats(),
        *_dynamic(),
        *_task_faults(),
        *_commit_faults(),
        *_readers(),
        *_together(),
        *_killed(),
        *_cluster(),
    ),
)
