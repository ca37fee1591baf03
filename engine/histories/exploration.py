"""Exploring a store for races: rows of the matrix are executed in batches, judged, and what fails is proved."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic

from fsconform.engine.histories.concurrent import Op, Seen
from fsconform.engine.histories.confirming import Clients, Confirmed, Confirmer, Judge
from fsconform.engine.histories.delays import Delays
from fsconform.engine.histories.matrix import Matrix, Row, Sample
from fsconform.engine.histories.race_subject import Proven
from fsconform.engine.protocol import StoreLost

BATCH = 32
"""Programs that are given to the clients at a time."""

NOT_PROVEN = "reported as it was met: the time for making it smaller and confirming it was used up"

NOT_PROVEN_BEFORE = "reported as it was met: the run ended before it was made smaller and confirmed"

Tick = Callable[[str], None]
"""Hears what is being done; may raise KeyboardInterrupt."""


@dataclass(frozen=True, slots=True)
class Plan(Generic[Op]):
    """What is tried: rows, each with the number of the round by which its lanes are moved against each other.

    ``seconds`` is how long at most, and ``proving`` how long what fails is made smaller and confirmed; None for no end.
    """

    rows: tuple[tuple[Row[Op], int], ...]
    seconds: float | None = None
    proving: float | None = None


class Exploration(Generic[Op, Seen]):
    """Explores one store. What was found so far is there at any time."""

    def __init__(
        self,
        clients: Clients[Op, Seen],
        matrix: Matrix[Op, Seen],
        plan: Plan[Op],
        tick: Tick = lambda doing: None,
        delays: Delays | None = None,
    ) -> None:
        """Nothing is executed yet. ``delays`` are those of calls that were measured before."""
        self._clients, self._tick = clients, tick
        self.matrix, self.plan = matrix, plan
        self._delays = delays or Delays()
        self._found: dict[str, Proven[Op, Seen]] = {}
        self._settled: set[str] = set()
        self._confirmed: dict[str, tuple[Confirmed[Op, Seen], Judge[Op, Seen]]] = {}
        self._began, self._confirming = time.monotonic(), 0.0
        self.seconds = 0.0
        self.confirmed_after: float | None = None
        """Seconds from the beginning until a race was confirmed for the first time; None while none is."""

    @property
    def proven(self) -> list[Proven[Op, Seen]]:
        """The races that were found; those to which an end came first, as they were met."""
        return list(self._found.values())

    @property
    def complete(self) -> bool:
        """Whether all that was planned was executed, but for what the store can't express."""
        return self.matrix.programs + self.matrix.skipped >= len(self.plan.rows)

    def run(self) -> None:
        """Execute what is planned, and prove what fails. Raises StoreLost, and what the tick raises."""
        self._began = time.monotonic()
        try:
            rows = iter(self.plan.rows)
            while batch := list(itertools.islice(rows, BATCH)):
                self._tick(f"races: {self.matrix.programs} of {len(self.plan.rows)} programs")
                tried_for = time.monotonic() - self._began - self._confirming
                if self.plan.seconds is not None and tried_for > self.plan.seconds:
                    break
                batch = [(row, number) for row, number in batch if not self.matrix.skips(row)]
                histories = self._clients.execute([self._delays.moved(row.program, number) for row, number in batch])
                self._delays.note(histories)
                for (row, _), history in zip(batch, histories, strict=True):
                    self.matrix.add(row, history)
                if self.confirmed_after is None:
                    self._confirm_first()
            self._prove()
        except (KeyboardInterrupt, StoreLost):
            for name, sample in self.matrix.samples.items():
                if name not in self._settled:
                    is_confirmed = name in self._confirmed
                    self._add(self._proven(name, sample) if is_confirmed else self._as_met(sample, NOT_PROVEN_BEFORE))
            raise
        finally:
            self.seconds += time.monotonic() - self._began

    def _confirm_first(self) -> None:
        """Confirm what was met at once, while no race was confirmed yet: then it is known early that there is one."""
        for name, sample in self.matrix.samples.items():
            if name not in self._confirmed and not sample.met.judged.known and not self._used_up:
                self._tick("races: confirming the first that was met")
                self._confirm(name, sample)
                return

    def _prove(self) -> None:
        """Make each race small and confirm it; those for which no time is left are reported as they were met.

        So are known races: they were proved when they were written down.
        """
        samples = self.matrix.samples
        for number, (name, sample) in enumerate(samples.items(), 1):
            self._tick(f"races: confirming {number} of {len(samples)}")
            one = self._proven(name, sample)
            self._settled.add(name)
            self._add(one)

    def _proven(self, name: str, sample: Sample[Op, Seen]) -> Proven[Op, Seen] | None:
        """A race as it was proved; None where one client alone shows it as well. Raises StoreLost."""
        if sample.met.judged.known:
            return self._as_met(sample)
        if name not in self._confirmed:
            if self._used_up:
                return self._as_met(sample, NOT_PROVEN)
            self._confirm(name, sample)
        confirmed, judge = self._confirmed[name]
        if confirmed.alone:
            self.matrix.alone[name] += sample.count
            return None
        return self.matrix.subject.proven(judge, confirmed, sample.count)

    def _confirm(self, name: str, sample: Sample[Op, Seen]) -> None:
        """Make a race small and confirm it. Raises StoreLost."""
        began = time.monotonic()
        confirmed = Confirmer(self._clients, sample.judge, self._delays).confirm(sample.met)
        self._confirmed[name] = confirmed, sample.judge
        self._confirming += time.monotonic() - began
        if confirmed.is_confirmed and self.confirmed_after is None:
            self.confirmed_after = time.monotonic() - self._began

    @property
    def _used_up(self) -> bool:
        """Whether no time is left for confirming."""
        return self.plan.proving is not None and self._confirming > self.plan.proving

    def _as_met(self, sample: Sample[Op, Seen], note: str = "") -> Proven[Op, Seen]:
        one = self.matrix.subject.proven(sample.judge, Confirmed(sample.met, ()), sample.count)
        return replace(one, note=note) if note else one

    def _add(self, one: Proven[Op, Seen] | None) -> None:
        """Add a race: of two of one signature the one that was seen more often stays, with the count of both."""
        if one is None:
            return
        known = self._found.get(one.finding.signature)
        if known is not None:
            more = one if one.shown >= known.shown else known
            one = replace(more, count=one.count + known.count)
        self._found[one.finding.signature] = one
