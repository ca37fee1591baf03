"""Requests to an object store, as frozen data with a JSON form.

What the store names itself is named by number, so that a program can be replayed: versions of a key and multipart
uploads in the order in which the program made them, from 1. ETags in conditions are told by what they are of.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from fsconform.model.core.content import EMPTY, Content
from fsconform.model.core.operation import Int, Operation, bounds, brief, check_bound, defaults, reason, shape
from fsconform.model.filesystem.programs import decode_content, encode_content

LATEST = "latest"
"""In a condition: the ETag that the last write of the key was answered with."""

OTHER = "other"
"""In a condition: an ETag that no object has."""

ANY = "*"

MIB = 1 << 20
SMALLEST_PART = 5 * MIB
"""Bytes that each part of a multipart upload but the last must have."""

LONGEST_KEY = 1024
"""Bytes of a key in UTF-8, at most."""


class Request(Operation):
    """A request. ``READS`` is true of those that change nothing and of which the order does not matter."""

    __slots__ = ()
    READS: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class PutObject(Request):
    """Write an object in one request. With ``digest`` "right" or "wrong" the request carries an MD5 of its body.

    ``meta`` is the value of one entry of user metadata; there is none if it is empty.
    """

    NAME: ClassVar[str] = "PutObject"
    MUTATES: ClassVar[bool] = True

    key: str
    content: Content = EMPTY
    if_match: str = ""
    if_none_match: str = ""
    digest: str = ""
    meta: str = ""


@dataclass(frozen=True, slots=True)
class CopyObject(Request):
    """Copy an object onto a key; conditions are on the source. With ``meta`` its user metadata is replaced."""

    NAME: ClassVar[str] = "CopyObject"
    MUTATES: ClassVar[bool] = True

    source: str
    key: str
    version: Int = 0
    if_match: str = ""
    if_none_match: str = ""
    meta: str = ""


@dataclass(frozen=True, slots=True)
class GetObject(Request):
    """Read an object, or a ``range`` of it as an HTTP header says it, such as ``bytes=0-4``. ``version`` 0 is none."""

    NAME: ClassVar[str] = "GetObject"
    READS: ClassVar[bool] = True

    key: str
    range: str = ""
    version: Int = 0
    if_match: str = ""
    if_none_match: str = ""


@dataclass(frozen=True, slots=True)
class HeadObject(Request):
    """Ask for an object's length, ETag and metadata."""

    NAME: ClassVar[str] = "HeadObject"
    READS: ClassVar[bool] = True

    key: str
    version: Int = 0
    if_match: str = ""
    if_none_match: str = ""


@dataclass(frozen=True, slots=True)
class DeleteObject(Request):
    """Delete an object, or one version of it for good."""

    NAME: ClassVar[str] = "DeleteObject"
    MUTATES: ClassVar[bool] = True

    key: str
    version: Int = 0
    if_match: str = ""


@dataclass(frozen=True, slots=True)
class DeleteObjects(Request):
    """Delete several objects in one request; a ``quiet`` one is answered with what failed alone."""

    NAME: ClassVar[str] = "DeleteObjects"
    MUTATES: ClassVar[bool] = True

    keys: tuple[str, ...]
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class ListObjectsV2(Request):
    """List keys, with ``max_keys`` page by page to the end."""

    NAME: ClassVar[str] = "ListObjectsV2"
    READS: ClassVar[bool] = True

    prefix: str = ""
    delimiter: str = ""
    max_keys: Int = 0
    start_after: str = ""


@dataclass(frozen=True, slots=True)
class ListObjectVersions(Request):
    """List versions and delete markers, with ``max_keys`` page by page to the end."""

    NAME: ClassVar[str] = "ListObjectVersions"
    READS: ClassVar[bool] = True

    prefix: str = ""
    delimiter: str = ""
    max_keys: Int = 0


@dataclass(frozen=True, slots=True)
class PutBucketVersioning(Request):
    """Set the versioning of the bucket to ``Enabled`` or ``Suspended``."""

    NAME: ClassVar[str] = "PutBucketVersioning"
    MUTATES: ClassVar[bool] = True

    status: str


@dataclass(frozen=True, slots=True)
class CreateMultipartUpload(Request):
    """Begin a multipart upload."""

    NAME: ClassVar[str] = "CreateMultipartUpload"
    MUTATES: ClassVar[bool] = True

    key: str
    meta: str = ""


@dataclass(frozen=True, slots=True)
class UploadPart(Request):
    """Upload a part of an upload."""

    NAME: ClassVar[str] = "UploadPart"
    MUTATES: ClassVar[bool] = True

    upload: Int
    part: Int
    content: Content = EMPTY


@dataclass(frozen=True, slots=True)
class CompleteMultipartUpload(Request):
    """Make an object of parts, each told by its number; a number with ``!`` is told with an ETag that it has not."""

    NAME: ClassVar[str] = "CompleteMultipartUpload"
    MUTATES: ClassVar[bool] = True

    upload: Int
    parts: tuple[str, ...]
    if_match: str = ""
    if_none_match: str = ""


@dataclass(frozen=True, slots=True)
class AbortMultipartUpload(Request):
    """Give an upload up."""

    NAME: ClassVar[str] = "AbortMultipartUpload"
    MUTATES: ClassVar[bool] = True

    upload: Int


@dataclass(frozen=True, slots=True)
class ListParts(Request):
    """List the parts of an upload, with ``max_parts`` page by page to the end."""

    NAME: ClassVar[str] = "ListParts"
    READS: ClassVar[bool] = True

    upload: Int
    max_parts: Int = 0


@dataclass(frozen=True, slots=True)
class ListMultipartUploads(Request):
    """List uploads that were begun and neither completed nor aborted, with ``max_uploads`` page by page to the end."""

    NAME: ClassVar[str] = "ListMultipartUploads"
    READS: ClassVar[bool] = True

    prefix: str = ""
    delimiter: str = ""
    max_uploads: Int = 0


ALL: tuple[type[Request], ...] = (
    PutObject,
    CopyObject,
    GetObject,
    HeadObject,
    DeleteObject,
    DeleteObjects,
    ListObjectsV2,
    ListObjectVersions,
    PutBucketVersioning,
    CreateMultipartUpload,
    UploadPart,
    CompleteMultipartUpload,
    AbortMultipartUpload,
    ListParts,
    ListMultipartUploads,
)

Program = tuple[Request, ...]

OP = "request"
_BY_NAME = {kind.NAME: kind for kind in ALL}
_TEXTS = {"if_match": ("", LATEST, OTHER, ANY), "if_none_match": ("", LATEST, OTHER, ANY)}
_TYPES: dict[str, type] = {"flag": bool, "number": int, "text": str}


def encode(request: Request) -> dict[str, Any]:
    """A request as a JSON object with its name under ``request``; what has its default value goes without saying."""
    kind = type(request)
    row: dict[str, Any] = {OP: kind.NAME}
    unsaid = defaults(kind)
    for name, form in shape(kind):
        value = getattr(request, name)
        if name not in unsaid or value != unsaid[name]:
            row[name] = encode_content(value) if form == "content" else list(value) if form == "texts" else value
    return row


def decode(row: Mapping[str, Any]) -> Request:
    """The inverse of :func:`encode`. Raises ValueError naming what is wrong."""
    try:
        fields = dict(row)
        kind = _BY_NAME[fields.pop(OP)]
        forms = dict(shape(kind))
        request = kind(**{name: _decoded(forms[name], value) for name, value in fields.items()})
        for name, bound in bounds(kind).items():
            check_bound(f"{name} of {kind.NAME}", getattr(request, name), bound)
        for name, allowed in _TEXTS.items():
            if getattr(request, name, "") not in allowed:
                raise ValueError(f"{name} is one of {', '.join(map(repr, allowed))}")
        return request
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"not a request: {brief(row)}: {reason(error)}") from error


def _decoded(form: str, value: Any) -> Any:
    if form == "content":
        return decode_content(value)
    if form == "texts":
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise ValueError(f"{value!r} is no list of texts")
        return tuple(value)
    if type(value) is not _TYPES[form]:
        raise ValueError(f"{value!r} is no {form}")
    return value


def keys_of(request: Request) -> tuple[str, ...]:
    """The keys that a request names, in the order of its arguments."""
    names = [getattr(request, name) for name in ("source", "key") if hasattr(request, name)]
    return (*names, *getattr(request, "keys", ()))


def needs_bucket(program: Program) -> bool:
    """Whether a program needs a bucket of its own: one that changes its versioning."""
    return any(isinstance(one, PutBucketVersioning) for one in program)
