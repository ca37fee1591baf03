"""Faults that are seeded in the object store in memory, each of one kind that stores have had, or could have."""

from __future__ import annotations

import hashlib
from typing import Any

from fsconform.adapters.s3.proving.lists import ListingObjects, Row
from fsconform.adapters.s3.proving.store import BucketState, MemoryObjects, ObjectError, Pending, Record


class HidesBelowObjects(ListingObjects):
    """Listings leave out keys below another object, as stores do that keep keys as files."""

    def keys(self, bucket: BucketState) -> list[Row]:
        rows = super().keys(bucket)
        names = {key for key, _, _ in rows}
        return [row for row in rows if not any(row[0].startswith(name.rstrip("/") + "/") for name in names - {row[0]})]


class OmitsDirectoryObject(ListingObjects):
    """A listing of a prefix that ends in a slash leaves out the object of that name."""

    def items(self, rows: list[Row], prefix: str, delimiter: str, start: str) -> list[tuple[str, Row | None]]:
        kept = [row for row in rows if not (prefix.endswith("/") and row[0] == prefix)]
        return super().items(kept, prefix, delimiter, start)


class SortsByDirectory(ListingObjects):
    """Keys are listed in the order of directories: a slash comes before every other character."""

    def keys(self, bucket: BucketState) -> list[Row]:
        return sorted(super().keys(bucket), key=lambda row: row[0].replace("/", "\0").encode())


class PrefixByElement(ListingObjects):
    """A prefix is taken for a directory: keys that only begin with its last element are left out."""

    def begins(self, key: str, prefix: str) -> bool:
        return not prefix or key == prefix or key.startswith(prefix.rstrip("/") + "/")


class StartAfterInclusive(ListingObjects):
    """A listing begins with the key that it was to start after."""

    def after(self, name: str, start: str) -> bool:
        return name.encode() >= start.encode()


class LosesKeyBetweenPages(ListingObjects):
    """Each page after the first begins one key too late."""

    def page(self, items: list[tuple[str, Row | None]], begin: int, most: int) -> tuple[list[Any], list[str], int]:
        records, groups, following = super().page(items, begin, most)
        return records, groups, following + 1 if following and following + 1 < len(items) else 0


class PageTooLarge(ListingObjects):
    """Common prefixes do not count for the size of a page."""

    def page(self, items: list[tuple[str, Row | None]], begin: int, most: int) -> tuple[list[Any], list[str], int]:
        end = begin
        rows = 0
        while end < len(items) and rows + (items[end][1] is not None) <= most:
            rows += items[end][1] is not None
            end += 1
        here = items[begin:end]
        return (
            [row[2] for _, row in here if row],
            [name for name, row in here if row is None],
            end if end < len(items) else 0,
        )


class GroupsRepeated(ListingObjects):
    """A common prefix is listed once more on every page."""

    def page(self, items: list[tuple[str, Row | None]], begin: int, most: int) -> tuple[list[Any], list[str], int]:
        records, groups, following = super().page(items, begin, most)
        earlier = [name for name, row in items[:begin] if row is None]
        return records, [*earlier[:1], *groups][:most], following


class IgnoresIfNoneMatch(MemoryObjects):
    """If-None-Match of a write is ignored: two writers both win."""

    def check_write(self, bucket: BucketState, key: str, match: str, none_match: str) -> None:
        super().check_write(bucket, key, match, "")


class IgnoresIfMatch(MemoryObjects):
    """If-Match of a write is ignored."""

    def check_write(self, bucket: BucketState, key: str, match: str, none_match: str) -> None:
        super().check_write(bucket, key, "", none_match)


class StaleIfMatch(MemoryObjects):
    """If-Match of a write accepts the ETag of any earlier version."""

    def same(self, condition: str, record: Record) -> bool:
        return super().same(condition, record) or condition == '"00000000000000000000000000000000"'


class DeleteMissingRefused(MemoryObjects):
    """Deleting a key that is not there is an error."""

    def remove(self, bucket: BucketState, key: str) -> Record | None:
        if self.newest(bucket, key) is None:
            raise ObjectError(404, "NoSuchKey")
        return super().remove(bucket, key)


class DeletesBelow(MemoryObjects):
    """Deleting a key removes all that is below it, as a directory is removed."""

    def remove(self, bucket: BucketState, key: str) -> Record | None:
        if not bucket.versioning:
            bucket.journal = [one for one in bucket.journal if not one.key.startswith(key.rstrip("/") + "/")]
        return super().remove(bucket, key)


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


class RangeOneTooFar(MemoryObjects):
    """The last byte of a range is taken for the one after it."""

    def slice(self, body: bytes, header: str) -> tuple[int, int]:
        start, end = super().slice(body, header)
        return start, max(start + 1, end - 1)


class RangeBeyondIsEmpty(MemoryObjects):
    """A range beyond the end is answered with the last byte."""

    def slice(self, body: bytes, header: str) -> tuple[int, int]:
        try:
            return super().slice(body, header)
        except ObjectError:
            return max(0, len(body) - 1), len(body)


class CopyDropsMetadata(MemoryObjects):
    """A copy has no user metadata."""

    def copy_object(self, **parameters: Any) -> dict[str, Any]:
        told = super().copy_object(**parameters)
        record = self.there(self.of(parameters["Bucket"]), parameters["Key"])
        if record is not None and parameters.get("MetadataDirective") != "REPLACE":
            record.meta = {}
        return told


class CopyIsAlias(MemoryObjects):
    """A copy shows what its source was overwritten with."""

    def copy_object(self, **parameters: Any) -> dict[str, Any]:
        told = super().copy_object(**parameters)
        self.aliases = {**getattr(self, "aliases", {}), parameters["CopySource"]["Key"]: parameters["Key"]}
        return told

    def put_object(self, **parameters: Any) -> dict[str, Any]:
        told = super().put_object(**parameters)
        other = getattr(self, "aliases", {}).get(parameters["Key"])
        record = self.there(self.of(parameters["Bucket"]), other) if other else None
        if record is not None:
            record.body = bytes(parameters["Body"])
        return told


class ReadsStale(MemoryObjects):
    """The first read after an overwrite gives the earlier object, as with eventual consistency."""

    def store(
        self, bucket: BucketState, key: str, body: bytes | None, etag: str = "", meta: dict[str, str] | None = None
    ) -> Record:
        earlier = self.there(bucket, key)
        if earlier is not None:
            self.stale = {**getattr(self, "stale", {}), key: earlier}
        return super().store(bucket, key, body, etag, meta)

    def found(self, bucket: BucketState, key: str, version: str) -> Record:
        stale: Record | None = None if version else getattr(self, "stale", {}).pop(key, None)
        return stale or super().found(bucket, key, version)


class NotFoundCached(MemoryObjects):
    """A key that was asked for before it was written stays missing for HEAD."""

    def head_object(self, **parameters: Any) -> dict[str, Any]:
        place = (parameters["Bucket"], parameters["Key"])
        cached: set[tuple[str, str]] = self.__dict__.setdefault("missing", set())
        if place in cached:
            raise ObjectError(404, "404")
        try:
            return super().head_object(**parameters)
        except ObjectError:
            cached.add(place)
            raise


class UploadSeenEarly(MemoryObjects):
    """A part is read as the object before the upload is completed."""

    def upload_part(self, **parameters: Any) -> dict[str, Any]:
        told = super().upload_part(**parameters)
        body = parameters["Body"]
        etag = hashlib.md5(body, usedforsecurity=False).hexdigest()
        self.store(self.of(parameters["Bucket"]), parameters["Key"], bytes(body), etag)
        return told


class PartsInOrderOfArrival(MemoryObjects):
    """Parts are put together in the order in which they came."""

    def check_parts(self, upload: Pending, rows: list[dict[str, Any]]) -> list[bytes]:
        bodies = super().check_parts(upload, rows)
        order = [number for number in upload.parts if number in {row["PartNumber"] for row in rows}]
        return [upload.parts[number][0] for number in order] if len(order) == len(bodies) else bodies


class AllPartsCompleted(MemoryObjects):
    """A completion takes all parts that were uploaded, whatever it names."""

    def check_parts(self, upload: Pending, rows: list[dict[str, Any]]) -> list[bytes]:
        super().check_parts(upload, rows)
        return [upload.parts[number][0] for number in sorted(upload.parts)]


class SmallPartsAccepted(MemoryObjects):
    """Parts that are too small are put together all the same."""

    def check_parts(self, upload: Pending, rows: list[dict[str, Any]]) -> list[bytes]:
        try:
            return super().check_parts(upload, rows)
        except ObjectError as error:
            if error.response["Error"]["Code"] != "EntityTooSmall":  # type: ignore[index]
                raise
            return [upload.parts[row["PartNumber"]][0] for row in rows]


class AbortKeepsUpload(MemoryObjects):
    """An aborted upload is in progress still."""

    def abort_multipart_upload(self, **parameters: Any) -> dict[str, Any]:
        bucket = self.of(parameters["Bucket"])
        upload = self.upload(bucket, parameters["UploadId"])
        told = super().abort_multipart_upload(**parameters)
        count = self.__dict__.setdefault("aborted", {})
        if not count.get(upload.id):
            count[upload.id] = True
            bucket.pending.append(upload)
        return told


class UploadsByWholeKey(ListingObjects):
    """A listing of uploads gives those of a whole key alone."""

    def list_multipart_uploads(self, **parameters: Any) -> dict[str, Any]:
        told = super().list_multipart_uploads(**parameters)
        prefix = parameters.get("Prefix", "")
        told["Uploads"] = [one for one in told["Uploads"] if not prefix or one["Key"] == prefix]
        return told


class DigestNotChecked(MemoryObjects):
    """Content-MD5 is not compared."""

    def put_object(self, **parameters: Any) -> dict[str, Any]:
        return super().put_object(**{name: value for name, value in parameters.items() if name != "ContentMD5"})


class LongKeysAccepted(MemoryObjects):
    """A key may be of any length."""

    def check_key(self, key: str) -> None:
        return


class SlashesCollapsed(MemoryObjects):
    """Two slashes in a key are one."""

    def store(
        self, bucket: BucketState, key: str, body: bytes | None, etag: str = "", meta: dict[str, str] | None = None
    ) -> Record:
        while "//" in key:
            key = key.replace("//", "/")
        return super().store(bucket, key, body, etag, meta)


_KINDS: tuple[type[MemoryObjects], ...] = (
    HidesBelowObjects,
    OmitsDirectoryObject,
    SortsByDirectory,
    PrefixByElement,
    StartAfterInclusive,
    LosesKeyBetweenPages,
    PageTooLarge,
    GroupsRepeated,
    IgnoresIfNoneMatch,
    IgnoresIfMatch,
    StaleIfMatch,
    DeleteMissingRefused,
    DeletesBelow,
    DeleteForgetsVersions,
    MarkerNotSeen,
    SuspendedKeepsNull,
    LatestIsOldest,
    RangeOneTooFar,
    RangeBeyondIsEmpty,
    CopyDropsMetadata,
    CopyIsAlias,
    ReadsStale,
    NotFoundCached,
    UploadSeenEarly,
    PartsInOrderOfArrival,
    AllPartsCompleted,
    SmallPartsAccepted,
    AbortKeepsUpload,
    UploadsByWholeKey,
    DigestNotChecked,
    LongKeysAccepted,
    SlashesCollapsed,
)


def _name(kind: type) -> str:
    return "".join(f"-{char.lower()}" if char.isupper() else char for char in kind.__name__).strip("-")


FAULTS: dict[str, tuple[type[MemoryObjects], str]] = {
    _name(kind): (kind, (kind.__doc__ or "").strip()) for kind in _KINDS
}
"""The faults by name, each with what it does."""


def objects(fault: str = "") -> ListingObjects:
    """The store, with a fault if one is named. Raises KeyError for one there is none of."""
    if not fault:
        return ListingObjects()
    kind = FAULTS[fault][0]
    if issubclass(kind, ListingObjects):
        return kind()
    # A fault of the objects alone comes before the listings, which call what it changes.
    made: ListingObjects = type(kind.__name__, (kind, ListingObjects), {})()
    return made
