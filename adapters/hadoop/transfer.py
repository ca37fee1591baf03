"""Between the model's types and the frames' types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fsconform.adapters.hadoop import wire
from fsconform.engine.protocol import Job, Observation, Snapshot
from fsconform.model import content as contents
from fsconform.model import operations as ops
from fsconform.model import outcomes as out
from fsconform.model.programs import Step

_CONSTANT = {value: out.Returned(value) for value in (True, False, None)}


def job_frame(number: int, job: Job) -> wire.Job:
    """A job as a frame. A step that has no form on the wire becomes one whose outcome is NotExpressible."""
    frame = wire.Job(number, tuple(map(_call, job.program)), tuple(sorted(set(job.snapshot_after))), job.stacks)
    try:
        wire.pack(frame)
    except UnicodeEncodeError:
        frame = wire.Job(number, tuple(map(_sendable, frame.steps)), frame.snapshot_after, frame.stacks)
    return frame


def _sendable(call: wire.AnyCall) -> wire.AnyCall:
    try:
        wire.pack(call)
    except UnicodeEncodeError as error:
        return wire.Unsendable(call.client, f"a name holds a lone surrogate, which UTF-8 cannot carry: {error.reason}")
    return call


def _rows(content: contents.Content) -> wire.Rows:
    rows = []
    for part in content:
        if isinstance(part, contents.Observed):
            raise ValueError("observed content is no part of a program")
        rows.append((part.seed, part.length, part.offset))
    return tuple(rows)


def _call(step: Step) -> wire.AnyCall:
    client = step.client
    match step.operation:
        case ops.Mkdirs(path):
            return wire.Mkdirs(client, path)
        case ops.Create(path, content, overwrite):
            return wire.Create(client, path, _rows(content), overwrite)
        case ops.Append(path, content):
            return wire.Append(client, path, _rows(content))
        case ops.Open(path):
            return wire.Open(client, path)
        case ops.Delete(path, recursive):
            return wire.Delete(client, path, recursive)
        case ops.Rename(src, dst):
            return wire.Rename(client, src, dst)
        case ops.GetFileStatus(path):
            return wire.GetFileStatus(client, path)
        case ops.Exists(path):
            return wire.Exists(client, path)
        case ops.ListStatus(path):
            return wire.ListStatus(client, path)


def _status(frame: wire.Status) -> out.Status:
    return out.Status(frame.path, frame.is_dir, frame.length, frame.block_size)


def _data(frame: wire.Data) -> out.Data:
    return out.Data(frame.length, frame.digest)


_OUTCOMES: dict[type, Callable[[Any], out.Outcome]] = {
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
