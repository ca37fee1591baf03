"""Drawn races: programs of the core's state machine, their last calls dealt out to two or three clients at once.

The pairs of ``races`` are systematic and short. Here Hypothesis draws what is there before, what the clients do, and
how many they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from fsconform.engine.histories.concurrent import Calls, Concurrent
from fsconform.engine.probes import without_probes
from fsconform.model.core.operation import Operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.suites.exploring import explorer
from fsconform.suites.namespace import NAMESPACE
from fsconform.suites.race_rows import Once

FEWEST, MOST = 3, 12
"""Calls of the clients together."""

LONGEST_BEGINNING = 12
"""Programs that begin with more calls, as those with large structures, are left out."""

PLACES = 6
"""So many paths are looked at in the end, at most."""


@dataclass(frozen=True, slots=True)
class DrawnRace(Once):
    """A concurrent program that was drawn."""

    program: Concurrent[Operation]

    @property
    def pair(self) -> tuple[str, str]:
        """The names of the calls with which the first two clients begin."""
        first, second, *_ = sorted(lane[0].NAME for lane in self.program.lanes)
        return first, second

    @property
    def group(self) -> str:
        """Their pairs have a table of their own."""
        return "drawn programs"


def drawn_races(contract: Contract, seed: int) -> Iterator[DrawnRace]:
    """Programs for a store with a contract; there is no end of them."""
    for place, program in explorer(NAMESPACE, Oracle(contract), seed).source(0):
        dealt = deal(program, Random(f"{seed} {place}"))
        if dealt is not None:
            yield DrawnRace(dealt)


def deal(program: Program, dice: Random) -> Concurrent[Operation] | None:
    """A program whose last calls are those of several clients at once; None where there are too few, or too many."""
    steps = without_probes(program)
    setup: Calls = tuple(step.operation for step in steps if step.setup)
    calls: Calls = tuple(step.operation for step in steps if not step.setup)
    before = dice.randint(0, max(0, len(calls) - FEWEST))
    beginning, within = (*setup, *calls[:before]), calls[before:]
    if not FEWEST <= len(within) <= MOST or len(beginning) > LONGEST_BEGINNING:
        return None
    clients = dice.choice((2, 2, 3))
    lanes: list[list[Operation]] = [[one] for one in within[:clients]]
    for one in within[clients:]:
        dice.choice(lanes).append(one)
    return Concurrent(beginning, tuple(map(tuple, lanes)), (0,) * clients, ending(within))


def ending(calls: Sequence[Operation]) -> Calls:
    """Looks at the root, and at what the calls were of."""
    places = list(dict.fromkeys(path for call in calls for path in _paths(call) if path))[:PLACES]
    looks: list[Operation] = [ListStatus(())]
    for path in places:
        looks += [GetFileStatus(path), Open(path)]
    return tuple(looks)


def _paths(call: Operation) -> tuple[Path, ...]:
    return (call.src, call.dst) if isinstance(call, Rename) else (getattr(call, "path", ()),)
