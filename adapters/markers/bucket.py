"""A bucket, as far as directory markers are concerned: listed, probed, and markers deleted from it in pages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fsconform.model.markers.scan import Entry

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

_NOT_FOUND = {"404", "NoSuchKey", "NotFound"}
_NO_BUCKET = {"NoSuchBucket"}
_REFUSED = {"403", "AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken"}
_UNSPEAKABLE = re.compile("[\x00-\x1f\x7f\ufffe\uffff]")
"""What XML can't say, or not without changing it: such keys are deleted one by one."""


class BucketError(Exception):
    """S3 could not do what was asked. The text says what."""


class NoBucket(BucketError):
    """There is no such bucket."""


class Refused(BucketError):
    """S3 does not let these credentials do it."""


class Unreachable(BucketError):
    """There was no answer."""


@dataclass(frozen=True, slots=True)
class Deleted:
    """How deleting went: keys gone, requests made, and for each key that stayed the reason."""

    keys: int
    requests: int
    failures: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Version:
    """A version of an object; ``tombstone`` if it is what a delete left."""

    key: str
    tombstone: bool
    latest: bool


class Bucket:
    """One bucket of a client."""

    def __init__(self, client: S3Client, name: str) -> None:
        self._client, self.name = client, name

    def entries(self, prefix: str = "") -> Iterator[Entry]:
        """All objects whose keys begin with the prefix, whatever else a store lists. Raises BucketError."""
        for page in self._pages("list_objects_v2", prefix):
            for one in page.get("Contents", ()):
                if one["Key"].startswith(prefix):
                    yield Entry(one["Key"], one["Size"])

    def versions(self, prefix: str = "") -> list[Version]:
        """All versions and tombstones, the newest of a key first. Raises BucketError."""
        found = []
        for page in self._pages("list_object_versions", prefix):
            for kind in ("Versions", "DeleteMarkers"):
                found += [
                    Version(one["Key"], kind == "DeleteMarkers", one["IsLatest"])
                    for one in page.get(kind, ())
                    if one["Key"].startswith(prefix)
                ]
        return found

    def holds(self, key: str) -> bool:
        """Whether there is an object of this key. Raises BucketError."""
        from botocore.exceptions import ClientError

        try:
            self._call("head_object", Key=key)
        except BucketError as error:
            if isinstance(error.__cause__, ClientError) and _code(error.__cause__) in _NOT_FOUND:
                return False
            raise
        return True

    def check(self) -> None:
        """Raises BucketError unless the bucket is there and can be looked at."""
        self._call("list_objects_v2", MaxKeys=1)

    def delete(self, keys: Sequence[str], page: int) -> Deleted:
        """Delete objects, so many keys a request; goes on after one that fails. Raises BucketError where all fail."""
        plain = [key for key in keys if not _UNSPEAKABLE.search(key)]
        single = [key for key in keys if _UNSPEAKABLE.search(key)] if page > 1 else list(keys)
        pages = [plain[start : start + page] for start in range(0, len(plain), page)] if page > 1 else []
        failures: list[tuple[str, str]] = []
        for some in pages:
            said = self._call("delete_objects", Delete={"Objects": [{"Key": key} for key in some], "Quiet": True})
            failures += [(one["Key"], one.get("Message") or one["Code"]) for one in said.get("Errors", ())]
        for key in single:
            self._call("delete_object", Key=key)
        return Deleted(len(keys) - len(failures), len(pages) + len(single), tuple(failures))

    def _pages(self, method: str, prefix: str) -> Iterator[Any]:
        from botocore.exceptions import BotoCoreError, ClientError

        pages: Any = self._client.get_paginator(method)  # type: ignore[call-overload]
        try:
            yield from pages.paginate(Bucket=self.name, Prefix=prefix)
        except (BotoCoreError, ClientError) as error:
            raise self._told(error) from error

    def _call(self, method: str, **arguments: Any) -> Any:
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            return getattr(self._client, method)(Bucket=self.name, **arguments)
        except (BotoCoreError, ClientError) as error:
            raise self._told(error) from error

    def _told(self, error: Exception) -> BucketError:
        """What an error of boto3 means."""
        from botocore.exceptions import ClientError, NoCredentialsError

        if isinstance(error, NoCredentialsError):
            return Refused(
                "no credentials: give fs.s3a.access.key and fs.s3a.secret.key in a file with --conf-file, or in the "
                "environment AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
            )
        if not isinstance(error, ClientError):
            return Unreachable(f"S3 could not be asked: {error}")
        code = _code(error)
        if code in _NO_BUCKET:
            return NoBucket(f"there is no bucket {self.name}")
        kind = Refused if code in _REFUSED else BucketError
        return kind(f"bucket {self.name}: {error}")


def _code(error: Any) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))
