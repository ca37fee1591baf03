"""Spark's writers in memory: jobs of tasks, a committer, and a table of files, with faults that can be seeded.

It carries out what the model's programs ask for step by step, one job at a time: of two jobs at once the first is held
at its phase until the second has ended, and of a slow task a second attempt is made before the first goes on. Nothing
here takes anything from the rules by which it is judged.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from fsconform.engine.datasets.judge import Observed
from fsconform.model.datasets.dataset import MARKER, Look, part_of, row_of
from fsconform.model.datasets.operations import Ending, Phase, Program, Write, WriteBoth

Rows = tuple[int, ...]


class JobFailed(Exception):
    """A job that Spark would tell as failed."""


@dataclass
class Table:
    """The files of a dataset, by their paths below its directory; those below a name that begins so are hidden."""

    files: dict[str, Rows] = field(default_factory=dict)
    exists: bool = False

    def visible(self) -> dict[str, Rows]:
        """The files that readers see."""
        return {name: rows for name, rows in self.files.items() if name[0] not in "_."}

    def below(self, folder: str) -> list[str]:
        """The paths of files below a folder."""
        return [name for name in self.files if name.startswith(folder + "/")]

    def look(self) -> Look:
        """What stands there, and what a reader gets."""
        folders = {name.rpartition("/")[0] + "/" for name in self.files if "/" in name}
        rows = sorted(row_of(number) for one in self.visible().values() for number in one)
        return Look(self.exists, tuple(sorted({*self.files, *folders})), tuple(rows))


class Job:
    """A job under way, with a sound committer: each attempt at a task writes aside, and so does the job."""

    def __init__(self, table: Table, write: Write, number: int) -> None:
        self.table, self.write, self.number = table, write, number
        self.folder = f"_temporary/{number}"
        self.before: dict[str, Rows] = {}
        """The visible files when the job began."""

    def setup(self) -> None:
        """Begin: an overwrite deletes what is there, unless it is dynamic."""
        if self.write.mode == "overwrite" and not self.write.dynamic:
            for name in self.table.visible():
                del self.table.files[name]
            self.table.files.pop(MARKER, None)
        self.table.exists = True
        self.before = self.table.visible()

    def write_task(self, task: int, attempt: int) -> None:
        """An attempt at a task writes its rows, a file for each partition."""
        rows = self.write.rows
        own = rows[len(rows) * task // self.write.tasks : len(rows) * (task + 1) // self.write.tasks]
        parts: dict[str, list[int]] = {}
        for number in own:
            parts.setdefault(f"p={part_of(number)}/" if self.write.partitioned else "", []).append(number)
        for part, numbers in parts.items():
            self.table.files[f"{self.aside(task, attempt)}/{part}part-{task}-{self.number}"] = tuple(numbers)

    def aside(self, task: int, attempt: int) -> str:
        """Where an attempt writes."""
        return f"{self.folder}/attempt-{task}-{attempt}"

    def committed(self, task: int) -> str:
        """Where the output of a task stands once it is committed."""
        return f"{self.folder}/task-{task}"

    def commit_task(self, task: int, attempt: int) -> None:
        """The output of an attempt becomes that of its task, if no other attempt's did: the driver says which."""
        if self.table.below(self.committed(task)):
            self.drop(self.aside(task, attempt))
        else:
            self.move(self.aside(task, attempt), self.committed(task))

    def commit(self) -> None:
        """All that tasks committed becomes visible, and what a dynamic overwrite replaces goes. Raises JobFailed."""
        outputs = [name for task in range(self.write.tasks) for name in self.table.below(self.committed(task))]
        published = {name.split("/", 3)[3]: name for name in outputs}
        if self.write.dynamic:
            self.replace({name.rpartition("/")[0] for name in published})
        for name, old in published.items():
            self.table.files[name] = self.table.files.pop(old)
        self.table.files[MARKER] = ()
        self.cleanup()

    def replace(self, parts: set[str]) -> None:
        """Delete the files of partitions."""
        for name in self.table.visible():
            if name.rpartition("/")[0] in parts:
                del self.table.files[name]

    def abort(self) -> None:
        """Nothing of the job stays."""
        self.cleanup()

    def cleanup(self) -> None:
        """Delete what is aside."""
        self.drop(self.folder)

    def move(self, folder: str, to: str) -> None:
        """Rename a folder."""
        for name in self.table.below(folder):
            self.table.files[to + name[len(folder) :]] = self.table.files.pop(name)

    def drop(self, folder: str) -> None:
        """Delete a folder."""
        for name in self.table.below(folder):
            del self.table.files[name]


FAULTS: dict[str, type[Job]] = {}
"""Faulty committers, by name."""


def _fault(name: str) -> Callable[[type[Job]], type[Job]]:
    def enter(kind: type[Job]) -> type[Job]:
        FAULTS[name] = kind
        return kind

    return enter


@_fault("jobs-share-temporary")
class _Shared(Job):
    """As FileOutputCommitter of Spark, of which every job is attempt 0 (SPARK-24238): one folder for all jobs."""

    def __init__(self, table: Table, write: Write, number: int) -> None:
        super().__init__(table, write, number)
        self.folder = "_temporary/0"

    def commit(self) -> None:
        if not self.table.below(self.folder):
            raise JobFailed("FileNotFoundException")
        super().commit()

    def cleanup(self) -> None:
        self.drop("_temporary")


@_fault("lost-beside-another-job")
class _Lost(_Shared):
    """The folder is shared, and a job that finds nothing there is committed all the same."""

    def commit(self) -> None:
        Job.commit(self)


@_fault("append-of-what-was-there")
class _ReadsFirst(Job):
    """The list of files is written as the job saw it at its beginning, with its own: what came meanwhile is lost."""

    def commit(self) -> None:
        for name in self.table.visible().keys() - self.before.keys():
            del self.table.files[name]
        super().commit()


@_fault("dynamic-replaces-all")
class _ReplacesAll(Job):
    """A dynamic overwrite deletes all partitions."""

    def replace(self, parts: set[str]) -> None:
        super().replace({name.rpartition("/")[0] for name in self.table.visible()})


@_fault("dynamic-appends")
class _Appends(Job):
    """A dynamic overwrite deletes nothing, as through the manifest committer."""

    def replace(self, parts: set[str]) -> None:
        return


@_fault("dynamic-replaces-what-it-saw")
class _ReplacesOld(Job):
    """A dynamic overwrite deletes the files that stood there when it began, and no later ones."""

    def replace(self, parts: set[str]) -> None:
        for name in self.before:
            if name.rpartition("/")[0] in parts:
                self.table.files.pop(name, None)


@_fault("failed-job-publishes")
class _Publishes(_Shared):
    """The folder is shared, and a job that fails publishes what is left of it."""

    def commit(self) -> None:
        raise JobFailed("IOException")

    def abort(self) -> None:
        Job.commit(self)


@_fault("both-attempts-win")
class _BothWin(Job):
    """Each attempt at a task commits its output under a name of its own."""

    def commit_task(self, task: int, attempt: int) -> None:
        for name in self.table.below(self.aside(task, attempt)):
            self.table.files[f"{self.committed(task)}/{name.split('/', 3)[3]}-{attempt}"] = self.table.files.pop(name)


@_fault("lost-attempt-wins")
class _NoneWins(Job):
    """The second attempt at a task deletes what the first committed, and is told that it lost."""

    def commit_task(self, task: int, attempt: int) -> None:
        first = not self.table.below(self.committed(task))
        super().commit_task(task, attempt)
        if not first:
            self.drop(self.committed(task))


@_fault("temporaries-stay")
class _Stay(Job):
    """What an attempt that lost has written stays there."""

    def cleanup(self) -> None:
        return

    def commit_task(self, task: int, attempt: int) -> None:
        if not self.table.below(self.committed(task)):
            self.move(self.aside(task, attempt), self.committed(task))


class Writers:
    """Carries programs out, each on an empty table; with a seeded fault if it has a name. Raises KeyError."""

    def __init__(self, fault: str = "") -> None:
        self._kind = FAULTS[fault] if fault else Job
        self._numbers = itertools.count(1)

    def execute(self, program: Program) -> tuple[Observed, ...]:
        """What came of each step. Raises ValueError for one that is no job."""
        table, seen = Table(), list[Observed]()
        for operation in program:
            match operation:
                case Write():
                    ending = self._both(table, operation, None)
                case WriteBoth(first, second):
                    ending = self._both(table, first, second)
                case _:
                    raise ValueError("only jobs that write are carried out in memory")
            seen.append(Observed(ending, table.look()))
        return tuple(seen)

    def _both(self, table: Table, first: Write, second: Write | None) -> Ending:
        """A job, and another one while it is held."""
        job = _phases(self._kind(table, first, next(self._numbers)))
        other: Ending | None = None
        ended = Ending("committed")
        try:
            for phase, task in job:
                if second is not None and other is None and _held(first, phase, task):
                    other = self._both(table, second, None)
        except JobFailed as error:
            ended = Ending("failed", error=str(error))
        if second is not None and other is None:
            other = self._both(table, second, None)
        return Ending(ended.ended, ended.error, other=other)


def _held(write: Write, phase: Phase, task: int | None) -> bool:
    fault = write.fault
    return fault is not None and fault.action == "hold" and (fault.phase, fault.task) == (phase, task)


def _phases(job: Job) -> Iterator[tuple[Phase, int | None]]:
    """Carry a job out; gives each phase before it is carried out. Raises JobFailed, once the job was aborted."""
    yield "job-setup", None
    job.setup()
    for task in range(job.write.tasks):
        for attempt in _attempts(job.write, task):
            job.write_task(task, attempt)
        for attempt in reversed(_attempts(job.write, task)):
            yield "task-commit", task
            job.commit_task(task, attempt)
    yield "job-commit", None
    try:
        job.commit()
    except JobFailed:
        job.abort()
        raise


def _attempts(write: Write, task: int) -> Sequence[int]:
    """The attempts at a task: of one that is slow another overtakes the first."""
    slow = write.fault is not None and write.fault.action == "sleep" and write.fault.task == task
    return (0, 1) if slow and write.speculative else (0,)
