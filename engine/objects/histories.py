"""Histories of requests to an object store, judged by the clauses that sequences are judged by.

A write, a delete and a read of one key take effect at one moment: S3 documents that updates of a single key are atomic
and seen by all at once. What is of several keys or objects need not be at one moment, and is taken in small steps: a
listing looks at one key after another, a bulk delete deletes one after another, and a copy reads its source before it
writes. What a store names itself is compared as it was told: a client's conditions and numbers stand for what that
client had been told by then.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from fsconform.engine.histories.by_oracle import Unjudged
from fsconform.engine.histories.concurrent import History
from fsconform.engine.histories.judging import Judged
from fsconform.engine.histories.linearizability import Call, Rest, linearize
from fsconform.engine.objects.judge import judge
from fsconform.model.core import content as contents
from fsconform.model.core.layers import Breach
from fsconform.model.core.outcomes import NotExpressible, Unknown
from fsconform.model.objects import contract as options
from fsconform.model.objects import operations as ops
from fsconform.model.objects.answers import (
    EMPTY_BUCKET,
    Answer,
    Answered,
    Bucket,
    Bulk,
    Done,
    Found,
    Listing,
    Page,
    Part,
    Refused,
    Version,
)
from fsconform.model.objects.contract import ObjectContract
from fsconform.model.objects.effects import null_as_none, written
from fsconform.model.objects.listings import Asked as AskedListing
from fsconform.model.objects.operations import Request
from fsconform.model.objects.rules import judge_request
from fsconform.model.objects.verdicts import Verdicts

ObjectHistory = History[Request, Answer]
Observed = Call[Request, Answer]

CONFLICTS = ("ConditionalRequestConflict", "OperationAborted")
"""Codes by which a conditional write may be refused with 409 where another change of its key is under way."""

Excuse = tuple[str, str]
"""The name of a request and a clause that it need not keep."""

_LISTINGS = (ops.ListObjectsV2, ops.ListObjectVersions, ops.ListMultipartUploads)
_PAGES = ("max_keys", "max_uploads")
_IGNORED = {
    ops.PutObject: options.NO_CONDITIONAL_WRITES,
    ops.CompleteMultipartUpload: options.NO_CONDITIONAL_WRITES,
    ops.DeleteObject: options.NO_CONDITIONAL_DELETES,
}
"""The options by which conditions of a request may be ignored."""


class State:
    """A bucket, compared by what answers can show of it."""

    __slots__ = ("_hash", "_key", "bucket")

    def __init__(self, bucket: Bucket) -> None:
        self.bucket = bucket
        self._key = _shown(bucket)
        self._hash = hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self._key == other._key

    def __hash__(self) -> int:
        return self._hash


def _shown(bucket: Bucket) -> Hashable:
    """All of a bucket but the numbers that sequences give to versions, and what clients were told."""
    versions = frozenset(
        (key, tuple((one.id, one.content, one.etag, one.meta) for one in found))
        for key, found in bucket.objects.items()
        if found
    )
    uploads = tuple((one.id, one.ended or (one.key, one.meta, frozenset(one.parts.items()))) for one in bucket.uploads)
    return versions, uploads, bucket.versioning


@dataclass(slots=True)
class _Known:
    """What a client was told: ETags of its last writes, the ids of versions and uploads in the order made, and the
    ETags of parts by the numbers of their upload and their own.
    """

    etags: dict[str, str] = field(default_factory=dict)
    versions: dict[str, list[str]] = field(default_factory=dict)
    uploads: list[tuple[str, str]] = field(default_factory=list)
    parts: dict[tuple[int, int], str] = field(default_factory=dict)

    def copy(self) -> _Known:
        versions = {key: list(known) for key, known in self.versions.items()}
        return _Known(dict(self.etags), versions, list(self.uploads), dict(self.parts))

    def note(self, request: Request, answer: Answer) -> None:
        """Learn from an answer."""
        if not isinstance(answer, Done):
            return
        match request:
            case ops.CreateMultipartUpload():
                self.uploads.append((request.key, answer.upload))
            case ops.UploadPart() if isinstance(answer.value, Found):
                self.parts[request.upload, request.part] = answer.value.etag or ""
            case ops.PutObject() | ops.CopyObject():
                self._made(request.key, answer)
            case ops.CompleteMultipartUpload():
                self._made(self.uploads[request.upload - 1][0], answer)
            case ops.DeleteObject(version=0) if isinstance(answer.value, Found) and answer.value.delete_marker:
                self._made(request.key, answer)
            case ops.DeleteObjects() if isinstance(answer.value, Bulk):
                for key, id in answer.value.markers:
                    self.versions.setdefault(key, []).append(null_as_none(id))

    def _made(self, key: str, answer: Done) -> None:
        told = answer.value if isinstance(answer.value, Found) else Found()
        self.versions.setdefault(key, []).append(null_as_none(told.version))
        if told.etag:
            self.etags[key] = told.etag


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as its client meant it: ``told`` are the ETags that it knew by key, ``parts`` those of the upload's.

    ``upload`` and ``version`` are the ids that its numbers stand for, None where it names none. ``answer`` is what it
    was answered with, also where the search takes it for one of which nobody heard. ``contended`` is true of a
    conditional write beside which another client changed the same key.
    """

    request: Request
    answer: Answer
    told: Mapping[str, str]
    parts: Mapping[int, str]
    upload: str | None
    version: str | None
    contended: bool

    def within(self, bucket: Bucket) -> Request | None:
        """The request with the numbers that its names have in a bucket; None if its upload was not begun there."""
        request: Any = self.request
        if self.upload is not None:
            ids = [one.id for one in bucket.uploads]
            if self.upload not in ids:
                return None
            number = ids.index(self.upload)
            request = replace(request, upload=number + 1)
            if isinstance(request, ops.CompleteMultipartUpload):
                there = bucket.uploads[number].parts
                request = replace(request, parts=tuple(self._part(one, there) for one in request.parts))
        if self.version is not None:
            versions = bucket.objects.get(getattr(request, "source", "") or request.key, ())
            request = replace(request, version=next((one.number for one in versions if one.id == self.version), -1))
        return cast(Request, request)

    def _part(self, part: str, there: Mapping[int, Part]) -> str:
        """A part as a completion tells it: with an ETag that it has not if another client replaced it meanwhile."""
        number = int(part.rstrip("!"))
        same = number in there and there[number].etag == self.parts.get(number)
        return part if same or part.endswith("!") else f"{part}!"


def asked_of(history: ObjectHistory) -> list[Call[Asked, Answer]]:
    """The calls of a history, each with what its client meant by it. Raises Unjudged for a name that stands for none.

    All clients know what the first one was told in the beginning.
    """
    shared, of_client = _Known(), dict[int, _Known]()
    found = []
    for call, place in history.rows:
        known = shared if place == -1 else of_client.setdefault(call.client, shared.copy())
        found.append(replace(cast(Any, call), operation=_asked(call, known, history.calls)))
        known.note(call.operation, call.outcome)
    return found


def _asked(call: Observed, known: _Known, calls: Sequence[Observed]) -> Asked:
    request = call.operation
    number, version = getattr(request, "upload", None), getattr(request, "version", 0)
    upload = None
    if number is not None:
        if not 1 <= number <= len(known.uploads):
            raise Unjudged(f"{request.NAME} of an upload that its client does not know")
        upload = known.uploads[number - 1][1]
    id = None
    if version:
        of_key = known.versions.get(getattr(request, "source", "") or cast(Any, request).key, [])
        if not 1 <= version <= len(of_key):
            raise Unjudged(f"{request.NAME} of a version that its client does not know")
        id = of_key[version - 1]
    keys = changed_by(request, known.uploads)
    conditional = type(request) in _IGNORED and bool(_condition(request))
    contended = conditional and any(
        other.client != call.client
        and overlap(call, other)
        and bool(set(keys) & set(changed_by(other.operation, known.uploads)))
        for other in calls
    )
    parts = {part: etag for (of, part), etag in known.parts.items() if of == number}
    return Asked(request, call.outcome, dict(known.etags), parts, upload, id, contended)


def _condition(request: Request) -> str:
    return getattr(request, "if_match", "") or getattr(request, "if_none_match", "")


def changed_by(request: Request, uploads: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """The keys whose objects a request may change; ``uploads`` are those that are known, key and id."""
    match request:
        case ops.PutObject() | ops.CopyObject() | ops.DeleteObject():
            return (request.key,)
        case ops.DeleteObjects():
            return request.keys
        case ops.CompleteMultipartUpload() if 1 <= request.upload <= len(uploads):
            return (uploads[request.upload - 1][0],)
    return ()


def overlap(one: Observed, other: Observed) -> bool:
    """Whether two calls were under way at once."""
    return one.invoked < _end(other) and other.invoked < _end(one)


def _end(call: Observed) -> float:
    return float("inf") if call.returned is None else call.returned


class ObjectSteps:
    """A model for :func:`linearize`: what the requests of a history may do, step by step, under a contract.

    ``keys`` are those that the history's requests name: others are there only if the store made them up.
    """

    def __init__(self, contract: ObjectContract, keys: Iterable[str], excused: Collection[Excuse] = ()) -> None:
        """``excused`` says which requests need not keep which clauses."""
        self._contract, self._keys, self._excused = contract, frozenset(keys), excused

    def step(self, state: State, operation: Asked, outcome: Answer, rest: Rest = None) -> Iterable[tuple[State, Rest]]:
        """Where the next step of a request may lead that gave this answer, with what is left of it. Raises Unjudged."""
        if isinstance(outcome, NotExpressible):
            return [(state, None)]
        if isinstance(outcome, Unknown):
            raise Unjudged(f"{operation.request.NAME}, of which nobody knows what it did")
        request = operation.within(state.bucket)
        if request is None:
            return []
        if isinstance(outcome, Refused):
            refused = [state] if operation.contended and outcome.status == 409 and outcome.code in CONFLICTS else []
            return [(one, None) for one in (*refused, *self._whole(state, operation, request, outcome))]
        if isinstance(request, _LISTINGS) and isinstance(outcome.value, Listing):
            return self._listing(state, request, outcome, outcome.value, rest)
        if isinstance(request, ops.DeleteObjects) and isinstance(outcome.value, Bulk) and len(request.keys) > 1:
            return self._bulk(state, operation, request, outcome, outcome.value, rest)
        if isinstance(request, ops.CopyObject):
            return self._copy(state, operation, request, outcome, rest)
        return [(one, None) for one in self._whole(state, operation, request, outcome)]

    def effects(self, state: State, operation: Asked, rest: Rest = None) -> Iterable[tuple[State, Rest]]:
        """Where a request may lead of which nobody heard: nowhere, or where its answer says. Raises Unjudged."""
        return dict.fromkeys([(state, None), *self.step(state, operation, operation.answer, rest)])

    def is_best(self, operation: Asked, left: Rest) -> bool:
        """No step is: what can't be judged of a look hangs on where it is taken."""
        return False

    def _whole(self, state: State, asked: Asked, request: Request, answer: Answered) -> Iterator[State]:
        """The states after a whole request, at once. Raises Unjudged."""
        bucket = replace(state.bucket, told=asked.told)
        for variant in self._variants(request):
            found = judge_request(variant, bucket, answer)
            if self._departs(request, found.breaches):
                continue
            permitted = [one for one in found.breaches if (request.NAME, one.clause) not in self._excused]
            if found.after is None or (permitted and request.MUTATES):
                raise Unjudged(f"{request.NAME}, of which no document says what it does here")
            yield State(replace(found.after, told={}))

    def _variants(self, request: Request) -> Iterator[Request]:
        """The request, and the same without conditions where the contract says that they may be ignored."""
        yield request
        option = _IGNORED.get(cast(Any, type(request)))
        if option and _condition(request) and self._contract.permits(option):
            names = [name for name in ("if_match", "if_none_match") if hasattr(request, name)]
            yield replace(cast(Any, request), **dict.fromkeys(names, ""))

    def _departs(self, request: Request, breaches: Iterable[Breach]) -> bool:
        ignored = set(_IGNORED.values())
        return any(
            not one.should
            and (request.NAME, one.clause) not in self._excused
            and not any(option not in ignored and self._contract.permits(option) for option in one.options)
            for one in breaches
        )

    def _bulk(
        self, state: State, asked: Asked, request: ops.DeleteObjects, done: Done, bulk: Bulk, rest: Rest
    ) -> Iterator[tuple[State, Rest]]:
        """A bulk delete, key by key in any order; what is left is the keys that are still to be deleted."""
        left = cast("frozenset[str]", rest) if rest is not None else frozenset(request.keys)
        if {*bulk.deleted, *(key for key, _ in (*bulk.errors, *bulk.markers))} - set(request.keys):
            return
        for key in sorted(left):
            own = Bulk(
                tuple(one for one in bulk.deleted if one == key),
                tuple(one for one in bulk.errors if one[0] == key),
                tuple(one for one in bulk.markers if one[0] == key),
            )
            single = replace(request, keys=(key,))
            for after in self._whole(state, asked, single, replace(done, value=own)):
                yield after, left - {key} or None

    def _copy(
        self, state: State, asked: Asked, request: ops.CopyObject, done: Done, rest: Rest
    ) -> Iterator[tuple[State, Rest]]:
        """A copy: it reads its source, and then writes; what is left once it was read is that version."""
        there = state.bucket
        if rest is None:
            number, key = request.version, request.source
            source = there.version(key, number) if number else there.current(key)
            for after in self._whole(state, asked, request, done):
                yield after, None
                yield state, source
            return
        read = cast(Version, rest)
        told = done.value if isinstance(done.value, Found) else Found()
        found = Verdicts(after=None)
        bucket = written(found, there, request.key, read.content, told, request.meta or read.meta)
        if not self._departs(request, found.breaches):
            yield State(replace(bucket, told={})), None

    def _listing(
        self, state: State, request: Request, done: Done, listing: Listing, rest: Rest
    ) -> Iterator[tuple[State, Rest]]:
        """A listing: each key was looked at once; what is left is the keys that were not yet as it says."""
        bucket = state.bucket
        if rest is None:
            if not self._has_form(request, done, listing):
                return
            left = self._keys | {one.key for one in listing.entries()}
        else:
            left = cast("frozenset[str]", rest)
        unlike = frozenset(key for key in left if not self._shows(request, bucket, done, listing, key))
        if unlike != left or not left:
            yield state, unlike or None

    def _has_form(self, request: Request, done: Done, listing: Listing) -> bool:
        """Whether order, pages and counts of a listing of keys are right, and no common prefix is made up."""
        asked = _listing_of(request)
        groups = {asked.rolled_up(key) for key in self._keys if key.startswith(asked.prefix)}
        if set(listing.prefixes()) - groups:
            return False
        if not isinstance(request, ops.ListObjectsV2) or request.start_after:
            return True
        objects = {
            one.key: (Version(1, "", contents.of(1, max(0, one.length)), one.etag),) for one in listing.entries()
        }
        objects |= {prefix + "-": (Version(1, "", contents.EMPTY),) for prefix in listing.prefixes()}
        return not self._departs(request, judge_request(request, Bucket(objects), done).breaches)

    def _shows(self, request: Request, bucket: Bucket, done: Done, listing: Listing, key: str) -> bool:
        """Whether a listing shows of a key what there is of it."""
        asked = _listing_of(request)
        group = asked.rolled_up(key) if key.startswith(asked.prefix) else None
        shown = group is not None and group in listing.prefixes()
        keys = {one for one in bucket.objects if asked.rolled_up(one) == group} if shown else {key}
        own = replace(
            bucket,
            objects={one: versions for one, versions in bucket.objects.items() if one in keys},
            uploads=tuple(
                one for one in bucket.uploads if one.key in keys or (shown and asked.rolled_up(one.key) == group)
            ),
            told={},
        )
        entries = tuple(one for one in listing.entries() if one.key == key)
        page = Page(entries, (group,) if shown and group is not None else ())
        whole = replace(cast(Any, request), **{name: 0 for name in _PAGES if hasattr(request, name)})
        return not self._departs(request, judge_request(whole, own, replace(done, value=Listing((page,)))).breaches)


def _listing_of(request: Any) -> AskedListing:
    return AskedListing(request.prefix, request.delimiter, 0, getattr(request, "start_after", ""))


def keys_in(history: ObjectHistory) -> frozenset[str]:
    """The keys that the requests of a history name."""
    return frozenset(key for call in history.calls for key in ops.keys_of(call.operation))


class ObjectJudge:
    """Judges histories of requests under one contract."""

    def __init__(self, contract: ObjectContract, excused: Collection[Excuse] = ()) -> None:
        """``excused`` says which clauses requests break as well where they come one after another."""
        self._contract, self._excused = contract, frozenset(excused)

    def excusing(self, serial: Iterable[ObjectHistory]) -> ObjectJudge:
        """The same without the clauses that requests of one client alone break; ``serial`` is what came of them."""
        broken = {
            (one.operation, one.clause)
            for history in serial
            for one in judge(
                tuple(call.operation for call in history.calls),
                [call.outcome for call in history.calls],
                self._contract,
            ).findings
            if one.failing
        }
        return ObjectJudge(self._contract, self._excused | broken)

    def judge(self, history: ObjectHistory) -> Judged:
        """The verdict on a history."""
        if history.lost:
            return Judged("inconclusive", reason=history.lost)
        for call in history.calls:
            if isinstance(call.outcome, Unknown):
                return Judged("inconclusive", reason=call.outcome.reason)
        try:
            model = ObjectSteps(self._contract, keys_in(history), self._excused)
            found = linearize(model, (State(EMPTY_BUCKET),), asked_of(history))
        except Unjudged as error:
            return Judged("unjudged", reason=f"nothing can be said of what follows {error}")
        if found.exhausted:
            return Judged("inconclusive", linearized=found, reason=f"given up after {found.states} states")
        return Judged("conforms" if found.holds else "violation", linearized=found)
