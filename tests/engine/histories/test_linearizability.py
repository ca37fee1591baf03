"""The search for an order of concurrent calls, held against brute force, against Porcupine, and on the filesystem."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

import pytest

from fsconform.adapters.golang import find_go
from fsconform.engine.histories.by_oracle import OracleSteps
from fsconform.engine.histories.linearizability import Call, Rest, linearize
from fsconform.model.core import content
from fsconform.model.core.errors import ancestry
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Outcome, Raised, Returned, Unknown
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.state import EMPTY
from fsconform.model.filesystem.status.predicates import Exists

Op = tuple[str, int]
OfFiles = Call[Operation, Outcome]
History = list[Call[Op, Any]]


class AtOnce:
    """A model whose calls take effect at once, as the search takes it."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def step(self, state: Any, operation: Any, outcome: Any, rest: Rest) -> Iterable[tuple[Any, Rest]]:
        return [(after, None) for after in self.model.step(state, operation, outcome)]

    def effects(self, state: Any, operation: Any, rest: Rest) -> Iterable[tuple[Any, Rest]]:
        return [(after, None) for after in self.model.effects(state, operation)]

    def is_best(self, operation: Any, left: Rest) -> bool:
        return operation[0] in ("read", "get")


class Register:
    """A register with write, read and compare-and-set to one more. ``loses`` writes may be lost: two states then."""

    def __init__(self, loses: bool = False) -> None:
        self.loses = loses

    def step(self, state: int, operation: Op, outcome: Any) -> Iterable[int]:
        return {after for after, given in self._answers(state, operation) if given == outcome}

    def effects(self, state: int, operation: Op) -> Iterable[int]:
        return {after for after, _ in self._answers(state, operation)}

    def _answers(self, state: int, operation: Op) -> Iterator[tuple[int, Any]]:
        name, value = operation
        if name == "write":
            yield value, None
            if self.loses:
                yield state, None
        elif name == "read":
            yield state, state
        else:
            yield (value + 1, "yes") if state == value else (state, "no")


class Small:
    """A map of two keys; an operation's number is 10 times the key and the value."""

    def step(self, state: tuple[int, int], operation: Op, outcome: Any) -> Iterable[tuple[int, int]]:
        (after,) = self.effects(state, operation)
        due = None if operation[0] == "put" else state[operation[1] // 10]
        return (after,) if outcome == due else ()

    def effects(self, state: tuple[int, int], operation: Op) -> Iterable[tuple[int, int]]:
        key, value = divmod(operation[1], 10)
        if operation[0] == "get":
            return (state,)
        return ((value, state[1]) if key == 0 else (state[0], value),)


def _end(call: Call[Any, Any]) -> int:
    return 1 << 62 if call.returned is None else call.returned


def following(model: Any, states: set[Any], call: Call[Any, Any]) -> set[Any]:
    """The states to which a call may lead from some of these, one after the other."""
    if call.returned is None:
        return {after for state in states for after in model.effects(state, call.operation)}
    return {after for state in states for after in model.step(state, call.operation, call.outcome)}


def explained(model: Any, beginning: Any, calls: Sequence[Call[Any, Any]]) -> bool:
    """Brute force: whether any order of the calls that returned, with any of the pending ones, explains them."""
    pending = [place for place, call in enumerate(calls) if call.returned is None]
    returned = [place for place in range(len(calls)) if place not in pending]
    for chosen in range(1 << len(pending)):
        places = returned + [place for bit, place in enumerate(pending) if chosen >> bit & 1]
        for order in permutations(places):
            if any(
                _end(calls[later]) < calls[one].invoked
                for number, one in enumerate(order)
                for later in order[number + 1 :]
            ):
                continue
            states = {beginning}
            for place in order:
                states = following(model, states, calls[place])
            if states:
                return True
    return False


def drawn(model: Any, beginning: Any, random: Random, operations: Sequence[Op], clients: int, number: int) -> History:
    """A history whose calls took effect in the order of random moments; some outcomes are then replaced by others."""
    calls: History = []
    for client in range(clients):
        at = random.randrange(10)
        for _ in range(number):
            end = at + random.randrange(1, 12)
            calls.append(Call(client, random.choice(operations), None, at, end))
            at = end + random.randrange(1, 4)
    moments = [random.uniform(call.invoked, call.returned or 0) for call in calls]
    state, given = beginning, list[Any](calls)
    for place in sorted(range(len(calls)), key=moments.__getitem__):
        operation = calls[place].operation
        outcomes = [one for one in (None, "yes", "no", *range(12)) if model.step(state, operation, one)]
        outcome = random.choice(outcomes)
        state = random.choice(sorted(model.step(state, operation, outcome)))
        given[place] = replace(calls[place], outcome=outcome)
    if random.random() < 0.5:
        spoilt = random.randrange(len(given))
        given[spoilt] = replace(given[spoilt], outcome=random.choice([None, "yes", "no", 0, 1, 2, 3]))
    if random.random() < 0.3:
        last = random.choice([max(i for i, one in enumerate(given) if one.client == c) for c in range(clients)])
        given[last] = replace(given[last], outcome=None, returned=None)
    return given


REGISTER = [("write", 1), ("write", 2), ("read", 0), ("read", 0), ("set", 1), ("set", 0)]
SMALL = [("put", 1), ("put", 2), ("put", 11), ("get", 0), ("get", 10), ("get", 10)]
MODELS = [
    pytest.param(Register(), 0, REGISTER, id="register"),
    pytest.param(Register(loses=True), 0, REGISTER, id="register that loses writes"),
    pytest.param(Small(), (0, 0), SMALL, id="map"),
]


@pytest.mark.parametrize(("model", "beginning", "operations"), MODELS)
def test_it_agrees_with_brute_force(model: Any, beginning: Any, operations: list[Op]) -> None:
    random, holds = Random(f"brute force {operations}"), []
    for _ in range(3400):
        history = drawn(model, beginning, random, operations, random.randrange(1, 4), random.randrange(1, 3))
        found = linearize(AtOnce(model), [beginning], history)
        holds.append(found.holds)
        assert found.holds == explained(model, beginning, history), history
        places = [place for place, call in enumerate(history) if call.returned is not None or place in found.order]
        assert not found.holds or sorted(found.order) == places
    assert 500 < sum(holds) < 3000


@pytest.mark.parametrize(("model", "beginning", "operations"), MODELS)
def test_an_order_that_is_found_explains_all(model: Any, beginning: Any, operations: list[Op]) -> None:
    random = Random(f"orders {operations}")
    for _ in range(200):
        history = drawn(model, beginning, random, operations, 4, 3)
        found = linearize(AtOnce(model), [beginning], history)
        states = {beginning}
        for number, place in enumerate(found.order):
            call = history[place]
            assert not any(_end(history[later]) < call.invoked for later in found.order[number + 1 :])
            states = following(model, states, call)
        assert states
        assert found.holds or found.stuck


def test_what_is_pending_may_have_happened_or_not() -> None:
    begun: Call[Op, Any] = Call(0, ("write", 7), None, 0)
    for seen in (0, 7):
        assert linearize(AtOnce(Register()), [0], [begun, Call(1, ("read", 0), seen, 5, 6)]).holds
    undone = [begun, Call(1, ("read", 0), 7, 5, 6), Call(1, ("read", 0), 0, 7, 8)]
    found = linearize(AtOnce(Register()), [0], undone)
    assert (found.holds, found.order, found.stuck) == (False, (0, 1), (2,))


def test_calls_that_overlap_in_one_client_are_refused() -> None:
    with pytest.raises(ValueError, match="calls 0 and 1 of client 0 overlap"):
        linearize(AtOnce(Register()), [0], [Call(0, ("read", 0), 0, 0, 9), Call(0, ("read", 0), 0, 5, 12)])
    with pytest.raises(ValueError, match="returned before it was invoked"):
        linearize(AtOnce(Register()), [0], [Call(0, ("read", 0), 0, 9, 0)])


def test_a_search_that_is_given_up_says_so() -> None:
    history: History = [Call(client, ("write", client), None, 0, 9) for client in range(8)]
    found = linearize(AtOnce(Register()), [0], [*history, Call(9, ("read", 0), 99, 10, 11)], most_states=100)
    assert found.exhausted and not found.holds


# ------------------------------------------------------------------------------------------------------- Porcupine


@pytest.fixture(scope="module")
def porcupine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Porcupine, as a program that says of each history on its standard input whether it is linearizable."""
    go = find_go((1, 21)).executable
    folder = tmp_path_factory.mktemp("porcupine")
    source = Path(__file__).parent / "porcupine"
    done = subprocess.run(
        [str(go), "build", "-o", str(folder / "porcupine"), "."],
        cwd=source,
        env=os.environ | {"GOFLAGS": "-mod=readonly", "GOTOOLCHAIN": "local"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder / "porcupine"


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("kind", "model", "beginning", "operations"), [
    pytest.param("register", Register(), 0, REGISTER, id="register"),
    pytest.param("map", Small(), (0, 0), SMALL, id="map"),
])  # fmt: skip
def test_it_agrees_with_porcupine(porcupine: Path, kind: str, model: Any, beginning: Any, operations: list[Op]) -> None:
    random = Random(f"porcupine {kind}")
    histories: list[History] = []
    while len(histories) < 1000:
        history = drawn(model, beginning, random, operations, random.randrange(2, 6), random.randrange(2, 6))
        histories.append([one for one in history if one.returned is not None])
    rows = [
        [
            {"client": one.client, "op": one.operation[0], "number": one.operation[1], "outcome": repr(one.outcome),
             "invoked": one.invoked * 2, "returned": (one.returned or 0) * 2 + 1}
            for one in history
        ]
        for history in histories
    ]  # fmt: skip
    told = subprocess.run([porcupine, kind], input=json.dumps(rows), capture_output=True, text=True, check=True).stdout
    judged = [linearize(AtOnce(model), [beginning], history).holds for history in histories]
    assert [one["linearizable"] for one in json.loads(told)] == judged
    assert 100 < sum(judged) < 950


# ------------------------------------------------------------------------------------------------------ filesystems

STEPS = OracleSteps(Oracle(Contract({})))
EXISTS = Raised(ancestry("FileAlreadyExistsException"))
DONE, TRUE = Returned(None), Returned(True)
A, B, C = ("a",), ("b",), ("c",)
FILE = content.of(1, 3)


def holds(*calls: OfFiles) -> bool:
    return linearize(STEPS, [EMPTY], calls).holds


def test_one_of_two_creates_may_win() -> None:
    first: OfFiles = Call(0, Create(A, FILE, False), DONE, 0, 9)
    second: OfFiles = Call(1, Create(A, FILE, False), EXISTS, 1, 8)
    assert holds(first, second)
    assert not holds(first, replace(second, outcome=DONE))


def test_a_rename_onto_one_destination_twice_loses_one() -> None:
    made: list[OfFiles] = [Call(0, Create(path, FILE, False), DONE, at, at + 1) for path, at in ((A, 0), (B, 2))]
    moved: list[OfFiles] = [Call(n, Rename(path, C), TRUE, 10, 20) for n, path in ((1, A), (2, B))]
    assert not holds(*made, *moved)
    assert holds(*made, moved[0], replace(moved[1], outcome=EXISTS))


def test_a_delete_that_is_seen_late_is_stale() -> None:
    made: OfFiles = Call(0, Mkdirs(A), TRUE, 0, 1)
    gone: OfFiles = Call(0, Delete(A, True), TRUE, 2, 3)
    assert not holds(made, gone, Call(1, Exists(A), TRUE, 4, 5))
    assert holds(made, gone, Call(1, Exists(A), TRUE, 2, 5))
    assert holds(made, replace(gone, outcome=Unknown("nobody heard"), returned=None), Call(1, Exists(A), TRUE, 90, 95))
