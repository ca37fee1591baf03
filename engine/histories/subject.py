"""Races as a subject of the harness: how a history that no order explains is told, and what names it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any
from typing import Literal as Choice

from fsconform.engine import describe, subject
from fsconform.engine.histories.blaming import IMPACT, Blame, blame, outcome_of
from fsconform.engine.histories.concurrent import History, encode
from fsconform.engine.histories.confirming import Confirmed
from fsconform.engine.histories.execution import BEGINNING, ENDING
from fsconform.engine.histories.judging import Judge, Judged
from fsconform.engine.subject import Finding, Subject
from fsconform.engine.waivers import Failing
from fsconform.model.core.option import Option
from fsconform.model.core.outcomes import Outcome, Raised, Returned, Unknown
from fsconform.model.filesystem.options.core import OPTIONS
from fsconform.model.filesystem.programs import Program, Step, encode_operation, encode_program
from fsconform.records.results import HistoryCall, HistoryRecord, StepRecord
from fsconform.specs.catalogue import Clause, catalogue

EXPECTED = "take effect at one moment between its call and its return, as every other client sees it"


@dataclass(frozen=True, kw_only=True)
class Proven(subject.Proven[Finding]):
    """A race with the history that shows it."""

    confirmed_race: Confirmed
    blame: Blame

    @property
    def history(self) -> History:
        """What came of the smallest program when it showed the race."""
        return self.confirmed_race.met.history


@dataclass(frozen=True, slots=True)
class Races(Subject[Proven]):
    """What several clients at once see of a filesystem."""

    def clauses(self) -> Mapping[str, Clause]:
        """The catalogue, by id."""
        return catalogue()

    def encode(self, program: Program) -> list[dict[str, Any]]:
        """A program as replay files have it."""
        return encode_program(program)

    def size(self, program: Program) -> int:
        """How many calls the lanes have."""
        return sum(not step.setup and not step.probe for step in program)

    def failing(self, proven: Proven) -> Failing:
        """What waivers are held against."""
        return Failing((f"clause {proven.finding.clause}",))

    def area(self, finding: Finding) -> str:
        """All races stand together."""
        return "races"

    def options(self, collected: Any, proven: Iterable[Proven]) -> Iterator[tuple[str, Option, object, str]]:
        """The promises that a race broke."""
        broken = Counter(literal[0] for one in proven for changes in one.finding.changes for literal in changes)
        for name in broken:
            yield name, OPTIONS[name], False, f"false: seen half done ({broken[name]})"

    def sequence(self, proven: Proven) -> list[StepRecord]:
        """The calls of the history, with when each began and returned."""
        history, rows = proven.history, []
        began = min((call.invoked for call, place in history.rows if place >= 0), default=0)
        for number, (call, place) in enumerate(history.rows):
            end = "never heard of" if call.returned is None else f"{(call.returned - began) / 1e6:.2f} ms"
            rows.append(
                StepRecord(
                    call=describe.call(call.operation),
                    operation=encode_operation(call.operation),
                    observed=describe.observed(call.outcome),
                    expected=f"from {(call.invoked - began) / 1e6:.2f} ms to {end}" if place >= 0 else "",
                    probe=place == ENDING,
                    marked=number == proven.blame.place,
                    setup=place == BEGINNING,
                    client=call.client,
                )
            )
        return rows


_PARTS: dict[int, Choice["before", "afterwards"]] = {BEGINNING: "before", ENDING: "afterwards"}


def history_record(proven: Proven, clients: str) -> HistoryRecord:
    """What the clients saw, as records have it; ``clients`` says what they are."""
    history, found = proven.history, proven.confirmed_race.met.judged.linearized
    began = min((call.invoked for call, place in history.rows if place >= 0), default=0)
    order = found.order if found is not None else ()
    calls = [
        HistoryCall(
            call.client,
            describe.call(call.operation),
            describe.observed(call.outcome),
            _PARTS.get(place, "at once"),
            (call.invoked - began) / 1000,
            None if call.returned is None else (call.returned - began) / 1000,
            number == proven.blame.place,
            order.index(number) + 1 if number in order else None,
        )
        for number, (call, place) in enumerate(history.rows)
    ]
    return HistoryRecord(encode(history.program), calls, proven.shown, proven.replays, clients)


def steps_of(history: History) -> Program:
    """The calls of a history as steps, in the order in which they began."""
    return tuple(
        Step(call.operation, call.client, probe=place == ENDING, setup=place == BEGINNING)
        for call, place in history.rows
    )


def proven(judge: Judge, confirmed: Confirmed, count: int) -> Proven:
    """What was confirmed of a race, which was met so often, with the finding that names it."""
    history, judged = confirmed.met.history, confirmed.met.judged
    found = blame(judge, history, judged.options)
    finding = replace(finding_of(history, judged, found), impact=IMPACT.get(outcome_of(judge, history, found), ""))
    return Proven(
        finding,
        steps_of(history),
        count,
        confirmed.shown if confirmed.is_confirmed else 0,
        confirmed.runs,
        note="" if confirmed.is_confirmed else "it was not seen again in two rounds",
        confirmed_race=confirmed,
        blame=found,
    )


def finding_of(history: History, judged: Judged, blamed: Blame) -> Finding:
    """The finding of a history that no order explains."""
    row, call = catalogue().get(blamed.clause), history.calls[blamed.place]
    level = row.level if row and row.level in ("MUST", "MUST NOT", "SHOULD") else "MUST"
    return Finding(
        signature=signature(history, judged, blamed),
        verdict="violation" if judged.verdict == "violation" else "declared-false",
        clause=blamed.clause,
        level=level,
        step=blamed.place,
        operation=call.operation.NAME,
        expected=EXPECTED,
        observed=_observed(history, judged),
        changes=(tuple((name, False) for name in judged.options),) if judged.options else (),
    )


def signature(history: History, judged: Judged, blamed: Blame) -> str:
    """What names a race: the calls of the lanes with the kinds of their outcomes, and what is broken."""
    lanes: dict[int, list[str]] = {}
    for call, place in history.rows:
        if place >= 0:
            told = f"{call.operation.NAME} {kind_of(call.outcome)}"
            row = lanes.setdefault(place, [])
            if told not in row:
                row.append(told)
    beside = " beside ".join(sorted(", then ".join(row) for row in lanes.values()))
    what = (
        "; not seen afterwards"
        if blamed.unseen
        else f"; without {' and '.join(judged.options)}"
        if judged.options
        else ""
    )
    return f"{beside}{what}"


def kind_of(outcome: Outcome) -> str:
    """The kind of an outcome, with no name and no size in it."""
    match outcome:
        case Returned(value):
            return f"returned {str(value).lower()}" if value is None or isinstance(value, bool) else "answered"
        case Raised(classes):
            return f"raised {classes[0].rpartition('.')[2]}"
        case Unknown():
            return "never heard of"
    return "not expressible"


def _observed(history: History, judged: Judged) -> str:
    """What can't be put in an order."""
    search = judged.linearized
    calls = [history.calls[place] for place in (search.stuck if search is not None else ())]
    told = [
        f"client {call.client + 1}: {describe.call(call.operation)} {describe.observed(call.outcome)}" for call in calls
    ]
    if judged.options:
        given_up = ", ".join(judged.options)
        return f"no order of whole calls explains what the clients saw; one of half calls does ({given_up})"
    return "no order explains what the clients saw; none of these can come next: " + "; ".join(told)
