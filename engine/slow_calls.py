"""Calls that last so long that their client probably retries: heard of while a store is explored, and kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from fsconform.model.core.outcomes import NotExpressible
from fsconform.model.filesystem.programs import Trace
from fsconform.records.results import SLOW_SECONDS

SLOW_CALLS = 3
"""So many slow calls of an operation are worth a word."""


@dataclass(frozen=True, slots=True)
class Slow:
    """An operation of which several calls were slow: how many, and how long the longest lasted, in seconds."""

    operation: str
    calls: int
    seconds: float


@dataclass(slots=True)
class SlowCalls:
    """The slow calls of one store, by operation, with their seconds."""

    _seconds: dict[str, list[float]] = field(default_factory=dict)

    def add(self, trace: Trace) -> Iterator[Slow]:
        """Count the calls of a trace; gives each operation whose slow calls have become worth a word, once."""
        for step, event in zip(trace.program, trace.events, strict=False):
            seconds = (event.returned - event.invoked) / 1e9
            if seconds < SLOW_SECONDS or type(event.outcome) is NotExpressible:
                continue
            known = self._seconds.setdefault(step.operation.NAME, [])
            known.append(seconds)
            if len(known) == SLOW_CALLS:
                yield Slow(step.operation.NAME, len(known), max(known))

    def all(self) -> list[Slow]:
        """Every operation whose slow calls are worth a word, by its name."""
        return [
            Slow(name, len(known), max(known))
            for name, known in sorted(self._seconds.items())
            if len(known) >= SLOW_CALLS
        ]
