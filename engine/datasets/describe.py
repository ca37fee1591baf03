"""Operations on datasets, their endings and what was found, in words."""

from __future__ import annotations

from fsconform.model.datasets.dataset import Dataset, Look
from fsconform.model.datasets.findings import told
from fsconform.model.datasets.operations import Ending, Fault, Feed, Gate, Operation, Stream, Write, WriteBoth
from fsconform.model.datasets.protocol import target

Judgeable = Write | WriteBoth | Stream
"""What is judged: that something is fed to a stream is only remembered."""

_ACTIONS = {"fail": "fails", "halt": "is killed", "hold": "is held", "sleep": "is slow"}


def call(operation: Operation) -> str:
    """The operation as a reader would write it."""
    if isinstance(operation, Write):
        return _write(operation)
    if isinstance(operation, WriteBoth):
        return f"{_write(operation.first)}, and before it ends {_write(operation.second)}"
    if isinstance(operation, Feed):
        return f"put {_numbers(operation.rows)} into the source of the stream"
    place = " in partitions" if operation.partitioned else ""
    return f"run the stream to {operation.format}{place} until all is processed{_faults(operation)}"


def _write(write: Write) -> str:
    mode = "dynamic overwrite" if write.dynamic else write.mode
    place = ' partitionBy("p")' if write.partitioned else ""
    files = f", {write.records} a file" if write.records else ""
    where = ", on two executors" if write.cluster else ""
    rows = f"{_numbers(write.rows)} in {write.tasks} tasks{files}{where}"
    return f'write.format("{write.format}").mode("{mode}"){place} of {rows}{_faults(write)}'


def _numbers(numbers: tuple[int, ...]) -> str:
    if len(numbers) > 2 and numbers == tuple(range(numbers[0], numbers[-1] + 1)):
        return f"rows {numbers[0]} to {numbers[-1]}"
    return f"rows {', '.join(map(str, numbers))}"


def _faults(operation: Write | Stream) -> str:
    words = [one for one in (_fault(operation.fault), _gate(operation.gate)) if one]
    return f"; {', '.join(words)}" if words else ""


def _fault(fault: Fault | None) -> str:
    if fault is None:
        return ""
    who = "the job" if fault.phase.startswith("job") else "a task" if fault.task is None else f"task {fault.task}"
    once = " in its first attempt" if fault.attempts == "first" and fault.phase.startswith("task") else ""
    return f"{who} {_ACTIONS[fault.action]} at {fault.phase}{once}"


def _gate(gate: Gate | None) -> str:
    return f"the job {_ACTIONS[gate.action]} before publishing call {gate.nth}" if gate is not None else ""


def situation(operation: Judgeable, before: Dataset) -> str:
    """What a signature says of an operation: no rows, no formats, no numbers."""
    if isinstance(operation, Write):
        mode = "dynamic overwrite" if operation.dynamic else operation.mode
        faults = _abstract(operation)
        return f"{mode}{faults}" if faults else f"{mode} ({_onto(before)})"
    if isinstance(operation, WriteBoth):
        modes = ("dynamic overwrite" if one.dynamic else one.mode for one in (operation.first, operation.second))
        return f"two jobs at once ({', '.join(dict.fromkeys(modes))})"
    return f"stream{_abstract(operation)}"


def _onto(before: Dataset) -> str:
    return "onto a dataset" if before.exists else "to nothing"


def _abstract(operation: Write | Stream) -> str:
    words = []
    if operation.fault is not None:
        fault = operation.fault
        who = "job" if fault.phase.startswith("job") else "task"
        once = " once" if fault.attempts == "first" and fault.phase.startswith("task") else ""
        words.append(f"{who} {_ACTIONS[fault.action]} at {fault.phase}{once}")
    if operation.gate is not None:
        words.append(f"{_ACTIONS[operation.gate.action]} while it publishes")
    return f", {', '.join(words)}" if words else ""


def observed(ending: Ending, look: Look) -> str:
    """What happened, for a row of a table."""
    if ending.ended == "not-expressible":
        return f"not carried out: {ending.why}"
    parts = [ending.ended if ending.other is None else f"{ending.ended}, the other {ending.other.ended}"]
    if ending.ended == "failed":
        parts.append(f"{ending.error}: {ending.message}".strip(": "))
    parts += [f"a reader saw {told(one.counted())}" for one in ending.seen]
    parts.append(told(look.counted()) if look.exists else "no dataset")
    if look.marker:
        parts.append("_SUCCESS")
    if look.temporaries:
        parts.append(f"left {', '.join(sorted(look.temporaries)[:3])}")
    if look.uploads:
        parts.append(f"{len(look.uploads)} pending uploads")
    return "; ".join(parts)


def expected(operation: Operation, before: Dataset) -> str:
    """What a perfect committer does, for a row of a table."""
    if isinstance(operation, Write):
        return told(target(operation, before)) if operation.fault is None else "all of the job's rows or none"
    if isinstance(operation, WriteBoth):
        replaces = any(one.mode == "overwrite" for one in (operation.first, operation.second))
        return f"all rows of each job that succeeds{', but for what the other replaces' if replaces else ''}"
    return "a file in the source" if isinstance(operation, Feed) else "each row once"
