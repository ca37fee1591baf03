"""What writes, copies, deletes and uploads may not answer, told by the clause that each answer breaks."""

from __future__ import annotations

import hashlib

import pytest

from fsconform.engine.objects.describe import observed
from fsconform.engine.objects.judge import judge
from fsconform.model.core import content as contents
from fsconform.model.core.outcomes import NotExpressible, Unknown
from fsconform.model.objects import clauses as ids
from fsconform.model.objects import operations as ops
from fsconform.model.objects.answers import (
    Answer,
    Answered,
    Bucket,
    Bulk,
    Done,
    Entry,
    Found,
    Listing,
    Page,
    Part,
    Refused,
    Upload,
    Version,
)
from fsconform.model.objects.contract import STRICT
from fsconform.model.objects.reads import cut
from fsconform.model.objects.rules import judge_request

BYTES = contents.of(1, 3)
ETAG = hashlib.md5(b"".join(contents.chunks(BYTES)), usedforsecurity=False).hexdigest()
BUSY = Refused(503, "SlowDown")
BUCKET = Bucket(
    {"a": (Version(1, "1", BYTES, ETAG),), "gone": (Version(2, "3", None), Version(1, "2", BYTES, ETAG))},
    (Upload("u", "up", parts={1: Part(BYTES, ETAG)}), Upload("v", "up", ended=True)),
    versioning="Enabled",
)
PART = Entry("", ETAG, 3, number=1)
LONG = "k" * 1025


def told(request: ops.Request, answer: Answered) -> list[tuple[str, str]]:
    return [(one.clause, one.symptom) for one in judge_request(request, BUCKET, answer).breaches]


REFUSED = "is refused with 503 SlowDown"


@pytest.mark.parametrize(
    ("request_", "clause"),
    [
        (ops.PutObject("b", BYTES), ids.PUT_SUCCEEDS),
        (ops.CopyObject("a", "b"), ids.COPY_SUCCEEDS),
        (ops.DeleteObject("a"), ids.DELETE_SUCCEEDS),
        (ops.DeleteObject("none"), ids.DELETE_MISSING),
        (ops.DeleteObject("a", 1), ids.DELETE_VERSION),
        (ops.DeleteObjects(("a",)), ids.BULK_DELETES),
        (ops.CreateMultipartUpload("b"), ids.UPLOAD_BEGINS),
        (ops.UploadPart(1, 2, BYTES), ids.PART_STORED),
        (ops.CompleteMultipartUpload(1, ("1",)), ids.COMPLETE),
        (ops.AbortMultipartUpload(1), ids.ABORT),
        (ops.ListParts(1), ids.PARTS_LISTED),
    ],
)
def test_what_must_succeed_and_is_refused(request_: ops.Request, clause: str) -> None:
    assert told(request_, BUSY) == [(clause, REFUSED)]


@pytest.mark.parametrize(
    ("request_", "clause"),
    [
        (ops.CopyObject("gone", "b", 2), ids.COPY_VERSION),
        (ops.GetObject("gone", version=2), ids.GET_MARKER_VERSION),
        (ops.CreateMultipartUpload(LONG), ids.KEY_LENGTH),
        (ops.PutObject(LONG), ids.KEY_LENGTH),
        (ops.UploadPart(2, 1, BYTES), ids.NO_SUCH_UPLOAD),
        (ops.UploadPart(1, 10_001, BYTES), ids.PART_NUMBER),
        (ops.CompleteMultipartUpload(1, ("2",)), ids.INVALID_PART),
        (ops.ListParts(2), ids.NO_SUCH_UPLOAD),
    ],
)
def test_what_must_be_refused_and_succeeds(request_: ops.Request, clause: str) -> None:
    assert told(request_, Done(200, Found(ETAG))) == [(clause, "succeeds")]


@pytest.mark.parametrize(
    ("request_", "answer", "breach"),
    [
        (ops.PutObject("b", BYTES), Done(200, Found(ETAG)), (ids.VERSION_IDS, "tells no version id")),
        (ops.CopyObject("a", "b"), Done(200, Found("x", version="9")), (ids.PUT_ETAG, "tells another ETag")),
        (ops.CreateMultipartUpload("b"), Done(200, upload="u"), (ids.UPLOAD_BEGINS, "tells no new upload id")),
        (ops.UploadPart(1, 2, BYTES), Done(200, Found("x")), (ids.PART_STORED, "tells another ETag")),
        (
            ops.CompleteMultipartUpload(1, ("1",)),
            Done(200, Found(version="9")),
            (ids.COMPLETE, "tells no ETag"),
        ),
        (ops.ListParts(1), Done(200, Listing((Page(()),))), (ids.PARTS_LISTED, "omits a part")),
        (
            ops.ListParts(1),
            Done(200, Listing((Page((PART, Entry("", ETAG, 3, number=2))),))),
            (ids.PARTS_LISTED, "lists a part that is not there"),
        ),
        (
            ops.GetObject("gone", version=2),
            Refused(405, "MethodNotAllowed"),
            (ids.GET_MARKER_VERSION, "does not tell of the delete marker"),
        ),
    ],
)
def test_what_is_told_wrongly(request_: ops.Request, answer: Answered, breach: tuple[str, str]) -> None:
    assert told(request_, answer) == [breach]


def test_after_a_quiet_delete_of_versioned_keys_nobody_knows_their_versions() -> None:
    verdicts = judge_request(ops.DeleteObjects(("a",), quiet=True), BUCKET, Done(200, Bulk(())))
    assert verdicts.after is None and not verdicts.breaches


PUT, DELETE = ops.PutObject("b", BYTES), ops.DeleteObjects(("b",))
WRITTEN, GONE = Done(200, Found(ETAG)), Done(200, Bulk(("b",)))


@pytest.mark.parametrize(
    ("program", "answers", "clauses"),
    [
        ((PUT, DELETE, ops.GetObject("b")), (WRITTEN, GONE, Done(200, Found(ETAG, 3))), [ids.BULK_DELETES]),
        ((PUT, ops.GetObject("c")), (WRITTEN, Done(200, Found(ETAG, 3))), [ids.GET_MISSING]),
        ((PUT, ops.GetObject("b")), (Unknown("no answer"), BUSY), []),
        ((ops.ListParts(1), ops.GetObject("a")), (BUSY, BUSY), []),
    ],
    ids=["of a bulk delete", "of no earlier request", "after an answer that nobody knows", "of an upload that is not"],
)
def test_what_a_read_shows_is_told_of_the_request_that_failed(
    program: ops.Program, answers: tuple[Answer, ...], clauses: list[str]
) -> None:
    assert [one.clause for one in judge(program, answers, STRICT).findings] == clauses


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (NotExpressible("no such version"), "not carried out: no such version"),
        (Unknown("no answer in time"), "no answer in time"),
        (Done(200, Bulk(("a",), (("b", "AccessDenied"),))), "200 deleted ['a'], errors [('b', 'AccessDenied')]"),
        (
            Done(200, Found("e" * 32, 3, meta="m", version="0123456789", delete_marker=True)),
            f"200 3 bytes, ETag {'e' * 12}, metadata 'm', version 01234567, delete marker",
        ),
        (Done(204), "204"),
    ],
)
def test_answers_are_told_in_words(answer: Answer, words: str) -> None:
    assert observed(answer) == words


@pytest.mark.parametrize(
    ("range", "length", "part"),
    [
        ("bytes=0-1", 3, (0, 2)),
        ("bytes=1-", 3, (1, 3)),
        ("bytes=-2", 3, (1, 3)),
        ("bytes=2-9", 3, (2, 3)),
        ("bytes=3-", 3, None),
        ("bytes=-0", 3, None),
    ],
)
def test_a_range_is_cut_to_the_object(range: str, length: int, part: tuple[int, int] | None) -> None:
    assert cut(range, length) == part


@pytest.mark.parametrize("text", ["bytes=-", "bytes=0-1,2-3", "lines=1-2", ""])
def test_what_is_no_single_range_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no range"):
        cut(text, 3)
