"""Where executions enter the engine: whatever a session gave has the right form from here on.

Sessions are written by many hands, and stores answer what they like. A value of a type that no call returns becomes
:class:`Garbled`, which no clause allows: it is judged like any other wrong answer. What is no outcome at all becomes
Unknown, so that the program is inconclusive. Neither ends a run.
"""

from __future__ import annotations

from typing import Any

from fsconform.engine.protocol import Execution, Observation, Snapshot
from fsconform.model.core.operation import BOUNDS
from fsconform.model.core.outcomes import (
    Data,
    Facts,
    Garbled,
    NotExpressible,
    Outcome,
    Raised,
    Returned,
    Status,
    Unknown,
)
from fsconform.model.filesystem.output.full_disk import FillUp
from fsconform.model.filesystem.programs import Event, Program, Trace

LONGEST = 120
"""Characters that are kept of a foreign value's own text."""

NO_SPACE = ("No space left on device", "Disk quota exceeded", "(ENOSPC)", "(EDQUOT)")
"""How systems say that a disk is full, or a user's part of it."""

LEAST, GREATEST = BOUNDS["Long"]

NO_CLASS = "an error without a class"
"""The class of an error of which the session named none."""


def taken(program: Program, execution: Any) -> Execution:
    """The execution of a program, with everything in it of the declared type; itself where it was so."""
    if type(execution) is not Execution:
        return Execution(Trace(program, (_no_outcome(0, f"the session gave {foreign(execution)}"),)))
    trace = execution.trace
    events: tuple[Any, ...] = trace.events if type(trace) is Trace and type(trace.events) is tuple else (trace,)
    if not (len(events) <= len(program) and all(map(_is_sound, events)) and _is_whole(program, events)):
        trace = Trace(program, _events(program, events))
    elif trace.program is not program and trace.program != program:
        trace = Trace(program, events)
    trace = _without_space(trace)
    if trace is execution.trace and _is_plain(execution):
        return execution
    snapshots = execution.snapshots if type(execution.snapshots) is tuple else ()
    housekeeping = execution.housekeeping if type(execution.housekeeping) is tuple else ()
    requests = execution.requests if type(execution.requests) is tuple else ()
    return Execution(
        trace,
        tuple((one[0], _snapshot(one[1])) for one in snapshots if _is_pair(one, int, object)),
        _count(execution.store_nanoseconds),
        _text(execution.lost),
        tuple(one for one in housekeeping if _is_pair(one, int, int)),
        _count(execution.throttled),
        _text(execution.throttling),
        _text(execution.base),
        tuple(one for one in requests if _is_pair(one, int, dict)),
    )


def _without_space(trace: Trace) -> Trace:
    """The trace up to a call that the sandbox has no space for: that is the machine's, and says nothing of the store.

    A program that fills a place up itself is there to see just that.
    """
    for number, event in enumerate(trace.events):
        outcome = event.outcome
        if type(outcome) is Raised and any(one in outcome.message for one in NO_SPACE):
            if any(type(step.operation) is FillUp for step in trace.program):
                return trace
            reason = f"there is no space left where the programs play: {outcome.message[:LONGEST]}"
            cut = Event(Unknown(reason), event.invoked, event.returned)
            return Trace(trace.program, (*trace.events[:number], cut))
    return trace


def foreign(value: object) -> str:
    """A value of an unexpected type, in words. Never raises."""
    try:
        text = repr(value)[:LONGEST]
    except Exception:  # a foreign object's own code
        text = "a value that can't be shown"
    return f"{text} ({type(value).__name__})"


def _is_plain(execution: Execution) -> bool:
    return (
        _is_empty(execution.snapshots)
        and _is_empty(execution.requests)
        and type(execution.store_nanoseconds) is int
        and type(execution.lost) is str
        and type(execution.throttled) is int
        and type(execution.throttling) is str
        and type(execution.base) is str
        and type(execution.housekeeping) is tuple
        and all(_is_pair(one, int, int) for one in execution.housekeeping)
    )


def _is_empty(value: object) -> bool:
    return type(value) is tuple and not value


def _is_pair(value: object, first: type, second: type) -> bool:
    return type(value) is tuple and len(value) == 2 and type(value[0]) is first and isinstance(value[1], second)


def _count(value: object) -> int:
    return value if type(value) is int and value >= 0 else 0


def _text(value: object) -> str:
    return value if type(value) is str else foreign(value)


# --- events


def _is_whole(program: Program, events: tuple[Event, ...]) -> bool:
    """True if there is an outcome of each step, or the last one says why there is none of the others."""
    return len(events) == len(program) or (bool(events) and type(events[-1].outcome) is Unknown)


def _is_sound(event: object) -> bool:
    if type(event) is not Event or type(event.invoked) is not int or type(event.returned) is not int:
        return False
    outcome: Any = event.outcome
    kind = type(outcome)
    if kind is Returned:
        return _is_value(outcome.value)
    if kind is Raised:
        return _is_texts(outcome.classes) and bool(outcome.classes) and _are_texts(outcome.message, outcome.stack)
    if kind is Unknown:
        return type(outcome.reason) is str and type(outcome.hung) is bool
    return kind is NotExpressible and type(outcome.reason) is str


def _events(program: Program, events: tuple[Any, ...]) -> tuple[Event, ...]:
    found: list[Event] = []
    for event in events[: len(program)]:
        if type(event) is not Event:
            found.append(_no_outcome(0, f"the session gave {foreign(event)} as an event"))
            break
        invoked = event.invoked if type(event.invoked) is int else 0
        returned = event.returned if type(event.returned) is int else invoked
        found.append(Event(_outcome(event.outcome), invoked, returned))
    if not found or (len(found) < len(program) and type(found[-1].outcome) is not Unknown):
        found.append(_no_outcome(found[-1].returned if found else 0, "the session gave no outcome of this step"))
    return tuple(found)


def _no_outcome(at: int, reason: str) -> Event:
    return Event(Unknown(reason), at, at)


def _outcome(outcome: Any) -> Outcome:
    kind = type(outcome)
    if kind is Returned:
        return outcome if _is_value(outcome.value) else Returned(Garbled(foreign(outcome.value)))
    if kind is Raised:
        listed = outcome.classes if type(outcome.classes) is tuple else ()
        classes = tuple(one for one in listed if type(one) is str)
        return Raised(classes or (NO_CLASS,), _text(outcome.message), _text(outcome.stack))
    if kind is Unknown:
        return Unknown(_text(outcome.reason), outcome.hung is True)
    if kind is NotExpressible:
        return NotExpressible(_text(outcome.reason))
    return Unknown(f"the session gave {foreign(outcome)} as an outcome")


# --- values


def _is_value(value: Any) -> bool:
    kind = type(value)
    if value is None or kind is bool or kind is Garbled:
        return True
    if isinstance(value, Status):
        return _is_status(value)
    if isinstance(value, Data):
        return _is_long(value.length) and type(value.digest) is str
    if isinstance(value, Facts):
        return type(value.kind) is str and type(value.items) is tuple and all(map(_is_item, value.items))
    return kind is tuple and all(map(_is_status, value))


def _is_status(status: object) -> bool:
    return (
        type(status) is Status
        and _is_texts(status.path)
        and type(status.is_dir) is bool
        and _is_long(status.length)
        and _is_long(status.block_size)
    )


def _is_long(value: object) -> bool:
    """True for a number that Hadoop's interface can hold; records are read back by the same bound."""
    return type(value) is int and LEAST <= value <= GREATEST


def _is_item(item: object) -> bool:
    if type(item) is not tuple or len(item) != 2 or type(item[0]) is not str:
        return False
    return item[1] is None or type(item[1]) in (str, bool) or _is_long(item[1]) or _is_texts(item[1])


def _is_texts(value: object) -> bool:
    return type(value) is tuple and all(type(one) is str for one in value)


def _are_texts(*values: object) -> bool:
    return all(type(one) is str for one in values)


# --- snapshots


def _snapshot(snapshot: Any) -> Snapshot:
    if type(snapshot) is Snapshot and type(snapshot.entries) is tuple and all(map(_is_observation, snapshot.entries)):
        return Snapshot(snapshot.entries, snapshot.consistent is True, _text(snapshot.problem))
    return Snapshot((), False, f"the session gave {foreign(snapshot)} as a snapshot")


def _is_observation(one: object) -> bool:
    return (
        type(one) is Observation
        and _is_status(one.listed)
        and (one.status is None or _is_status(one.status))
        and (one.data is None or (type(one.data) is Data and _is_value(one.data)))
    )
