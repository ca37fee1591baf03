"""The search for an order of concurrent calls beside Porcupine, a checker in Go, on the same histories in one run.

Histories of a register and of a map of two keys, as they were executed and with one outcome changed. Each checker is
timed in its own process, its start left out: the fastest of some rounds of each history. Porcupine, too, is given the
map as one model, without its partition by keys. Both must say the same of each history. Needs Go.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fsconform.adapters.golang import find_go
from fsconform.engine.histories.linearizability import Call, Rest, linearize

SOURCE = Path(__file__).parents[1] / "tests" / "engine" / "histories" / "porcupine"
SIZES = ((4, 3), (6, 10), (8, 25))
"""Clients, and calls of each."""

NUMBER = 100
ROUNDS = 5

Op = tuple[str, int]
History = list[Call[Op, Any]]
Answered = tuple[Any, Any]
"""The state after a call, and its outcome."""


def register(state: int, operation: Op) -> Answered:
    """A register with write, read and compare-and-set to one more."""
    name, value = operation
    if name == "write":
        return value, None
    if name == "read":
        return state, state
    return (value + 1, "yes") if state == value else (state, "no")


def small_map(state: tuple[int, int], operation: Op) -> Answered:
    """A map of two keys; an operation's number is 10 times the key and the value."""
    key, value = divmod(operation[1], 10)
    if operation[0] == "get":
        return state, state[key]
    return ((value, state[1]) if key == 0 else (state[0], value)), None


@dataclass(frozen=True, slots=True)
class Kind:
    """What histories are of: how it answers, what it is at first, and the calls that are drawn."""

    answer: Callable[[Any, Op], Answered]
    beginning: Any
    operations: tuple[Op, ...]

    def step(self, state: Any, operation: Op, outcome: Any, rest: Rest) -> Iterable[tuple[Any, Rest]]:
        """Where a call leads that gave this outcome."""
        after, given = self.answer(state, operation)
        return ((after, None),) if given == outcome else ()

    def effects(self, state: Any, operation: Op, rest: Rest) -> Iterable[tuple[Any, Rest]]:
        """Where a call leads."""
        return ((self.answer(state, operation)[0], None),)

    def is_best(self, operation: Op, left: Rest) -> bool:
        """Whether a call changes nothing."""
        return operation[0] in ("read", "get")


KINDS = {
    "register": Kind(register, 0, (("write", 1), ("write", 2), ("read", 0), ("read", 0), ("set", 1), ("set", 0))),
    "map": Kind(small_map, (0, 0), (("put", 1), ("put", 2), ("put", 11), ("get", 0), ("get", 10), ("get", 10))),
}


def history(kind: Kind, seed: int, clients: int, number: int, changed: bool) -> History:
    """A history whose calls took effect at random moments; in one that is ``changed`` a call has another's outcome."""
    draw, calls = random.Random(seed), History()
    for client in range(clients):
        at = draw.randrange(1000)
        for _ in range(number):
            end = at + draw.randrange(1, 2000)
            calls.append(Call(client, draw.choice(kind.operations), None, at, end))
            at = end + draw.randrange(1, 500)
    moments = [draw.uniform(call.invoked, call.returned or 0) for call in calls]
    state = kind.beginning
    for place in sorted(range(len(calls)), key=moments.__getitem__):
        state, outcome = kind.answer(state, calls[place].operation)
        calls[place] = replace(calls[place], outcome=outcome)
    if changed:
        one = draw.randrange(len(calls))
        alike = [other.outcome for other in calls if other.operation[0] == calls[one].operation[0]]
        calls[one] = replace(calls[one], outcome=draw.choice(alike))
    return calls


def ours(kind: Kind, calls: History) -> tuple[bool, int]:
    """Whether a history is linearizable, and the nanoseconds that it took to say so."""
    taken, found = [], False
    for _ in range(ROUNDS):
        began = time.perf_counter_ns()
        found = linearize(kind, [kind.beginning], calls).holds
        taken.append(time.perf_counter_ns() - began)
    return found, min(taken)


def porcupine(program: Path, name: str, histories: list[History]) -> Iterator[tuple[bool, int]]:
    """What Porcupine says of histories. Its calls end at a time of their own, as two at one time would overlap."""
    rows = [
        [
            {
                "client": one.client,
                "op": one.operation[0],
                "number": one.operation[1],
                "outcome": repr(one.outcome),
                "invoked": one.invoked * 2,
                "returned": (one.returned or 0) * 2 + 1,
            }
            for one in calls
        ]
        for calls in histories
    ]
    command = [str(program), name, str(ROUNDS)]
    told = subprocess.run(command, input=json.dumps(rows), capture_output=True, text=True, check=True).stdout
    return ((one["linearizable"], one["nanoseconds"]) for one in json.loads(told))


def compared(program: Path, name: str, clients: int, number: int, changed: bool) -> list[float]:
    """How many times as long as Porcupine the search takes for each history. Prints them."""
    kind = KINDS[name]
    histories = [history(kind, seed, clients, number, changed) for seed in range(NUMBER)]
    mine = [ours(kind, calls) for calls in histories]
    theirs = list(porcupine(program, name, histories))
    assert [holds for holds, _ in mine] == [holds for holds, _ in theirs], "the checkers differ"
    ratios = [taken / other for (_, taken), (_, other) in zip(mine, theirs, strict=True)]
    print(
        f"{name}, {clients} clients, {clients * number} calls, {'one outcome changed' if changed else 'as executed'}: "
        f"median {statistics.median(t for _, t in mine) / 1e6:.2f} ms against "
        f"{statistics.median(t for _, t in theirs) / 1e6:.3f} ms, longest {max(t for _, t in mine) / 1e6:.1f} against "
        f"{max(t for _, t in theirs) / 1e6:.1f} ms; ratio {statistics.median(ratios):.1f} in the median, "
        f"{max(ratios):.0f} at worst; {sum(holds for holds, _ in mine)} of {NUMBER} linearizable",
        flush=True,
    )
    return ratios


def main() -> int:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "porcupine"
        variables = os.environ | {"GOFLAGS": "-mod=readonly", "GOTOOLCHAIN": "local"}
        go = str(find_go((1, 21)).executable)
        subprocess.run([go, "build", "-o", str(program), "."], cwd=SOURCE, env=variables, check=True)
        ratios = [
            ratio
            for name in KINDS
            for clients, number in SIZES
            for changed in (False, True)
            for ratio in compared(program, name, clients, number, changed)
        ]
    print(f"search against Porcupine, {len(ratios)} histories: ratio {statistics.median(ratios):.1f} in the median, "
          f"{max(ratios):.0f} at worst")  # fmt: skip
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
