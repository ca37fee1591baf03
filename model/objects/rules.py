"""What a request may be answered with in a bucket, and what the bucket is afterwards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from fsconform.model.objects import listings, reads, uploads, writes
from fsconform.model.objects import operations as ops
from fsconform.model.objects.answers import Answered, Bucket, Bulk, Done, Refused
from fsconform.model.objects.contract import KEYS_AS_PATHS
from fsconform.model.objects.verdicts import NO_PATH, Verdicts, place_of

_Rule = Callable[[Verdicts, Any, Bucket, Answered], None]

RULES: Mapping[type[ops.Request], _Rule] = {
    ops.PutObject: writes.put,
    ops.CopyObject: writes.copy,
    ops.DeleteObject: writes.delete,
    ops.DeleteObjects: writes.delete_many,
    ops.PutBucketVersioning: writes.set_versioning,
    ops.GetObject: reads.read,
    ops.HeadObject: reads.read,
    ops.ListObjectsV2: listings.list_objects,
    ops.ListObjectVersions: listings.list_versions,
    ops.ListMultipartUploads: listings.list_uploads,
    ops.CreateMultipartUpload: uploads.begin,
    ops.UploadPart: uploads.upload_part,
    ops.CompleteMultipartUpload: uploads.complete,
    ops.AbortMultipartUpload: uploads.abort,
    ops.ListParts: uploads.list_parts,
}


def judge_request(request: ops.Request, bucket: Bucket, answer: Answered) -> Verdicts:
    """Judge one answer. A request that names an upload must name one that the program began."""
    found = Verdicts(after=bucket)
    RULES[type(request)](found, request, bucket, answer)
    if _refused_as_no_path(request, bucket, answer):
        found.breaches = [replace(one, options=(*one.options, KEYS_AS_PATHS)) for one in found.breaches]
    return found


def _refused_as_no_path(request: ops.Request, bucket: Bucket, answer: Answered) -> bool:
    """Whether a request is refused that names what could be no path, or a bulk delete each such key and no other."""
    match answer:
        case Refused(status=400):
            names = (*ops.keys_of(request), getattr(request, "prefix", ""), getattr(request, "start_after", ""))
            return any(_is_no_path(bucket, name) for name in names if name)
        case Done(value=Bulk(errors=errors)):
            return bool(errors) and all(_is_no_path(bucket, key) for key, _ in errors)
        case _:
            return False


def _is_no_path(bucket: Bucket, name: str) -> bool:
    return any(role in NO_PATH for role in place_of(bucket, name))
