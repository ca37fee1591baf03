"""The matrix of races: which calls were made at once, how often they met, and what was seen of each pair."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol

from fsconform.engine.histories.concurrent import Concurrent, History, Op, Seen
from fsconform.engine.histories.confirming import Judge, Met
from fsconform.engine.histories.judging import Judged
from fsconform.engine.histories.race_subject import RaceSubject
from fsconform.engine.protocol import RETURNED
from fsconform.engine.subject import SERIOUSNESS, most_common
from fsconform.model.core.outcomes import NotExpressible
from fsconform.records.results import RACE_OUTCOMES, RaceOutcome, RacePair, StaleRecord

MEASURED = 20
"""So many histories of a watch that were stale are measured: how long it was."""

REASONS_TOLD = 5
"""Reasons for which histories were not judged, and races that one client alone shows, that are reported."""


class Row(Protocol[Op]):
    """What is tried: a program, and what its two lanes do, by their names."""

    @property
    def program(self) -> Concurrent[Op]:
        """The program, whose lanes begin at once."""
        ...

    @property
    def pair(self) -> tuple[str, str]:
        """The names of what the lanes do."""
        ...

    @property
    def watches(self) -> bool:
        """Whether the second lane looks again and again at what the first one changes."""
        ...

    @property
    def group(self) -> str:
        """What the tables of its pairs are of, where they are not of single calls; else empty."""
        ...


@dataclass(slots=True)
class Tally:
    """What was seen of a pair, on all beginnings."""

    watches: bool
    group: str = ""
    programs: int = 0
    overlaps: int = 0
    stale: int = 0
    stale_nanoseconds: int = 0
    outcome: RaceOutcome = "never met"
    verdict: str = "conforms"
    signatures: dict[str, None] = field(default_factory=dict)


@dataclass(slots=True)
class Sample(Generic[Op, Seen]):
    """A race as it was met: the smallest program that showed it, the judge by whom it is one, how often it was seen."""

    met: Met[Op, Seen]
    judge: Judge[Op, Seen]
    count: int


class Matrix(Generic[Op, Seen]):
    """Judges histories, and counts what was seen."""

    def __init__(self, subject: RaceSubject[Op, Seen], judge: Judge[Op, Seen], measured: int = MEASURED) -> None:
        """Nothing was seen yet. So many histories of each watch that are stale are ``measured``."""
        self.subject, self._judge, self._measured = subject, judge, measured
        self._pairs: dict[tuple[str, str, bool, str], Tally] = {}
        self.samples: dict[str, Sample[Op, Seen]] = {}
        """What fails, and known races, by signature."""
        self.clauses: Counter[str] = Counter()
        """How often each clause was judged: where calls of two clients were under way at once, or one looked later."""
        self.lost: Counter[str] = Counter()
        """Histories that could not be judged, by the reason."""
        self.alone: Counter[str] = Counter()
        """What one client alone shows as well, so that it is no race: how often it was met."""
        self.broken: Counter[str] = Counter()
        """How often each promise of atomicity had to be given up to explain what was seen."""
        self.unpromised: Counter[str] = Counter()
        """What was lost with the power that nothing promised: in how many programs."""
        self.programs = self.calls = self.overlaps = 0
        self.skipped = 0
        """Programs that were not executed, as the store can't express a call of their rows."""
        self._inexpressible: dict[Row[Op], str] = {}

    def skips(self, row: Row[Op]) -> bool:
        """Whether the store is known to be unable to express a call of the row: then it counts as not judged."""
        reason = self._inexpressible.get(row)
        if reason is None:
            return False
        self.lost[reason] += 1
        self.skipped += 1
        return True

    def judged(self, row: Row[Op], history: History[Op, Seen]) -> tuple[Judge[Op, Seen], Judged]:
        """The verdict on what came of a row's program, and the judge by whom it is that. Raises StoreLost."""
        return self._judge, self._judge.judge(history)

    def add(self, row: Row[Op], history: History[Op, Seen]) -> None:
        """Judge what came of a row's program. Raises StoreLost."""
        tally = self._pairs.setdefault((*row.pair, row.watches, row.group), Tally(row.watches, row.group))
        tally.programs += 1
        self.programs += 1
        self.calls += sum(place >= 0 for place in history.places)
        if history.overlaps:
            tally.overlaps += 1
            self.overlaps += 1
        judge, judged = self.judged(row, history)
        self.broken.update(judged.options)
        self.unpromised.update(set(judged.lost))
        looked = history.overlaps or tally.watches or history.program.kill == RETURNED or history.away
        outcome: RaceOutcome = "atomic" if looked else "never met"
        if judged.verdict in ("unjudged", "inconclusive"):
            self.lost[judged.reason] += 1
            outcome = "not judged"
            if judged.verdict == "unjudged" and _is_inexpressible(history):
                self._inexpressible[row] = judged.reason
        elif judged.fails:
            outcome = self._met(tally, judge, history, judged)
        elif judged.known:
            outcome = max(self._taken(tally, judge, history, judged), key=RACE_OUTCOMES.index)
        elif judged.verdict == "declared":
            outcome = "seen half-done"
        tally.outcome = max(tally.outcome, outcome, key=RACE_OUTCOMES.index)
        if judged.verdict in SERIOUSNESS:
            known = tally.verdict if tally.verdict in SERIOUSNESS else "declared"
            tally.verdict = min(known, judged.verdict, key=SERIOUSNESS.index)
        if outcome not in ("never met", "not judged"):
            self.clauses.update(self.subject.clauses_of(history))

    def _taken(
        self, tally: Tally, judge: Judge[Op, Seen], history: History[Op, Seen], judged: Judged
    ) -> list[RaceOutcome]:
        """Note each known race that a history shows; what they show."""
        for one in judged.known:
            self._sampled(tally, one.signature, judge, Met(history, replace(judged, known=(one,))))
        return [one.outcome for one in judged.known]

    def _sampled(self, tally: Tally, name: str, judge: Judge[Op, Seen], met: Met[Op, Seen]) -> None:
        """Count what was met under a name, and keep the smallest program."""
        tally.signatures[name] = None
        sample = self.samples.setdefault(name, Sample(met, judge, 0))
        sample.count += 1
        if met.history.program.size < sample.met.history.program.size:
            sample.met, sample.judge = met, judge

    def _met(self, tally: Tally, judge: Judge[Op, Seen], history: History[Op, Seen], judged: Judged) -> RaceOutcome:
        """Note a race; what was seen."""
        blamed = self.subject.blame(judge, history, judged)
        self._sampled(tally, self.subject.signature(history, judged, blamed), judge, Met(history, judged))
        outcome = self.subject.outcome(judge, history, blamed)
        if outcome == "stale":
            tally.stale += 1
            if tally.stale <= self._measured:
                stale = self.subject.stale_for(judge, history, blamed)
                tally.stale_nanoseconds = max(tally.stale_nanoseconds, stale)
        return outcome

    @property
    def notes(self) -> list[str]:
        """What was not judged, and what is no race, and why."""
        found = [f"not judged, {times} times: {why}" for why, times in most_common(self.lost, REASONS_TOLD)]
        if self.unpromised:
            told = [f"{name} ({times})" for name, times in most_common(self.unpromised, REASONS_TOLD)]
            found.append(f"lost with the power, and not promised to survive: {'; '.join(told)}")
        if self.alone:
            told = [f"{name} ({times})" for name, times in most_common(self.alone, REASONS_TOLD)]
            more = f", and {len(self.alone) - len(told)} more pairs" if len(self.alone) > len(told) else ""
            calls = self.subject.CALLS
            found.append(f"no race, as one client alone shows it with the same {calls}: {'; '.join(told)}{more}")
        return found

    def pairs(self) -> list[RacePair]:
        """The records of all pairs."""
        return [
            RacePair(
                first, second, one.programs, one.overlaps, one.outcome, one.verdict, list(one.signatures), one.group
            )
            for (first, second, *_), one in self._pairs.items()
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
            for (change, look, *_), one in self._pairs.items()
            if one.watches
        ]


def _is_inexpressible(history: History[Any, Any]) -> bool:
    return any(isinstance(call.outcome, NotExpressible) for call in history.calls)
