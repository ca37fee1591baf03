"""Histories of a filesystem, judged by the oracle: what each call may do is what the specification allows of it."""

from __future__ import annotations

from collections.abc import Iterable

from fsconform.engine.histories.linearizability import Rest
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import NotExpressible, Outcome, Unknown
from fsconform.model.filesystem.branches import MEANINGS
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.state import State


class Unjudged(Exception):
    """A call leads to a state that the model can't represent: nothing can be said of what follows. Names the clause."""


class OracleSteps:
    """A model for :func:`linearize`: each call in one step, as the oracle has it, known bugs of the store included."""

    def __init__(self, oracle: Oracle) -> None:
        self.oracle = oracle
        self._looks: dict[type[Operation], bool] = {}

    def step(
        self, state: State, operation: Operation, outcome: Outcome, rest: Rest = None
    ) -> Iterable[tuple[State, Rest]]:
        """The states to which a call may lead that gave this outcome; one that was not made leaves all as it is.

        Raises Unjudged.
        """
        if isinstance(outcome, Unknown):
            return self.effects(state, operation, rest)
        return [(after, None) for after in self.atomic(state, operation, outcome)]

    def atomic(self, state: State, operation: Operation, outcome: Outcome) -> Iterable[State]:
        """The states to which a whole call may lead that gave this outcome, at once. Raises Unjudged."""
        if isinstance(outcome, NotExpressible):
            return (state,)
        allowed = list(self.oracle.step(state, operation, outcome))
        allowed += [(branch, after) for branch, after, _ in self.oracle.offered(state, operation, outcome)]
        found = []
        for branch, after in allowed:
            if after is None:
                raise Unjudged(branch.clause)
            found.append(after)
        return dict.fromkeys(found)

    def effects(self, state: State, operation: Operation, rest: Rest = None) -> Iterable[tuple[State, Rest]]:
        """The states to which a call may lead of which nobody heard: all that the contract allows, or none at all.

        Raises Unjudged.
        """
        found = dict.fromkeys((*self.oracle.expected(state, operation), state))
        if None in found:
            raise Unjudged(self.oracle.situation(state, operation).first.clause)
        return [(one, None) for one in found if one is not None]

    def is_best(self, operation: Operation, left: Rest) -> bool:
        """Whether a step of a call is best taken at once: the whole of a look, which leaves every state as it was."""
        kind = type(operation)
        if kind not in self._looks:
            quirks = self.oracle.quirks
            is_marked = kind.MUTATES or "stream" in kind.__slots__ or quirks.remembers(kind) or quirks.shows(kind)
            keeps = all(branch.fails for case in MEANINGS[kind].cases for branch in case.branches)
            self._looks[kind] = keeps and not is_marked
        return left is None and self._looks[kind]
