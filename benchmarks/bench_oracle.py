"""The oracle's speed against a bare sketch of the same operations, on one committed workload, in one run.

Goal: at least 0.4 times the sketch's speed. The workload is a seeded program over a small universe with the outcomes of
the harness's own store; half of it are calls that are refused or find nothing, as in enumeration.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import sketch

from fsconform.engine.enumerate import Universe, alphabet
from fsconform.engine.protocol import Job
from fsconform.model.core.errors import ancestry
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Outcome, Raised, Returned
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Step
from fsconform.model.filesystem.state import EMPTY
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.proving.session import ProvingStore

STEPS = 20_000
ROUNDS = 15
GOAL = 0.4
CONTRACT = Contract({"supports-append": True, "supports-strict-exceptions": True})
ERRORS = (
    "FileNotFoundException",
    "FileAlreadyExistsException",
    "ParentNotDirectoryException",
    "IOException",
    "Exception",
)


def workload(seed: int = 1, steps: int = STEPS) -> list[tuple[Operation, Outcome]]:
    """Calls with their outcomes."""
    draw = random.Random(seed)
    universe = Universe(("a", "b", "c"), 2)
    letters: list[Operation] = list(alphabet(universe))
    paths = universe.paths()
    letters += [kind(path) for kind in (GetFileStatus, ListStatus, Open) for path in paths for _ in range(8)]
    program = tuple(Step(draw.choice(letters)) for _ in range(steps))
    session = ProvingStore().session()
    (execution,) = session.execute([Job(program)])
    session.close()
    return [(step.operation, event.outcome) for step, event in zip(program, execution.trace.events, strict=True)]


def oracle_rate(calls: list[tuple[Operation, Outcome]]) -> float:
    """Judged operations a second of the oracle."""
    step = Oracle(CONTRACT).step
    state = EMPTY
    started = time.perf_counter()
    for operation, outcome in calls:
        state = step(state, operation, outcome)[0][1]  # type: ignore[assignment]
    return len(calls) / (time.perf_counter() - started)


def sketch_rate(calls: list[tuple[Operation, Outcome]]) -> float:
    """Judged operations a second of the sketch."""
    step, tree = sketch.step, sketch.EMPTY
    started = time.perf_counter()
    for operation, outcome in calls:
        tree = step(tree, operation, outcome)
        assert tree is not None
    return len(calls) / (time.perf_counter() - started)


def check_same_answers(calls: list[tuple[Operation, Outcome]]) -> None:
    """Oracle and sketch must say yes to the same outcomes, right ones and others: else the comparison means nothing."""
    step = Oracle(CONTRACT).step
    others: list[Outcome] = [
        Returned(True),
        Returned(False),
        Returned(None),
        *(Raised(ancestry(name)) for name in ERRORS),
    ]
    state, tree = EMPTY, sketch.EMPTY
    for operation, outcome in calls[:3000]:
        for other in others:
            allowed = any(not branch.deviates and not branch.departs for branch, _ in step(state, operation, other))
            assert allowed is (sketch.step(tree, operation, other) is not None), (operation, other, state)
        state = step(state, operation, outcome)[0][1]  # type: ignore[assignment]
        tree = sketch.step(tree, operation, outcome)


def main() -> int:
    """Measure in turns, print the medians and their ratio; 1 if the goal is missed."""
    calls = workload()
    check_same_answers(calls)
    oracle, bare = [], []
    for _ in range(ROUNDS):
        oracle.append(oracle_rate(calls))
        bare.append(sketch_rate(calls))
    ratio = statistics.median(one / other for one, other in zip(oracle, bare, strict=True))
    fast, plain = statistics.median(oracle), statistics.median(bare)
    print(f"oracle {fast:,.0f}/s, sketch {plain:,.0f}/s, ratio {ratio:.2f} (goal {GOAL})")
    return 0 if ratio >= GOAL else 1


if __name__ == "__main__":
    raise SystemExit(main())
