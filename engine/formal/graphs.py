"""Graphs of a module's steps, of which some are seen and others are silent, and what may be seen next along them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Seen = TypeVar("Seen", bound=Hashable)


@dataclass(slots=True)
class StepGraph(Generic[Seen]):
    """What a module has of each state: what may be seen next, and where it leads, to None where nothing is defined."""

    beginnings: set[str] = field(default_factory=set)
    seen: dict[str, dict[Seen, set[str | None]]] = field(default_factory=dict)
    silent: dict[str, set[str | None]] = field(default_factory=dict)

    def put(self, state: str, seen: Seen | None, to: str | None) -> None:
        """Enter a step; None for one that is silent."""
        if seen is None:
            self.silent.setdefault(state, set()).add(to)
        else:
            self.seen.setdefault(state, {}).setdefault(seen, set()).add(to)

    def closed(self, states: Iterable[str | None]) -> frozenset[str | None]:
        """The states, and all that silent steps lead to."""
        found: set[str | None] = set()
        todo = list(states)
        while todo:
            state = todo.pop()
            if state not in found:
                found.add(state)
                todo += self.silent.get(state, ()) if state is not None else ()
        return frozenset(found)

    def next_of(self, states: frozenset[str | None]) -> dict[Seen, frozenset[str | None]]:
        """What may be seen next in one of these states, and all that it may lead to."""
        found: dict[Seen, set[str | None]] = {}
        for state in states:
            for seen, to in self.seen.get(state, {}).items() if state is not None else ():
                found.setdefault(seen, set()).update(to)
        return {seen: self.closed(to) for seen, to in found.items()}
