"""Listings through boto3, page by page to the end, with the place of the program taken off."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fsconform.adapters.s3.handles import without_quotes
from fsconform.model.objects import operations as ops
from fsconform.model.objects.answers import Answer, Done, Entry, Listing, Page

MOST_PAGES = 64
"""A listing that says that more follow after so many pages has no end; programs make far fewer entries than that."""

_Fetch = Callable[[dict[str, Any]], tuple[int, Page, dict[str, Any]]]


def _paged(fetch: _Fetch) -> Answer:
    """All pages; ``fetch`` gives from the parameters of a page its status, the page and the next one's parameters."""
    pages: list[Page] = []
    status, follow = 200, dict[str, Any]()
    while len(pages) < MOST_PAGES:
        status, page, following = fetch(follow)
        pages.append(page)
        if not page.more:
            return Done(status, Listing(tuple(pages)))
        if not following or following == follow:
            break
        follow = following
    return Done(status, Listing(tuple(pages), endless=True))


def _own(base: str, key: str) -> str:
    return key.removeprefix(base) if key.startswith(base) else f"(outside) {key}"


def _asked(base: str, prefix: str, delimiter: str) -> dict[str, Any]:
    return {"Prefix": base + prefix} | ({"Delimiter": delimiter} if delimiter else {})


def _prefixes(base: str, response: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(_own(base, row["Prefix"]) for row in response.get("CommonPrefixes", ()))


def _status(response: Mapping[str, Any]) -> int:
    return int(response["ResponseMetadata"]["HTTPStatusCode"])


def _next(response: Mapping[str, Any], **names: str) -> dict[str, Any]:
    """The parameters of the next page: each with the name of the field that tells it."""
    return {name: response[field] for name, field in names.items() if response.get(field) not in (None, "")}


def objects(client: Any, bucket: str, base: str, request: ops.ListObjectsV2) -> Answer:
    """A listing of keys."""
    asked = _asked(base, request.prefix, request.delimiter)
    if request.max_keys:
        asked["MaxKeys"] = request.max_keys
    if request.start_after:
        asked["StartAfter"] = base + request.start_after

    def fetch(follow: dict[str, Any]) -> tuple[int, Page, dict[str, Any]]:
        response = client.list_objects_v2(Bucket=bucket, **asked, **follow)
        entries = tuple(
            Entry(_own(base, row.get("Key", "")), without_quotes(row.get("ETag")), int(row.get("Size", -1)))
            for row in response.get("Contents", ())
        )
        more = bool(response.get("IsTruncated"))
        page = Page(entries, _prefixes(base, response), int(response.get("KeyCount", -1)), more)
        return _status(response), page, _next(response, ContinuationToken="NextContinuationToken")

    return _paged(fetch)


def versions(client: Any, bucket: str, base: str, request: ops.ListObjectVersions) -> Answer:
    """A listing of versions and delete markers. boto3 parts the two: of each key they are told in the store's order."""
    asked = _asked(base, request.prefix, request.delimiter)
    if request.max_keys:
        asked["MaxKeys"] = request.max_keys

    def fetch(follow: dict[str, Any]) -> tuple[int, Page, dict[str, Any]]:
        response = client.list_object_versions(Bucket=bucket, **asked, **follow)
        rows = [(row, False) for row in response.get("Versions", ())]
        rows += [(row, True) for row in response.get("DeleteMarkers", ())]
        entries = [
            Entry(
                _own(base, row.get("Key", "")),
                without_quotes(row.get("ETag")),
                int(row.get("Size", -1)),
                str(row.get("VersionId") or ""),
                bool(row.get("IsLatest")),
                marker,
            )
            for row, marker in rows
        ]
        page = Page(tuple(entries), _prefixes(base, response), -1, bool(response.get("IsTruncated")))
        following = _next(response, KeyMarker="NextKeyMarker", VersionIdMarker="NextVersionIdMarker")
        return _status(response), page, following

    return _paged(fetch)


def uploads(client: Any, bucket: str, base: str, request: ops.ListMultipartUploads) -> Answer:
    """A listing of uploads in progress."""
    asked = _asked(base, request.prefix, request.delimiter)
    if request.max_uploads:
        asked["MaxUploads"] = request.max_uploads

    def fetch(follow: dict[str, Any]) -> tuple[int, Page, dict[str, Any]]:
        response = client.list_multipart_uploads(Bucket=bucket, **asked, **follow)
        entries = tuple(
            Entry(_own(base, row.get("Key", "")), id=str(row.get("UploadId") or ""))
            for row in response.get("Uploads", ())
        )
        page = Page(entries, _prefixes(base, response), -1, bool(response.get("IsTruncated")))
        following = _next(response, KeyMarker="NextKeyMarker", UploadIdMarker="NextUploadIdMarker")
        return _status(response), page, following

    return _paged(fetch)


def parts(client: Any, upload: Mapping[str, str], request: ops.ListParts) -> Answer:
    """A listing of the parts of an upload."""
    asked = {"MaxParts": request.max_parts} if request.max_parts else {}

    def fetch(follow: dict[str, Any]) -> tuple[int, Page, dict[str, Any]]:
        response = client.list_parts(**upload, **asked, **follow)
        entries = tuple(
            Entry(
                upload["Key"],
                without_quotes(row.get("ETag")),
                int(row.get("Size", -1)),
                number=int(row.get("PartNumber", 0)),
            )
            for row in response.get("Parts", ())
        )
        page = Page(entries, (), -1, bool(response.get("IsTruncated")))
        return _status(response), page, _next(response, PartNumberMarker="NextPartNumberMarker")

    return _paged(fetch)
