"""The judge of objects: follows a program request by request, and says of each departure whether it is declared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fsconform.engine.layers import Judgement
from fsconform.model.core.layers import Breach
from fsconform.model.core.outcomes import NotExpressible, Unknown
from fsconform.model.objects import clauses as ids
from fsconform.model.objects import operations as ops
from fsconform.model.objects.answers import EMPTY_BUCKET, Answer, Bucket, Refused
from fsconform.model.objects.contract import ObjectContract
from fsconform.model.objects.rules import judge_request
from fsconform.model.objects.verdicts import joined, roles_of
from fsconform.specs.layers import object_clauses

LISTINGS = (ops.ListObjectsV2, ops.ListObjectVersions, ops.ListMultipartUploads, ops.ListParts)
_CONDITIONS = {"if_match": "if-match", "if_none_match": "if-none-match", "range": "range", "digest": "digest"}


def judge(
    program: ops.Program, seen: Sequence[Answer], contract: ObjectContract, bucket: Bucket = EMPTY_BUCKET
) -> Judgement[Bucket]:
    """Judge a program by the answers to it, under a contract; ``bucket`` is what there was before it.

    Judging ends where a request that changes something departs, as what is there then is not known, and at an answer
    that nobody knows.
    """
    found: Judgement[Bucket] = Judgement()
    for step, (request, answer) in enumerate(zip(program, seen, strict=False)):
        found.states.append(bucket)
        if isinstance(answer, NotExpressible):
            found.skipped.append(answer.reason)
            continue
        if isinstance(answer, Unknown):
            break
        if not _names_an_upload_that_is(request, bucket):
            break
        found.operations += 1
        verdicts = judge_request(request, bucket, answer)
        found.clauses.update(set(verdicts.clauses))
        said = answer.message if isinstance(answer, Refused) else ""
        for breach in (_blamed(program, step, bucket, one) for one in _apart(verdicts.breaches)):
            signature = _signature(program, step, bucket, breach)
            found.departs(signature, step, request.NAME, breach, contract, object_clauses(), said)
        if verdicts.after is None or (request.MUTATES and verdicts.breaches):
            break
        bucket = verdicts.after
    found.states.append(bucket)
    return found


def _names_an_upload_that_is(request: ops.Request, bucket: Bucket) -> bool:
    number = getattr(request, "upload", None)
    return number is None or 1 <= number <= len(bucket.uploads)


def _apart(breaches: Sequence[Breach]) -> list[Breach]:
    """Breaches that differ in what a signature tells of them."""
    return list({(one.symptom, one.who): one for one in reversed(breaches)}.values())[::-1]


def _signature(program: ops.Program, step: int, bucket: Bucket, breach: Breach) -> str:
    request = program[step]
    place = breach.who if isinstance(request, LISTINGS) else situation(request, bucket)
    where = f" ({place})" if place else ""
    after = _after(program, step, bucket) if not isinstance(request, LISTINGS) and request.READS else ""
    return f"{request.NAME}{where} {breach.symptom}{after}"


def _blamed(program: ops.Program, step: int, bucket: Bucket, breach: Breach) -> Breach:
    """A departure of a GET that only shows what an earlier request did: told as the breach of that one's promise."""
    request = program[step]
    if not isinstance(request, ops.GetObject) or breach.clause not in (ids.CONSISTENT, ids.GET_MISSING):
        return breach
    earlier = next((one for one in reversed(program[:step]) if request.key in _changed(one, bucket)), None)
    match earlier:
        case ops.CompleteMultipartUpload():
            return replace(breach, clause=ids.COMPLETE)
        case ops.CopyObject():
            return replace(breach, clause=ids.COPY_SUCCEEDS)
        case ops.DeleteObjects():
            return replace(breach, clause=ids.BULK_DELETES)
        case ops.DeleteObject(version=0) if not bucket.versioning:
            return replace(breach, clause=ids.DELETE_SUCCEEDS)
    return breach


def situation(request: ops.Request, bucket: Bucket) -> str:
    """What a signature says of a request: what its keys are and which conditions it has, without names."""
    roles = [words for name, words in _CONDITIONS.items() if getattr(request, name, "")]
    if getattr(request, "version", 0):
        roles.append("version")
    number = getattr(request, "upload", None)
    keys = [bucket.uploads[number - 1].key] if number else list(ops.keys_of(request))
    if isinstance(request, ops.CopyObject):
        roles += [f"source {role}" for role in roles_of(bucket, request.source) if not role.startswith("versioning")]
        keys = keys[1:]
    for key in keys:
        roles += roles_of(bucket, key)
    return joined(roles)


def _after(program: ops.Program, step: int, bucket: Bucket) -> str:
    """The last request that changed the key which is read, or else the last one that changed anything."""
    keys = set(ops.keys_of(program[step]))
    changing = [one for one in program[:step] if one.MUTATES]
    about = [one for one in changing if keys & set(_changed(one, bucket))]
    last = (about or changing)[-1:]
    return f" after {last[0].NAME}" if last else ""


def _changed(request: ops.Request, bucket: Bucket) -> tuple[str, ...]:
    """The keys that a request changes; the bucket knows those of the uploads that there were before it."""
    if isinstance(request, ops.CompleteMultipartUpload) and 1 <= request.upload <= len(bucket.uploads):
        return (bucket.uploads[request.upload - 1].key,)
    if not request.MUTATES or isinstance(request, ops.CreateMultipartUpload):
        return ()
    keys = ops.keys_of(request)
    return keys[1:] if isinstance(request, ops.CopyObject) else keys
