"""The job: units become a DataFrame, executors attempt them, and what is missing afterwards is attempted again."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fsconform.engine.traces import Row
from fsconform.pipeline import layout
from fsconform.pipeline.attempt import COLUMNS, Task
from fsconform.pipeline.bootstrap import sent
from fsconform.pipeline.depot import Depot
from fsconform.pipeline.units import COLUMNS as UNIT_COLUMNS
from fsconform.pipeline.units import Unit, row_of

if TYPE_CHECKING:
    pass

ROUNDS = 3
"""How often units that came to nothing are tried in a job of their own."""

POLL_SECONDS = 0.5

Told = Callable[[int, int], None]
"""Hears how many units are done, of how many."""


@dataclass(slots=True)
class Ran:
    """What the jobs told: the attempts, and what went wrong. ``jobs`` counts them, ``seconds`` is their wall time."""

    attempts: list[Row] = field(default_factory=list)
    problems: dict[str, None] = field(default_factory=dict)
    refused: str = ""
    jobs: int = 0
    seconds: float = 0.0
    interrupted: bool = False


def missing(depot: Depot, units: Sequence[Unit]) -> list[Unit]:
    """The units of which no attempt was chosen yet. Raises DepotError."""
    done = layout.marked(depot.names(layout.MARKERS))
    return [unit for unit in units if unit.number not in done]


def run(spark: Any, depot: Depot, task: Task, units: Sequence[Unit], told: Told, wheels: Sequence[Path] = ()) -> Ran:
    """Attempt all units that are missing, a task each; again those that came to nothing. Raises DepotError.

    ``wheels`` go to the executors first.

    An interrupt ends the job; what was chosen until then counts.
    """
    ran, started = Ran(), time.monotonic()
    for wheel in wheels:
        spark.sparkContext.addFile(wheel.absolute().as_uri())
    function = sent(task, [wheel.name for wheel in wheels])
    for _ in range(ROUNDS):
        left = missing(depot, units)
        if not left or ran.refused:
            break
        ran.jobs += 1
        done = len(units) - len(left)
        try:
            _job(spark, f"{task.campaign}-{ran.jobs}", function, left, ran, partial(_tell, told, done, len(units)))
        except KeyboardInterrupt:
            spark.sparkContext.cancelAllJobs()
            ran.interrupted = True
            break
    ran.seconds = time.monotonic() - started
    return ran


def _tell(told: Told, before: int, total: int, number: int) -> None:
    told(before + number, total)


def frame(spark: Any, units: Sequence[Unit]) -> Any:
    """Units as a DataFrame with a partition, and so a task, for each."""
    from pyspark.sql.functions import broadcast

    rows = [tuple(row_of(unit).values()) for unit in units]
    table = spark.createDataFrame([(place, *row) for place, row in enumerate(rows)], f"id long, {UNIT_COLUMNS}")
    # A broadcast join leaves the partitions of the range as they are.
    return spark.range(0, len(rows), 1, len(rows)).join(broadcast(table), "id")


def _job(spark: Any, group: str, function: Any, units: Sequence[Unit], ran: Ran, told: Callable[[int], None]) -> None:
    from pyspark import InheritableThread

    context = spark.sparkContext
    found: list[Row] = []
    trouble: list[BaseException] = []

    def collect() -> None:
        try:
            context.setJobGroup(group, f"fsconform: {len(units)} units", True)
            rows = frame(spark, units).mapInArrow(function, COLUMNS).collect()
            found.extend(row.asDict() for row in rows)
        except BaseException as error:
            trouble.append(error)

    thread = InheritableThread(target=collect, name="campaign-job", daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(POLL_SECONDS)
        told(_completed(context.statusTracker(), group, len(units)))
    ran.attempts += found
    for row in found:
        if row["status"] == "refused":
            ran.refused = row["problem"]
        elif row["status"] == "problem":
            ran.problems.setdefault(f"unit {row['unit']}: {row['problem']}")
    if trouble:
        ran.problems.setdefault(f"a job of Spark failed: {_first_line(trouble[0])}")


def _completed(tracker: Any, group: str, units: int) -> int:
    """The tasks that are done of the stage that has one for each unit."""
    count = 0
    for job in tracker.getJobIdsForGroup(group):
        info = tracker.getJobInfo(job)
        for stage in info.stageIds if info is not None else ():
            one = tracker.getStageInfo(stage)
            if one is not None and one.numTasks == units:
                count = max(count, one.numCompletedTasks)
    return count


def _first_line(error: BaseException) -> str:
    return next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)[:300]
