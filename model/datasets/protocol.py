"""The commit protocol of one job: its target, how it may end, and what it may leave behind at each ending."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from fsconform.model.datasets.dataset import Dataset, part_of, row_of, rows_of
from fsconform.model.datasets.operations import Fault, Gate, Write

End = Literal["committed", "failed", "killed"]

COMMITTED: frozenset[End] = frozenset(("committed",))
FAILED: frozenset[End] = frozenset(("failed",))


def runs(write: Write, before: Dataset) -> bool:
    """Whether there is a job at all: error and ignore do nothing where the dataset is there already."""
    return not (write.mode in ("error", "ignore") and before.exists)


def replaced(write: Write, before: Dataset) -> Counter[str]:
    """The rows that a committed job removes."""
    if write.mode != "overwrite":
        return Counter()
    if not write.dynamic:
        return before.counted()
    parts = {part_of(number) for number in write.rows}
    return Counter({row: times for row, times in before.counted().items() if row.partition(":")[2] in parts})


def target(write: Write, before: Dataset) -> Counter[str]:
    """The rows after the job was committed."""
    if not runs(write, before):
        return before.counted()
    return before.counted() - replaced(write, before) + rows_of(write.rows)


def endings(write: Write, before: Dataset) -> frozenset[End]:
    """The ways in which the job may end. What a gate does hangs on how many calls the committer makes."""
    if not runs(write, before):
        return FAILED if write.mode == "error" else COMMITTED
    found = COMMITTED
    for fault in (write.fault, write.gate):
        match fault:
            case Fault("fail") if not fault.retried:
                found = FAILED
            case Fault("halt") if write.cluster and fault.phase.startswith("task"):
                found = COMMITTED if fault.retried else FAILED
            case Fault("halt"):
                found = frozenset(("killed",))
            case Gate("fail"):
                found = COMMITTED | FAILED
            case Gate("halt"):
                found = frozenset(("committed", "killed"))
    return found


def commit_was_reached(write: Write) -> bool:
    """Whether the fault lies in the commit of the job, or where a gate can't tell it from a task's commit."""
    return write.gate is not None or (write.fault is not None and write.fault.phase == "job-committed")


def stopped_early(write: Write, before: Dataset) -> list[Counter[str]]:
    """The rows that may be there after a job that was not committed, by the rules alone."""
    allowed = [before.counted()]
    if write.mode == "overwrite" and not write.dynamic:
        allowed.append(Counter())  # what is overwritten is deleted before the job begins
    return allowed


def of_partition(row: str, write: Write) -> bool:
    """Whether a row lies in a partition that the job writes to."""
    return row.partition(":")[2] in {part_of(number) for number in write.rows}


def row_names(write: Write) -> frozenset[str]:
    """The rows that the job writes."""
    return frozenset(map(row_of, write.rows))
