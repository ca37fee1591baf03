"""Races as a subject of the harness: how a history that no order explains is told, and what names it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fsconform.engine import describe
from fsconform.engine.histories import blaming, power
from fsconform.engine.histories.breaches import breaches
from fsconform.engine.histories.concurrent import History
from fsconform.engine.histories.confirming import Judge
from fsconform.engine.histories.execution import BEGINNING, ENDING
from fsconform.engine.histories.judging import Judged
from fsconform.engine.histories.known_races import KnownRace
from fsconform.engine.histories.race_subject import EXPECTED, Blame, Proven, RaceSubject, beside
from fsconform.engine.injection import PowerLoss
from fsconform.engine.levels import basis_of, weighed
from fsconform.engine.subject import Finding, Verdict
from fsconform.model.core.operation import Operation
from fsconform.model.core.option import Option
from fsconform.model.core.outcomes import Outcome, Raised, Returned, Unknown
from fsconform.model.filesystem.options.core import OPTIONS
from fsconform.model.filesystem.programs import Program, Step, encode_operation, encode_program
from fsconform.records.results import DATA_IMPACTS, RaceOutcome
from fsconform.specs.catalogue import Clause, catalogue


def _level_of(word: str) -> str:
    """The level of a clause as findings have it."""
    return {"MUST NOT": "MUST NOT", "SHOULD": "SHOULD", "SHOULD NOT": "SHOULD"}.get(word, "MUST")


@dataclass(frozen=True, slots=True)
class Races(RaceSubject[Operation, Outcome]):
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

    def options(self, collected: Any, proven: Iterable[Proven]) -> Iterator[tuple[str, Option, object, str]]:
        """The promises that a race broke."""
        broken = Counter(literal[0] for one in proven for changes in one.finding.changes for literal in changes)
        for name in broken:
            yield name, OPTIONS[name], False, f"false: seen half done ({broken[name]})"

    def call(self, operation: Operation) -> str:
        """A call in words."""
        return describe.call(operation)

    def observed(self, outcome: Outcome) -> str:
        """What came of a call, in words."""
        return describe.observed(outcome)

    def encoded(self, operation: Operation) -> dict[str, Any]:
        """A call as a JSON object."""
        return encode_operation(operation)

    def program(self, history: History) -> Program:
        """The calls as steps, in the order in which they began."""
        return tuple(
            Step(call.operation, call.client, probe=place == ENDING, setup=place == BEGINNING)
            for call, place in history.rows
        )

    def blame(self, judge: Judge[Operation, Outcome], history: History, judged: Judged) -> Blame:
        """The call at fault, and the clause that it breaks."""
        if judged.broken:
            return Blame(judged.broken.call, judged.known[0].clause if judged.known else judged.broken.clause)
        if judged.breach:
            return Blame(judged.breach.call, judged.breach.clause)
        if judged.known:
            return Blame(_taking(history, judged.known[0]), judged.known[0].clause)
        return blaming.blame(judge, history, judged.options)

    def signature(self, history: History, judged: Judged, blamed: Blame) -> str:
        """What names a race: the calls of the lanes with the kinds of their outcomes, and what is broken."""
        if judged.known:
            return judged.known[0].signature
        lanes = beside(history, lambda call: f"{call.operation.NAME} {kind_of(call.outcome)}")
        if history.program.kill is not None:
            lanes = f"{lanes}, and its client killed {'in it' if history.overlaps else 'then'}"
        if history.program.fault is not None:
            lanes = f"{lanes}, and {history.program.fault.title}"
        if blamed.unseen:
            return f"{lanes}; not seen afterwards"
        return f"{lanes}; without {' and '.join(judged.options)}" if judged.options else lanes

    def finding(self, judge: Judge[Operation, Outcome], history: History, judged: Judged, blamed: Blame) -> Finding:
        """The finding of a history that no order explains, or none but one of half calls."""
        row, call = catalogue().get(blamed.clause), history.calls[blamed.place]
        observed, known = self.no_order(history, judged), judged.known[0] if judged.known else None
        if known is not None and known.by_itself:
            observed = f"{known.title}: {known.reason}"
        elif known is not None:
            observed = f"no order explains what the clients saw; with this known race one does: {known.reason}"
        elif judged.broken:
            look = history.calls[judged.broken.look]
            observed = f"lost with the power: {self.call(look.operation)} {self.observed(look.outcome)}"
        elif judged.reason:
            observed = f"{judged.reason}: {self.call(call.operation)}"
        elif judged.options:
            given_up = ", ".join(judged.options)
            observed = f"no order of whole calls explains what the clients saw; one of half calls does ({given_up})"
        impact = known.impact if known else blaming.IMPACT.get(self.outcome(judge, history, blamed), "")
        verdict: Verdict = "violation" if judged.verdict == "violation" else "declared-false"
        return Finding(
            signature=self.signature(history, judged, blamed),
            verdict="waived" if known else weighed(verdict, basis_of(blamed.clause), impact in DATA_IMPACTS),
            clause=blamed.clause,
            level=_level_of(row.level if row else ""),
            step=blamed.place,
            operation=call.operation.NAME,
            expected=power.EXPECTED if judged.broken else EXPECTED,
            observed=observed,
            changes=(tuple((name, False) for name in judged.options),) if judged.options else (),
            stack=call.outcome.stack if isinstance(call.outcome, Raised) else "",
            impact=impact,
            quirk=known.id if known else "",
        )

    def outcome(self, judge: Judge[Operation, Outcome], history: History, blamed: Blame) -> RaceOutcome:
        """What a history that no order explains shows of the two calls."""
        return blaming.outcome_of(judge, history, blamed)

    def stale_for(self, judge: Judge[Operation, Outcome], history: History, blamed: Blame) -> int:
        """From the return of the call at fault to the last look that did not see what it did: nanoseconds."""
        return blaming.stale_for(judge, history, blamed.place)

    def clauses_of(self, history: History) -> Iterator[str]:
        """What each changing call of the lanes is to keep, and each read of threads."""
        if isinstance(history.program.fault, PowerLoss):
            return power.clauses_of(history)
        return blaming.clauses_of(history)


def _taking(history: History, known: KnownRace) -> int:
    """The call that a known race is of: one that shows it by itself, or was refused, if there is one."""
    own = [
        number
        for number, (call, place) in enumerate(history.rows)
        if place >= 0 and isinstance(call.operation, tuple(known.steps))
    ]
    if known.by_itself:
        return next(one.call for one in breaches(history) if one.clause == known.clause)
    refused = (number for number in own if blaming.is_refused(history.calls[number].outcome))
    return next(refused, own[0] if own else 0)


RACES = Races()


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
