"""Writing, copying and deleting objects, held against the clauses."""

from __future__ import annotations

from dataclasses import replace

from fsconform.model.objects import clauses as ids
from fsconform.model.objects import contract as options
from fsconform.model.objects.answers import Answered, Bucket, Bulk, Done, Found, Version
from fsconform.model.objects.effects import removed, version_removed, written
from fsconform.model.objects.operations import (
    LATEST,
    LONGEST_KEY,
    CopyObject,
    DeleteObject,
    DeleteObjects,
    PutBucketVersioning,
    PutObject,
)
from fsconform.model.objects.verdicts import Refusal, Verdicts, md5, must_refuse, must_succeed

NOT_MET = ("PreconditionFailed",)
NO_KEY = ("NoSuchKey",)


def fits(bucket: Bucket, key: str, version: Version, condition: str) -> bool:
    """Whether a condition's ETag is that of a version: ``*`` is every one's."""
    if condition == LATEST:
        return bucket.told.get(key) == version.etag
    return condition == "*"


def write_conditions(bucket: Bucket, key: str, match: str, none_match: str, of: tuple[str, str]) -> list[Refusal]:
    """The refusals that the conditions of a write ask for; ``of`` are the clauses of If-Match and If-None-Match."""
    found = []
    current = bucket.current(key)
    if none_match and current is not None:
        found.append(Refusal(of[1], 412, NOT_MET))
    if match and current is None:
        found.append(Refusal(ids.PUT_MATCH_MISSING, 404, (*NO_KEY, "NoSuchVersion")))
    elif match and current is not None and not fits(bucket, key, current, match):
        found.append(Refusal(of[0], 412, NOT_MET))
    return found


def key_refusals(key: str) -> list[Refusal]:
    """The refusal of a key that is too long."""
    too_long = len(key.encode()) > LONGEST_KEY
    return [Refusal(ids.KEY_LENGTH, 400, ("KeyTooLongError", "KeyTooLong"))] if too_long else []


def put(found: Verdicts, request: PutObject, bucket: Bucket, answer: Answered) -> None:
    """Judge a write in one request."""
    refusals = key_refusals(request.key)
    if request.digest == "wrong":
        refusals.append(Refusal(ids.PUT_DIGEST, 400, ("BadDigest",)))
    of = (ids.PUT_MATCH, ids.PUT_NONE_MATCH)
    refusals += write_conditions(bucket, request.key, request.if_match, request.if_none_match, of)
    if refusals:
        must_refuse(found, answer, refusals, _conditional(refusals))
        return
    clause = ids.PUT_MATCH if request.if_match else ids.PUT_NONE_MATCH if request.if_none_match else ids.PUT_SUCCEEDS
    if len(request.key.encode()) == LONGEST_KEY:
        clause = ids.KEY_LENGTH
    done = must_succeed(found, clause, answer)
    if done is not None:
        told = _found(done)
        etag = md5(request.content)
        _etag(found, told, etag)
        found.after = written(found, bucket, request.key, request.content, replace(told, etag=etag), request.meta)


def _conditional(refusals: list[Refusal]) -> tuple[str, ...]:
    conditions = {ids.PUT_MATCH, ids.PUT_NONE_MATCH, ids.PUT_MATCH_MISSING}
    return (options.NO_CONDITIONAL_WRITES,) if refusals[0].clause in conditions else ()


def _found(done: Done) -> Found:
    return done.value if isinstance(done.value, Found) else Found()


def _etag(found: Verdicts, told: Found, etag: str) -> None:
    found.judged(ids.PUT_ETAG)
    if told.etag != etag:
        found.breach(ids.PUT_ETAG, "tells another ETag", f"tell the MD5 of what was written, {etag}", str(told.etag))


def copy(found: Verdicts, request: CopyObject, bucket: Bucket, answer: Answered) -> None:
    """Judge a copy within the bucket."""
    source = bucket.version(request.source, request.version) if request.version else bucket.current(request.source)
    refusals = key_refusals(request.key)
    if source is None:
        codes = ("NoSuchVersion", "NoSuchKey") if request.version else NO_KEY
        refusals.append(Refusal(ids.COPY_MISSING, 404, codes))
    elif source.marker:
        refusals.append(Refusal(ids.COPY_VERSION, 400, ("InvalidRequest",)))
        refusals.append(Refusal(ids.COPY_VERSION, 404, ("NoSuchVersion", "NoSuchKey")))
        refusals.append(Refusal(ids.COPY_VERSION, 405, ("MethodNotAllowed",)))
    else:
        if request.if_match and not fits(bucket, request.source, source, request.if_match):
            refusals.append(Refusal(ids.COPY_MATCH, 412, NOT_MET))
        if request.if_none_match and fits(bucket, request.source, source, request.if_none_match):
            refusals.append(Refusal(ids.COPY_NONE_MATCH, 412, NOT_MET))
        if request.source == request.key and not request.meta and not request.version:
            refusals.append(Refusal(ids.COPY_ITSELF, 400, ("InvalidRequest",)))
    if refusals:
        must_refuse(found, answer, refusals)
        return
    assert source is not None and source.content is not None
    if request.source == request.key and request.version and source == bucket.current(request.key):
        found.after = None  # whether that is a copy onto itself no document says
        return
    done = must_succeed(found, ids.COPY_VERSION if request.version else ids.COPY_SUCCEEDS, answer)
    if done is not None:
        told = _found(done)
        if source.etag == md5(source.content):
            _etag(found, told, source.etag)
        found.after = written(found, bucket, request.key, source.content, told, request.meta or source.meta)


def delete(found: Verdicts, request: DeleteObject, bucket: Bucket, answer: Answered) -> None:
    """Judge the delete of an object or of a version."""
    key = request.key
    if request.version:
        _delete_version(found, request, bucket, answer)
        return
    current = bucket.current(key)
    if request.if_match and current is None:
        found.after = None  # documents differ on what is answered
        return
    if request.if_match and current is not None and not fits(bucket, key, current, request.if_match):
        must_refuse(found, answer, [Refusal(ids.DELETE_MATCH, 412, NOT_MET)], (options.NO_CONDITIONAL_DELETES,))
        return
    clause = ids.DELETE_MISSING if current is None else ids.DELETE_SUCCEEDS
    done = must_succeed(found, clause, answer)
    if done is not None:
        told = _found(done)
        found.after = deleted(found, bucket, key, told.delete_marker, told.version or "")


def deleted(found: Verdicts, bucket: Bucket, key: str, marker: bool, version: str) -> Bucket:
    """The bucket after a delete without a version; in a versioned one a marker must be made of an object."""
    if not bucket.versioning:
        return removed(bucket, key)
    clause = ids.DELETE_MARKER if bucket.versioning == "Enabled" else ids.DELETE_SUSPENDED
    found.judged(clause)
    there = bucket.objects.get(key, ())
    if there and there[0].marker and bucket.versioning == "Enabled":
        found.judged(ids.MARKER_ON_MARKER)
        if not marker or version in {one.id for one in there}:
            wanted, got = "make one more delete marker", "the answer tells of none that is new"
            found.breach(ids.MARKER_ON_MARKER, "makes no new delete marker", wanted, got)
            return bucket
    if marker:
        return written(found, bucket, key, None, Found(version=version))
    if bucket.current(key) is not None:
        found.breach(clause, "tells of no delete marker", "make a delete marker", "the answer tells of none")
    return bucket


def _delete_version(found: Verdicts, request: DeleteObject, bucket: Bucket, answer: Answered) -> None:
    version = bucket.version(request.key, request.version)
    if version is None:
        return  # whether that is an error no document says
    done = must_succeed(found, ids.DELETE_VERSION, answer)
    if done is None:
        return
    found.after = version_removed(bucket, request.key, request.version)
    found.judged(ids.DELETE_VERSION_MARKER)
    if _found(done).delete_marker != version.marker:
        what = "a delete marker" if version.marker else "no delete marker"
        found.breach(
            ids.DELETE_VERSION_MARKER,
            f"does not tell that the version was {what}",
            f"tell that the version was {what}",
            f"x-amz-delete-marker is {str(_found(done).delete_marker).lower()}",
        )


def delete_many(found: Verdicts, request: DeleteObjects, bucket: Bucket, answer: Answered) -> None:
    """Judge a bulk delete."""
    done = must_succeed(found, ids.BULK_DELETES, answer)
    if done is None or not isinstance(done.value, Bulk):
        return
    bulk = done.value
    if bulk.errors:
        codes = ", ".join(sorted({code for _, code in bulk.errors}))
        found.breach(ids.BULK_DELETES, f"tells of the error {codes}", "delete every key", f"{bulk.errors}")
        return
    wanted = () if request.quiet else tuple(sorted(request.keys))
    found.judged(ids.BULK_QUIET if request.quiet else ids.BULK_MISSING)
    if tuple(sorted(bulk.deleted)) != wanted:
        clause = ids.BULK_QUIET if request.quiet else ids.BULK_MISSING
        symptom = "tells of keys that it deleted" if request.quiet else "does not tell of every key"
        found.breach(clause, symptom, f"tell that {list(wanted)} are deleted", f"it told {sorted(bulk.deleted)}")
    after = bucket
    markers = dict(bulk.markers)
    for key in request.keys:
        if request.quiet and bucket.versioning:
            found.after = None  # the ids of the markers were not told
            return
        after = deleted(found, after, key, key in markers, markers.get(key, ""))
    found.after = after


def set_versioning(found: Verdicts, request: PutBucketVersioning, bucket: Bucket, answer: Answered) -> None:
    """Judge a change of versioning."""
    if must_succeed(found, ids.VERSIONING, answer, (options.NO_VERSIONING,)) is not None:
        found.after = replace(bucket, versioning=request.status)
