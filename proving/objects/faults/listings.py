"""Faults of listings."""

from __future__ import annotations

from typing import Any

from fsconform.proving.objects.lists import ListingObjects, Row
from fsconform.proving.objects.store import BucketState, MemoryObjects, Pending


def _empty(record: Any) -> bool:
    return getattr(record, "body", None) == b""


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


class OmitsDirectoryMarker(ListingObjects):
    """A listing of a prefix that ends in a slash leaves out the object of that name if that is empty."""

    def items(self, rows: list[Row], prefix: str, delimiter: str, start: str) -> list[tuple[str, Row | None]]:
        kept = [row for row in rows if not (prefix.endswith("/") and row[0] == prefix and _empty(row[2]))]
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


class GroupsOfTheDeleted(ListingObjects):
    """A common prefix stays in listings as long as there are versions below it, deleted as they all may be."""

    def list_objects_v2(self, *_: Any, **parameters: Any) -> dict[str, Any]:
        told = super().list_objects_v2(**parameters)
        bucket, prefix = self.of(parameters["Bucket"]), parameters.get("Prefix", "")
        begun = (one.key for one in bucket.journal if one.key.startswith(prefix))
        groups = {self.group(key, prefix, parameters.get("Delimiter", "")) for key in begun} - {""}
        if not parameters.get("MaxKeys") and not parameters.get("StartAfter"):
            told["CommonPrefixes"] = [{"Prefix": one} for one in sorted(groups, key=str.encode)]
        return told


class UploadsByWholeKey(ListingObjects):
    """A listing of uploads gives those of a whole key alone."""

    def list_multipart_uploads(self, *_: Any, **parameters: Any) -> dict[str, Any]:
        told = super().list_multipart_uploads(**parameters)
        prefix = parameters.get("Prefix", "")
        told["Uploads"] = [one for one in told["Uploads"] if not prefix or one["Key"] == prefix]
        return told


class KeyCountOfKeysAlone(ListingObjects):
    """KeyCount leaves common prefixes out."""

    def list_objects_v2(self, *_: Any, **parameters: Any) -> dict[str, Any]:
        told = super().list_objects_v2(**parameters)
        return told | {"KeyCount": len(told["Contents"])}


class UploadsByTime(ListingObjects):
    """Uploads are listed in the order in which they were begun, whatever their keys."""

    def upload_rows(self, bucket: BucketState) -> list[Row]:
        return [(one.key, one.id, one) for one in bucket.pending]


class UploadsWithoutPartsHidden(ListingObjects):
    """Uploads to which no part was uploaded are not listed."""

    def upload_rows(self, bucket: BucketState) -> list[Row]:
        return [row for row in super().upload_rows(bucket) if row[2].parts]


class PartsByText(ListingObjects):
    """Parts are listed as if their numbers were texts: 10 comes before 3."""

    def part_numbers(self, upload: Pending) -> list[int]:
        return sorted(upload.parts, key=str)


class PartsInOnePage(ListingObjects):
    """All parts are listed at once, however few were asked for."""

    def list_parts(self, *_: Any, **parameters: Any) -> dict[str, Any]:
        return super().list_parts(**{name: value for name, value in parameters.items() if name != "MaxParts"})


KINDS: tuple[type[MemoryObjects], ...] = (
    HidesBelowObjects,
    OmitsDirectoryObject,
    OmitsDirectoryMarker,
    SortsByDirectory,
    PrefixByElement,
    StartAfterInclusive,
    LosesKeyBetweenPages,
    PageTooLarge,
    GroupsRepeated,
    GroupsOfTheDeleted,
    UploadsByWholeKey,
    KeyCountOfKeysAlone,
    UploadsByTime,
    UploadsWithoutPartsHidden,
    PartsByText,
    PartsInOnePage,
)
