"""Histories, judged: does an order explain them, and which promise of the contract must be given up for it?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal as Choice

from fsconform.engine.histories.by_oracle import Unjudged
from fsconform.engine.histories.concurrent import History
from fsconform.engine.histories.linearizability import Linearized, linearize
from fsconform.engine.histories.small_steps import Promises, SmallSteps
from fsconform.model.core.outcomes import NotExpressible
from fsconform.model.filesystem.options.writers import EXCLUSIVE_WRITER
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.state import EMPTY, State

ATOMIC_RENAME, ATOMIC_DELETE = "supports-atomic-rename", "supports-atomic-directory-delete"
ATOMICITY = (ATOMIC_RENAME, ATOMIC_DELETE)
"""The options that say which calls others never see half done."""

PROMISES = (ATOMIC_RENAME, ATOMIC_DELETE, EXCLUSIVE_WRITER)
"""The options that promise something of calls made at once."""

Verdict = Choice["conforms", "declared", "declared-false", "undeclared", "violation", "unjudged", "inconclusive"]

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
        return self.verdict in ("declared-false", "undeclared", "violation")


class Judge:
    """Judges histories under one contract."""

    def __init__(self, oracle: Oracle, beginnings: Sequence[State] = (EMPTY,)) -> None:
        self._oracle, self._beginnings = oracle, tuple(beginnings)
        self._models = {
            given_up: SmallSteps(oracle, Promises(*(name not in given_up for name in PROMISES)))
            for given_up in _GIVEN_UP
        }

    def judge(self, history: History) -> Judged:
        """The verdict on a history."""
        if history.lost:
            return Judged("inconclusive", reason=history.lost)
        for call in history.calls:
            if isinstance(call.outcome, NotExpressible):
                return Judged("unjudged", reason=call.outcome.reason)
        try:
            return self._explained(history)
        except Unjudged as error:
            return Judged("unjudged", reason=f"nothing can be said of what follows {error}")

    def _explained(self, history: History) -> Judged:
        """Raises Unjudged."""
        found = None
        for given_up in _GIVEN_UP:
            found = linearize(self._models[given_up], self._beginnings, history.calls)
            if found.exhausted:
                return Judged("inconclusive", linearized=found, reason=f"given up after {found.states} states")
            if found.holds:
                return Judged(self._verdict(given_up), given_up, found)
        return Judged("violation", linearized=found)

    def _verdict(self, given_up: tuple[str, ...]) -> Verdict:
        if any(self._oracle.contract.value(name) for name in given_up):
            return "declared-false"
        return "declared" if set(given_up) & set(ATOMICITY) else "conforms"
