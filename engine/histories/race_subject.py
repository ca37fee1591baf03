"""Races as subjects of the harness, whatever their calls are of: how a history that no order explains is told."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Generic
from typing import Literal as Choice

from fsconform.engine import subject
from fsconform.engine.histories.concurrent import History, Op, Seen, encode
from fsconform.engine.histories.confirming import Confirmed, Judge
from fsconform.engine.histories.execution import BEGINNING, ENDING
from fsconform.engine.histories.judging import Judged
from fsconform.engine.histories.linearizability import Call
from fsconform.engine.subject import Finding, Subject
from fsconform.engine.waivers import Failing
from fsconform.records.results import HistoryCall, HistoryRecord, RaceOutcome, StepRecord

EXPECTED = "take effect at one moment between its call and its return, as every other client sees it"

_PARTS: dict[int, Choice["before", "afterwards"]] = {BEGINNING: "before", ENDING: "afterwards"}


@dataclass(frozen=True, slots=True)
class Blame:
    """The place of a call in the history, and the clause it breaks; ``unseen`` if others did not see what it did."""

    place: int
    clause: str
    unseen: bool = False


@dataclass(frozen=True, kw_only=True)
class Proven(subject.Proven[Finding], Generic[Op, Seen]):
    """A race with the history that shows it."""

    confirmed_race: Confirmed[Op, Seen]
    blame: Blame

    @property
    def history(self) -> History[Op, Seen]:
        """What came of the smallest program when it showed the race."""
        return self.confirmed_race.met.history


class RaceSubject(Subject[Proven[Op, Seen]], Generic[Op, Seen]):
    """What several clients at once see of a store."""

    CALLS: ClassVar[str] = "calls"
    """What a reader calls what clients make."""

    @abstractmethod
    def call(self, operation: Op) -> str:
        """A call in words."""

    @abstractmethod
    def observed(self, outcome: Seen) -> str:
        """What came of a call, in words."""

    @abstractmethod
    def encoded(self, operation: Op) -> dict[str, Any]:
        """A call as a JSON object."""

    @abstractmethod
    def program(self, history: History[Op, Seen]) -> tuple[Any, ...]:
        """The calls in the order in which they began, as programs of the store have them."""

    @abstractmethod
    def blame(self, judge: Judge[Op, Seen], history: History[Op, Seen], judged: Judged) -> Blame:
        """The call at fault, and the clause that it breaks."""

    @abstractmethod
    def signature(self, history: History[Op, Seen], judged: Judged, blamed: Blame) -> str:
        """What names a race."""

    @abstractmethod
    def finding(self, judge: Judge[Op, Seen], history: History[Op, Seen], judged: Judged, blamed: Blame) -> Finding:
        """The finding of a history that no order explains."""

    @abstractmethod
    def outcome(self, judge: Judge[Op, Seen], history: History[Op, Seen], blamed: Blame) -> RaceOutcome:
        """What a history that no order explains shows."""

    @abstractmethod
    def stale_for(self, judge: Judge[Op, Seen], history: History[Op, Seen], blamed: Blame) -> int:
        """From the return of the call at fault to the last look that did not show what it did: nanoseconds."""

    @abstractmethod
    def clauses_of(self, history: History[Op, Seen]) -> Iterable[str]:
        """The clauses of races that a history is judged by, each as often as it is."""

    def failing(self, proven: Proven[Op, Seen]) -> Failing:
        """What waivers are held against."""
        return Failing((f"clause {proven.finding.clause}",))

    def area(self, finding: Finding) -> str:
        """All races stand together."""
        return "races"

    def proven(self, judge: Judge[Op, Seen], confirmed: Confirmed[Op, Seen], count: int) -> Proven[Op, Seen]:
        """What was confirmed of a race, which was met so often, with the finding that names it."""
        history, judged = confirmed.met.history, confirmed.met.judged
        blamed = self.blame(judge, history, judged)
        return Proven(
            self.finding(judge, history, judged, blamed),
            self.program(history),
            count,
            confirmed.shown if confirmed.is_confirmed else 0,
            confirmed.runs,
            note="" if confirmed.is_confirmed or judged.known else "it was not seen again in two rounds",
            confirmed_race=confirmed,
            blame=blamed,
        )

    def sequence(self, proven: Proven[Op, Seen]) -> list[StepRecord]:
        """The calls of the history, with when each began and returned."""
        began, rows = _beginning(proven.history), []
        for number, (call, place) in enumerate(proven.history.rows):
            end = "never heard of" if call.returned is None else f"{(call.returned - began) / 1e6:.2f} ms"
            rows.append(
                StepRecord(
                    call=self.call(call.operation),
                    operation=self.encoded(call.operation),
                    observed=self.observed(call.outcome),
                    expected=f"from {(call.invoked - began) / 1e6:.2f} ms to {end}" if place >= 0 else "",
                    probe=place == ENDING,
                    marked=number == proven.blame.place,
                    setup=place == BEGINNING,
                    client=call.client,
                )
            )
        return rows

    def history(self, proven: Proven[Op, Seen], clients: str) -> HistoryRecord:
        """What the clients saw, as records have it; ``clients`` says what they are."""
        found, began = proven.confirmed_race.met.judged.linearized, _beginning(proven.history)
        order = found.order if found is not None else ()
        calls = [
            HistoryCall(
                call.client,
                self.call(call.operation),
                self.observed(call.outcome),
                _PARTS.get(place, "at once"),
                (call.invoked - began) / 1000,
                None if call.returned is None else (call.returned - began) / 1000,
                number == proven.blame.place,
                order.index(number) + 1 if number in order else None,
            )
            for number, (call, place) in enumerate(proven.history.rows)
        ]
        program = encode(proven.history.program, self.encoded)
        return HistoryRecord(program, calls, proven.shown, proven.replays, clients)

    def no_order(self, history: History[Op, Seen], judged: Judged) -> str:
        """What can't be put in an order."""
        search = judged.linearized
        calls = [history.calls[place] for place in (search.stuck if search is not None else ())]
        told = (
            f"client {call.client + 1}: {self.call(call.operation)} {self.observed(call.outcome)}" for call in calls
        )
        return "no order explains what the clients saw; none of these can come next: " + "; ".join(told)


def _beginning(history: History[Any, Any]) -> int:
    """When the first call of the lanes began."""
    return min((call.invoked for call, place in history.rows if place >= 0), default=0)


def beside(history: History[Op, Seen], told: Callable[[Call[Op, Seen]], str]) -> str:
    """What the lanes did beside one another: the calls of each as ``told`` has them, each once."""
    lanes: dict[int, dict[str, None]] = {}
    for call, place in history.rows:
        if place >= 0:
            lanes.setdefault(place, {})[told(call)] = None
    return " beside ".join(sorted(", then ".join(lane) for lane in lanes.values()))
