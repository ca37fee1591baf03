"""Between the model's types and the frames' types."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec

from fsconform.adapters.hadoop import wire
from fsconform.engine.protocol import Job, Observation, Snapshot
from fsconform.model.core import content as contents
from fsconform.model.core import outcomes as out
from fsconform.model.core.operation import OPERATIONS, Operation, shape
from fsconform.model.filesystem.programs import Step, decode_value

_CONSTANT = {value: out.Returned(value) for value in (True, False, None)}


def job_frame(number: int, job: Job) -> wire.Job:
    """A job as a frame. A step that has no form on the wire becomes one whose outcome is NotExpressible."""
    wanted = tuple(sorted(set(job.snapshot_after)))
    calls = tuple(map(_call, job.program))
    frame = wire.Job(number, calls, wanted, job.stacks, job.measured, job.meeting, job.threads)
    try:
        wire.pack(frame)
    except UnicodeEncodeError:
        frame = msgspec.structs.replace(frame, steps=tuple(map(_sendable, frame.steps)))
    return frame


def _sendable(call: wire.AnyCall) -> wire.AnyCall:
    try:
        wire.pack(call)
    except UnicodeEncodeError as error:
        return wire.Unsendable(call.client, f"a name holds a lone surrogate, which UTF-8 cannot carry: {error.reason}")
    return call


def rows(content: contents.Content) -> wire.Rows:
    """A content as rows. Raises ValueError for observed content, which no program holds."""
    found = []
    for part in content:
        if isinstance(part, contents.Observed):
            raise ValueError("observed content is no part of a program")
        found.append((part.seed, part.length, part.offset))
    return tuple(found)


def _call(step: Step) -> wire.AnyCall:
    operation = step.operation
    held = (
        rows(getattr(operation, name)) if form == "content" else getattr(operation, name)
        for name, form in shape(type(operation))
    )
    return wire.Call(step.client, operation.NAME, tuple(held))


def operation(call: wire.AnyCall) -> Operation | wire.Unsendable:
    """The operation of a frame. Raises KeyError for a name that no operation has."""
    if isinstance(call, wire.Unsendable):
        return call
    kind: Any = OPERATIONS[call.operation]
    held: list[Any] = list(call.arguments)
    for place, (_, form) in enumerate(shape(kind)):
        if form == "content":
            held[place] = tuple(contents.Segment(*row) for row in held[place])
    made: Operation = kind(*held)
    return made


def _status(frame: wire.Status) -> out.Status:
    return out.Status(frame.path, frame.is_dir, frame.length, frame.block_size)


def _data(frame: wire.Data) -> out.Data:
    return out.Data(frame.length, frame.digest)


_OUTCOMES: dict[type, Callable[[Any], out.Outcome]] = {
    wire.Value: lambda frame: out.Returned(decode_value(json.loads(frame.text))),
    wire.Plain: lambda frame: _CONSTANT[frame.value],
    wire.Status: lambda frame: out.Returned(_status(frame)),
    wire.Data: lambda frame: out.Returned(_data(frame)),
    wire.Listing: lambda frame: out.Returned(tuple(map(_status, frame.statuses))),
    wire.Raised: lambda frame: out.Raised(frame.classes, frame.message, frame.stack),
    wire.NotExpressible: lambda frame: out.NotExpressible(frame.reason),
    wire.Unknown: lambda frame: out.Unknown(frame.reason),
    wire.TryAgain: lambda frame: out.Unknown(frame.reason),
}


def outcome(frame: wire.AnyOutcome) -> out.Outcome:
    """The model's outcome for a frame's."""
    return _OUTCOMES[type(frame)](frame)


def snapshot(frame: wire.Snapshot) -> Snapshot:
    """The engine's snapshot for a frame's."""
    entries = tuple(
        Observation(
            _status(row.listed),
            _status(row.status) if row.status is not None else None,
            _data(row.data) if row.data is not None else None,
        )
        for row in frame.entries
    )
    return Snapshot(entries, frame.consistent, frame.problem)
