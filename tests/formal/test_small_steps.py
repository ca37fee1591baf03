"""Histories of two clients: those that module SmallSteps allows are those that the search for an order accepts.

TLC prints every complete history within bounds, with all outcomes that its calls may have. Histories that the calls and
outcomes of the bounds can make up, right or wrong, must be accepted if they were printed and refused if they were not.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from random import Random
from typing import Any

import pytest

from fsconform.adapters.checkers import tlc
from fsconform.adapters.checkers.tools import Tlc
from fsconform.app.formal.checking import ROOT, contract_of, options_of
from fsconform.engine.formal import namespace
from fsconform.engine.formal.namespace import Bounds, Seen
from fsconform.engine.histories.by_oracle import OracleSteps
from fsconform.engine.histories.linearizability import Call, Rest, linearize
from fsconform.engine.histories.small_steps import ATOMIC_DELETE, ATOMIC_RENAME, SmallSteps
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Outcome, Returned
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.oracle import Allowed, Oracle
from fsconform.model.filesystem.state import State
from fsconform.specs import formal
from fsconform.specs.formal import Check

A, B, AB = ("a",), ("b",), ("a", "b")

CALLS = (
    *(namespace.Call("create", path) for path in (A, AB)),
    *(namespace.Call("mkdirs", path) for path in (A, AB)),
    *(namespace.Call("delete", path, flag=flag) for path in (A, AB) for flag in (False, True)),
    *(namespace.Call("rename", *paths) for paths in ((A, B), (B, A), (AB, B))),
    *(namespace.Call("getFileStatus", path) for path in (A, B, AB)),
)

BEGINNINGS: tuple[tuple[tuple[Any, ...], tuple[Any, ...]], ...] = (
    (((),), ()),
    (((),), (A,)),
    (((), A), ()),
    (((), A), (AB,)),
    (((), A, B), (AB,)),
)
"""Directories and files of the module's beginnings by number."""

EMIT = """
Told(e) == <<e.client, e.op, e.path, e.dst, e.flag, e.res, e.seen>>
Emit == Complete => PrintT(ToString(<<"HISTORY", beginning, [n \\in DOMAIN history |-> Told(history[n])]>>))
"""
MARK = '"<<\\"HISTORY\\"'
_TO_JSON = str.maketrans({"{": "[", "}": "]"})


@dataclass(frozen=True, slots=True)
class Event:
    """A call of a client, or its return with what it gave."""

    client: int
    call: namespace.Call | None
    res: str = ""
    seen: Seen = frozenset()


History = tuple[int, tuple[Event, ...]]
"""The number of the beginning, and what followed."""


def history(line: str) -> History:
    text = line.strip()[1:-1].replace('\\"', '"').translate(_TO_JSON).replace("<<", "[").replace(">>", "]")
    _, beginning, rows = json.loads(text.replace("TRUE", "true").replace("FALSE", "false"))
    return beginning, tuple(map(_event, rows))


def _event(row: list[Any]) -> Event:
    client, op, path, dst, flag, res, seen = row
    call = namespace.Call(op, tuple(path), tuple(dst), flag=flag) if op else None
    return Event(client, call, res, frozenset((name, kind, size) for name, kind, size in seen))


def allowed(tool: Tlc, check: Check) -> set[History]:
    """The complete histories that the module allows."""
    found: set[History] = set()
    modules = {**formal.module_texts(), ROOT: formal.root_module(ROOT, check, EMIT)}
    configuration = formal.configuration(check, options_of(check), "INVARIANT Emit")

    def hear(line: str) -> None:
        if line.startswith(MARK):
            found.add(history(line))

    outcome = tlc.check(tool, modules, ROOT, configuration, 300, hear=hear)
    assert outcome.ending == "passed", outcome.told
    return found


def orders(first: int, second: int) -> Iterator[tuple[int, ...]]:
    """The orders of the events of two clients of so many calls, each a call and its return; the first one begins."""
    events = 2 * (first + second)
    for places in combinations(range(events), 2 * second):
        if 0 not in places:
            yield tuple(2 if place in places else 1 for place in range(events))


def candidates(check: Check, bounds: Bounds, calls: Sequence[namespace.Call]) -> Iterator[tuple[History, list[Any]]]:
    """All histories that these calls and any of their outcomes make up, each with the calls that are judged."""
    operations = {call: namespace.operation(call) for call in calls}
    answers = {call: tuple(namespace.answers(call, bounds)) for call in calls}
    each, most = int(check.constants["MaxEach"]), int(check.constants["MaxCalls"])
    beginnings = [int(one) for one in check.constants["Beginnings"].strip("{}").split(",")]
    for first, second in product(range(1, each + 1), range(each + 1)):
        if first + second > most:
            continue
        for order in orders(first, second):
            for chosen in product(calls, repeat=first + second):
                lanes = {1: chosen[:first], 2: chosen[first:]}
                for given in product(*(answers[call] for call in chosen)):
                    events, judged = _told(order, lanes, {1: given[:first], 2: given[first:]}, operations)
                    for beginning in beginnings:
                        yield (beginning, events), judged


def _told(
    order: Sequence[int], lanes: dict[int, Any], given: dict[int, Any], operations: dict[namespace.Call, Operation]
) -> tuple[tuple[Event, ...], list[Call[Operation, Outcome]]]:
    events: list[Event] = []
    judged: list[Call[Operation, Outcome]] = []
    seen_of = {1: 0, 2: 0}
    since = {1: 0, 2: 0}
    for time, client in enumerate(order):
        number, returns = divmod(seen_of[client], 2)
        seen_of[client] += 1
        call = lanes[client][number]
        if not returns:
            since[client] = time
            events.append(Event(client, call))
        else:
            res, seen, _, outcome = given[client][number]
            events.append(Event(client, None, res, seen))
            judged.append(Call(client, operations[call], outcome, since[client], time))
    return tuple(events), judged


class Within:
    """A model within the bounds of the finite one, asked once for each step."""

    def __init__(self, model: OracleSteps, bounds: Bounds) -> None:
        self._model, self._bounds = model, bounds
        self._known: dict[tuple[State, Operation, Outcome, Rest], list[tuple[State, Rest]]] = {}

    def step(self, state: State, operation: Operation, outcome: Outcome, rest: Rest) -> Iterable[tuple[State, Rest]]:
        key = (state, operation, outcome, rest)
        if key not in self._known:
            reached = self._model.step(state, operation, outcome, rest)
            self._known[key] = [(after, left) for after, left in reached if self._bounds.hold(after)]
        return self._known[key]

    def effects(self, state: State, operation: Operation, rest: Rest) -> Iterable[tuple[State, Rest]]:
        return self._model.effects(state, operation, rest)

    def is_best(self, operation: Operation, left: Rest) -> bool:
        return self._model.is_best(operation, left)


def near(found: set[History], check: Check, bounds: Bounds, most: int) -> Iterator[tuple[History, list[Any]]]:
    """Some of these histories, and all that differ from one of them in what one call gave."""
    for beginning, events in Random(0).sample(sorted(found, key=repr), min(most, len(found))):
        order = [event.client for event in events]
        lanes = {client: [one.call for one in events if one.client == client and one.call] for client in (1, 2)}
        operations = {call: namespace.operation(call) for lane in lanes.values() for call in lane}
        answers = {call: {one[:2]: one for one in namespace.answers(call, bounds)} for call in operations}
        returns = {client: [one for one in events if one.client == client and not one.call] for client in (1, 2)}
        given = {
            client: [answers[call][one.res, one.seen] for call, one in zip(lanes[client], returns[client], strict=True)]
            for client in (1, 2)
        }
        for changed, number in [(client, number) for client in (1, 2) for number in range(len(lanes[client]))]:
            for other in answers[lanes[changed][number]].values():
                outcomes = [*given[changed][:number], other, *given[changed][number + 1 :]]
                made, judged = _told(order, lanes, {**given, changed: outcomes}, operations)
                yield (beginning, made), judged


class Compared:
    """What the module allows of a check, beside what the search accepts."""

    def __init__(self, tool: Tlc, check: Check, model: OracleSteps | None = None) -> None:
        self.allowed, self.check = allowed(tool, check), check
        constants = check.constants
        self.bounds = Bounds(("a", "b"), int(constants["MaxDepth"]), ("x",), int(constants["MaxLength"]))
        self._model = Within(model or OracleSteps(Oracle(contract_of(check))), self.bounds)
        self._states = [namespace.state(dirs, [(file, ()) for file in files]) for dirs, files in BEGINNINGS]

    def differences(self, tried: Iterable[tuple[History, list[Any]]]) -> list[str]:
        """What only one side allows of the histories that are tried, each told."""
        told = []
        for found, judged in tried:
            accepted = linearize(self._model, [self._states[found[0]]], judged).holds
            if accepted != (found in self.allowed):
                told.append(f"only the {'search' if accepted else 'module'} allows {found}")
        return told

    def every(self) -> list[str]:
        """The differences between all histories of the bounds."""
        calls = [call for call in CALLS if f'"{call.op}"' in self.check.constants["Operations"]]
        return self.differences(candidates(self.check, self.bounds, calls))

    def some(self, most: int) -> list[str]:
        """The differences near as many histories that the module allows."""
        return self.differences(near(self.allowed, self.check, self.bounds, most))


def bounded(name: str = "steps", **constants: str) -> Check:
    check = formal.checks()[name]
    return replace(check, constants={**check.constants, **constants}, invariants=())


def test_two_calls_at_once(tlc: Tlc) -> None:
    found = Compared(tlc, bounded(Beginnings="{0, 3}"))
    assert len(found.allowed) > 5_000
    assert not found.every()


@pytest.mark.long
@pytest.mark.parametrize("contract", ["", "hdfs", "rawlocal"])
def test_two_calls_at_once_from_every_beginning(contract: str, tlc: Tlc) -> None:
    found = Compared(tlc, replace(bounded(), contract=contract))
    assert not found.every()


STEPS = {
    '{"mkdirs"}': (ATOMIC_RENAME, ATOMIC_DELETE),
    '{"mkdirs", "delete"}': (ATOMIC_RENAME,),
    '{"mkdirs", "rename"}': (ATOMIC_DELETE,),
    '{"mkdirs", "delete", "rename"}': (),
}
"""What stores promise whose calls may take effect in these steps."""


def in_steps(tool: Tlc, steps: str, contract: str = "", **constants: str) -> Compared:
    operations = '{"mkdirs", "delete", "rename", "getFileStatus"}'
    check = replace(bounded(InSteps=steps, **{"Operations": operations, **constants}), contract=contract)
    return Compared(tool, check, SmallSteps(Oracle(contract_of(check)), STEPS[steps]))


@pytest.mark.parametrize("steps", STEPS)
def test_two_calls_in_small_steps(steps: str, tlc: Tlc) -> None:
    assert not in_steps(tlc, steps, Beginnings="{0, 3}").every()


class MakingParents(SmallSteps):
    """Files are created once their parents were made, and are not seen while they are written."""

    def step(self, state: State, operation: Operation, outcome: Outcome, rest: Any = None) -> Any:
        if not isinstance(operation, Create):
            return super().step(state, operation, outcome, rest)
        at_once = OracleSteps.step(self, state, operation, outcome) if rest is None else ()
        return [*at_once, *self.making(state, operation, outcome, rest)]


def test_files_that_are_created_with_their_parents(tlc: Tlc) -> None:
    """Others may see the parents before the file."""
    operations = '{"create", "delete", "getFileStatus"}'
    check = bounded(InSteps='{"create", "delete"}', Operations=operations, Beginnings="{0, 2}")
    assert not Compared(tlc, check, MakingParents(Oracle(contract_of(check)), (ATOMIC_RENAME,))).every()


def test_two_calls_in_the_small_steps_of_an_object_store(tlc: Tlc) -> None:
    assert not in_steps(tlc, list(STEPS)[-1], "s3a", Beginnings="{2, 4}").every()


def test_renames_that_take_each_other_for_an_empty_directory(tlc: Tlc) -> None:
    found = in_steps(tlc, list(STEPS)[-1], "s3a", Operations='{"rename"}', Beginnings="{1, 2}", **THREE)
    there, back = namespace.Call("rename", A, B), namespace.Call("rename", B, A)
    both = Event(1, there), Event(2, there), Event(1, None, "true"), Event(2, None, "true")
    lost = *both, Event(2, back), Event(2, None, "FileNotFoundException")
    a_file, an_empty_directory = 1, 2
    assert (an_empty_directory, lost) in found.allowed
    assert (a_file, lost) not in found.allowed
    assert not found.some(300)


@pytest.mark.long
@pytest.mark.parametrize("operations", ['{"mkdirs", "delete"}', '{"delete", "rename"}', '{"rename", "getFileStatus"}'])
def test_three_calls_in_small_steps(operations: str, tlc: Tlc) -> None:
    found = in_steps(tlc, list(STEPS)[-1], Operations=operations, Beginnings="{3}", **THREE)
    assert not found.some(3_000)


def test_small_steps_that_are_not_promised_away_are_found(tlc: Tlc) -> None:
    found = in_steps(tlc, next(iter(STEPS)), Beginnings="{3}")
    found.allowed = in_steps(tlc, list(STEPS)[-1], Beginnings="{3}").allowed
    told = found.every()
    assert told and all(one.startswith("only the module") for one in told)


THREE = {"MaxCalls": "3", "MaxEach": "2"}


def test_three_calls(tlc: Tlc) -> None:
    found = Compared(tlc, bounded(Operations='{"create", "rename"}', Beginnings="{3}", **THREE))
    assert max(len(events) for _, events in found.allowed) == 6
    assert not found.some(600)


@pytest.mark.long
@pytest.mark.parametrize("operations", ['{"mkdirs", "rename"}', '{"delete", "getFileStatus"}', '{"create", "delete"}'])
def test_more_of_three_calls(operations: str, tlc: Tlc) -> None:
    found = Compared(tlc, bounded(Operations=operations, Beginnings="{0, 3}", **THREE))
    assert not found.some(5_000)


def test_a_change_of_the_module_is_found(tlc: Tlc) -> None:
    found = Compared(tlc, bounded("steps-fault-create", Beginnings="{0}"))
    told = found.every()
    assert any(one.startswith("only the module") and one.count("res='ok'") == 2 for one in told)


class Lenient(Oracle):
    """An oracle that allows a file to be created where one is."""

    def step(self, state: State, operation: Operation, outcome: Outcome) -> Allowed:
        found = super().step(state, operation, outcome)
        if not found and isinstance(operation, Create) and outcome == Returned(None):
            return ((self.situation(state, operation).first, state),)
        return found


def test_a_change_of_the_model_is_found(tlc: Tlc) -> None:
    check = bounded(Operations='{"create"}', Beginnings="{0}")
    told = Compared(tlc, check, OracleSteps(Lenient(contract_of(check)))).every()
    assert told and all(one.startswith("only the search") for one in told)
