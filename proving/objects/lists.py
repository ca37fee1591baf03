"""The listings of the object store in memory: every one is a walk over rows in order, cut into pages."""

from __future__ import annotations

from typing import Any

from fsconform.proving.objects.store import (
    MOST_LISTED,
    BucketState,
    MemoryObjects,
    Pending,
    Record,
    answer,
    quoted,
)

Row = tuple[str, str, Any]
"""A key, what tells rows of one key apart, and what stands behind the row."""


class ListingObjects(MemoryObjects):
    """The store with its listings."""

    def keys(self, bucket: BucketState) -> list[Row]:
        """The rows of a listing of keys."""
        names = sorted({one.key for one in bucket.journal}, key=lambda key: key.encode())
        return [(key, "", record) for key in names if (record := self.there(bucket, key)) is not None]

    def version_rows(self, bucket: BucketState) -> list[Row]:
        """The rows of a listing of versions."""
        names = sorted({one.key for one in bucket.journal}, key=lambda key: key.encode())
        return [(key, one.version, one) for key in names for one in self.history(bucket, key)]

    def upload_rows(self, bucket: BucketState) -> list[Row]:
        """The rows of a listing of uploads."""
        return [(one.key, one.id, one) for one in sorted(bucket.pending, key=lambda one: one.key.encode())]

    def begins(self, key: str, prefix: str) -> bool:
        """Whether a key belongs to a prefix."""
        return key.startswith(prefix)

    def group(self, key: str, prefix: str, delimiter: str) -> str:
        """The common prefix of a key, empty if it stands for itself."""
        at = key.find(delimiter, len(prefix)) if delimiter else -1
        return key[: at + len(delimiter)] if at >= 0 else ""

    def after(self, name: str, start: str) -> bool:
        """Whether a name comes after where a listing starts."""
        return not start or name.encode() > start.encode()

    def items(self, rows: list[Row], prefix: str, delimiter: str, start: str) -> list[tuple[str, Row | None]]:
        """What a listing counts: rows, and common prefixes, which have no row."""
        found: list[tuple[str, Row | None]] = []
        for row in rows:
            key = row[0]
            if not self.begins(key, prefix) or not self.after(key, start):
                continue
            group = self.group(key, prefix, delimiter)
            if not group:
                found.append((key, row))
            elif self.after(group, start) and (group, None) not in found:
                found.append((group, None))
        return found

    def page(self, items: list[tuple[str, Row | None]], begin: int, most: int) -> tuple[list[Any], list[str], int]:
        """Rows and common prefixes of a page, and where the next one begins, 0 if there is none."""
        here = items[begin : begin + most]
        following = begin + most if begin + most < len(items) else 0
        return [row[2] for _, row in here if row is not None], [name for name, row in here if row is None], following

    def list_objects_v2(
        self,
        Bucket: str,
        Prefix: str = "",
        Delimiter: str = "",
        MaxKeys: int = MOST_LISTED,
        StartAfter: str = "",
        ContinuationToken: str = "",
    ) -> dict[str, Any]:
        """List keys."""
        bucket = self.of(Bucket)
        items = self.items(self.keys(bucket), Prefix, Delimiter, StartAfter)
        records, groups, following = self.page(items, self.begin(items, ContinuationToken), MaxKeys)
        told: dict[str, Any] = {"KeyCount": len(records) + len(groups), "IsTruncated": bool(following)}
        told["Contents"] = [self.contents(one) for one in records]
        told["CommonPrefixes"] = [{"Prefix": one} for one in groups]
        return answer(**told, **({"NextContinuationToken": self.token(items, following)} if following else {}))

    def token(self, items: list[tuple[str, Row | None]], following: int) -> str:
        """What the page asks for that begins with an item: the name before it, for items may come and go meanwhile."""
        return items[following - 1][0]

    def begin(self, items: list[tuple[str, Row | None]], token: str) -> int:
        """Where the page begins of a token."""
        after = (number for number, (name, _) in enumerate(items) if name.encode() > token.encode())
        return next(after, len(items)) if token else 0

    def contents(self, record: Record) -> dict[str, Any]:
        """What a listing tells of an object."""
        return {"Key": record.key, "ETag": quoted(record.etag), "Size": len(record.body or b"")}

    def latest(self, bucket: BucketState, record: Record) -> bool:
        """Whether a version is the newest of its key."""
        return record is self.newest(bucket, record.key)

    def list_object_versions(
        self,
        Bucket: str,
        Prefix: str = "",
        Delimiter: str = "",
        MaxKeys: int = MOST_LISTED,
        KeyMarker: str = "",
        VersionIdMarker: str = "",
    ) -> dict[str, Any]:
        """List versions."""
        bucket = self.of(Bucket)
        items = self.items(self.version_rows(bucket), Prefix, Delimiter, "")
        begin = self.place(items, KeyMarker, VersionIdMarker)
        records, groups, following = self.page(items, begin, MaxKeys)
        versions, markers = [], []
        for one in records:
            told = {"Key": one.key, "VersionId": one.version, "IsLatest": self.latest(bucket, one)}
            if one.body is None:
                markers.append(told)
            else:
                versions.append(told | self.contents(one))
        told = {"Versions": versions, "DeleteMarkers": markers, "IsTruncated": bool(following)}
        if following:
            name, row = items[following - 1]
            told |= {"NextKeyMarker": name, "NextVersionIdMarker": row[1] if row else ""}
        return answer(CommonPrefixes=[{"Prefix": one} for one in groups], **told)

    def place(self, items: list[tuple[str, Row | None]], key: str, id: str) -> int:
        """Where a page begins that follows a marker."""
        if not key:
            return 0
        return next(
            (number + 1 for number, (name, row) in enumerate(items) if name == key and (row is None or row[1] == id)), 0
        )

    def list_multipart_uploads(
        self,
        Bucket: str,
        Prefix: str = "",
        Delimiter: str = "",
        MaxUploads: int = MOST_LISTED,
        KeyMarker: str = "",
        UploadIdMarker: str = "",
    ) -> dict[str, Any]:
        """List uploads in progress."""
        items = self.items(self.upload_rows(self.of(Bucket)), Prefix, Delimiter, "")
        begin = self.place(items, KeyMarker, UploadIdMarker)
        uploads, groups, following = self.page(items, begin, MaxUploads)
        told: dict[str, Any] = {"Uploads": [{"Key": one.key, "UploadId": one.id} for one in uploads]}
        if following:
            name, row = items[following - 1]
            told |= {"NextKeyMarker": name, "NextUploadIdMarker": row[1] if row else ""}
        return answer(CommonPrefixes=[{"Prefix": one} for one in groups], IsTruncated=bool(following), **told)

    def list_parts(
        self, Bucket: str, Key: str, UploadId: str, MaxParts: int = MOST_LISTED, PartNumberMarker: int = 0
    ) -> dict[str, Any]:
        """List the parts of an upload."""
        upload = self.upload(self.of(Bucket), UploadId)
        numbers = [one for one in self.part_numbers(upload) if one > PartNumberMarker]
        rows = [
            {"PartNumber": one, "ETag": quoted(upload.parts[one][1]), "Size": len(upload.parts[one][0])}
            for one in numbers[:MaxParts]
        ]
        more = len(numbers) > MaxParts
        marker = {"NextPartNumberMarker": numbers[MaxParts - 1]} if more else {}
        return answer(Parts=rows, IsTruncated=more, **marker)

    def part_numbers(self, upload: Pending) -> list[int]:
        """The parts of an upload in order."""
        return sorted(upload.parts)
