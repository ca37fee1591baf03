"""Each request as a call of boto3's client, and what its answer tells."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fsconform.adapters.s3 import listings
from fsconform.adapters.s3.handles import Handles, NotKnown, without_quotes
from fsconform.model.core import content as contents
from fsconform.model.core.content import Content
from fsconform.model.core.outcomes import Data
from fsconform.model.objects import operations as ops
from fsconform.model.objects.answers import Answer, Bulk, Done, Found

META = "fsconform"
"""The entry of user metadata that programs set."""


@dataclass(frozen=True, slots=True)
class Away:
    """Where a program plays: keys are told to the store with ``base`` before them."""

    client: Any
    bucket: str
    base: str
    handles: Handles

    def key(self, name: str) -> dict[str, str]:
        """Bucket and key of a request. Raises NotKnown where the place leaves too little room for the key."""
        if self.base and len(name.encode()) <= ops.LONGEST_KEY < len((self.base + name).encode()):
            raise NotKnown("the key is too long below the prefix")
        return {"Bucket": self.bucket, "Key": self.base + name}

    def conditions(self, key: str, match: str, none_match: str, of: str = "If") -> dict[str, str]:
        """The conditions of a request on a key, under the names of parameters that begin with ``of``."""
        found = {}
        if match:
            found[f"{of}Match"] = self.handles.condition(key, match)
        if none_match:
            found[f"{of}NoneMatch"] = self.handles.condition(key, none_match)
        return found

    def version(self, key: str, number: int) -> dict[str, str]:
        """The version of a request, if it names one."""
        return {"VersionId": self.handles.version(key, number)} if number else {}


def body_of(content: Content) -> bytes:
    """The bytes of content."""
    return b"".join(contents.chunks(content))


def _meta(value: str) -> dict[str, Any]:
    return {"Metadata": {META: value}} if value else {}


def _status(response: Mapping[str, Any]) -> int:
    return int(response["ResponseMetadata"]["HTTPStatusCode"])


def _written(away: Away, key: str, response: Mapping[str, Any], etag: object) -> Done:
    version = response.get("VersionId")
    told = without_quotes(etag)
    away.handles.made(key, version, told)
    return Done(_status(response), Found(etag=told, version=version))


def _put(away: Away, request: ops.PutObject) -> Answer:
    body = body_of(request.content)
    digest = {}
    if request.digest:
        md5 = hashlib.md5(body if request.digest == "right" else body + b"!", usedforsecurity=False).digest()
        digest = {"ContentMD5": b64encode(md5).decode()}
    response = away.client.put_object(
        **away.key(request.key),
        Body=body,
        **digest,
        **_meta(request.meta),
        **away.conditions(request.key, request.if_match, request.if_none_match),
    )
    return _written(away, request.key, response, response.get("ETag"))


def _copy(away: Away, request: ops.CopyObject) -> Answer:
    source: dict[str, str] = away.key(request.source) | away.version(request.source, request.version)
    replaced = {"MetadataDirective": "REPLACE", **_meta(request.meta)} if request.meta else {}
    response = away.client.copy_object(
        **away.key(request.key),
        CopySource=source,
        **replaced,
        **away.conditions(request.source, request.if_match, request.if_none_match, "CopySourceIf"),
    )
    return _written(away, request.key, response, response.get("CopyObjectResult", {}).get("ETag"))


def _found(response: Mapping[str, Any], **more: Any) -> Done:
    return Done(
        _status(response),
        Found(
            etag=without_quotes(response.get("ETag")),
            length=response.get("ContentLength"),
            meta=response.get("Metadata", {}).get(META, ""),
            version=response.get("VersionId"),
            **more,
        ),
    )


def _get(away: Away, request: ops.GetObject) -> Answer:
    response = away.client.get_object(
        **away.key(request.key),
        **({"Range": request.range} if request.range else {}),
        **away.version(request.key, request.version),
        **away.conditions(request.key, request.if_match, request.if_none_match),
    )
    sha, length = hashlib.sha256(), 0
    body = response["Body"]
    while piece := body.read(1 << 20):
        sha.update(piece)
        length += len(piece)
    data = Data(length, sha.hexdigest())
    return _found(response, data=data, content_range=response.get("ContentRange"))


def _head(away: Away, request: ops.HeadObject) -> Answer:
    return _found(
        away.client.head_object(
            **away.key(request.key),
            **away.version(request.key, request.version),
            **away.conditions(request.key, request.if_match, request.if_none_match),
        )
    )


def _delete(away: Away, request: ops.DeleteObject) -> Answer:
    response = away.client.delete_object(
        **away.key(request.key),
        **away.version(request.key, request.version),
        **away.conditions(request.key, request.if_match, ""),
    )
    marker, version = bool(response.get("DeleteMarker")), response.get("VersionId")
    if marker and not request.version:
        away.handles.made(request.key, version)
    return Done(_status(response), Found(version=version, delete_marker=marker))


def _delete_many(away: Away, request: ops.DeleteObjects) -> Answer:
    response = away.client.delete_objects(
        Bucket=away.bucket,
        Delete={"Objects": [{"Key": away.base + key} for key in request.keys], "Quiet": request.quiet},
    )
    rows = [(_own(away, row.get("Key", "")), row) for row in response.get("Deleted", ())]
    markers = {key: row.get("DeleteMarkerVersionId") or "" for key, row in rows if row.get("DeleteMarker")}
    for key in request.keys:
        if key in markers:
            away.handles.made(key, markers[key])
    errors = [(_own(away, row.get("Key", "")), row.get("Code", "")) for row in response.get("Errors", ())]
    return Done(_status(response), Bulk(tuple(key for key, _ in rows), tuple(errors), tuple(markers.items())))


def _own(away: Away, key: str) -> str:
    """A key as the program has it; one that is not of this program's place stays as it is told."""
    return key.removeprefix(away.base) if key.startswith(away.base) else f"(outside) {key}"


def _versioning(away: Away, request: ops.PutBucketVersioning) -> Answer:
    status = {"Status": request.status}
    return Done(_status(away.client.put_bucket_versioning(Bucket=away.bucket, VersioningConfiguration=status)))


def _begin(away: Away, request: ops.CreateMultipartUpload) -> Answer:
    response = away.client.create_multipart_upload(**away.key(request.key), **_meta(request.meta))
    upload = str(response.get("UploadId") or "")
    away.handles.uploads.append((request.key, upload))
    return Done(_status(response), upload=upload)


def _upload(away: Away, number: int) -> dict[str, str]:
    key, upload = away.handles.upload(number)
    return {**away.key(key), "UploadId": upload}


def _part(away: Away, request: ops.UploadPart) -> Answer:
    response = away.client.upload_part(
        **_upload(away, request.upload), PartNumber=request.part, Body=body_of(request.content)
    )
    etag = without_quotes(response.get("ETag"))
    away.handles.parts[request.upload, request.part] = etag
    return Done(_status(response), Found(etag=etag))


def _complete(away: Away, request: ops.CompleteMultipartUpload) -> Answer:
    key, _ = away.handles.upload(request.upload)
    rows = []
    for part in request.parts:
        number = int(part.rstrip("!"))
        etag = away.handles.parts.get((request.upload, number), "0" * 32)
        rows.append({"PartNumber": number, "ETag": f'"{"f" * 32 if part.endswith("!") else etag}"'})
    response = away.client.complete_multipart_upload(
        **_upload(away, request.upload),
        MultipartUpload={"Parts": rows},
        **away.conditions(key, request.if_match, request.if_none_match),
    )
    return _written(away, key, response, response.get("ETag"))


def _abort(away: Away, request: ops.AbortMultipartUpload) -> Answer:
    return Done(_status(away.client.abort_multipart_upload(**_upload(away, request.upload))))


def _list(away: Away, request: ops.ListObjectsV2) -> Answer:
    return listings.objects(away.client, away.bucket, away.base, request)


def _list_versions(away: Away, request: ops.ListObjectVersions) -> Answer:
    return listings.versions(away.client, away.bucket, away.base, request)


def _list_uploads(away: Away, request: ops.ListMultipartUploads) -> Answer:
    return listings.uploads(away.client, away.bucket, away.base, request)


def _list_parts(away: Away, request: ops.ListParts) -> Answer:
    return listings.parts(away.client, _upload(away, request.upload), request)


CALLS: Mapping[type[ops.Request], Callable[[Away, Any], Answer]] = {
    ops.PutObject: _put,
    ops.CopyObject: _copy,
    ops.GetObject: _get,
    ops.HeadObject: _head,
    ops.DeleteObject: _delete,
    ops.DeleteObjects: _delete_many,
    ops.PutBucketVersioning: _versioning,
    ops.CreateMultipartUpload: _begin,
    ops.UploadPart: _part,
    ops.CompleteMultipartUpload: _complete,
    ops.AbortMultipartUpload: _abort,
    ops.ListObjectsV2: _list,
    ops.ListObjectVersions: _list_versions,
    ops.ListMultipartUploads: _list_uploads,
    ops.ListParts: _list_parts,
}
