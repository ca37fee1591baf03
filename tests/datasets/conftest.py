"""A commit protocol played in memory, as the model says it, with faults to seed: what rules are tried on, no store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest

from fsconform.engine.datasets.judge import Observed
from fsconform.model.datasets.dataset import Dataset, Look, rows_of
from fsconform.model.datasets.operations import Ending, Feed, Operation, Program, Stream, Write, WriteBoth
from fsconform.model.datasets.protocol import endings, stopped_early, target

Change = Callable[[Operation, Ending, Look], tuple[Ending, Look]]


def unchanged(operation: Operation, ending: Ending, look: Look) -> tuple[Ending, Look]:
    return ending, look


@dataclass
class Played:
    """A perfect committer; ``change`` makes it imperfect."""

    change: Change = unchanged
    executed: list[Program] = field(default_factory=list)

    def execute(self, program: Program) -> tuple[Observed, ...]:
        self.executed.append(program)
        state, fed = Dataset(), Counter[str]()
        seen = []
        for operation in program:
            ending = Ending("committed")
            match operation:
                case Write():
                    allowed = endings(operation, state)
                    end = "committed" if allowed == {"committed"} else sorted(allowed - {"committed"})[0]
                    rows = target(operation, state) if end == "committed" else stopped_early(operation, state)[-1]
                    held = any(one is not None and one.action == "hold" for one in (operation.fault, operation.gate))
                    before = Look(state.exists, rows=state.rows)
                    ending = Ending(end, seen=(before,) if held else ())
                    marker = state.marker or end == "committed"
                    state = replace(state, exists=state.exists or bool(rows), rows=_sorted(rows), marker=marker)
                case WriteBoth():
                    rows = target(operation.second, replace(state, rows=_sorted(target(operation.first, state))))
                    ending = Ending("committed", other=Ending("committed"))
                    state = replace(state, exists=True, rows=_sorted(rows), marker=True)
                case Feed():
                    fed += rows_of(operation.rows)
                case Stream():
                    faulty = operation.fault is not None
                    ending = Ending("killed" if faulty else "committed")
                    state = replace(state, exists=True, rows=state.rows if faulty else _sorted(fed))
            look = Look(state.exists, ("_SUCCESS",) if state.marker else (), state.rows)
            ending, look = self.change(operation, ending, look)
            state = replace(state, exists=look.exists, rows=look.rows, marker=look.marker)
            seen.append(Observed(ending, look))
        return tuple(seen)


def _sorted(rows: Counter[str]) -> tuple[str, ...]:
    return tuple(sorted(rows.elements()))


@pytest.fixture
def played() -> Callable[[Change], Played]:
    return Played


@pytest.fixture
def perfect() -> Played:
    return Played()
