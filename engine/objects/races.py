"""Races on an object store as a subject: which request is at fault, which clause that breaks, and how it is told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from fsconform.engine.histories.confirming import Judge
from fsconform.engine.histories.judging import Judged
from fsconform.engine.histories.race_subject import EXPECTED, Blame, Proven, RaceSubject, beside
from fsconform.engine.objects import describe
from fsconform.engine.objects.histories import ObjectHistory, overlap
from fsconform.engine.subject import Finding
from fsconform.model.core.option import Option
from fsconform.model.core.outcomes import Unknown
from fsconform.model.objects import clauses as ids
from fsconform.model.objects import operations as ops
from fsconform.model.objects.answers import Answer, Done, Refused
from fsconform.model.objects.operations import Request
from fsconform.records.results import RaceOutcome
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


class ObjectRaces(RaceSubject[Request, Answer]):
    """What several clients at once see of an object store."""

    CALLS = "requests"

    def clauses(self) -> Mapping[str, Clause]:
        """The catalogue, by id."""
        return object_clauses()

    def encode(self, program: tuple[Request, ...]) -> list[dict[str, Any]]:
        """A program as replay files have it."""
        return list(map(ops.encode, program))

    def options(self, collected: Any, proven: Iterable[Proven]) -> Iterator[tuple[str, Option, object, str]]:
        """None: no option promises anything of requests at once."""
        yield from ()

    def call(self, operation: Request) -> str:
        """A request in words."""
        return describe.call(operation)

    def observed(self, outcome: Answer) -> str:
        """An answer in words."""
        return describe.observed(outcome)

    def encoded(self, operation: Request) -> dict[str, Any]:
        """A request as a JSON object."""
        return ops.encode(operation)

    def program(self, history: ObjectHistory) -> tuple[Request, ...]:
        """The requests in the order in which they began."""
        return tuple(call.operation for call in history.calls)

    def blame(self, judge: Judge[Request, Answer], history: ObjectHistory, judged: Judged) -> Blame:
        """The request at fault, and the clause that it breaks."""
        return blame(judge, history)

    def signature(self, history: ObjectHistory, judged: Judged, blamed: Blame) -> str:
        """What names a race: the requests of the lanes with the kinds of their answers."""
        lanes = beside(history, lambda call: f"{_named(call.operation)} {kind_of(call.outcome)}")
        return f"{lanes}{'; not seen afterwards' if blamed.unseen else ''}"

    def finding(self, judge: Judge[Request, Answer], history: ObjectHistory, judged: Judged, blamed: Blame) -> Finding:
        """The finding of a history that no order explains."""
        return Finding(
            signature=self.signature(history, judged, blamed),
            verdict="violation",
            clause=blamed.clause,
            level=object_clauses()[blamed.clause].level,
            step=blamed.place,
            operation=history.calls[blamed.place].operation.NAME,
            expected=EXPECTED,
            observed=self.no_order(history, judged),
        )

    def outcome(self, judge: Judge[Request, Answer], history: ObjectHistory, blamed: Blame) -> RaceOutcome:
        """What a history that no order explains shows."""
        return outcome_of(judge, history, blamed)

    def stale_for(self, judge: Judge[Request, Answer], history: ObjectHistory, blamed: Blame) -> int:
        """Nanoseconds from the return of the request at fault to the last look that did not show what it did."""
        return stale_for(judge, history, blamed)

    def clauses_of(self, history: ObjectHistory) -> set[str]:
        """The clauses of races that a history is judged by."""
        return clauses_of(history)


OBJECT_RACES = ObjectRaces()


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


def blame(judge: Judge[Request, Answer], history: ObjectHistory) -> Blame:
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


def _unseen(judge: Judge[Request, Answer], history: ObjectHistory, number: int) -> str:
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


def outcome_of(judge: Judge[Request, Answer], history: ObjectHistory, blamed: Blame) -> RaceOutcome:
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


def stale_for(judge: Judge[Request, Answer], history: ObjectHistory, blamed: Blame) -> int:
    """Nanoseconds from the return of a request to the last look that did not show what it did."""
    returned, late = history.calls[blamed.place].returned or 0, _late(history, blamed.place)
    for look in reversed(late):
        if judge.judge(_without(history, [other for other in late if other != look])).fails:
            return history.calls[look].invoked - returned
    return 0
