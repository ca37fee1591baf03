"""Exploring a store for races: rows of the matrix are executed in batches, judged, and what fails is proved."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from fsconform.engine.histories.concurrent import History
from fsconform.engine.histories.confirming import Confirmed, Confirmer
from fsconform.engine.histories.delays import Delays
from fsconform.engine.histories.execution import Clients
from fsconform.engine.histories.judging import Judge
from fsconform.engine.histories.matrix import Matrix, Row, Sample
from fsconform.engine.histories.subject import Proven, proven
from fsconform.engine.subject import most_common

BATCH = 32
"""Programs that are given to the clients at a time."""

LOSSES_TOLD = 3
"""Reasons for which clients did not meet, or were lost, that are reported."""

NOT_PROVEN = "reported as it was met: the time for making it smaller and confirming it was used up"

Tick = Callable[[str], None]
"""Hears what is being done; may raise KeyboardInterrupt."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is tried: rows, each with the number of the round by which its lanes are moved against each other.

    ``seconds`` is how long at most, and ``proving`` how long what fails is made smaller and confirmed; None for no end.
    """

    rows: tuple[tuple[Row, int], ...]
    seconds: float | None = None
    proving: float | None = None


class Exploration:
    """Explores one store. What was found so far is there at any time."""

    def __init__(self, clients: Clients, judge: Judge, plan: Plan, tick: Tick = lambda doing: None) -> None:
        """Nothing is executed yet."""
        self._clients, self._judge, self._tick = clients, judge, tick
        self.plan = plan
        self._delays = Delays()
        self.matrix = Matrix(judge)
        self.proven: list[Proven] = []
        self.notes: list[str] = []
        self.seconds = 0.0

    @property
    def complete(self) -> bool:
        """Whether all that was planned was executed."""
        return self.matrix.programs >= len(self.plan.rows)

    def run(self) -> None:
        """Execute what is planned, and prove what fails. Raises StoreLost."""
        began = time.monotonic()
        try:
            self._execute(began)
            self._prove()
        finally:
            self.seconds += time.monotonic() - began
            self.notes += [
                f"not judged, {times} times: {why}" for why, times in most_common(self.matrix.lost, LOSSES_TOLD)
            ]

    def _execute(self, began: float) -> None:
        rows = iter(self.plan.rows)
        while batch := list(itertools.islice(rows, BATCH)):
            self._tick(f"races: {self.matrix.programs} of {len(self.plan.rows)} programs")
            if self.plan.seconds is not None and time.monotonic() - began > self.plan.seconds:
                break
            for (row, _), history in zip(batch, self._histories(batch), strict=True):
                self.matrix.add(row, history)

    def _histories(self, batch: Iterable[tuple[Row, int]]) -> Sequence[History]:
        histories = self._clients.execute([self._delays.moved(row.program, number) for row, number in batch])
        self._delays.note(histories)
        return histories

    def _prove(self) -> None:
        """Make each race small and confirm it; those for which no time is left are reported as they were met."""
        until = None if self.plan.proving is None else time.monotonic() + self.plan.proving
        confirmer = Confirmer(self._clients, self._judge, self._delays)
        found: dict[str, Proven] = {}
        alone: list[str] = []
        samples = self.matrix.samples
        for number, (name, sample) in enumerate(samples.items(), 1):
            self._tick(f"races: confirming {number} of {len(samples)}")
            if until is not None and time.monotonic() > until:
                one = self._told(Confirmed(sample.met, ()), sample)
            else:
                confirmed = confirmer.confirm(sample.met)
                if confirmed.alone:
                    alone.append(name)
                    continue
                one = self._told(confirmed, sample)
            known = found.get(one.finding.signature)
            found[one.finding.signature] = _both(known, one) if known else one
        self.proven = list(found.values())
        if alone:
            self.notes.append(f"no race, as one client alone shows it with the same calls: {'; '.join(alone)}")

    def _told(self, confirmed: Confirmed, sample: Sample) -> Proven:
        told = proven(self._judge, confirmed, sample.count)
        return told if confirmed.rounds else replace(told, note=NOT_PROVEN)


def _both(one: Proven, other: Proven) -> Proven:
    """Two races that were the same once they were small: the one that was seen in more runs."""
    more = one if one.shown >= other.shown else other
    return replace(more, count=one.count + other.count)
