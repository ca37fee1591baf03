"""Exploring an object store for races: rows of the matrix are executed in batches, judged, and what fails is proved."""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

from fsconform.engine.histories.concurrent import Concurrent
from fsconform.engine.histories.confirming import Clients, Confirmed, Confirmer, Met, serial
from fsconform.engine.histories.delays import Delays
from fsconform.engine.histories.judging import Judged
from fsconform.engine.objects import races
from fsconform.engine.objects.histories import ObjectHistory, ObjectJudge
from fsconform.engine.objects.races import Proven, proven
from fsconform.engine.subject import SERIOUSNESS, most_common
from fsconform.model.objects.answers import Answer
from fsconform.model.objects.operations import Request
from fsconform.records.results import RACE_OUTCOMES, RaceOutcome, RacePair, StaleRecord

Program = Concurrent[Request]

BATCH = 32
"""Programs that are given to the clients at a time."""

REASONS_TOLD = 5
"""Reasons for which histories were not judged, and pairs that one client alone shows, that are reported."""

NOT_PROVEN = "reported as it was met: the time for making it smaller and confirming it was used up"

Tick = Callable[[str], None]
"""Hears what is being done; may raise KeyboardInterrupt."""


class Row(Protocol):
    """What is tried: a program, and what its two lanes do, by their names."""

    @property
    def program(self) -> Program:
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


@dataclass(frozen=True, slots=True)
class Plan:
    """What is tried: rows, each with the number of the round by which its lanes are moved against each other.

    ``seconds`` is how long at most, and ``proving`` how long what fails is made smaller and confirmed; None for no end.
    """

    rows: tuple[tuple[Row, int], ...]
    seconds: float | None = None
    proving: float | None = None


@dataclass(slots=True)
class _Tally:
    """What was seen of a pair on all beginnings."""

    programs: int = 0
    overlaps: int = 0
    stale: int = 0
    stale_nanoseconds: int = 0
    outcome: RaceOutcome = "never met"
    verdict: str = "conforms"
    signatures: dict[str, None] = field(default_factory=dict)


@dataclass(slots=True)
class _Sample:
    """A race as it was met: the smallest history, the judge by whom it is one, and how often it was seen."""

    met: Met[Request, Answer]
    judge: ObjectJudge
    count: int


class Exploration:
    """Explores one store. What was found so far is there at any time."""

    def __init__(
        self, clients: Clients[Request, Answer], judge: ObjectJudge, plan: Plan, tick: Tick = lambda doing: None
    ) -> None:
        """Nothing is executed yet."""
        self._clients, self._judge, self._tick = clients, judge, tick
        self.plan = plan
        self._delays = Delays()
        self._pairs: dict[tuple[str, str, bool], _Tally] = {}
        self._samples: dict[str, _Sample] = {}
        self._judges: dict[Program, tuple[ObjectJudge, bool]] = {}
        self._lost: Counter[str] = Counter()
        self._alone: Counter[str] = Counter()
        self.proven: list[Proven] = []
        self.clauses: Counter[str] = Counter()
        """How often each clause was judged: in programs whose lanes met, or in which one looks again and again."""
        self.programs = self.calls = self.overlaps = 0
        self.seconds = 0.0

    @property
    def complete(self) -> bool:
        """Whether all that was planned was executed."""
        return self.programs >= len(self.plan.rows)

    @property
    def notes(self) -> list[str]:
        """What was not judged, and what is no race, and why."""
        found = [f"not judged, {times} times: {why}" for why, times in most_common(self._lost, REASONS_TOLD)]
        if self._alone:
            told = [f"{pair} ({times})" for pair, times in most_common(self._alone, REASONS_TOLD)]
            more = f", and {len(self._alone) - len(told)} more pairs" if len(self._alone) > len(told) else ""
            found.append(f"no race, as one client alone shows it with the same requests: {'; '.join(told)}{more}")
        return found

    def run(self) -> None:
        """Execute what is planned, and prove what fails. Raises StoreLost."""
        began = time.monotonic()
        try:
            rows = iter(self.plan.rows)
            while batch := list(itertools.islice(rows, BATCH)):
                self._tick(f"races: {self.programs} of {len(self.plan.rows)} programs")
                if self.plan.seconds is not None and time.monotonic() - began > self.plan.seconds:
                    break
                histories = self._clients.execute([self._delays.moved(row.program, number) for row, number in batch])
                self._delays.note(histories)
                for (row, _), history in zip(batch, histories, strict=True):
                    self._add(row, history)
            self._prove()
        finally:
            self.seconds += time.monotonic() - began

    def _add(self, row: Row, history: ObjectHistory) -> None:
        tally = self._pairs.setdefault((*row.pair, row.watches), _Tally())
        tally.programs += 1
        self.programs += 1
        self.calls += sum(place >= 0 for place in history.places)
        if history.overlaps:
            tally.overlaps += 1
            self.overlaps += 1
        judge, judged = self._judge, self._judge.judge(history)
        if judged.fails:
            judge, alone = self._judge_of(history.program)
            judged = Judged("conforms") if alone else judge.judge(history)
            if not judged.fails:
                self._alone[" beside ".join(row.pair)] += 1
        outcome: RaceOutcome = "atomic" if history.overlaps else "never met"
        if judged.verdict in ("unjudged", "inconclusive"):
            self._lost[judged.reason] += 1
            outcome = "not judged"
        elif judged.fails:
            outcome = self._met(tally, judge, history, judged)
        if outcome not in ("never met", "not judged"):
            self.clauses.update(races.clauses_of(history))
        tally.outcome = max(tally.outcome, outcome, key=RACE_OUTCOMES.index)
        if judged.verdict in SERIOUSNESS:
            tally.verdict = judged.verdict

    def _judge_of(self, program: Program) -> tuple[ObjectJudge, bool]:
        """A judge that asks nothing of the program's requests that they don't keep one after another.

        And whether what they show one after another is more than that judge can excuse. Raises StoreLost.
        """
        still = replace(program, delays=(0,) * len(program.delays))
        if still not in self._judges:
            histories = self._clients.execute(list(serial(still)))
            judge = self._judge.excusing(histories)
            self._judges[still] = judge, any(judge.judge(history).fails for history in histories)
        return self._judges[still]

    def _met(self, tally: _Tally, judge: ObjectJudge, history: ObjectHistory, judged: Judged) -> RaceOutcome:
        """Note a race; what was seen."""
        blamed = races.blame(judge, history)
        name = races.signature(history, blamed)
        tally.signatures[name] = None
        known = self._samples.get(name)
        met = Met(history, judged)
        if known is None:
            self._samples[name] = _Sample(met, judge, 1)
        else:
            known.count += 1
            if history.program.size < known.met.history.program.size:
                known.met, known.judge = met, judge
        outcome = races.outcome_of(judge, history, blamed)
        if outcome == "stale":
            tally.stale += 1
            tally.stale_nanoseconds = max(tally.stale_nanoseconds, races.stale_for(judge, history, blamed))
        return outcome

    def _prove(self) -> None:
        """Make each race small and confirm it; those for which no time is left are reported as they were met."""
        until = None if self.plan.proving is None else time.monotonic() + self.plan.proving
        found: dict[str, Proven] = {}
        for number, (name, sample) in enumerate(self._samples.items(), 1):
            self._tick(f"races: confirming {number} of {len(self._samples)}")
            if until is not None and time.monotonic() > until:
                one = replace(proven(sample.judge, Confirmed(sample.met, ()), sample.count), note=NOT_PROVEN)
            else:
                confirmed = Confirmer(self._clients, sample.judge, self._delays).confirm(sample.met)
                if confirmed.alone:
                    self._alone[name] += sample.count
                    continue
                one = proven(sample.judge, confirmed, sample.count)
            known = found.get(one.finding.signature)
            if known is not None:
                more = one if one.shown >= known.shown else known
                one = replace(more, count=one.count + known.count)
            found[one.finding.signature] = one
        self.proven = list(found.values())

    def pairs(self) -> list[RacePair]:
        """The records of all pairs."""
        return [
            RacePair(first, second, one.programs, one.overlaps, one.outcome, one.verdict, list(one.signatures))
            for (first, second, watches), one in self._pairs.items()
            if not watches
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
            for (change, look, watches), one in self._pairs.items()
            if watches
        ]
