"""The matrix of races: which calls were made at once, how often they met, and what was seen of each pair."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Protocol

from fsconform.engine.histories.blaming import ATOMIC, VISIBLE, blame, outcome_of, stale_for
from fsconform.engine.histories.concurrent import Concurrent, History
from fsconform.engine.histories.confirming import Met
from fsconform.engine.histories.judging import Judge, Judged
from fsconform.engine.histories.subject import signature
from fsconform.engine.subject import SERIOUSNESS
from fsconform.records.results import RACE_OUTCOMES, RaceOutcome, RacePair, StaleRecord

MEASURED = 20
"""So many histories of a watch that were stale are measured: how long it was."""


class Row(Protocol):
    """What is tried: a program, and the two calls that it is about, by their names."""

    @property
    def program(self) -> Concurrent:
        """The program, whose lanes begin at once."""
        ...

    @property
    def pair(self) -> tuple[str, str]:
        """The names of its two calls."""
        ...

    @property
    def watches(self) -> bool:
        """Whether the second call looks again and again at what the first one changes."""
        ...


@dataclass(slots=True)
class Tally:
    """What was seen of a pair of calls, on all beginnings."""

    watches: bool
    programs: int = 0
    overlaps: int = 0
    stale: int = 0
    stale_nanoseconds: int = 0
    outcome: RaceOutcome = "never met"
    verdict: str = "conforms"
    signatures: dict[str, None] = field(default_factory=dict)


@dataclass(slots=True)
class Sample:
    """A race as it was met: the smallest program that showed it, and how often it was seen."""

    met: Met
    count: int


class Matrix:
    """Judges histories, and counts what was seen."""

    def __init__(self, judge: Judge) -> None:
        """Nothing was seen yet."""
        self._judge = judge
        self._pairs: dict[tuple[str, str, bool], Tally] = {}
        self.samples: dict[str, Sample] = {}
        """What fails, by signature."""
        self.clauses: Counter[str] = Counter()
        """How often each clause was judged: where calls of two clients were under way at once, or one looked later."""
        self.lost: Counter[str] = Counter()
        """Programs whose clients did not meet, or were lost, by the reason."""
        self.broken: Counter[str] = Counter()
        """How often each promise of atomicity had to be given up to explain what was seen."""
        self.programs = self.calls = self.overlaps = 0

    def add(self, row: Row, history: History) -> None:
        """Judge what came of a row's program."""
        tally = self._pairs.setdefault((*row.pair, row.watches), Tally(row.watches))
        judged = self._judge.judge(history)
        tally.programs += 1
        self.programs += 1
        if history.lost:
            self.lost[history.lost] += 1
        self.calls += sum(place >= 0 for place in history.places)
        if history.overlaps:
            tally.overlaps += 1
            self.overlaps += 1
        self.broken.update(judged.options)
        outcome, name = self._seen(tally, history, judged)
        tally.outcome = max(tally.outcome, outcome, key=RACE_OUTCOMES.index)
        if judged.verdict in SERIOUSNESS:
            known = tally.verdict if tally.verdict in SERIOUSNESS else "declared"
            tally.verdict = min(known, judged.verdict, key=SERIOUSNESS.index)
        if name:
            tally.signatures[name] = None
        if outcome not in ("never met", "not judged"):
            for call, place in history.rows:
                kind = type(call.operation)
                if place >= 0 and kind in ATOMIC:
                    self.clauses.update((ATOMIC[kind], VISIBLE[kind]))

    def _seen(self, tally: Tally, history: History, judged: Judged) -> tuple[RaceOutcome, str]:
        """What a history shows, and the signature where it fails."""
        if judged.verdict in ("unjudged", "inconclusive"):
            return "not judged", ""
        if not judged.fails:
            half = judged.verdict == "declared"
            return "seen half-done" if half else "atomic" if history.overlaps or tally.watches else "never met", ""
        blamed = blame(self._judge, history, judged.options)
        name = signature(history, judged, blamed)
        sample = self.samples.setdefault(name, Sample(Met(history, judged), 0))
        sample.count += 1
        if history.program.size < sample.met.history.program.size:
            sample.met = Met(history, judged)
        outcome = outcome_of(self._judge, history, blamed)
        if outcome == "stale":
            tally.stale += 1
            if tally.stale <= MEASURED:
                tally.stale_nanoseconds = max(tally.stale_nanoseconds, stale_for(self._judge, history, blamed.place))
        return outcome, name

    def pairs(self) -> list[RacePair]:
        """The records of all pairs."""
        return [
            RacePair(first, second, one.programs, one.overlaps, one.outcome, one.verdict, list(one.signatures))
            for (first, second, _), one in self._pairs.items()
            if not one.watches
        ]

    def freshness(self) -> list[StaleRecord]:
        """The records of what was watched."""
        return [
            StaleRecord(
                change,
                look,
                one.programs,
                one.stale,
                round(one.stale_nanoseconds / 1e6, 3),
                one.verdict,
                list(one.signatures),
            )
            for (change, look, _), one in self._pairs.items()
            if one.watches
        ]
