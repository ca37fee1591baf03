"""Recorded traces and verdicts as rows of plain values, and back: what was seen can be judged again without a store.

A row holds all that judging needs, the store's snapshots among it. The columns are those of SCHEMA; a later schema
may add columns, and what reads rows takes those of every schema up to its own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from fsconform.engine.findings import Finding
from fsconform.engine.protocol import Execution, Observation, Snapshot
from fsconform.model.core.outcomes import Data, Status
from fsconform.model.filesystem.programs import (
    Event,
    Trace,
    decode_outcome,
    decode_program,
    decode_value,
    encode_outcome,
    encode_program,
    encode_value,
)
from fsconform.records.given import json_of, reason

SCHEMA = 3
"""The schema that is written. Schema 2 added ``impact`` and ``quirk`` of a verdict, schema 3 the table of histories."""

Row = dict[str, Any]


class TraceRowError(ValueError):
    """A row that is no trace or verdict of a schema that this version reads; the text names the column."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A trace with what else judging it needs. ``snapshots`` are numbered by the step they were taken after.

    ``lost`` says why the store was lost on the way, ``throttled`` counts how often it asked to try again, and ``base``
    is the directory in which the program played, if it is known.
    """

    trace: Trace
    snapshots: tuple[tuple[int, Snapshot], ...] = ()
    lost: str = ""
    throttled: int = 0
    base: str = ""


def recorded(execution: Execution) -> Recorded:
    """What is recorded of an execution."""
    return Recorded(execution.trace, execution.snapshots, execution.lost, execution.throttled, execution.base)


def encode_trace(one: Recorded) -> Row:
    """The columns of a trace: program, outcomes, invoked, returned, snapshots, lost, throttled, base.

    Programs, outcomes and snapshots are JSON, with an escape for a lone surrogate, so that such a name survives; times
    are the nanoseconds of the trace's own clock. Raises ValueError for a program with observed content.
    """
    events = one.trace.events
    return {
        "program": _dumps(encode_program(one.trace.program)),
        "outcomes": [_dumps(encode_outcome(event.outcome)) for event in events],
        "invoked": [event.invoked for event in events],
        "returned": [event.returned for event in events],
        "snapshots": _dumps([[step, _encode_snapshot(shot)] for step, shot in one.snapshots]) if one.snapshots else "",
        "lost": storable(one.lost),
        "throttled": one.throttled,
        "base": storable(one.base),
    }


def decode_trace(row: Mapping[str, Any]) -> Recorded:
    """The inverse of :func:`encode_trace`; columns that it does not know are ignored. Raises TraceRowError."""
    try:
        program = decode_program(json_of(row["program"], "program"))
        outcomes = [decode_outcome(json_of(one, "outcome")) for one in row["outcomes"]]
        events = tuple(
            Event(outcome, int(invoked), int(returned))
            for outcome, invoked, returned in zip(outcomes, row["invoked"], row["returned"], strict=True)
        )
        if len(events) > len(program):
            raise ValueError(f"{len(events)} outcomes of {len(program)} steps")
        shots = json_of(row["snapshots"], "snapshots") if row["snapshots"] else []
        snapshots = tuple((int(step), _decode_snapshot(shot)) for step, shot in shots)
        return Recorded(Trace(program, events), snapshots, row["lost"], row["throttled"], row["base"])
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError, OverflowError) as error:
        raise TraceRowError(f"not a recorded trace: {type(error).__name__}: {reason(error)}") from error


def encode_finding(finding: Finding) -> Row:
    """The columns of a verdict, one for each field of a finding; ``changes`` is JSON."""
    return {
        "signature": storable(finding.signature),
        "verdict": finding.verdict,
        "clause": finding.clause,
        "level": finding.level,
        "step": finding.step,
        "noticed": finding.noticed,
        "operation": finding.operation,
        "roles": sorted(finding.roles),
        "observed_kind": storable(finding.observed_kind),
        "after": storable(finding.after),
        "expected": storable(finding.expected),
        "observed": storable(finding.observed),
        "changes": _dumps([[[name, value] for name, value in one] for one in finding.changes]),
        "first": finding.first,
        "message": storable(finding.message),
        "stack": storable(finding.stack),
        "impact": finding.impact,
        "quirk": storable(finding.quirk),
        "precondition": storable(finding.precondition),
    }


_LATER_FIELDS = frozenset(("impact", "quirk", "precondition"))
"""Fields of a finding that rows of schema 1 do not have."""


def decode_finding(row: Mapping[str, Any]) -> Finding:
    """The inverse of :func:`encode_finding`, of rows of any schema. Raises TraceRowError."""
    try:
        fields = {name: row[name] for name in Finding.__dataclass_fields__ if name not in _LATER_FIELDS}
        fields |= {name: row.get(name) or "" for name in _LATER_FIELDS}
        fields["roles"] = frozenset(row["roles"])
        fields["changes"] = tuple(
            tuple((str(name), value) for name, value in one) for one in json_of(row["changes"], "changes")
        )
        return Finding(**fields)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise TraceRowError(f"not a verdict: {type(error).__name__}: {reason(error)}") from error


def storable(text: str) -> str:
    """A text that UTF-8 can hold: a lone surrogate becomes the six characters of its escape."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


_encoder = msgspec.json.Encoder()


def _dumps(value: Any) -> str:
    try:
        return _encoder.encode(value).decode()
    except UnicodeEncodeError:  # a lone surrogate: no UTF-8, but JSON has an escape for it
        return json.dumps(value, separators=(",", ":"))


def _encode_snapshot(shot: Snapshot) -> Row:
    entries = [
        [encode_value(one.listed), _optional(one.status), encode_value(one.data) if one.data is not None else None]
        for one in shot.entries
    ]
    return {"entries": entries, "consistent": shot.consistent, "problem": shot.problem}


def _optional(status: Status | None) -> Any:
    return encode_value(status) if status is not None else None


def _decode_snapshot(row: Mapping[str, Any]) -> Snapshot:
    return Snapshot(tuple(_observation(*one) for one in row["entries"]), bool(row["consistent"]), str(row["problem"]))


def _observation(listed: Any, status: Any, data: Any) -> Observation:
    seen, told = decode_value(listed), decode_value(status)
    read = decode_value(data)
    if (
        not isinstance(seen, Status)
        or not isinstance(told, Status | None)
        or isinstance(told, bool)
        or not isinstance(read, Data | None)
    ):
        raise ValueError("not an entry of a snapshot")
    return Observation(seen, told, read)
