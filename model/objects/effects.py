"""What writing and deleting do to a bucket: new versions, delete markers, the null version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from fsconform.model.core.content import Content
from fsconform.model.objects import clauses as ids
from fsconform.model.objects.answers import Bucket, Found, Part, Upload, Version
from fsconform.model.objects.verdicts import Verdicts

NULL = "null"
"""The id of a version that was made while versioning was not enabled."""


def null_as_none(version: str | None) -> str:
    """A version's id as the model has it: the null version's is empty, however the store tells it."""
    return "" if version in (None, NULL) else str(version)


def written(found: Verdicts, bucket: Bucket, key: str, content: Content | None, told: Found, meta: str = "") -> Bucket:
    """The bucket after a write, or after a delete that made a marker (content None). Judges the version's id."""
    number = bucket.made.get(key, 0) + 1
    id = null_as_none(told.version)
    _version_id(found, bucket, id, ids.NULL_VERSION if content is not None else ids.DELETE_SUSPENDED)
    id = id if bucket.versioning == "Enabled" else ""
    of_nothing = content is None and bucket.current(key) is None
    version = Version(number, id, content, told.etag or "", meta, of_nothing)
    there = bucket.objects.get(key, ())
    if bucket.versioning == "Enabled":
        kept = there
    elif bucket.versioning == "Suspended":
        kept = tuple(one for one in there if one.id)
    else:
        kept = ()
    return replace(
        bucket,
        objects={**bucket.objects, key: (version, *kept)},
        made={**bucket.made, key: number},
        told={**bucket.told, key: told.etag} if told.etag else bucket.told,
    )


def _version_id(found: Verdicts, bucket: Bucket, id: str, suspended: str) -> None:
    """Judge a new version's id; ``suspended`` is the clause that asks for the null version."""
    if bucket.versioning == "Enabled":
        found.judged(ids.VERSION_IDS)
        if not id:
            found.breach(ids.VERSION_IDS, "tells no version id", "tell the id of a new version", "none was told")
        elif any(id == one.id for versions in bucket.objects.values() for one in versions):
            found.breach(ids.VERSION_IDS, "tells a version id twice", "tell an id that no version has", f"it told {id}")
    elif bucket.versioning == "Suspended":
        found.judged(suspended)
        if id:
            found.breach(suspended, "tells a version id", "make the null version", f"it told {id}")


def removed(bucket: Bucket, key: str) -> Bucket:
    """The bucket without a key."""
    return replace(bucket, objects=_without(bucket.objects, key))


def version_removed(bucket: Bucket, key: str, number: int) -> Bucket:
    """The bucket without one version of a key."""
    left = tuple(one for one in bucket.objects.get(key, ()) if one.number != number)
    return replace(bucket, objects={**bucket.objects, key: left}) if left else removed(bucket, key)


def _without(objects: Mapping[str, tuple[Version, ...]], key: str) -> dict[str, tuple[Version, ...]]:
    return {one: versions for one, versions in objects.items() if one != key}


def upload_changed(bucket: Bucket, number: int, upload: Upload) -> Bucket:
    """The bucket with another state of an upload."""
    return replace(bucket, uploads=(*bucket.uploads[: number - 1], upload, *bucket.uploads[number:]))


def with_part(upload: Upload, number: int, part: Part) -> Upload:
    """The upload with a part, which takes the place of an earlier one of its number."""
    return replace(upload, parts={**upload.parts, number: part})
