"""Faults that only several clients at once can show: requests that others come between, caches, news that is late."""

from __future__ import annotations

import io
import time
from typing import Any

from fsconform.proving.objects.lists import Row
from fsconform.proving.objects.raced import RacedObjects
from fsconform.proving.objects.store import BucketState, ObjectError, Pending, Record

LATE_SECONDS = 0.02
"""How long another client does not hear of a change."""


class IfNoneMatchChecksThenActs(RacedObjects):
    """If-None-Match is looked at first, and then the object is written whoever wrote it meanwhile: two writers win."""

    def check_write(self, bucket: BucketState, key: str, match: str, none_match: str) -> None:
        super().check_write(bucket, key, match, none_match)
        if none_match:
            self.gap()


class IfMatchLosesUpdates(RacedObjects):
    """If-Match is looked at first, and then the object is written whoever changed it meanwhile."""

    def check_write(self, bucket: BucketState, key: str, match: str, none_match: str) -> None:
        super().check_write(bucket, key, match, none_match)
        if match:
            self.gap()


class _Late(RacedObjects):
    """A store in which others hear of changes late. ``_news`` has by key who heard of one, and until when alone."""

    def __init__(self) -> None:
        super().__init__()
        self._news: dict[tuple[int, str], tuple[int, float]] = {}

    def tell(self, bucket: BucketState, key: str) -> None:
        """The present caller knows of a change; others will."""
        self._news[id(bucket), key] = (self.caller, time.monotonic() + LATE_SECONDS)

    def is_news(self, bucket: BucketState, key: str) -> bool:
        """Whether the present caller does not know yet of what happened at a key."""
        known = self._news.get((id(bucket), key))
        return known is not None and known[0] != self.caller and time.monotonic() < known[1]

    def delete_bucket(self, Bucket: str) -> dict[str, Any]:
        self._news.clear()
        return super().delete_bucket(Bucket=Bucket)


class ListShowsPutLate(_Late):
    """A key that was written is in the listings of other clients some time later."""

    def store(
        self, bucket: BucketState, key: str, body: bytes | None, etag: str = "", meta: dict[str, str] | None = None
    ) -> Record:
        if self.there(bucket, key) is None:
            self.tell(bucket, key)
        return super().store(bucket, key, body, etag, meta)

    def keys(self, bucket: BucketState) -> list[Row]:
        return [row for row in super().keys(bucket) if not self.is_news(bucket, row[0])]


class ListShowsDeleted(_Late):
    """A key that was deleted is in the listings of other clients for some time."""

    def __init__(self) -> None:
        super().__init__()
        self._gone: dict[tuple[int, str], Record] = {}

    def remove(self, bucket: BucketState, key: str) -> Record | None:
        record = self.there(bucket, key)
        if record is not None:
            self._gone[id(bucket), key] = record
            self.tell(bucket, key)
        return super().remove(bucket, key)

    def keys(self, bucket: BucketState) -> list[Row]:
        rows = super().keys(bucket)
        there = {row[0] for row in rows}
        rows += [
            (key, "", record)
            for (of, key), record in self._gone.items()
            if of == id(bucket) and key not in there and self.is_news(bucket, key)
        ]
        return sorted(rows, key=lambda row: row[0].encode())


class GetSeesPutLate(_Late):
    """A key that was written is missing for other clients' GET for some time, as if they had asked for it before."""

    def store(
        self, bucket: BucketState, key: str, body: bytes | None, etag: str = "", meta: dict[str, str] | None = None
    ) -> Record:
        if self.there(bucket, key) is None:
            self.tell(bucket, key)
        return super().store(bucket, key, body, etag, meta)

    def get_object(self, *_: Any, **parameters: Any) -> dict[str, Any]:
        if self.is_news(self.of(parameters["Bucket"]), parameters["Key"]):
            raise ObjectError(404, "NoSuchKey")
        return super().get_object(**parameters)


class HeadCachedByClient(RacedObjects):
    """A client that asked HEAD of a key is told the same again, whatever others did."""

    def __init__(self) -> None:
        super().__init__()
        self._told: dict[tuple[int, int, str], dict[str, Any]] = {}

    def head_object(self, *_: Any, **parameters: Any) -> dict[str, Any]:
        place = (self.caller, id(self.of(parameters["Bucket"])), parameters["Key"])
        if place not in self._told:
            self._told[place] = super().head_object(**parameters)
        return self._told[place]

    def delete_bucket(self, Bucket: str) -> dict[str, Any]:
        self._told.clear()
        return super().delete_bucket(Bucket=Bucket)


class GetMixesOldAndNew(RacedObjects):
    """A GET beside a write gives the first half of what was there and the other half of what is written."""

    def get_object(self, *_: Any, **parameters: Any) -> dict[str, Any]:
        bucket, key = self.of(parameters["Bucket"]), parameters["Key"]
        before = self.there(bucket, key)
        self.gap()
        told = super().get_object(**parameters)
        after = self.there(bucket, key)
        if before is not None and after is not None and before.body != after.body and not parameters.get("Range"):
            old, new = before.body or b"", after.body or b""
            told["Body"] = io.BytesIO(old[: len(old) // 2] + new[len(old) // 2 :])
        return told


class PutShowsHalf(RacedObjects):
    """A write in one request is seen while only the first half of it is there."""

    def store(
        self, bucket: BucketState, key: str, body: bytes | None, etag: str = "", meta: dict[str, str] | None = None
    ) -> Record:
        record = super().store(bucket, key, body, etag, meta)
        if body:
            record.body = body[: len(body) // 2]
            self.gap()
            record.body = body
        return record


class CompleteMixesWithPut(RacedObjects):
    """A completion beside a write leaves bytes of both under the completion's ETag."""

    def complete_multipart_upload(self, *_: Any, **parameters: Any) -> dict[str, Any]:
        bucket, key = self.of(parameters["Bucket"]), parameters["Key"]
        before = self.there(bucket, key)
        self.gap()
        meanwhile = self.there(bucket, key)
        told = super().complete_multipart_upload(**parameters)
        record = self.there(bucket, key)
        if meanwhile is not None and meanwhile is not before and record is not None:
            body = record.body or b""
            record.body = body[:3] + (meanwhile.body or b"")[3:]
        return told


class CompleteUndoesPut(RacedObjects):
    """A completion that is refused by its condition puts back what was there when it began, whoever wrote meanwhile."""

    def complete_multipart_upload(self, *_: Any, **parameters: Any) -> dict[str, Any]:
        bucket, key = self.of(parameters["Bucket"]), parameters["Key"]
        before = [one for one in bucket.journal if one.key == key]
        self.gap()
        try:
            return super().complete_multipart_upload(**parameters)
        except ObjectError:
            bucket.journal = [one for one in bucket.journal if one.key != key] + before
            raise


class CompleteBesideAbort(RacedObjects):
    """A completion and an abort of one upload at once both succeed, and the object is not there."""

    def complete_multipart_upload(self, *_: Any, **parameters: Any) -> dict[str, Any]:
        bucket = self.of(parameters["Bucket"])
        upload = self.upload(bucket, parameters["UploadId"])
        journal = list(bucket.journal)
        self.gap()
        if upload in bucket.pending:
            return super().complete_multipart_upload(**parameters)
        bucket.pending.append(upload)
        told = super().complete_multipart_upload(**parameters)
        bucket.journal = journal
        return told


class VersionLost(RacedObjects):
    """Of two writes at once of a key with versions one is lost: both read what versions there are, and add one."""

    def store(
        self, bucket: BucketState, key: str, body: bytes | None, etag: str = "", meta: dict[str, str] | None = None
    ) -> Record:
        before = [one for one in bucket.journal if one.key == key]
        if bucket.versioning == "Enabled":
            self.gap()
        record = super().store(bucket, key, body, etag, meta)
        if bucket.versioning == "Enabled":
            bucket.journal = [one for one in bucket.journal if one.key != key or one is record] + before
        return record


class CopyMixesSource(RacedObjects):
    """A copy beside a write of its source has the new bytes under the ETag and metadata of the old ones."""

    def copy_object(self, *_: Any, **parameters: Any) -> dict[str, Any]:
        bucket, source = self.of(parameters["Bucket"]), parameters["CopySource"]["Key"]
        before = self.there(bucket, source)
        self.gap()
        told = super().copy_object(**parameters)
        record = self.there(bucket, parameters["Key"])
        if before is not None and record is not None:
            record.etag, record.meta = before.etag, before.meta
            told["CopyObjectResult"] = {"ETag": f'"{before.etag}"'}
        return told


class PagesByPosition(RacedObjects):
    """A listing by pages goes on at the position where it stopped: a key is skipped if one before it went meanwhile."""

    def token(self, items: list[tuple[str, Row | None]], following: int) -> str:
        return str(following)

    def begin(self, items: list[tuple[str, Row | None]], token: str) -> int:
        return int(token or 0)


class PartLost(RacedObjects):
    """Of two parts uploaded at once both are lost, and what was there before stays."""

    def upload_part(self, *_: Any, **parameters: Any) -> dict[str, Any]:
        upload: Pending = self.upload(self.of(parameters["Bucket"]), parameters["UploadId"])
        before = dict(upload.parts)
        self.gap()
        changed = upload.parts != before
        told = super().upload_part(**parameters)
        if changed:
            upload.parts = {**before}
        return told


class BulkDeleteLosesWrites(RacedObjects):
    """A bulk delete leaves the bucket as it was when it began, without its keys: what was written meanwhile is lost."""

    def delete_objects(self, *_: Any, **parameters: Any) -> dict[str, Any]:
        bucket = self.of(parameters["Bucket"])
        before = list(bucket.journal)
        self.gap()
        if not bucket.versioning:
            bucket.journal = before
        return super().delete_objects(**parameters)


KINDS: tuple[type[RacedObjects], ...] = (
    IfNoneMatchChecksThenActs,
    IfMatchLosesUpdates,
    ListShowsPutLate,
    ListShowsDeleted,
    GetSeesPutLate,
    HeadCachedByClient,
    GetMixesOldAndNew,
    PutShowsHalf,
    CompleteMixesWithPut,
    CompleteUndoesPut,
    CompleteBesideAbort,
    VersionLost,
    CopyMixesSource,
    PagesByPosition,
    PartLost,
    BulkDeleteLosesWrites,
)
