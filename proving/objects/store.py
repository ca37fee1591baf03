"""An object store in memory with the methods of boto3's client, written from S3's documents, not from our code.

A bucket is a journal: every version, delete markers among them, is a record with the number of its writing. Faults are
subclasses that answer one thing wrongly.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import uuid
from base64 import b64decode
from dataclasses import dataclass, field
from typing import Any

SMALLEST_PART = 5 << 20
MOST_LISTED = 1000


class ObjectError(Exception):
    """A refusal, told as boto3 tells it."""

    def __init__(self, status: int, code: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(f"{status} {code}")
        self.code = code
        self.response = {
            "Error": {"Code": code, "Message": code},
            "ResponseMetadata": {"HTTPStatusCode": status, "HTTPHeaders": headers or {}},
        }


@dataclass(slots=True)
class Record:
    """One version of a key; ``body`` is None of a delete marker."""

    number: int
    key: str
    version: str
    body: bytes | None
    etag: str = ""
    meta: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Pending:
    """A multipart upload in progress."""

    id: str
    key: str
    meta: dict[str, str]
    parts: dict[int, tuple[bytes, str]] = field(default_factory=dict)


@dataclass(slots=True)
class BucketState:
    """A bucket."""

    journal: list[Record] = field(default_factory=list)
    pending: list[Pending] = field(default_factory=list)
    versioning: str = ""
    written: int = 0


def quoted(etag: str) -> str:
    """An ETag as headers have it."""
    return f'"{etag}"'


def answer(status: int = 200, /, **fields: Any) -> dict[str, Any]:
    """A response as boto3 gives it."""
    return {"ResponseMetadata": {"HTTPStatusCode": status, "HTTPHeaders": {}}, **fields}


class MemoryObjects:
    """The store. Parameters have boto3's names."""

    def __init__(self) -> None:
        self.buckets: dict[str, BucketState] = {}

    # What is there

    def of(self, name: str) -> BucketState:
        """A bucket. Raises ObjectError."""
        if name not in self.buckets:
            raise ObjectError(404, "NoSuchBucket")
        return self.buckets[name]

    def history(self, bucket: BucketState, key: str) -> list[Record]:
        """The versions of a key, newest first."""
        return sorted((one for one in bucket.journal if one.key == key), key=lambda one: -one.number)

    def newest(self, bucket: BucketState, key: str) -> Record | None:
        """The current version of a key, even if it is a delete marker."""
        return next(iter(self.history(bucket, key)), None)

    def there(self, bucket: BucketState, key: str) -> Record | None:
        """The current object of a key."""
        record = self.newest(bucket, key)
        return record if record is not None and record.body is not None else None

    def store(
        self, bucket: BucketState, key: str, body: bytes | None, etag: str = "", meta: dict[str, str] | None = None
    ) -> Record:
        """Write a version, in the place of those that versioning does not keep."""
        bucket.written += 1
        version = uuid.uuid4().hex if bucket.versioning == "Enabled" else "null"
        if version == "null":
            bucket.journal = [one for one in bucket.journal if one.key != key or one.version != "null"]
        record = Record(bucket.written, key, version, body, etag, dict(meta or {}))
        bucket.journal.append(record)
        return record

    def version_told(self, bucket: BucketState, record: Record) -> dict[str, str]:
        """The header of a version's id, where there are versions."""
        return {"VersionId": record.version} if bucket.versioning else {}

    # Conditions

    def same(self, condition: str, record: Record) -> bool:
        """Whether an ETag of a condition is a record's."""
        return condition == "*" or condition.strip('"') == record.etag

    def check_write(self, bucket: BucketState, key: str, match: str, none_match: str) -> None:
        """Hold a write against its conditions. Raises ObjectError."""
        record = self.there(bucket, key)
        if none_match and record is not None:
            raise ObjectError(412, "PreconditionFailed")
        if match and record is None:
            raise ObjectError(404, "NoSuchKey")
        if match and record is not None and not self.same(match, record):
            raise ObjectError(412, "PreconditionFailed")

    def check_key(self, key: str) -> None:
        """Refuse a key that is too long. Raises ObjectError."""
        if len(key.encode()) > 1024:
            raise ObjectError(400, "KeyTooLongError")

    # Buckets

    def create_bucket(self, Bucket: str) -> dict[str, Any]:
        """Make a bucket."""
        if Bucket in self.buckets:
            raise ObjectError(409, "BucketAlreadyOwnedByYou")
        self.buckets[Bucket] = BucketState()
        return answer()

    def delete_bucket(self, Bucket: str) -> dict[str, Any]:
        """Remove an empty bucket."""
        if self.of(Bucket).journal:
            raise ObjectError(409, "BucketNotEmpty")
        del self.buckets[Bucket]
        return answer(204)

    def put_bucket_versioning(self, Bucket: str, VersioningConfiguration: dict[str, str]) -> dict[str, Any]:
        """Set the versioning of a bucket."""
        self.of(Bucket).versioning = VersioningConfiguration["Status"]
        return answer()

    # Objects

    def put_object(
        self,
        Bucket: str,
        Key: str,
        Body: bytes = b"",
        ContentMD5: str = "",
        Metadata: dict[str, str] | None = None,
        IfMatch: str = "",
        IfNoneMatch: str = "",
    ) -> dict[str, Any]:
        """Write an object."""
        bucket = self.of(Bucket)
        self.check_key(Key)
        digest = hashlib.md5(Body, usedforsecurity=False)
        if ContentMD5 and b64decode(ContentMD5) != digest.digest():
            raise ObjectError(400, "BadDigest")
        self.check_write(bucket, Key, IfMatch, IfNoneMatch)
        record = self.store(bucket, Key, bytes(Body), digest.hexdigest(), Metadata)
        return answer(ETag=quoted(record.etag), **self.version_told(bucket, record))

    def found(self, bucket: BucketState, key: str, version: str) -> Record:
        """The record that a read is about. Raises ObjectError."""
        if version:
            record = next((one for one in self.history(bucket, key) if one.version == version), None)
            if record is None:
                raise ObjectError(404, "NoSuchVersion")
            if record.body is None:
                raise ObjectError(405, "MethodNotAllowed", {"x-amz-delete-marker": "true"})
            return record
        record = self.newest(bucket, key)
        if record is None:
            raise ObjectError(404, "NoSuchKey")
        if record.body is None:
            raise ObjectError(404, "NoSuchKey", {"x-amz-delete-marker": "true"})
        return record

    def check_read(self, record: Record, match: str, none_match: str) -> None:
        """Hold a read against its conditions. Raises ObjectError."""
        if match and not self.same(match, record):
            raise ObjectError(412, "PreconditionFailed")
        if none_match and self.same(none_match, record):
            raise ObjectError(304, "304")

    def slice(self, body: bytes, header: str) -> tuple[int, int]:
        """From where to before where a range reads. Raises ObjectError."""
        first, _, last = header.removeprefix("bytes=").partition("-")
        start = max(0, len(body) - int(last)) if not first else int(first)
        end = len(body) if not first or not last else min(len(body), int(last) + 1)
        if start >= len(body):
            raise ObjectError(416, "InvalidRange")
        return start, end

    def head(self, bucket: BucketState, record: Record) -> dict[str, Any]:
        """What GET and HEAD tell alike."""
        told = {"ETag": quoted(record.etag), "ContentLength": len(record.body or b""), "Metadata": record.meta}
        return told | self.version_told(bucket, record)

    def get_object(
        self, Bucket: str, Key: str, Range: str = "", VersionId: str = "", IfMatch: str = "", IfNoneMatch: str = ""
    ) -> dict[str, Any]:
        """Read an object."""
        bucket = self.of(Bucket)
        record = self.found(bucket, Key, VersionId)
        self.check_read(record, IfMatch, IfNoneMatch)
        body = record.body or b""
        told = self.head(bucket, record)
        if not Range:
            return answer(200, Body=io.BytesIO(body), **told)
        start, end = self.slice(body, Range)
        told["ContentLength"] = end - start
        return answer(
            206, Body=io.BytesIO(body[start:end]), ContentRange=f"bytes {start}-{end - 1}/{len(body)}", **told
        )

    def head_object(
        self, Bucket: str, Key: str, VersionId: str = "", IfMatch: str = "", IfNoneMatch: str = ""
    ) -> dict[str, Any]:
        """Ask for an object."""
        bucket = self.of(Bucket)
        record = self.found(bucket, Key, VersionId)
        self.check_read(record, IfMatch, IfNoneMatch)
        return answer(**self.head(bucket, record))

    def copy_object(
        self,
        Bucket: str,
        Key: str,
        CopySource: dict[str, str],
        MetadataDirective: str = "COPY",
        Metadata: dict[str, str] | None = None,
        CopySourceIfMatch: str = "",
        CopySourceIfNoneMatch: str = "",
    ) -> dict[str, Any]:
        """Copy an object."""
        bucket = self.of(Bucket)
        self.check_key(Key)
        source = self.found(bucket, CopySource["Key"], CopySource.get("VersionId", ""))
        if CopySourceIfMatch and not self.same(CopySourceIfMatch, source):
            raise ObjectError(412, "PreconditionFailed")
        if CopySourceIfNoneMatch and self.same(CopySourceIfNoneMatch, source):
            raise ObjectError(412, "PreconditionFailed")
        replace = MetadataDirective == "REPLACE"
        if CopySource["Key"] == Key and not replace and source is self.newest(bucket, Key):
            raise ObjectError(400, "InvalidRequest")
        body = source.body or b""
        etag = hashlib.md5(body, usedforsecurity=False).hexdigest()
        record = self.store(bucket, Key, body, etag, Metadata if replace else source.meta)
        return answer(CopyObjectResult={"ETag": quoted(record.etag)}, **self.version_told(bucket, record))

    # Deleting

    def remove(self, bucket: BucketState, key: str) -> Record | None:
        """Delete a key; the delete marker that was made, in a bucket with versions."""
        if bucket.versioning:
            return self.store(bucket, key, None)
        bucket.journal = [one for one in bucket.journal if one.key != key]
        return None

    def delete_object(self, Bucket: str, Key: str, VersionId: str = "", IfMatch: str = "") -> dict[str, Any]:
        """Delete an object or a version."""
        bucket = self.of(Bucket)
        if VersionId:
            gone = next((one for one in self.history(bucket, Key) if one.version == VersionId), None)
            bucket.journal = [one for one in bucket.journal if one is not gone]
            marker = {"DeleteMarker": True} if gone is not None and gone.body is None else {}
            return answer(204, VersionId=VersionId, **marker)
        if IfMatch:
            self.check_write(bucket, Key, IfMatch, "")
        record = self.remove(bucket, Key)
        return answer(204, **({"DeleteMarker": True, "VersionId": record.version} if record else {}))

    def delete_objects(self, Bucket: str, Delete: dict[str, Any]) -> dict[str, Any]:
        """Delete several objects."""
        bucket = self.of(Bucket)
        rows = []
        for one in Delete["Objects"]:
            record = self.remove(bucket, one["Key"])
            row = {"Key": one["Key"]}
            rows.append(row | ({"DeleteMarker": True, "DeleteMarkerVersionId": record.version} if record else {}))
        return answer(**({} if Delete.get("Quiet") else {"Deleted": rows}))

    # Multipart uploads

    def upload(self, bucket: BucketState, id: str) -> Pending:
        """An upload in progress. Raises ObjectError."""
        for one in bucket.pending:
            if one.id == id:
                return one
        raise ObjectError(404, "NoSuchUpload")

    def end_upload(self, bucket: BucketState, id: str) -> Pending:
        """Take an upload out of those in progress, before anything comes of it: nobody ends it twice.

        Raises ObjectError.
        """
        upload = self.upload(bucket, id)
        bucket.pending.remove(upload)
        return upload

    def create_multipart_upload(self, Bucket: str, Key: str, Metadata: dict[str, str] | None = None) -> dict[str, Any]:
        """Begin an upload."""
        self.check_key(Key)
        upload = Pending(uuid.uuid4().hex, Key, dict(Metadata or {}))
        self.of(Bucket).pending.append(upload)
        return answer(UploadId=upload.id)

    def upload_part(self, Bucket: str, Key: str, UploadId: str, PartNumber: int, Body: bytes) -> dict[str, Any]:
        """Take a part."""
        upload = self.upload(self.of(Bucket), UploadId)
        if not 1 <= PartNumber <= 10_000:
            raise ObjectError(400, "InvalidArgument")
        etag = hashlib.md5(Body, usedforsecurity=False).hexdigest()
        upload.parts[PartNumber] = (bytes(Body), etag)
        return answer(ETag=quoted(etag))

    def check_parts(self, upload: Pending, rows: list[dict[str, Any]]) -> list[bytes]:
        """The bodies of the parts that a completion names. Raises ObjectError."""
        if not rows:
            raise ObjectError(400, "MalformedXML")
        numbers = [row["PartNumber"] for row in rows]
        if any(later <= earlier for earlier, later in itertools.pairwise(numbers)):
            raise ObjectError(400, "InvalidPartOrder")
        bodies = []
        for row in rows:
            body, etag = upload.parts.get(row["PartNumber"], (b"", "none"))
            if row["ETag"].strip('"') != etag:
                raise ObjectError(400, "InvalidPart")
            bodies.append(body)
        if any(len(body) < SMALLEST_PART for body in bodies[:-1]):
            raise ObjectError(400, "EntityTooSmall")
        return bodies

    def complete_multipart_upload(
        self,
        Bucket: str,
        Key: str,
        UploadId: str,
        MultipartUpload: dict[str, Any],
        IfMatch: str = "",
        IfNoneMatch: str = "",
    ) -> dict[str, Any]:
        """Make an object of parts."""
        bucket = self.of(Bucket)
        upload = self.upload(bucket, UploadId)
        bodies = self.check_parts(upload, MultipartUpload["Parts"])
        self.check_write(bucket, Key, IfMatch, IfNoneMatch)
        digests = b"".join(hashlib.md5(body, usedforsecurity=False).digest() for body in bodies)
        etag = f"{hashlib.md5(digests, usedforsecurity=False).hexdigest()}-{len(bodies)}"
        self.end_upload(bucket, UploadId)
        record = self.store(bucket, upload.key, b"".join(bodies), etag, upload.meta)
        return answer(ETag=quoted(etag), **self.version_told(bucket, record))

    def abort_multipart_upload(self, Bucket: str, Key: str, UploadId: str) -> dict[str, Any]:
        """Give an upload up."""
        self.end_upload(self.of(Bucket), UploadId)
        return answer(204)
