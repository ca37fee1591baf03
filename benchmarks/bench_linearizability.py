"""How long it takes to judge histories of a filesystem by the oracle, as it was executed and with one outcome changed.

Calls of the core on the store in memory take effect in the order of random moments within random times. Goals: a
history of 4 clients and 12 calls takes at most 50 ms in the median, one of 6 clients and 60 calls at most a second.
"""

from __future__ import annotations

import random
import statistics
import time
from dataclasses import replace

from fsconform.engine.benches import Benches
from fsconform.engine.enumerate import CORE, alphabet
from fsconform.engine.histories.by_oracle import OracleSteps
from fsconform.engine.histories.linearizability import Call, Linearized, linearize
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Outcome
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.programs import Step
from fsconform.model.filesystem.state import EMPTY
from fsconform.proving.session import ProvingStore

CONTRACT = Contract({"supports-append": True, "supports-strict-exceptions": True})
NUMBER = 200
SIZES = ((4, 3, 0.05, "median"), (6, 10, 1.0, "longest"))
"""Clients, calls of each, the goal in seconds, and of which figure it is."""

History = list[Call[Operation, Outcome]]


def history(benches: Benches, seed: int, clients: int, number: int) -> History:
    """A history that a store without faults may give."""
    draw = random.Random(seed)
    letters, calls = alphabet(CORE), []
    for client in range(clients):
        at = draw.randrange(1000)
        for _ in range(number):
            end = at + draw.randrange(1, 2000)
            calls.append((draw.uniform(at, end), client, draw.choice(letters), at, end))
            at = end + draw.randrange(1, 500)
    calls.sort(key=lambda one: one[0])
    bench = benches.take()
    try:
        (trial,) = bench.try_all([tuple(Step(operation) for _, _, operation, _, _ in calls)])
    finally:
        benches.give_back(bench)
    events = trial.execution.trace.events
    return [
        Call(client, operation, event.outcome, at, end)
        for (_, client, operation, at, end), event in zip(calls, events, strict=True)
    ]


def judged(steps: OracleSteps, calls: History) -> tuple[Linearized, float]:
    """What the search found, and the seconds of processor time that it took."""
    started = time.process_time()
    found = linearize(steps, [EMPTY], calls)
    return found, time.process_time() - started


def main() -> int:
    """Print the figures; 1 if a goal is missed, or a history of a faultless store has no order."""
    benches = Benches(ProvingStore(), CONTRACT, 1)
    steps, missed = OracleSteps(benches.oracle), 0
    for clients, number, goal, figure in SIZES:
        for kind in ("as executed", "one outcome changed"):
            times, states, held = [], [], 0
            for seed in range(NUMBER):
                calls = history(benches, seed, clients, number)
                if kind != "as executed":
                    one, other = random.Random(seed).sample(range(len(calls)), 2)
                    calls[one] = replace(calls[one], outcome=calls[other].outcome)
                found, seconds = judged(steps, calls)
                times.append(seconds)
                states.append(found.states)
                held += found.holds
            shown = {"median": statistics.median(times), "longest": max(times)}
            print(
                f"{clients} clients, {clients * number} calls, {kind}: median {shown['median'] * 1e3:.1f} ms, longest "
                f"{shown['longest'] * 1e3:.0f} ms, {max(states):,} states at most, {held} of {NUMBER} linearizable"
            )
            missed += shown[figure] > goal or (kind == "as executed" and held < NUMBER)
    benches.close()
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
