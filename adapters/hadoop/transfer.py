"""Between the model's types and the frames' types."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from fsconform.adapters.hadoop import wire
from fsconform.engine.protocol import Job, Observation, Snapshot
from fsconform.model.core import content as contents
from fsconform.model.core import outcomes as out
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.programs import Step, decode_value, encode_operation
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.predicates import Exists

_CONSTANT = {value: out.Returned(value) for value in (True, False, None)}


def job_frame(number: int, job: Job) -> wire.Job:
    """A job as a frame. A step that has no form on the wire becomes one whose outcome is NotExpressible."""
    wanted = tuple(sorted(set(job.snapshot_after)))
    frame = wire.Job(number, tuple(map(_call, job.program)), wanted, job.stacks, job.measured)
    try:
        wire.pack(frame)
    except UnicodeEncodeError:
        frame = wire.Job(number, tuple(map(_sendable, frame.steps)), wanted, job.stacks, job.measured)
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


_FRAMES: dict[type, Callable[[int, Any], wire.AnyCall]] = {
    Mkdirs: lambda client, op: wire.Mkdirs(client, op.path),
    Create: lambda client, op: wire.Create(client, op.path, _rows(op.content), op.overwrite),
    Append: lambda client, op: wire.Append(client, op.path, _rows(op.content)),
    Open: lambda client, op: wire.Open(client, op.path),
    Delete: lambda client, op: wire.Delete(client, op.path, op.recursive),
    Rename: lambda client, op: wire.Rename(client, op.src, op.dst),
    GetFileStatus: lambda client, op: wire.GetFileStatus(client, op.path),
    Exists: lambda client, op: wire.Exists(client, op.path),
    ListStatus: lambda client, op: wire.ListStatus(client, op.path),
}
"""The operations that have frames of their own, which are packed faster; plain calls only."""


def _call(step: Step) -> wire.AnyCall:
    operation = step.operation
    frame = None if operation.via else _FRAMES.get(type(operation))
    if frame is not None:
        return frame(step.client, operation)
    # Escaped, so that a lone surrogate in a name has a form; the worker finds that no path can hold it.
    return wire.Other(step.client, json.dumps(encode_operation(operation)))


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
