"""Words for what was expected and what was observed: in reports for a person, and as the stable part of signatures."""

from __future__ import annotations

import datetime
from collections import Counter

from fsconform.model.core import content as contents
from fsconform.model.core.errors import short
from fsconform.model.core.operation import BOUNDS, Operation, bounds, paths_of, shape
from fsconform.model.core.outcomes import (
    Data,
    Fact,
    Facts,
    Garbled,
    NotExpressible,
    Outcome,
    Raised,
    Returned,
    Status,
    Unknown,
    Value,
)
from fsconform.model.core.paths import show
from fsconform.model.filesystem.branches import MEANINGS, Difference
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.state import Dir, File, State, locate
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus

_SHOWN_ENTRIES = 12

_LAST_TIME = 253_402_300_799_999
"""The last millisecond of the year 9999."""

NO_RETURN = "did not return"
"""How a call that did not return in its time is told in a signature."""


def call(operation: Operation) -> str:
    """The operation as a reader would write it."""
    told, content = [], ""
    for name, form in shape(type(operation)):
        value = getattr(operation, name)
        match form:
            case "content":
                content = f" + {contents.length(value)} bytes"
            case "path":
                told.append(show(value))
            case "paths":
                told.append(f"[{', '.join(map(show, value))}]")
            case "flag":
                told.append(f"{name}={str(value).lower()}")
            case _ if name == "via":
                pass
            case "texts":
                told.append(f"{name}=[{', '.join(value)}]")
            case _ if bounds(type(operation)).get(name) == BOUNDS["Mode"]:
                told.append(f"{name}=0{value:03o}")
            case _:
                told.append(f"{name}={fact_text(value, name) if type(value) is int and name not in SIZES else value}")
    via = f" via {operation.via}" if operation.via else ""
    return f"{operation.NAME}({', '.join(told)}){via}{content}"


def observed(outcome: Outcome) -> str:
    """What a call gave back, in full."""
    match outcome:
        case Returned(value):
            return _value(value)
        case Raised(classes, message):
            first_line = message.splitlines()[0] if message else ""
            return f"raised {short(classes[0])}" + (f": {first_line}" if first_line else "")
        case Unknown(reason):
            return f"unknown: {reason}"
        case NotExpressible(reason):
            return f"not expressible: {reason}"


def _status(status: Status) -> str:
    kind = "directory" if status.is_dir else "file"
    return f"{show(status.path)} ({kind}, {status.length} bytes)"


def _value(value: Value) -> str:
    match value:
        case None:
            return "succeeded"
        case bool():
            return f"returned {str(value).lower()}"
        case Data(length, digest):
            return f"returned {length} bytes, SHA-256 {digest[:12]}"
        case Facts(kind, items):
            return f"returned {kind}: " + ", ".join(f"{name} {fact_text(fact, name)}" for name, fact in items)
        case Garbled(words):
            return f"returned {words}"
        case Status():
            block = "" if value.is_dir else f", block size {value.block_size}"
            return f"returned {_status(value)}{block}"
        case _:
            more = f" and {len(value) - _SHOWN_ENTRIES} more" if len(value) > _SHOWN_ENTRIES else ""
            return f"returned [{', '.join(map(_status, value[:_SHOWN_ENTRIES]))}{more}]"


TIMES = frozenset(
    ("accessed", "began", "ended", "modified", "opened", "reference_began", "reference_ended", "reference_modified")
)
"""The names of facts and arguments that are milliseconds since 1970."""

SIZES = frozenset(("length", "blockSize", "block_size", "spaceConsumed"))
"""The names of facts and arguments that are bytes."""


def fact_text(fact: Fact, name: str = "") -> str:
    """A fact as a person writes it: a permission in octal, a time with its zone, a size in bytes."""
    if type(fact) is int:
        if name == "permission" and fact >= 0:
            return f"0{fact:03o}"
        if name in TIMES and 0 <= fact <= _LAST_TIME:
            moment = datetime.datetime.fromtimestamp(fact // 1000, datetime.UTC)
            return f"{moment:%Y-%m-%dT%H:%M:%S}.{fact % 1000:03}Z"
        if name in SIZES:
            return f"{fact} byte" if fact == 1 else f"{fact} bytes"
    match fact:
        case bool():
            return str(fact).lower()
        case None:
            return "unset"
        case tuple():
            return f"[{', '.join(fact)}]"
        case _:
            return str(fact)


def difference_of(outcome: Outcome, state: State, operation: Operation) -> Difference | None:
    """What is wrong with a returned value, where the operation's meaning can say so."""
    meaning = MEANINGS[type(operation)]
    if meaning.differs is None or not isinstance(outcome, Returned) or isinstance(outcome.value, Garbled):
        return None
    return meaning.differs(state, operation, outcome.value)


def kind_of(outcome: Outcome, state: State, operation: Operation) -> str:
    """What a call gave back, abstracted from names and sizes: equal for equal ways to go wrong."""
    difference = difference_of(outcome, state, operation)
    if difference is not None:
        return f"returned {difference.words}"
    match outcome:
        case Raised(classes):
            return f"raised {short(classes[0])}"
        case Returned(None):
            return "succeeded"
        case Returned(bool() as value):
            return f"returned {str(value).lower()}"
        case Returned(Garbled()):
            return "returned a value of another type"
        case Returned(Facts() as value):
            return other(value)
        case Returned(value):
            return f"returned {_wrong(value, state, operation)}"
        case Unknown(hung=hung):
            return NO_RETURN if hung else "unknown"
        case NotExpressible():
            return "not expressible"


def other(value: Facts) -> str:
    """Of facts that are wrong in a way that the operation's meaning does not say."""
    return f"returned other {value.kind}"


def _wrong(value: Value, state: State, operation: Operation) -> str:
    paths = paths_of(operation)
    node = locate(state, paths[0]) if paths else None
    if not isinstance(node, File | Dir) or not isinstance(operation, _OF_ONE):
        return "another result"
    if isinstance(value, Data):
        if not isinstance(node, File):
            return "the bytes of a directory"
        return "other bytes" if value.length == contents.length(node.content) else _length(value.length, node)
    if isinstance(value, Status):
        return _wrong_status(value, node, paths_of(operation)[0])
    if not isinstance(value, tuple):
        return "another result"
    return _wrong_listing(value, node, paths_of(operation)[0])


def _length(length: int, node: File) -> str:
    return "too few bytes" if length < contents.length(node.content) else "too many bytes"


def _wrong_status(status: Status, node: File | Dir, path: tuple[str, ...]) -> str:
    if status.path != path:
        return "a status with another path"
    if status.is_dir and isinstance(node, File):
        return "a directory for a file"
    if not status.is_dir and isinstance(node, Dir):
        return "a file for a directory"
    if isinstance(node, Dir):
        return "a directory with a length" if status.length else "the status of a directory"
    if status.length != contents.length(node.content):
        return "a wrong length"
    return "a block size of 0" if status.block_size <= 0 else "the status of a file"


def _wrong_listing(listed: tuple[Status, ...], node: File | Dir, path: tuple[str, ...]) -> str:
    expected: dict[tuple[str, ...], File | Dir] = {path: node}
    if isinstance(node, Dir):
        expected = {(*path, name): child for name, child in node.children.items()}
    times = Counter(status.path for status in listed)
    wrong = []
    if any(count > 1 for count in times.values()):
        wrong.append("repeated entries")
    if any(entry not in expected for entry in times):
        wrong.append("extra entries")
    if any(entry not in times for entry in expected):
        wrong.append("missing entries")
    if not wrong:
        details = {
            _wrong_status(status, expected[status.path], status.path)
            for status in listed
            if status.path in expected and not _agrees(status, expected[status.path])
        }
        wrong.extend(sorted(details))
    return "a listing with " + " and ".join(wrong or ["all entries"])


def _agrees(status: Status, node: File | Dir) -> bool:
    if isinstance(node, Dir):
        return status.is_dir and not status.length
    return not status.is_dir and status.length == contents.length(node.content) and status.block_size > 0


_OF_ONE = GetFileStatus | ListStatus | Open


def expected_value(state: State, operation: Operation) -> str:
    """What a query of the core is expected to return, in full; empty for all others."""
    if not isinstance(operation, _OF_ONE):
        return ""
    node = locate(state, paths_of(operation)[0])
    path = paths_of(operation)[0]
    if isinstance(node, File):
        size = contents.length(node.content)
        if isinstance(operation, Open):
            digest = contents.digest(node.content)
            return f"return {size} bytes" + (f", SHA-256 {digest[:12]}" if digest else "")
        status = f"{show(path)} (file, {size} bytes)"
        return f"return [{status}]" if isinstance(operation, ListStatus) else f"return {status}"
    if isinstance(node, Dir) and isinstance(operation, ListStatus):
        entries = [_entry((*path, name), child) for name, child in sorted(node.children.items())]
        more = f" and {len(entries) - _SHOWN_ENTRIES} more" if len(entries) > _SHOWN_ENTRIES else ""
        return f"return [{', '.join(entries[:_SHOWN_ENTRIES])}{more}]"
    return f"return {show(path)} (directory, 0 bytes)"


def _entry(path: tuple[str, ...], node: File | Dir) -> str:
    if isinstance(node, Dir):
        return f"{show(path)} (directory, 0 bytes)"
    return f"{show(path)} (file, {contents.length(node.content)} bytes)"
