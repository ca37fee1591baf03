"""What a request may be answered with in a bucket, and what the bucket is afterwards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from fsconform.model.objects import listings, reads, uploads, writes
from fsconform.model.objects import operations as ops
from fsconform.model.objects.answers import Answer, Bucket, Refused
from fsconform.model.objects.contract import KEYS_AS_PATHS
from fsconform.model.objects.verdicts import NO_PATH, Verdicts, place_of

_Rule = Callable[[Verdicts, Any, Bucket, Answer], None]

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


def judge_request(request: ops.Request, bucket: Bucket, answer: Answer) -> Verdicts:
    """Judge one answer. A request that names an upload must name one that the program began."""
    found = Verdicts(after=bucket)
    RULES[type(request)](found, request, bucket, answer)
    if isinstance(answer, Refused) and answer.status == 400 and _is_no_path(request, bucket):
        found.breaches = [replace(one, options=(*one.options, KEYS_AS_PATHS)) for one in found.breaches]
    return found


def _is_no_path(request: ops.Request, bucket: Bucket) -> bool:
    names = (*ops.keys_of(request), getattr(request, "prefix", ""), getattr(request, "start_after", ""))
    return any(role in NO_PATH for name in names if name for role in place_of(bucket, name))
