"""Histories, judged: does an order explain them, and which promise of the contract must be given up for it?"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Literal as Choice

from fsconform.engine.histories.by_oracle import Unjudged
from fsconform.engine.histories.concurrent import History
from fsconform.engine.histories.linearizability import Linearized, linearize
from fsconform.engine.histories.small_steps import ATOMICITY, PROMISES, SmallSteps
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import NotExpressible, Raised
from fsconform.model.filesystem.input.open_reader import OpenReader
from fsconform.model.filesystem.options.writers import EXCLUSIVE_WRITER
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.state import EMPTY

Verdict = Choice["conforms", "declared", "declared-false", "violation", "unjudged", "inconclusive"]

_GIVEN_UP = tuple(chosen for number in range(len(PROMISES) + 1) for chosen in combinations(PROMISES, number))
"""Which promises are given up, the fewest first."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What judging a history gave.

    ``options`` are the promises of atomicity that must be given up to explain it; ``linearized`` is the last search,
    None where none was made, and ``reason`` why the history is unjudged or inconclusive.
    """

    verdict: Verdict
    options: tuple[str, ...] = ()
    linearized: Linearized | None = None
    reason: str = ""

    @property
    def fails(self) -> bool:
        """Whether it fails the gate."""
        return self.verdict in ("declared-false", "violation")

    @property
    def is_of_several(self) -> bool:
        """Whether a promise is broken that histories alone are held against, be their calls at once or not."""
        return EXCLUSIVE_WRITER in self.options


class Judge:
    """Judges histories under one contract."""

    def __init__(self, oracle: Oracle) -> None:
        self._oracle = oracle
        self._models = {given_up: SmallSteps(oracle, set(PROMISES) - set(given_up)) for given_up in _GIVEN_UP}

    def judge(self, history: History) -> Judged:
        """The verdict on a history."""
        if history.lost:
            return Judged("inconclusive", reason=history.lost)
        for call in history.calls:
            if isinstance(call.outcome, NotExpressible) and not _has_no_stream(history, call.operation):
                return Judged("unjudged", reason=call.outcome.reason)
        try:
            return self._explained(history)
        except Unjudged as error:
            return Judged("unjudged", reason=f"nothing can be said of what follows {error}")

    def _explained(self, history: History) -> Judged:
        """Raises Unjudged."""
        found = None
        for given_up in _GIVEN_UP:
            found = linearize(self._models[given_up], (EMPTY,), history.calls)
            if found.exhausted:
                return Judged("inconclusive", linearized=found, reason=f"given up after {found.states} states")
            if found.holds:
                return Judged(self._verdict(given_up), given_up, found)
        return Judged("violation", linearized=found)

    def _verdict(self, given_up: tuple[str, ...]) -> Verdict:
        if any(self._oracle.contract.value(name) for name in given_up):
            return "declared-false"
        return "declared" if set(given_up) & set(ATOMICITY) else "conforms"


def _has_no_stream(history: History, operation: Operation) -> bool:
    """Whether a call could not be made as it is on a stream that could not be opened."""
    name = getattr(operation, "stream", None)
    return name is not None and any(
        isinstance(call.operation, OpenWriter | OpenReader)
        and call.operation.stream == name
        and isinstance(call.outcome, Raised)
        for call in history.calls
    )
