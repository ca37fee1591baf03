"""Calls that last so long that a client probably retries: heard of at the third, once, and kept."""

from __future__ import annotations

from fsconform.adapters.stores.retries import PROPERTIES, advice
from fsconform.engine.slow_calls import SLOW_CALLS, Slow, SlowCalls
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import NotExpressible, Outcome, Returned
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.programs import Event, Step, Trace
from fsconform.records.results import SLOW_SECONDS

MKDIRS, DELETE = Mkdirs(("a",)), Delete(("a",), True)
DONE = Returned(True)
LONG = SLOW_SECONDS + 16


def _trace(*calls: tuple[Operation, float], outcome: Outcome = DONE) -> Trace:
    events = tuple(Event(outcome, 7, 7 + int(seconds * 1e9)) for _, seconds in calls)
    return Trace(tuple(Step(operation) for operation, _ in calls), events)


def test_the_third_slow_call_of_an_operation_is_heard_of_once() -> None:
    slow = SlowCalls()
    assert [*slow.add(_trace((MKDIRS, LONG), (DELETE, LONG), (MKDIRS, 0.01)))] == []
    assert [*slow.add(_trace((MKDIRS, LONG - 1)))] == []
    assert slow.all() == []
    assert [*slow.add(_trace((MKDIRS, LONG + 1)))] == [Slow("mkdirs", SLOW_CALLS, LONG + 1)]
    assert [*slow.add(_trace((MKDIRS, LONG + 9)))] == []
    assert slow.all() == [Slow("mkdirs", 4, LONG + 9)]


def test_neither_quick_calls_nor_those_that_no_client_made_count() -> None:
    slow = SlowCalls()
    assert [*slow.add(_trace(*((MKDIRS, SLOW_SECONDS - 0.1),) * 9))] == []
    assert [*slow.add(_trace(*((MKDIRS, LONG),) * 9, outcome=NotExpressible("no such call")))] == []
    assert slow.all() == []


def test_the_properties_of_a_known_client_are_named() -> None:
    for scheme, names in PROPERTIES.items():
        assert all(name in advice(scheme) for name in names)
    assert "retries and time-outs" in advice("acme")
