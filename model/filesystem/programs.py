"""Programs and traces: plain data, with a JSON form that replay files and the wire share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fsconform.model.core import content as contents
from fsconform.model.core import outcomes as out
from fsconform.model.core.operation import (
    BOUNDS,
    OPERATIONS,
    Form,
    Operation,
    bounds,
    brief,
    check_bound,
    check_words,
    defaults,
    reason,
    shape,
)
from fsconform.model.core.paths import parse, show
from fsconform.model.filesystem import families


@dataclass(frozen=True, slots=True)
class Step:
    """One call by one client.

    ``probe`` marks a step that only re-reads what earlier steps touched, ``setup`` one that only builds the place where
    the program plays. Both are executed and judged as any other step.
    """

    operation: Operation
    client: int = 0
    probe: bool = False
    setup: bool = False


Program = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Event:
    """The outcome of one step, with the monotonic times of its call and return in nanoseconds."""

    outcome: out.Outcome
    invoked: int = 0
    returned: int = 0


@dataclass(frozen=True, slots=True)
class Trace:
    """A program and the events of its steps on one store; shorter than the program if the store was lost on the way."""

    program: Program
    events: tuple[Event, ...]


CLIENTS = (0, 63)
"""The numbers of clients: each is an instance of its own in the store."""
_SEGMENT = (BOUNDS["Long"], (0, BOUNDS["Long"][1]), (0, BOUNDS["Long"][1]))
"""Seed, length and offset of a segment of content: longs, as lengths of files are."""

families.load()


def encode_content(content: contents.Content) -> list[list[int]]:
    """Content as ``[[seed, length, offset], ...]``. Raises ValueError for observed content, which no program holds."""
    rows = []
    for part in content:
        if isinstance(part, contents.Observed):
            raise ValueError("observed content is no part of a program")
        rows.append([part.seed, part.length, part.offset])
    return rows


def decode_content(rows: Any) -> contents.Content:
    """The inverse of :func:`encode_content`. Raises ValueError or TypeError for anything else."""
    parts = []
    for seed, length, offset in rows:
        if not all(type(number) is int for number in (seed, length, offset)) or length < 0 or offset < 0:
            raise ValueError(f"not a content segment: {brief([seed, length, offset])}")
        for name, number, bound in zip(("seed", "length", "offset"), (seed, length, offset), _SEGMENT, strict=True):
            check_bound(f"the {name} of content", number, bound)
        parts.append(contents.Segment(seed, length, offset))
    check_bound("the length of content", sum(part.length for part in parts), _SEGMENT[1])
    return tuple(parts)


def _encode_field(form: Form, value: Any) -> Any:
    match form:
        case "path":
            return show(value)
        case "paths":
            return [show(path) for path in value]
        case "content":
            return encode_content(value)
        case "texts":
            return list(value)
        case _:
            return value


_TYPES: dict[Form, type] = {"flag": bool, "number": int, "text": str}


def _decode_field(form: Form, value: Any) -> Any:
    match form:
        case "path":
            return parse(value)
        case "paths":
            return tuple(map(parse, value))
        case "content":
            return decode_content(value)
        case "texts":
            if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
                raise ValueError(f"{brief(value)} is no list of texts")
            return tuple(value)
        case _:
            if type(value) is not _TYPES[form]:
                raise ValueError(f"{brief(value)} is no {form}")
            return value


def encode_operation(operation: Operation) -> dict[str, Any]:
    """An operation as a JSON object with its name under ``op``; what has its default value goes without saying."""
    kind = type(operation)
    row: dict[str, Any] = {"op": kind.NAME}
    unsaid = defaults(kind)
    for name, form in shape(kind):
        value = getattr(operation, name)
        if name not in unsaid or value != unsaid[name]:
            row[name] = _encode_field(form, value)
    return row


def decode_operation(row: Mapping[str, Any]) -> Operation:
    """The inverse of :func:`encode_operation`. Raises ValueError naming what is wrong."""
    try:
        fields = dict(row)
        kind = OPERATIONS[fields.pop("op")]
        forms = dict(shape(kind))
        operation = kind(**{name: _decode_field(forms[name], value) for name, value in fields.items()})
        for name, bound in bounds(kind).items():
            check_bound(f"{name} of {kind.NAME}", getattr(operation, name), bound)
        check_words(operation)
        if operation.via not in ("", *kind.VIAS):
            raise ValueError(f"there is no {kind.NAME} via {brief(operation.via)}")
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"not an operation: {brief(row)}: {reason(error)}") from error
    return operation


def encode_program(program: Program) -> list[dict[str, Any]]:
    """A program as a list of JSON objects; client 0 and steps that are no probes go without saying."""
    rows = []
    for step in program:
        row = encode_operation(step.operation)
        if step.client:
            row["client"] = step.client
        if step.probe:
            row["probe"] = True
        if step.setup:
            row["setup"] = True
        rows.append(row)
    return rows


def decode_program(rows: Any) -> Program:
    """The inverse of :func:`encode_program`. Raises ValueError naming the step that is wrong."""
    if not isinstance(rows, list):
        raise ValueError("a program is a list of steps")
    steps = []
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            raise ValueError(f"step {number} is not an object")
        fields = dict(row)
        client, probe, setup = fields.pop("client", 0), fields.pop("probe", False), fields.pop("setup", False)
        if (
            type(client) is not int
            or not CLIENTS[0] <= client <= CLIENTS[1]
            or type(probe) is not bool
            or type(setup) is not bool
        ):
            raise ValueError(
                f"step {number}: client is a number from 0 to {CLIENTS[1]}, probe and setup are true or false"
            )
        try:
            steps.append(Step(decode_operation(fields), client, probe, setup))
        except ValueError as error:
            raise ValueError(f"step {number}: {error}") from error
    return tuple(steps)


def encode_outcome(outcome: out.Outcome) -> dict[str, Any]:
    """An outcome as a JSON object with its kind under ``kind``."""
    match outcome:
        case out.Returned(value):
            return {"kind": "returned", "value": encode_value(value)}
        case out.Raised(classes, message, stack):
            row: dict[str, Any] = {"kind": "raised", "classes": list(classes), "message": message}
            return row | {"stack": stack} if stack else row
        case out.Unknown(reason, hung):
            return {"kind": "unknown", "reason": reason} | ({"hung": True} if hung else {})
        case out.NotExpressible(reason):
            return {"kind": "not-expressible", "reason": reason}


def decode_outcome(row: Mapping[str, Any]) -> out.Outcome:
    """The inverse of :func:`encode_outcome`. Raises ValueError for anything else."""
    try:
        match row["kind"]:
            case "returned":
                return out.Returned(decode_value(row["value"]))
            case "raised":
                classes = tuple(map(_text, row["classes"]))
                return out.Raised(classes, _text(row["message"]), _text(row.get("stack", "")))
            case "unknown":
                return out.Unknown(_text(row["reason"]), row.get("hung", False) is True)
            case "not-expressible":
                return out.NotExpressible(_text(row["reason"]))
            case kind:
                raise ValueError(f"no such kind of outcome: {brief(kind)}")
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not an outcome: {brief(row)}: {reason(error)}") from error


def _encode_status(status: out.Status) -> dict[str, Any]:
    return {
        "path": show(status.path),
        "dir": status.is_dir,
        "length": status.length,
        "block": status.block_size,
    }


def _decode_status(row: Mapping[str, Any]) -> out.Status:
    is_dir = row["dir"]
    if type(is_dir) is not bool:
        raise ValueError(f"{brief(is_dir)} is neither true nor false")
    return out.Status(parse(_text(row["path"])), is_dir, _long(row["length"]), _long(row["block"]))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{brief(value)} is no text")
    return value


def _long(value: Any) -> int:
    if type(value) is not int:
        raise ValueError(f"{brief(value)} is no number")
    check_bound("a number of a status", value, BOUNDS["Long"])
    return value


def _fact(value: Any) -> out.Fact:
    if isinstance(value, list):
        return tuple(map(_text, value))
    if value is None or isinstance(value, str | bool):
        return value
    return _long(value)


def encode_value(value: out.Value) -> Any:
    """A returned value in its JSON form."""
    match value:
        case out.Facts(kind, items):
            return {"facts": kind, "items": {name: list(it) if isinstance(it, tuple) else it for name, it in items}}
        case out.Data(length, digest):
            return {"length": length, "sha256": digest}
        case out.Status():
            return _encode_status(value)
        case out.Garbled(words):
            return {"garbled": words}
        case tuple():
            return [_encode_status(status) for status in value]
        case _:
            return value


def decode_value(value: Any) -> out.Value:
    """The inverse of :func:`encode_value`. Raises ValueError, KeyError or TypeError for anything else."""
    if isinstance(value, Mapping) and "facts" in value:
        return out.Facts(_text(value["facts"]), tuple((name, _fact(it)) for name, it in value["items"].items()))
    if isinstance(value, Mapping) and "garbled" in value:
        return out.Garbled(_text(value["garbled"]))
    if isinstance(value, list):
        return tuple(_decode_status(row) for row in value)
    if isinstance(value, Mapping):
        if "sha256" in value:
            return out.Data(_long(value["length"]), _text(value["sha256"]))
        return _decode_status(value)
    if value is None or isinstance(value, bool):
        return value
    raise ValueError(f"not a value: {brief(value)}")
