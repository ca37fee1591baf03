"""Faults of versions and delete markers."""

from __future__ import annotations

import hashlib
from typing import Any

from fsconform.proving.objects.lists import ListingObjects, Row
from fsconform.proving.objects.store import BucketState, MemoryObjects, ObjectError, Record


class DeleteForgetsVersions(MemoryObjects):
    """A delete in a versioned bucket removes the key with all its versions."""

    def remove(self, bucket: BucketState, key: str) -> Record | None:
        bucket.journal = [one for one in bucket.journal if one.key != key]
        return super().remove(bucket, key)


class MarkerNotSeen(MemoryObjects):
    """A read goes past a delete marker to the version before it."""

    def newest(self, bucket: BucketState, key: str) -> Record | None:
        return next((one for one in self.history(bucket, key) if one.body is not None), None)


class SuspendedKeepsNull(MemoryObjects):
    """With versioning suspended every write makes one more null version."""

    def store(
        self, bucket: BucketState, key: str, body: bytes | None, etag: str = "", meta: dict[str, str] | None = None
    ) -> Record:
        kept = [one for one in bucket.journal if one.key == key] if bucket.versioning == "Suspended" else []
        record = super().store(bucket, key, body, etag, meta)
        bucket.journal += [one for one in kept if one not in bucket.journal]
        return record


class LatestIsOldest(ListingObjects):
    """A listing of versions calls the first version the latest."""

    def latest(self, bucket: BucketState, record: Record) -> bool:
        return record is self.history(bucket, record.key)[-1]


class OldestFirst(ListingObjects):
    """Versions of a key are listed with the oldest first."""

    def version_rows(self, bucket: BucketState) -> list[Row]:
        names = sorted({one.key for one in bucket.journal}, key=lambda key: key.encode())
        return [(key, one.version, one) for key in names for one in reversed(self.history(bucket, key))]


class SuspendedMakesVersions(MemoryObjects):
    """With versioning suspended writes go on to make versions with ids."""

    def store(
        self, bucket: BucketState, key: str, body: bytes | None, etag: str = "", meta: dict[str, str] | None = None
    ) -> Record:
        suspended = bucket.versioning == "Suspended"
        bucket.versioning = "Enabled" if suspended else bucket.versioning
        record = super().store(bucket, key, body, etag, meta)
        bucket.versioning = "Suspended" if suspended else bucket.versioning
        return record


class VersionIdsRepeat(MemoryObjects):
    """All versions of a key have one id."""

    def store(
        self, bucket: BucketState, key: str, body: bytes | None, etag: str = "", meta: dict[str, str] | None = None
    ) -> Record:
        record = super().store(bucket, key, body, etag, meta)
        if record.version != "null":
            record.version = hashlib.md5(key.encode(), usedforsecurity=False).hexdigest()
        return record


class MarkerOnMarkerNotMade(MemoryObjects):
    """A delete of what is deleted already is answered with the marker that is there."""

    def remove(self, bucket: BucketState, key: str) -> Record | None:
        newest = self.newest(bucket, key)
        return newest if newest is not None and newest.body is None else super().remove(bucket, key)


class MarkersNotTold(MemoryObjects):
    """The answer to a delete does not tell of the delete marker that it made."""

    def delete_object(self, *_: Any, **parameters: Any) -> dict[str, Any]:
        told = super().delete_object(**parameters)
        if not parameters.get("VersionId"):
            told.pop("DeleteMarker", None)
        return told


class VersionWasMarkerNotTold(MemoryObjects):
    """The answer to the delete of a version does not tell that it was a delete marker."""

    def delete_object(self, *_: Any, **parameters: Any) -> dict[str, Any]:
        told = super().delete_object(**parameters)
        if parameters.get("VersionId"):
            told.pop("DeleteMarker", None)
        return told


class VersionDeleteRefused(MemoryObjects):
    """A version can't be deleted."""

    def delete_object(self, *_: Any, **parameters: Any) -> dict[str, Any]:
        if parameters.get("VersionId"):
            raise ObjectError(501, "NotImplemented")
        return super().delete_object(**parameters)


class MissingVersionIsCurrent(MemoryObjects):
    """Reading a version that is not there gives the current one."""

    def found(self, bucket: BucketState, key: str, version: str) -> Record:
        try:
            return super().found(bucket, key, version)
        except ObjectError as error:
            record = self.there(bucket, key)
            if record is None or str(error) != "404 NoSuchVersion":
                raise
            return record


class NoVersioning(MemoryObjects):
    """Versioning can't be set."""

    def put_bucket_versioning(self, Bucket: str, VersioningConfiguration: dict[str, str]) -> dict[str, Any]:
        raise ObjectError(501, "NotImplemented")


KINDS: tuple[type[MemoryObjects], ...] = (
    DeleteForgetsVersions,
    MarkerNotSeen,
    SuspendedKeepsNull,
    LatestIsOldest,
    OldestFirst,
    SuspendedMakesVersions,
    VersionIdsRepeat,
    MarkerOnMarkerNotMade,
    MarkersNotTold,
    VersionWasMarkerNotTold,
    VersionDeleteRefused,
    MissingVersionIsCurrent,
    NoVersioning,
)
