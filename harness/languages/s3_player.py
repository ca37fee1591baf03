"""Requests of a program, carried out by a client of boto3. A script that fsconform writes holds this text whole.

It imports nothing that Python does not bring along: boto3 is imported where a client is made.
"""

import base64
import contextlib
import hashlib
from collections.abc import Callable, Iterator
from typing import Any

Row = dict[str, Any]
"""A request by the names of its fields; its content is a list of [base64, offset, length]."""

MOST_PAGES = 64
_FOLLOW = {"ContinuationToken": "NextContinuationToken"}


def bytes_of(parts: list[Any]) -> bytes:
    """The bytes of content."""
    found = b""
    for text, offset, length in parts:
        stream = base64.b64decode(text)
        found += (stream * ((offset + length) // max(len(stream), 1) + 1))[offset : offset + length]
    return found


class Player:
    """Carries out requests below a prefix of a bucket, and says in a line what each was answered with."""

    def __init__(self, client: Any, bucket: str, prefix: str) -> None:
        self.client, self.bucket, self.prefix = client, bucket, prefix
        self.versions: dict[str, list[str]] = {}
        self.etags: dict[str, str] = {}
        self.uploads: list[tuple[str, str]] = []
        self.parts: dict[tuple[int, int], str] = {}

    def play(self, program: list[Row]) -> list[str]:
        """What each request was answered with."""
        return [self.answer(row) for row in program]

    def clean(self) -> list[str]:
        """Delete what is below the prefix, and abort the uploads that the program began; what could not be deleted."""
        for key, upload in self.uploads:
            with contextlib.suppress(Exception):  # it was completed or aborted
                self.client.abort_multipart_upload(**self.key(key), UploadId=upload)
        keys = {self.prefix + key for key in self.versions}  # a listing may leave some of them out
        failed = []
        try:
            asked = {"Bucket": self.bucket, "Prefix": self.prefix}
            for page in self.pages(self.client.list_objects_v2, asked, _FOLLOW):
                keys.update(entry["Key"] for entry in page.get("Contents", ()))
        except Exception as error:
            failed.append(f"what else is below {self.prefix}: {error!a}")
        for key in sorted(keys):
            if key.startswith(self.prefix):  # a store may list what was not asked for
                try:
                    self.client.delete_object(Bucket=self.bucket, Key=key)
                except Exception as error:
                    failed.append(f"{key!a}: {error!a}")
        return failed

    def answer(self, row: Row) -> str:
        """What a request was answered with: the refusal with its status and code, or what it succeeded with."""
        call: Callable[[Row], str] = getattr(self, "call_" + row["request"])
        try:
            return ("succeeded " + call(row)).rstrip()
        except Exception as error:
            response = getattr(error, "response", None)
            if not isinstance(response, dict):
                raise
            code = str(response.get("Error", {}).get("Code", ""))
            status = str(response.get("ResponseMetadata", {}).get("HTTPStatusCode", ""))
            return f"refused with {status} {'' if code == status else code}".rstrip()

    def key(self, name: str) -> Row:
        return {"Bucket": self.bucket, "Key": self.prefix + name}

    def own(self, key: str) -> str:
        return key[len(self.prefix) :] if key.startswith(self.prefix) else f"(outside) {key}"

    def conditions(self, key: str, row: Row, of: str = "If") -> Row:
        found = {}
        for name, header in (("if_match", "Match"), ("if_none_match", "NoneMatch")):
            told = row.get(name, "")
            if told:
                other = '"' + "0" * 32 + '"'
                found[of + header] = (
                    self.etags.get(key, other) if told == "latest" else other if told == "other" else told
                )
        return found

    def version(self, key: str, row: Row) -> Row:
        number = row.get("version", 0)
        return {"VersionId": self.versions[key][number - 1]} if number else {}

    def made(self, key: str, response: Row, etag: Any = None) -> str:
        self.versions.setdefault(key, []).append(response.get("VersionId") or "null")
        if etag:
            self.etags[key] = str(etag)
        return ""

    def meta(self, row: Row) -> Row:
        return {"Metadata": {"fsconform": row["meta"]}} if row.get("meta") else {}

    def call_PutObject(self, row: Row) -> str:
        body, digest = bytes_of(row.get("content", [])), {}
        if row.get("digest"):
            told = body if row["digest"] == "right" else body + b"!"
            digest["ContentMD5"] = base64.b64encode(hashlib.md5(told, usedforsecurity=False).digest()).decode()
        more = {**digest, **self.meta(row), **self.conditions(row["key"], row)}
        response = self.client.put_object(**self.key(row["key"]), Body=body, **more)
        return self.made(row["key"], response, response.get("ETag"))

    def call_CopyObject(self, row: Row) -> str:
        source = {**self.key(row["source"]), **self.version(row["source"], row)}
        more = {"MetadataDirective": "REPLACE", **self.meta(row)} if row.get("meta") else {}
        more.update(self.conditions(row["source"], row, "CopySourceIf"))
        response = self.client.copy_object(**self.key(row["key"]), CopySource=source, **more)
        return self.made(row["key"], response, response.get("CopyObjectResult", {}).get("ETag"))

    def call_GetObject(self, row: Row) -> str:
        more = {**({"Range": row["range"]} if row.get("range") else {}), **self.version(row["key"], row)}
        response = self.client.get_object(**self.key(row["key"]), **more, **self.conditions(row["key"], row))
        body = response["Body"].read()
        told = [f"with {len(body)} bytes, SHA-256 {hashlib.sha256(body).hexdigest()}"]
        told += [f"range {response['ContentRange']}"] if response.get("ContentRange") else []
        return ", ".join([*told, f"metadata {response.get('Metadata', {}).get('fsconform', '')!a}"])

    def call_HeadObject(self, row: Row) -> str:
        more = {**self.version(row["key"], row), **self.conditions(row["key"], row)}
        response = self.client.head_object(**self.key(row["key"]), **more)
        meta = response.get("Metadata", {}).get("fsconform", "")
        return f"with {response.get('ContentLength')} bytes, metadata {meta!a}"

    def call_DeleteObject(self, row: Row) -> str:
        more = {**self.version(row["key"], row), **self.conditions(row["key"], row)}
        response = self.client.delete_object(**self.key(row["key"]), **more)
        marker = bool(response.get("DeleteMarker"))
        if marker and not row.get("version"):
            self.made(row["key"], response)
        return "with a delete marker" if marker else ""

    def call_DeleteObjects(self, row: Row) -> str:
        keys = [{"Key": self.prefix + key} for key in row["keys"]]
        wanted = {"Objects": keys, "Quiet": row.get("quiet", False)}
        response = self.client.delete_objects(Bucket=self.bucket, Delete=wanted)
        deleted = sorted(self.own(entry.get("Key", "")) for entry in response.get("Deleted", ()))
        for entry in response.get("Deleted", ()):
            if entry.get("DeleteMarker"):
                self.made(self.own(entry["Key"]), {"VersionId": entry.get("DeleteMarkerVersionId")})
        failed = sorted((self.own(entry.get("Key", "")), entry.get("Code", "")) for entry in response.get("Errors", ()))
        return f"deleted {deleted!a}, failed {failed!a}"

    def call_PutBucketVersioning(self, row: Row) -> str:
        configuration = {"Status": row["status"]}
        self.client.put_bucket_versioning(Bucket=self.bucket, VersioningConfiguration=configuration)
        return ""

    def call_CreateMultipartUpload(self, row: Row) -> str:
        response = self.client.create_multipart_upload(**self.key(row["key"]), **self.meta(row))
        self.uploads.append((row["key"], str(response["UploadId"])))
        return ""

    def upload(self, row: Row) -> Row:
        key, upload = self.uploads[row["upload"] - 1]
        return {**self.key(key), "UploadId": upload}

    def call_UploadPart(self, row: Row) -> str:
        body = bytes_of(row.get("content", []))
        response = self.client.upload_part(**self.upload(row), PartNumber=row["part"], Body=body)
        self.parts[row["upload"], row["part"]] = str(response.get("ETag"))
        return ""

    def call_CompleteMultipartUpload(self, row: Row) -> str:
        key = self.uploads[row["upload"] - 1][0]
        parts = []
        for text in row["parts"]:
            number, wrong = int(text.rstrip("!")), text.endswith("!")
            etag = '"' + "f" * 32 + '"' if wrong else self.parts.get((row["upload"], number), '"' + "0" * 32 + '"')
            parts.append({"PartNumber": number, "ETag": etag})
        more = {"MultipartUpload": {"Parts": parts}, **self.conditions(key, row)}
        response = self.client.complete_multipart_upload(**self.upload(row), **more)
        return self.made(key, response, response.get("ETag"))

    def call_AbortMultipartUpload(self, row: Row) -> str:
        self.client.abort_multipart_upload(**self.upload(row))
        return ""

    def pages(self, call: Callable[..., Row], asked: Row, follow: dict[str, str]) -> Iterator[Row]:
        more: Row = {}
        for _ in range(MOST_PAGES):
            response = call(**asked, **more)
            yield response
            more = {name: response[field] for name, field in follow.items() if response.get(field)}
            if not response.get("IsTruncated") or not more:
                return

    def listed(self, row: Row, call: Callable[..., Row], most: str, follow: dict[str, str], *fields: str) -> str:
        asked: Row = {"Bucket": self.bucket, "Prefix": self.prefix + row.get("prefix", "")}
        asked.update({"Delimiter": row["delimiter"]} if row.get("delimiter") else {})
        page = row.get("max_keys") or row.get("max_uploads")
        asked.update({most: page} if page else {})
        asked.update({"StartAfter": self.prefix + row["start_after"]} if row.get("start_after") else {})
        keys, prefixes = [], []
        for found in self.pages(call, asked, follow):
            rows = [(entry, field) for field in fields for entry in found.get(field, ())]
            keys += [self.own(entry["Key"]) + " (marker)" * (field == "DeleteMarkers") for entry, field in rows]
            prefixes += [self.own(entry["Prefix"]) for entry in found.get("CommonPrefixes", ())]
        return f"with keys {keys!a}, prefixes {prefixes!a}"

    def call_ListObjectsV2(self, row: Row) -> str:
        return self.listed(row, self.client.list_objects_v2, "MaxKeys", _FOLLOW, "Contents")

    def call_ListObjectVersions(self, row: Row) -> str:
        follow = {"KeyMarker": "NextKeyMarker", "VersionIdMarker": "NextVersionIdMarker"}
        return self.listed(row, self.client.list_object_versions, "MaxKeys", follow, "Versions", "DeleteMarkers")

    def call_ListMultipartUploads(self, row: Row) -> str:
        follow = {"KeyMarker": "NextKeyMarker", "UploadIdMarker": "NextUploadIdMarker"}
        return self.listed(row, self.client.list_multipart_uploads, "MaxUploads", follow, "Uploads")

    def call_ListParts(self, row: Row) -> str:
        asked = {**self.upload(row), **({"MaxParts": row["max_parts"]} if row.get("max_parts") else {})}
        parts = []
        for page in self.pages(self.client.list_parts, asked, {"PartNumberMarker": "NextPartNumberMarker"}):
            parts += [f"{entry['PartNumber']} of {entry['Size']} bytes" for entry in page.get("Parts", ())]
        return f"with parts {parts}"


def compared(answers: list[str], expected: list[str]) -> list[str]:
    """Lines for a person: each answer, and what was expected where that is another. HEAD is answered without a code."""
    lines = []
    for number, (answer, wanted) in enumerate(zip(answers, expected, strict=True), 1):
        lines.append(f"{number}. {answer}" + ("" if agrees(answer, wanted) else f"   DIVERGENCE: expected {wanted}"))
    return lines


def agrees(answer: str, wanted: str) -> bool:
    """Whether an answer is the expected one; a refusal without a code agrees with any of that status."""
    if answer.startswith("refused with ") and len(answer.split()) == 3:
        return wanted.split()[:3] == answer.split()
    return answer == wanted
