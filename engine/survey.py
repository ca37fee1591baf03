"""A survey of one store: its limits and what its calls cost, within a time. Nothing of it is judged."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from fsconform.engine import costs, dimensions
from fsconform.engine.dimensions import Dimension
from fsconform.engine.limits import Found, Tried, elided, search
from fsconform.engine.protocol import Execution, Job, StoreLost
from fsconform.engine.trial import Bench
from fsconform.model.filesystem.programs import Step
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.records.results import CostCurve, Limit

COSTS = "cost curves"

Task = tuple[Dimension | str, int]
"""A dimension or the costs, with its weight."""

NEAR = 4
"""Bytes by which paths may differ and still meet one limit: a directory's mark at the end, digits of its base."""

TASKS: tuple[Task, ...] = (
    *((one, 4 if one is dimensions.DEPTH else 1) for one in dimensions.QUICK),
    (COSTS, 4),
    (dimensions.ENTRIES, 4),
)
"""What is done, in its order. A weight is a part of the time that is left: quick ones leave theirs over."""


@dataclass(slots=True)
class Survey:
    """What was found so far: it stays if the survey is interrupted."""

    limits: list[Limit] = field(default_factory=list)
    costs: list[CostCurve] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Why something was left out."""

    def run(
        self,
        bench: Bench,
        seconds: float,
        say: Callable[[str], None] = lambda doing: None,
        clock: Callable[[], float] = time.monotonic,
        tasks: Sequence[Task] = TASKS,
    ) -> None:
        """Survey a store for about so long; it ends early if the store is lost."""
        end = clock() + seconds
        surveyor = _Surveyor(bench, clock)
        weights = sum(weight for _, weight in tasks)
        for task, weight in tasks:
            until = clock() + max(end - clock(), 0.0) * weight / weights
            weights -= weight
            say(task if isinstance(task, str) else f"limit: {task.name}")
            try:
                if isinstance(task, str):
                    self.costs, note = costs.measured(bench.execute, until, clock)
                    if note:
                        self.notes.append(f"{task}: {note}")
                else:
                    self.limits.append(surveyor.limit(task, until))
            except StoreLost as error:
                name = task if isinstance(task, str) else task.name
                self.notes.append(f"{name}, and what comes after it: {elided(str(error))}")
                break
        self.limits = _explained(self.limits, surveyor.base)


class _Surveyor:
    """Searches for limits. ``base`` is the directory of the last program, where the next one is planned for."""

    def __init__(self, bench: Bench, clock: Callable[[], float]) -> None:
        self._bench, self._clock = bench, clock
        self.base = ""

    def limit(self, dimension: Dimension, until: float) -> Limit:
        """The limit in one dimension. Raises StoreLost."""
        if dimension.of_base("/x"):
            self._execute(Job((Step(ListStatus(())),)))
        started = self._clock()
        found = search(dimension.begin(self.base), lambda size: self._try(dimension, size), until, self._clock)
        return _record(dimension, found, self._clock() - started)

    def _try(self, dimension: Dimension, size: int) -> Tried:
        planned = self.base
        return dimension.tried(size, planned, self._execute(Job(dimension.program(size, planned))))

    def _execute(self, job: Job) -> Execution:
        (execution,) = self._bench.execute([job])
        self.base = execution.base or self.base
        return execution


def _record(dimension: Dimension, found: Found, seconds: float) -> Limit:
    known = found.known
    return Limit(
        dimension.name,
        dimension.unit,
        known.accepted,
        known.refused,
        known.error,
        dimension.bound,
        found.attempts,
        round(seconds, 3),
        found.note,
    )


def _explained(limits: list[Limit], base: str) -> list[Limit]:
    """The same, with a word where a depth is refused for the length of its path alone."""
    longest = next((one.accepted for one in limits if one.dimension == dimensions.PATH.name and one.refused), None)
    if longest is None:
        return limits
    return [
        replace(one, note=f"its path has {at:,} bytes: as many as a path may have")
        if one.dimension == dimensions.DEPTH.name
        and one.refused is not None
        and not one.note
        and (at := dimensions.path_bytes_at(one.refused, base)) > longest - NEAR
        else one
        for one in limits
    ]
