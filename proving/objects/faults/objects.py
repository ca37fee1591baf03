"""Faults of writing, reading, copying and deleting objects."""

from __future__ import annotations

import hashlib
from typing import Any

from fsconform.proving.objects.store import BucketState, MemoryObjects, ObjectError, Record


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

    def copy_object(self, *_: Any, **parameters: Any) -> dict[str, Any]:
        told = super().copy_object(**parameters)
        record = self.there(self.of(parameters["Bucket"]), parameters["Key"])
        if record is not None and parameters.get("MetadataDirective") != "REPLACE":
            record.meta = {}
        return told


class CopyIsAlias(MemoryObjects):
    """A copy shows what its source was overwritten with."""

    def copy_object(self, *_: Any, **parameters: Any) -> dict[str, Any]:
        told = super().copy_object(**parameters)
        self.aliases = {**getattr(self, "aliases", {}), parameters["CopySource"]["Key"]: parameters["Key"]}
        return told

    def put_object(self, *_: Any, **parameters: Any) -> dict[str, Any]:
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
        stale: list[tuple[BucketState, Record]] = self.__dict__.setdefault("stale", [])
        if earlier is not None:
            stale.append((bucket, earlier))
        return super().store(bucket, key, body, etag, meta)

    def found(self, bucket: BucketState, key: str, version: str) -> Record:
        stale: list[tuple[BucketState, Record]] = self.__dict__.get("stale", [])
        for one in stale:
            if one[0] is bucket and one[1].key == key and not version:
                stale.remove(one)
                return one[1]
        return super().found(bucket, key, version)


class NotFoundCached(MemoryObjects):
    """A key that was asked for before it was written stays missing for HEAD."""

    def head_object(self, *_: Any, **parameters: Any) -> dict[str, Any]:
        place = (parameters["Bucket"], parameters["Key"])
        cached: set[tuple[str, str]] = self.__dict__.setdefault("missing", set())
        if place in cached:
            raise ObjectError(404, "404")
        try:
            return super().head_object(**parameters)
        except ObjectError:
            cached.add(place)
            raise


class DigestNotChecked(MemoryObjects):
    """Content-MD5 is not compared."""

    def put_object(self, *_: Any, **parameters: Any) -> dict[str, Any]:
        return super().put_object(**{name: value for name, value in parameters.items() if name != "ContentMD5"})


class EtagOfTheKeyToo(MemoryObjects):
    """The ETag is the MD5 of key and bytes: not what clients compare with."""

    def store(
        self, bucket: BucketState, key: str, body: bytes | None, etag: str = "", meta: dict[str, str] | None = None
    ) -> Record:
        if body is not None and "-" not in etag:
            etag = hashlib.md5(key.encode() + body, usedforsecurity=False).hexdigest()
        return super().store(bucket, key, body, etag, meta)


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


class NoObjectsBelowObjects(MemoryObjects):
    """A key below another object is refused, as a directory can't be a file."""

    def check_key(self, key: str) -> None:
        super().check_key(key)
        for bucket in self.buckets.values():
            if any(one.body is not None and key.startswith(f"{one.key}/") for one in bucket.journal):
                raise ObjectError(400, "ParentIsObject")


class DeleteIgnored(MemoryObjects):
    """The first delete of a key in a bucket without versions does nothing."""

    def remove(self, bucket: BucketState, key: str) -> Record | None:
        ignored: list[tuple[BucketState, str]] = self.__dict__.setdefault("ignored", [])
        if not bucket.versioning and not any(one is bucket and its == key for one, its in ignored):
            ignored.append((bucket, key))
            return None
        return super().remove(bucket, key)


class MissingIsEmpty(MemoryObjects):
    """A key that has no object reads as an empty one."""

    def found(self, bucket: BucketState, key: str, version: str) -> Record:
        if not version and self.newest(bucket, key) is None:
            return Record(0, key, "null", b"", hashlib.md5(b"", usedforsecurity=False).hexdigest())
        return super().found(bucket, key, version)


class CopyConditionsIgnored(MemoryObjects):
    """Conditions on the source of a copy are ignored."""

    def copy_object(self, *_: Any, **parameters: Any) -> dict[str, Any]:
        return super().copy_object(**{name: it for name, it in parameters.items() if "SourceIf" not in name})


class CopyOntoItselfAccepted(MemoryObjects):
    """A copy of an object onto itself that changes nothing succeeds."""

    def copy_object(self, *_: Any, **parameters: Any) -> dict[str, Any]:
        record = self.there(self.of(parameters["Bucket"]), parameters["Key"])
        if record is not None and parameters["CopySource"]["Key"] == parameters["Key"]:
            parameters |= {"MetadataDirective": "REPLACE", "Metadata": parameters.get("Metadata") or record.meta}
        return super().copy_object(**parameters)


class BulkTellsOfObjectsAlone(MemoryObjects):
    """A bulk delete does not tell of keys that had no object."""

    def delete_objects(self, Bucket: str, Delete: dict[str, Any]) -> dict[str, Any]:
        bucket = self.of(Bucket)
        there = {one["Key"] for one in Delete["Objects"] if self.there(bucket, one["Key"])}
        told = super().delete_objects(Bucket, Delete)
        if "Deleted" in told:
            told["Deleted"] = [row for row in told["Deleted"] if row["Key"] in there or row.get("DeleteMarker")]
        return told


class QuietIgnored(MemoryObjects):
    """A quiet bulk delete tells of every key."""

    def delete_objects(self, Bucket: str, Delete: dict[str, Any]) -> dict[str, Any]:
        return super().delete_objects(Bucket, {**Delete, "Quiet": False})


class BulkStopsHalfway(MemoryObjects):
    """A bulk delete leaves its last key, and tells that it deleted it."""

    def delete_objects(self, Bucket: str, Delete: dict[str, Any]) -> dict[str, Any]:
        rows = Delete["Objects"]
        told = super().delete_objects(Bucket, {**Delete, "Objects": rows[:-1] or rows})
        if rows[:-1] and "Deleted" in told:
            told["Deleted"] = [*told["Deleted"], {"Key": rows[-1]["Key"]}]
        return told


class BulkLeavesNamesOut(MemoryObjects):
    """A bulk delete tells of its last key without the name."""

    def delete_objects(self, Bucket: str, Delete: dict[str, Any]) -> dict[str, Any]:
        told = super().delete_objects(Bucket, Delete)
        for row in told.get("Deleted", ())[-1:]:
            row.pop("Key")
        return told


class KeysAsPaths(MemoryObjects):
    """Keys that could be no paths of files are refused, in a bulk delete one by one."""

    def check_key(self, key: str) -> None:
        super().check_key(key)
        elements = key.removesuffix("/").split("/")
        if any(not element or len(element.encode()) > 255 for element in elements):
            raise ObjectError(400, "InvalidObjectName")

    def delete_objects(self, Bucket: str, Delete: dict[str, Any]) -> dict[str, Any]:
        kept, errors = [], []
        for one in Delete["Objects"]:
            try:
                self.check_key(one["Key"])
                kept.append(one)
            except ObjectError as error:
                errors.append({"Key": one["Key"], "Code": error.code})
        return super().delete_objects(Bucket, {**Delete, "Objects": kept}) | {"Errors": errors}


KINDS: tuple[type[MemoryObjects], ...] = (
    IgnoresIfNoneMatch,
    IgnoresIfMatch,
    StaleIfMatch,
    DeleteMissingRefused,
    DeletesBelow,
    RangeOneTooFar,
    RangeBeyondIsEmpty,
    CopyDropsMetadata,
    CopyIsAlias,
    ReadsStale,
    NotFoundCached,
    DigestNotChecked,
    EtagOfTheKeyToo,
    LongKeysAccepted,
    SlashesCollapsed,
    NoObjectsBelowObjects,
    DeleteIgnored,
    MissingIsEmpty,
    CopyConditionsIgnored,
    CopyOntoItselfAccepted,
    BulkTellsOfObjectsAlone,
    QuietIgnored,
    BulkStopsHalfway,
    BulkLeavesNamesOut,
    KeysAsPaths,
)
