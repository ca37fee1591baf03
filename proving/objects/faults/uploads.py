"""Faults of multipart uploads."""

from __future__ import annotations

import hashlib
from typing import Any

from fsconform.proving.objects.store import MemoryObjects, ObjectError, Pending, quoted


class UploadSeenEarly(MemoryObjects):
    """A part is read as the object before the upload is completed."""

    def upload_part(self, *_: Any, **parameters: Any) -> dict[str, Any]:
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

    def abort_multipart_upload(self, *_: Any, **parameters: Any) -> dict[str, Any]:
        bucket = self.of(parameters["Bucket"])
        upload = self.upload(bucket, parameters["UploadId"])
        told = super().abort_multipart_upload(**parameters)
        count = self.__dict__.setdefault("aborted", {})
        if not count.get(upload.id):
            count[upload.id] = True
            bucket.pending.append(upload)
        return told


class AbortRefused(MemoryObjects):
    """The first abort of each upload is refused."""

    def abort_multipart_upload(self, *_: Any, **parameters: Any) -> dict[str, Any]:
        refused: set[str] = self.__dict__.setdefault("refused", set())
        if parameters["UploadId"] not in refused:
            refused.add(parameters["UploadId"])
            raise ObjectError(501, "NotImplemented")
        return super().abort_multipart_upload(**parameters)


class InvalidPartsAccepted(MemoryObjects):
    """A part is taken whatever ETag it is told with, and one that was not uploaded is empty."""

    def check_parts(self, upload: Pending, rows: list[dict[str, Any]]) -> list[bytes]:
        told = [{**row, "ETag": upload.parts.get(row["PartNumber"], (b"", "none"))[1]} for row in rows]
        return super().check_parts(upload, told)


class PartOrderIgnored(MemoryObjects):
    """Parts are put in order whatever order they are told in."""

    def check_parts(self, upload: Pending, rows: list[dict[str, Any]]) -> list[bytes]:
        return super().check_parts(upload, sorted(rows, key=lambda row: int(row["PartNumber"])))


class NoPartsAccepted(MemoryObjects):
    """A completion without parts makes an empty object."""

    def check_parts(self, upload: Pending, rows: list[dict[str, Any]]) -> list[bytes]:
        return super().check_parts(upload, rows) if rows else []


class UploadIdByKey(MemoryObjects):
    """Uploads of one key have one id."""

    def create_multipart_upload(self, *_: Any, **parameters: Any) -> dict[str, Any]:
        told = super().create_multipart_upload(**parameters)
        upload = self.of(parameters["Bucket"]).pending[-1]
        upload.id = hashlib.md5(parameters["Key"].encode(), usedforsecurity=False).hexdigest()
        return told | {"UploadId": upload.id}


class AnyPartNumber(MemoryObjects):
    """A part may have any number."""

    def upload_part(self, *_: Any, **parameters: Any) -> dict[str, Any]:
        number = parameters["PartNumber"]
        told = super().upload_part(**{**parameters, "PartNumber": min(max(1, number), 10_000)})
        return told


class PartsHaveOtherEtags(MemoryObjects):
    """The ETag of a part is not its MD5."""

    def upload_part(self, *_: Any, **parameters: Any) -> dict[str, Any]:
        return super().upload_part(**parameters) | {"ETag": quoted("0" * 32)}


KINDS: tuple[type[MemoryObjects], ...] = (
    UploadSeenEarly,
    PartsInOrderOfArrival,
    AllPartsCompleted,
    SmallPartsAccepted,
    AbortKeepsUpload,
    AbortRefused,
    InvalidPartsAccepted,
    PartOrderIgnored,
    NoPartsAccepted,
    UploadIdByKey,
    AnyPartNumber,
    PartsHaveOtherEtags,
)
