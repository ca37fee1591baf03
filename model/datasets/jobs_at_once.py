"""Jobs that write to one dataset at once: what each may do to it, step by step, whatever others do in between.

Spark's save modes are documented as neither locked nor atomic: ``error`` and ``ignore`` look first and write later, and
an overwrite deletes what is there before it writes. An append, and a dynamic overwrite, count when they are committed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from fsconform.model.datasets.dataset import Dataset, part_of, rows_of
from fsconform.model.datasets.operations import Write
from fsconform.model.datasets.protocol import End, target


@dataclass(frozen=True, slots=True)
class Table:
    """What readers see of a dataset: whether it is there, and its rows, sorted, each as often as it stands there."""

    exists: bool
    rows: tuple[str, ...]

    @property
    def dataset(self) -> Dataset:
        """The table as a dataset."""
        return Dataset(self.exists, self.rows)


@dataclass(frozen=True, slots=True)
class Rest:
    """What is left to do of a job: to write its rows; of a dynamic overwrite in steps those of some ``parts``.

    The partition that is ``emptied`` comes next; without one the next step empties one.
    """

    parts: frozenset[str] = frozenset()
    emptied: str = ""


def table_of(dataset: Dataset) -> Table:
    """What readers see of it."""
    return Table(dataset.exists, tuple(sorted(dataset.rows)))


Steps = Iterator[tuple[Table, Rest | None]]
"""Where a step may lead, each time with what is left to do; None of a job that is done."""


def steps(table: Table, write: Write, ended: End, rest: Rest | None, in_steps: bool) -> Steps:
    """Where the next step of a job that ended in a way may lead, with what is left of it then.

    ``rest`` is None at its first step, and None is left of one that is done. ``in_steps`` says that a dynamic overwrite
    replaces one partition after another, each by emptying it first; else it replaces all at once.
    """
    if rest is None:
        yield from _first(table, write, ended, in_steps)
    elif write.dynamic:
        yield from _partition(table, write, ended, rest)
    elif ended == "committed":
        yield _with(table, rows_of(write.rows)), None


def _first(table: Table, write: Write, ended: End, in_steps: bool) -> Steps:
    if ended != "committed" or write.mode == "ignore":
        yield table, None  # what another job has begun is there already, though it has no rows yet
    if write.mode in ("error", "ignore") and table.exists:
        return
    if write.dynamic and in_steps:
        yield from _partition(table, write, ended, Rest(frozenset(map(part_of, write.rows))))
    elif write.dynamic or write.mode == "append":
        if ended == "committed":
            yield Table(True, _sorted(target(write, table.dataset))), None
    elif write.mode == "overwrite":
        emptied = replace(table, rows=())
        yield emptied, Rest()
        if ended != "committed":
            yield emptied, None
    elif ended == "committed":
        yield table, Rest()


def _partition(table: Table, write: Write, ended: End, rest: Rest) -> Steps:
    """The next of a dynamic overwrite's steps, which may be its last one if it failed."""
    if rest.emptied:
        own = Counter({row: n for row, n in rows_of(write.rows).items() if _part(row) == rest.emptied})
        left = Rest(rest.parts) if rest.parts else None
        if ended == "committed":
            yield _with(table, own), left
        return
    for part in sorted(rest.parts):
        emptied = replace(table, rows=tuple(row for row in table.rows if _part(row) != part))
        others = rest.parts - {part}
        if ended == "committed":
            yield emptied, Rest(others, part)
        else:
            yield emptied, None
            if others:
                yield emptied, Rest(others)


def _part(row: str) -> str:
    return row.partition(":")[2]


def _with(table: Table, rows: Counter[str]) -> Table:
    return Table(True, _sorted(Counter(table.rows) + rows))


def _sorted(rows: Counter[str]) -> tuple[str, ...]:
    return tuple(sorted(rows.elements()))
