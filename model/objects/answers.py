"""Answers of an object store, as a session reports them, and what the model knows of a bucket."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from fsconform.model.core.content import Content
from fsconform.model.core.outcomes import Data, NotExpressible, Unknown


@dataclass(frozen=True, slots=True)
class Found:
    """What reading or asking for an object, or writing one, told of it; None for what was not told.

    ``content_range`` is the header of that name. ``version`` is the version's id as the store names it.
    """

    etag: str | None = None
    length: int | None = None
    data: Data | None = None
    content_range: str | None = None
    meta: str | None = None
    version: str | None = None
    delete_marker: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a listing: an object, a version, a delete marker, a part or an upload.

    ``id`` is a version's or an upload's id; ``number`` is a part's number.
    """

    key: str
    etag: str = ""
    length: int = -1
    id: str = ""
    latest: bool = False
    marker: bool = False
    number: int = 0


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a listing: ``told`` is how many it says it holds, ``more`` whether it says that more follow."""

    entries: tuple[Entry, ...]
    prefixes: tuple[str, ...] = ()
    told: int = -1
    more: bool = False

    def __len__(self) -> int:
        return len(self.entries) + len(self.prefixes)


@dataclass(frozen=True, slots=True)
class Listing:
    """The pages of a listing, to its end. ``endless`` if the store said that more follow and they never came."""

    pages: tuple[Page, ...]
    endless: bool = False

    def entries(self) -> Iterator[Entry]:
        """All entries in the order in which they came."""
        for page in self.pages:
            yield from page.entries

    def prefixes(self) -> Iterator[str]:
        """All common prefixes in the order in which they came."""
        for page in self.pages:
            yield from page.prefixes


@dataclass(frozen=True, slots=True)
class Bulk:
    """The answer to a bulk delete: keys that are deleted, and those that are not with their error codes."""

    deleted: tuple[str, ...]
    errors: tuple[tuple[str, str], ...] = ()
    markers: tuple[tuple[str, str], ...] = ()
    """Keys for which a delete marker was made, each with its version's id."""


@dataclass(frozen=True, slots=True)
class Done:
    """A request that succeeded, with its HTTP status. ``upload`` is the id of an upload that was begun."""

    status: int
    value: Found | Listing | Bulk | None = None
    upload: str = ""


@dataclass(frozen=True, slots=True)
class Refused:
    """A request that was refused, with its HTTP status and the error's code; HEAD is answered without a code."""

    status: int
    code: str = ""
    message: str = ""
    delete_marker: bool = False


Answered = Done | Refused
"""What is judged of a request; of anything else nobody knows what the store did."""

Answer = Answered | Unknown | NotExpressible


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a key. ``content`` is None of a delete marker.

    ``id`` is the version's as the store named it, empty where it named none: the null version. ``number`` counts the
    versions that the program made of the key, from 1.
    """

    number: int
    id: str
    content: Content | None
    etag: str = ""
    meta: str = ""
    of_nothing: bool = False
    """A delete marker that was made where the key had no object."""

    @property
    def marker(self) -> bool:
        """Whether it is a delete marker."""
        return self.content is None


@dataclass(frozen=True, slots=True)
class Part:
    """A part that was uploaded."""

    content: Content
    etag: str


@dataclass(frozen=True, slots=True)
class Upload:
    """A multipart upload. ``ended`` is true once it was completed or aborted."""

    id: str
    key: str
    meta: str = ""
    parts: Mapping[int, Part] = field(default_factory=dict)
    ended: bool = False


@dataclass(frozen=True, slots=True)
class Bucket:
    """What the model knows: versions of each key, newest first, and uploads by their number from 1.

    ``made`` counts how many versions the program made of a key, ``told`` is the ETag that its last write was answered
    with; ``versioning`` is empty, ``Enabled`` or ``Suspended``.
    """

    objects: Mapping[str, tuple[Version, ...]] = field(default_factory=dict)
    uploads: tuple[Upload, ...] = ()
    versioning: str = ""
    made: Mapping[str, int] = field(default_factory=dict)
    told: Mapping[str, str] = field(default_factory=dict)

    def current(self, key: str) -> Version | None:
        """The current version if it is an object, not a delete marker."""
        versions = self.objects.get(key, ())
        return versions[0] if versions and not versions[0].marker else None

    def version(self, key: str, number: int) -> Version | None:
        """A version by its number, if it is there still."""
        return next((one for one in self.objects.get(key, ()) if one.number == number), None)

    def keys(self) -> list[str]:
        """The keys of current objects in the order of their UTF-8 bytes."""
        return sorted((key for key in self.objects if self.current(key) is not None), key=str.encode)


EMPTY_BUCKET = Bucket()
