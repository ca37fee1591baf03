"""Reading objects and asking for them, held against the clauses."""

from __future__ import annotations

import re

from fsconform.model.core import content as contents
from fsconform.model.core.content import Content
from fsconform.model.core.outcomes import Data
from fsconform.model.objects import clauses as ids
from fsconform.model.objects.answers import Answered, Bucket, Done, Found, Refused, Version
from fsconform.model.objects.effects import null_as_none
from fsconform.model.objects.operations import GetObject, HeadObject
from fsconform.model.objects.verdicts import Refusal, Verdicts, must_refuse, must_succeed
from fsconform.model.objects.writes import NO_KEY, NOT_MET, fits

_RANGE = re.compile(r"bytes=(\d*)-(\d*)")
UNSATISFIABLE = Refusal(ids.RANGE_UNSATISFIABLE, 416, ("InvalidRange",))


def cut(range: str, length: int) -> tuple[int, int] | None:
    """From where to before where a range header reads, of an object of ``length`` bytes; None if it can't be met.

    Raises ValueError for a header that is no single range.
    """
    match = _RANGE.fullmatch(range)
    if match is None or match[0] == "bytes=-":
        raise ValueError(f"{range!r} is no range")
    first, last = match[1], match[2]
    if not first:
        wanted = min(int(last), length)
        return (length - wanted, length) if wanted else None
    start = int(first)
    end = min(int(last) + 1, length) if last else length
    return (start, end) if start < length else None


def _met_by_none(request: GetObject | HeadObject) -> list[Refusal]:
    """The refusal of a range that no object can meet. No document says what comes first where another applies too."""
    match = _RANGE.fullmatch(request.range) if isinstance(request, GetObject) else None
    nothing = match is not None and not match[1] and match[2] != "" and int(match[2]) == 0
    return [UNSATISFIABLE] if nothing else []


def read(found: Verdicts, request: GetObject | HeadObject, bucket: Bucket, answer: Answered) -> None:
    """Judge a GET or a HEAD. Neither changes anything."""
    version = bucket.version(request.key, request.version) if request.version else bucket.current(request.key)
    if version is None:
        _missing(found, request, bucket, answer)
        return
    if version.marker:
        marked = Refusal(ids.GET_MARKER_VERSION, 405, ("MethodNotAllowed",))
        if must_refuse(found, answer, [marked, *_met_by_none(request)]) and not _of_range(answer):
            _tells_marker(found, answer, ids.GET_MARKER_VERSION)
        return
    if request.if_match and not fits(bucket, request.key, version, request.if_match):
        must_refuse(found, answer, [Refusal(ids.GET_MATCH, 412, NOT_MET), *_met_by_none(request)])
        return
    if request.if_none_match and fits(bucket, request.key, version, request.if_none_match):
        unchanged = Refusal(ids.GET_NONE_MATCH, 304, ("NotModified", "304"))
        must_refuse(found, answer, [unchanged, *_met_by_none(request)])
        return
    assert version.content is not None
    range = request.range if isinstance(request, GetObject) else ""
    whole = contents.length(version.content)
    if range.startswith("bytes=-") and not whole:
        return  # HTTP calls that range satisfiable, and there is no byte to answer it with
    between = cut(range, whole) if range else (0, whole)
    if between is None:
        must_refuse(found, answer, [UNSATISFIABLE])
        return
    clause = _clause(request)
    done = must_succeed(found, clause, answer)
    if done is None or not isinstance(done.value, Found):
        return
    if isinstance(request, GetObject):
        _body(found, request, done, contents.slice_of(version.content, between[0], between[1] - between[0]))
        if range:
            wanted = f"bytes {between[0]}-{between[1] - 1}/{whole}"
            _same(found, ids.GET_RANGE, "Content-Range", wanted, done.value.content_range)
            _same(found, ids.GET_RANGE, "status of a range", 206, done.status)
    else:
        _same(found, ids.HEAD_AS_GET, "length", whole, done.value.length)
    _told(found, request, bucket, version, done.value)


def _clause(request: GetObject | HeadObject) -> str:
    if request.version:
        return ids.GET_VERSION
    if request.if_match:
        return ids.GET_MATCH
    if request.if_none_match:
        return ids.GET_NONE_MATCH
    return ids.HEAD_AS_GET if isinstance(request, HeadObject) else ids.CONSISTENT


def _missing(found: Verdicts, request: GetObject | HeadObject, bucket: Bucket, answer: Answered) -> None:
    if request.version:
        missing = Refusal(ids.NO_SUCH_VERSION, 404, ("NoSuchVersion", "NoSuchKey"))
        must_refuse(found, answer, [missing, *_met_by_none(request)])
        return
    marker = bool(bucket.objects.get(request.key))
    clause = ids.GET_CURRENT_MARKER if marker else ids.GET_MISSING
    if not marker and any(one.key == request.key and one.parts for one in bucket.uploads if not one.ended):
        clause = ids.UPLOAD_INVISIBLE
    refused = must_refuse(found, answer, [Refusal(clause, 404, NO_KEY), *_met_by_none(request)])
    if refused and marker and not _of_range(answer):
        _tells_marker(found, answer, clause)


def _of_range(answer: Answered) -> bool:
    return isinstance(answer, Refused) and answer.status == UNSATISFIABLE.status


def _tells_marker(found: Verdicts, answer: Answered, clause: str) -> None:
    if isinstance(answer, Refused) and not answer.delete_marker:
        found.breach(
            clause, "does not tell of the delete marker", "answer x-amz-delete-marker: true", "it did not answer it"
        )


def _body(found: Verdicts, request: GetObject, done: Done, wanted: Content) -> None:
    assert isinstance(done.value, Found)
    clause = ids.GET_RANGE if request.range else ids.CONSISTENT
    expected = Data(contents.length(wanted), contents.digest(wanted) or "")
    got = done.value.data
    if got is not None and got != expected:
        what = "other bytes" if got.length == expected.length else "more" if got.length > expected.length else "less"
        found.breach(clause, f"returns {what}", f"return {_shown(expected)}", _shown(got))


def _shown(data: Data) -> str:
    return f"{data.length} bytes, SHA-256 {data.digest[:8]}"


def _told(found: Verdicts, request: GetObject | HeadObject, bucket: Bucket, version: Version, told: Found) -> None:
    """What GET and HEAD tell of an object alike."""
    _same(found, ids.HEAD_AS_GET, "ETag", version.etag, told.etag)
    _same(found, ids.GET_METADATA, "metadata", version.meta, told.meta or "")
    if bucket.versioning:
        _same(found, ids.GET_VERSION, "version id", version.id, null_as_none(told.version))


def _same(found: Verdicts, clause: str, what: str, wanted: object, got: object) -> None:
    found.judged(clause)
    if wanted != got:
        found.breach(clause, f"tells another {what}", f"tell the {what} {wanted!r}", repr(got))
