"""Races on an object store as a subject: which request is at fault, which clause that breaks, and how it is told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast
from typing import Literal as Choice

from fsconform.engine import subject
from fsconform.engine.histories.blaming import Blame
from fsconform.engine.histories.concurrent import encode
from fsconform.engine.histories.confirming import Confirmed
from fsconform.engine.histories.execution import BEGINNING, ENDING
from fsconform.engine.histories.judging import Judged
from fsconform.engine.histories.subject import EXPECTED
from fsconform.engine.objects import describe
from fsconform.engine.objects.histories import ObjectHistory, ObjectJudge, overlap
from fsconform.engine.subject import Finding, Subject
from fsconform.engine.waivers import Failing
from fsconform.model.core.option import Option
from fsconform.model.core.outcomes import Unknown
from fsconform.model.objects import clauses as ids
from fsconform.model.objects import operations as ops
from fsconform.model.objects.answers import Answer, Done, Refused
from fsconform.model.objects.operations import Request
from fsconform.records.results import HistoryCall, HistoryRecord, RaceOutcome, StepRecord
from fsconform.specs.catalogue import Clause
from fsconform.specs.layers import object_clauses

CHANGING: tuple[type[Request], ...] = (
    ops.CompleteMultipartUpload,
    ops.CopyObject,
    ops.PutObject,
    ops.DeleteObject,
    ops.DeleteObjects,
    ops.AbortMultipartUpload,
    ops.UploadPart,
    ops.CreateMultipartUpload,
)
"""Requests that may be at fault, those first that are named where several may be; conditional writes come before."""

_OF_LOOKS: dict[type[Request], str] = {
    ops.ListObjectsV2: ids.LIST_AFTER_WRITE,
    ops.ListObjectVersions: ids.VERSIONS_ALL,
    ops.ListMultipartUploads: ids.UPLOADS_ALL,
    ops.ListParts: ids.PARTS_LISTED,
}
"""What is broken where looks of one kind alone do not show what a request did that had returned."""

_ENDS = (ops.CompleteMultipartUpload, ops.AbortMultipartUpload)
"""Requests of which one alone can end an upload."""

_OF_UPLOADS = {
    ops.AbortMultipartUpload: ids.ABORT,
    ops.UploadPart: ids.PART_STORED,
    ops.CreateMultipartUpload: ids.UPLOAD_BEGINS,
}


@dataclass(frozen=True, kw_only=True)
class Proven(subject.Proven[Finding]):
    """A race with the history that shows it."""

    confirmed_race: Confirmed[Request, Answer]
    blame: Blame

    @property
    def history(self) -> ObjectHistory:
        """What came of the smallest program when it showed the race."""
        return self.confirmed_race.met.history


@dataclass(frozen=True, slots=True)
class ObjectRaces(Subject[Proven]):
    """What several clients at once see of an object store."""

    def clauses(self) -> Mapping[str, Clause]:
        """The catalogue, by id."""
        return object_clauses()

    def encode(self, program: tuple[Request, ...]) -> list[dict[str, Any]]:
        """A program as replay files have it."""
        return list(map(ops.encode, program))

    def failing(self, proven: Proven) -> Failing:
        """What waivers are held against."""
        return Failing((f"clause {proven.finding.clause}",))

    def area(self, finding: Finding) -> str:
        """All races stand together."""
        return "races"

    def options(self, collected: Any, proven: Iterable[Proven]) -> Iterator[tuple[str, Option, object, str]]:
        """None: no option promises anything of requests at once."""
        yield from ()

    def sequence(self, proven: Proven) -> list[StepRecord]:
        """The requests of the history, with when each began and was answered."""
        history, rows = proven.history, []
        began = min((call.invoked for call, place in history.rows if place >= 0), default=0)
        for number, (call, place) in enumerate(history.rows):
            end = "never heard of" if call.returned is None else f"{(call.returned - began) / 1e6:.2f} ms"
            rows.append(
                StepRecord(
                    call=describe.call(call.operation),
                    operation=ops.encode(call.operation),
                    observed=describe.observed(call.outcome),
                    expected=f"from {(call.invoked - began) / 1e6:.2f} ms to {end}" if place >= 0 else "",
                    probe=place == ENDING,
                    marked=number == proven.blame.place,
                    setup=place == BEGINNING,
                    client=call.client,
                )
            )
        return rows


OBJECT_RACES = ObjectRaces()


def proven(judge: ObjectJudge, confirmed: Confirmed[Request, Answer], count: int) -> Proven:
    """What was confirmed of a race, which was met so often, with the finding that names it."""
    history, judged = confirmed.met.history, confirmed.met.judged
    found = blame(judge, history)
    return Proven(
        finding_of(history, judged, found),
        tuple(call.operation for call in history.calls),
        count,
        confirmed.shown if confirmed.is_confirmed else 0,
        confirmed.runs,
        note="" if confirmed.is_confirmed else "it was not seen again in two rounds",
        confirmed_race=confirmed,
        blame=found,
    )


def finding_of(history: ObjectHistory, judged: Judged, blamed: Blame) -> Finding:
    """The finding of a history that no order explains."""
    search = judged.linearized
    stuck = [history.calls[place] for place in (search.stuck if search is not None else ())]
    told = [
        f"client {call.client + 1}: {describe.call(call.operation)} {describe.observed(call.outcome)}" for call in stuck
    ]
    return Finding(
        signature=signature(history, blamed),
        verdict="violation",
        clause=blamed.clause,
        level=object_clauses()[blamed.clause].level,
        step=blamed.place,
        operation=history.calls[blamed.place].operation.NAME,
        expected=EXPECTED,
        observed="no order explains what the clients saw; none of these can come next: " + "; ".join(told),
    )


def signature(history: ObjectHistory, blamed: Blame) -> str:
    """What names a race: the requests of the lanes with the kinds of their answers."""
    lanes: dict[int, list[str]] = {}
    for call, place in history.rows:
        if place >= 0:
            row = lanes.setdefault(place, [])
            told = f"{_named(call.operation)} {kind_of(call.outcome)}"
            if told not in row:
                row.append(told)
    beside = " beside ".join(sorted(", then ".join(row) for row in lanes.values()))
    return f"{beside}{'; not seen afterwards' if blamed.unseen else ''}"


def _named(request: Request) -> str:
    words = {"if_match": "if-match", "if_none_match": "if-none-match", "version": "version"}
    said = [told for name, told in words.items() if getattr(request, name, "")]
    return f"{request.NAME} ({', '.join(said)})" if said else request.NAME


def kind_of(answer: Answer) -> str:
    """The kind of an answer, with no name and no size in it."""
    match answer:
        case Done():
            return "succeeded"
        case Refused(status, code):
            return f"refused with {status} {code}".rstrip()
        case Unknown():
            return "never heard of"
    return "not asked"


def blame(judge: ObjectJudge, history: ObjectHistory) -> Blame:
    """The request that explains all once nothing is asked of it, and the clause that is broken.

    First it is taken to have happened at any time, or never: each that changes something, in the order of
    :data:`CHANGING`. Where looks that began after it had returned are all that speaks against that, what it did was not
    seen in time. Then each look is taken not to have been. If no single request explains all, it is the first.
    """
    lanes = [number for number, place in enumerate(history.places) if place >= 0]
    changing = [number for number in lanes if _request(history, number).MUTATES]
    changing.sort(key=lambda number: (not _is_conditional(_request(history, number)), _rank(history, number)))
    for number in changing:
        if not judge.judge(_without(history, [number])).fails:
            clause = _unseen(judge, history, number)
            return Blame(number, clause or _broken(history, number), unseen=bool(clause))
    for number in lanes:
        if number not in changing and not judge.judge(_without(history, [number])).fails:
            return Blame(number, _seen(history, number))
    first = changing[0] if changing else 0
    return Blame(first, _broken(history, first))


def _request(history: ObjectHistory, number: int) -> Request:
    return history.calls[number].operation


def _rank(history: ObjectHistory, number: int) -> int:
    kind = type(_request(history, number))
    return CHANGING.index(kind) if kind in CHANGING else len(CHANGING)


def _is_conditional(request: Request) -> bool:
    return isinstance(request, ops.PutObject | ops.CompleteMultipartUpload) and bool(
        request.if_match or request.if_none_match
    )


def _broken(history: ObjectHistory, number: int) -> str:
    """What a request breaks that was half done, or lost."""
    request = _request(history, number)
    if isinstance(request, _ENDS) and any(
        other.client != history.calls[number].client
        and isinstance(other.operation, _ENDS)
        and isinstance(other.outcome, Done)
        for other in history.calls
    ):
        return ids.NO_SUCH_UPLOAD
    if _is_conditional(request):
        return ids.FIRST_WINS
    return _OF_UPLOADS.get(cast(Any, type(request)), ids.ATOMIC_UPDATES)


def _seen(history: ObjectHistory, number: int) -> str:
    """What a look breaks that shows what never was, or is not any more."""
    call = history.calls[number]
    if type(call.operation) in _OF_LOOKS:
        return _OF_LOOKS[type(call.operation)]
    beside = any(other.operation.MUTATES and other is not call and overlap(call, other) for other in history.calls)
    return ids.ATOMIC_UPDATES if beside else ids.CONSISTENT


def _unseen(judge: ObjectJudge, history: ObjectHistory, number: int) -> str:
    """The clause that is broken if looks that began after a request had returned did not show it; empty if they did."""
    late = _late(history, number)
    if not late or judge.judge(_without(history, late)).fails:
        return ""
    for kind, clause in _OF_LOOKS.items():
        own = [other for other in late if type(_request(history, other)) is kind]
        if own and not judge.judge(_without(history, own)).fails:
            return clause
    return ids.CONSISTENT


def _late(history: ObjectHistory, number: int) -> list[int]:
    """The looks that began after a request had returned."""
    returned = history.calls[number].returned or 0
    return [
        other
        for other, look in enumerate(history.calls)
        if not look.operation.MUTATES and look.invoked > returned and other != number
    ]


def _without(history: ObjectHistory, numbers: Sequence[int]) -> ObjectHistory:
    """The history as if nobody had heard of some of its requests."""
    calls = tuple(
        replace(cast(Any, call), returned=None) if number in numbers else call
        for number, call in enumerate(history.calls)
    )
    return replace(history, calls=calls)


def clauses_of(history: ObjectHistory) -> set[str]:
    """The clauses of races that a history is judged by."""
    requests = [call.operation for call, place in history.rows if place >= 0]
    found = {ids.ATOMIC_UPDATES} if any(request.MUTATES for request in requests) else set()
    if any(isinstance(call.operation, ops.ListObjectsV2) for call in history.calls):
        found.add(ids.LIST_AFTER_WRITE)
    return found | ({ids.FIRST_WINS} if any(map(_is_conditional, requests)) else set())


def outcome_of(judge: ObjectJudge, history: ObjectHistory, blamed: Blame) -> RaceOutcome:
    """What a history shows that no order explains."""
    call = history.calls[blamed.place]
    if blamed.unseen:
        return "stale"
    if isinstance(call.outcome, Refused):
        return "wrongly refused"
    if blamed.clause in (ids.FIRST_WINS, ids.NO_SUCH_UPLOAD):
        return "both won"
    looks = [
        number
        for number, (one, place) in enumerate(history.rows)
        if place >= 0 and not one.operation.MUTATES and number != blamed.place
    ]
    if call.operation.MUTATES and judge.judge(_without(history, looks)).fails:
        return "lost update"
    return "seen half-done"


def stale_for(judge: ObjectJudge, history: ObjectHistory, blamed: Blame) -> int:
    """Nanoseconds from the return of a request to the last look that did not show what it did."""
    returned, late = history.calls[blamed.place].returned or 0, _late(history, blamed.place)
    for look in reversed(late):
        if judge.judge(_without(history, [other for other in late if other != look])).fails:
            return history.calls[look].invoked - returned
    return 0


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
    return HistoryRecord(encode(history.program, ops.encode), calls, proven.shown, proven.replays, clients)
