"""Multipart uploads, held against the clauses."""

from __future__ import annotations

import itertools
from dataclasses import replace

from fsconform.model.core import content as contents
from fsconform.model.core.content import Content
from fsconform.model.objects import clauses as ids
from fsconform.model.objects.answers import Answered, Bucket, Found, Listing, Part, Upload
from fsconform.model.objects.effects import upload_changed, with_part, written
from fsconform.model.objects.operations import (
    SMALLEST_PART,
    AbortMultipartUpload,
    CompleteMultipartUpload,
    CreateMultipartUpload,
    ListParts,
    UploadPart,
)
from fsconform.model.objects.verdicts import Refusal, Verdicts, md5, must_refuse, must_succeed
from fsconform.model.objects.writes import key_refusals, write_conditions

MOST_PARTS = 10_000
_GONE = Refusal(ids.NO_SUCH_UPLOAD, 404, ("NoSuchUpload",))


def begin(found: Verdicts, request: CreateMultipartUpload, bucket: Bucket, answer: Answered) -> None:
    """Judge the beginning of an upload."""
    if refusals := key_refusals(request.key):
        must_refuse(found, answer, refusals)
        return
    done = must_succeed(found, ids.UPLOAD_BEGINS, answer)
    if done is None:
        return
    if not done.upload or any(one.id == done.upload for one in bucket.uploads):
        found.breach(ids.UPLOAD_BEGINS, "tells no new upload id", "tell an id that no upload has", repr(done.upload))
    found.after = replace(bucket, uploads=(*bucket.uploads, Upload(done.upload, request.key, request.meta)))


def upload_part(found: Verdicts, request: UploadPart, bucket: Bucket, answer: Answered) -> None:
    """Judge a part."""
    upload = bucket.uploads[request.upload - 1]
    refusals = [_GONE] if upload.ended else []
    if not 1 <= request.part <= MOST_PARTS:
        refusals.append(Refusal(ids.PART_NUMBER, 400, ("InvalidArgument", "InvalidPart", "InvalidPartNumber")))
    if refusals:
        must_refuse(found, answer, refusals)
        return
    done = must_succeed(found, ids.PART_STORED, answer)
    if done is None:
        return
    etag = done.value.etag if isinstance(done.value, Found) else None
    if etag != md5(request.content):
        found.breach(ids.PART_STORED, "tells another ETag", f"tell the MD5 {md5(request.content)}", str(etag))
    found.after = upload_changed(
        bucket, request.upload, with_part(upload, request.part, Part(request.content, etag or ""))
    )


def _part_refusals(upload: Upload, parts: tuple[str, ...]) -> list[Refusal]:
    found = []
    if not parts:
        return [Refusal(ids.NO_PARTS, 400, ("MalformedXML", "InvalidRequest"))]
    numbers = [int(one.rstrip("!")) for one in parts]
    if any(one.endswith("!") or int(one.rstrip("!")) not in upload.parts for one in parts):
        found.append(Refusal(ids.INVALID_PART, 400, ("InvalidPart",)))
    if any(later <= earlier for earlier, later in itertools.pairwise(numbers)):
        found.append(Refusal(ids.PART_ORDER, 400, ("InvalidPartOrder",)))
    if any(contents.length(upload.parts[one].content) < SMALLEST_PART for one in numbers[:-1] if one in upload.parts):
        found.append(Refusal(ids.PART_SIZE, 400, ("EntityTooSmall",)))
    return found


def complete(found: Verdicts, request: CompleteMultipartUpload, bucket: Bucket, answer: Answered) -> None:
    """Judge the completion of an upload."""
    upload = bucket.uploads[request.upload - 1]
    refusals = [_GONE] if upload.ended else _part_refusals(upload, request.parts)
    of = (ids.COMPLETE_MATCH, ids.COMPLETE_NONE_MATCH)
    refusals += write_conditions(bucket, upload.key, request.if_match, request.if_none_match, of)
    if refusals:
        must_refuse(found, answer, refusals)
        return
    clause = ids.COMPLETE_MATCH if request.if_match else ids.COMPLETE
    done = must_succeed(found, clause, answer)
    if done is None:
        return
    told = done.value if isinstance(done.value, Found) else Found()
    if not told.etag:
        found.breach(ids.COMPLETE, "tells no ETag", "tell the ETag of the object", "none was told")
    content: Content = sum((upload.parts[int(one)].content for one in request.parts), ())
    after = written(found, bucket, upload.key, content, told, upload.meta)
    found.after = upload_changed(after, request.upload, replace(upload, ended=True))


def abort(found: Verdicts, request: AbortMultipartUpload, bucket: Bucket, answer: Answered) -> None:
    """Judge the end of an upload that is given up."""
    upload = bucket.uploads[request.upload - 1]
    if upload.ended:
        must_refuse(found, answer, [_GONE])
        return
    if must_succeed(found, ids.ABORT, answer) is not None:
        found.after = upload_changed(bucket, request.upload, replace(upload, ended=True))


def list_parts(found: Verdicts, request: ListParts, bucket: Bucket, answer: Answered) -> None:
    """Judge a listing of parts."""
    upload = bucket.uploads[request.upload - 1]
    if upload.ended:
        must_refuse(found, answer, [_GONE])
        return
    done = must_succeed(found, ids.PARTS_LISTED, answer)
    if done is None or not isinstance(done.value, Listing):
        return
    got = [(one.number, one.etag, one.length) for one in done.value.entries()]
    wanted = [(number, part.etag, contents.length(part.content)) for number, part in sorted(upload.parts.items())]
    if got != wanted:
        if sorted(got) == wanted:
            symptom = "lists in another order"
        elif [one for one in wanted if one not in got]:
            symptom = "omits a part"
        else:
            symptom = "lists a part that is not there"
        who = "by pages" if request.max_parts else ""
        found.breach(ids.PARTS_LISTED, symptom, f"list the parts {wanted}", f"listed {got}", who=who)
    if request.max_parts:
        found.judged(ids.PARTS_PAGES)
        if done.value.endless or any(len(page) > request.max_parts for page in done.value.pages):
            sizes = [len(page) for page in done.value.pages]
            found.breach(
                ids.PARTS_PAGES, "gives pages of the wrong size", f"at most {request.max_parts} a page", str(sizes)
            )
