"""What calls on a directory cost as it grows: time, and requests where the store's client counts them."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable

from fsconform.engine.protocol import Execution, Job
from fsconform.model.core import content as contents
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Returned, Value
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.programs import Step
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.summaries import GetContentSummary
from fsconform.records.results import Cost, CostCurve

SIZES: tuple[int, ...] = tuple(2**power for power in range(11))
"""Entries of the directories that are measured, as far as the time allows."""

OFTEN, FEW_ENTRIES = 5, 64
"""Directories of up to so many entries are made so often: they cost little, and short calls vary most."""

SELDOM = 2
"""Larger directories are made so often."""

GROWTH = 2.5
"""A directory of twice the entries takes at most so many times as long, as far as is known."""

_DIRECTORY, _OTHER = ("d",), ("e",)

_MEASURED: tuple[Operation, ...] = (
    *(ListStatus(_DIRECTORY),) * 3,
    *(GetContentSummary(_DIRECTORY),) * 3,
    Rename(_DIRECTORY, _OTHER),
    Rename(_OTHER, _DIRECTORY),
    Rename(_DIRECTORY, _OTHER),
    Delete(_OTHER, True),
)

NAMES: dict[type[Operation], str] = {
    ListStatus: "listStatus",
    GetContentSummary: "getContentSummary",
    Rename: "rename",
    Delete: "delete, recursive",
}
"""The operations that are measured, in the order in which they are shown."""

_FAILED: tuple[Value, ...] = (False,)


def job(entries: int) -> Job:
    """The program that makes a directory of so many empty files, and measures the calls on it."""
    made: tuple[Operation, ...] = (
        Mkdirs(_DIRECTORY),
        *(Create((*_DIRECTORY, f"f{number}"), contents.EMPTY, False) for number in range(entries)),
    )
    steps = (*(Step(one, setup=True) for one in made), *map(Step, _MEASURED))
    return Job(steps, measured=tuple(range(len(made), len(steps))))


def point(entries: int, executions: Iterable[Execution], kind: type[Operation]) -> Cost | None:
    """What the calls of one kind cost, over all executions; None if none of them succeeded."""
    times: list[float] = []
    requests: list[dict[str, int]] = []
    for execution in executions:
        counted = dict(execution.requests)
        steps = zip(execution.trace.program, execution.trace.events, strict=False)
        for index, (step, event) in enumerate(steps):
            outcome = event.outcome
            if step.setup or type(step.operation) is not kind:
                continue
            if isinstance(outcome, Returned) and outcome.value not in _FAILED:
                times.append((event.returned - event.invoked) / 1000)
                requests.append(counted.get(index, {}))
    if not times:
        return None
    requests.sort(key=lambda one: sum(one.values()))
    return Cost(entries, round(statistics.median(times), 1), len(times), requests[len(requests) // 2])


def measured(
    execute: Callable[[list[Job]], list[Execution]], until: float, clock: Callable[[], float]
) -> tuple[list[CostCurve], str]:
    """The cost of each operation on directories that grow, and why the last sizes were left out, if they were."""
    execute([job(1)] * 2)  # the first calls of a client load its classes
    points: dict[type[Operation], list[Cost]] = {kind: [] for kind in NAMES}
    note, last = "", 0.0
    for size in SIZES:
        times = OFTEN if size <= FEW_ENTRIES else SELDOM
        started = clock()
        while times > 1 and started + last * times * GROWTH > until:
            times -= 1
        if started + last * times * GROWTH > until:
            note = f"the time was up before {size:,} entries"
            break
        executions = execute([job(size)] * times)
        last = (clock() - started) / times
        for kind, found in points.items():
            cost = point(size, executions, kind)
            if cost is not None:
                found.append(cost)
    return [CostCurve(NAMES[kind], found) for kind, found in points.items() if found], note
