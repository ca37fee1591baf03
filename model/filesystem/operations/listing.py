"""Operations that list, match and sum up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fsconform.model.core.operation import Long, Operation
from fsconform.model.core.paths import Path


@dataclass(frozen=True, slots=True)
class IsFile(Operation):
    """``isFile(path)``. Returns true or false."""

    NAME: ClassVar[str] = "isFile"
    path: Path


@dataclass(frozen=True, slots=True)
class IsDirectory(Operation):
    """``isDirectory(path)``. Returns true or false."""

    NAME: ClassVar[str] = "isDirectory"
    path: Path


@dataclass(frozen=True, slots=True)
class ListFiltered(Operation):
    """``listStatus(path, filter)``, where the filter accepts the names that begin with ``prefix``. Returns statuses."""

    NAME: ClassVar[str] = "listStatus with filter"
    VIAS: ClassVar[tuple[str, ...]] = (
        "located",
        "context",
    )
    path: Path
    prefix: str
    via: str = ""


@dataclass(frozen=True, slots=True)
class ListMany(Operation):
    """``listStatus(paths)``. Returns the statuses of all."""

    NAME: ClassVar[str] = "listStatus of several"
    VIAS: ClassVar[tuple[str, ...]] = ("filter",)
    paths: tuple[Path, ...]
    via: str = ""


@dataclass(frozen=True, slots=True)
class ListFiles(Operation):
    """``listFiles(path, recursive)``, drained. Returns statuses."""

    NAME: ClassVar[str] = "listFiles"
    VIAS: ClassVar[tuple[str, ...]] = ("context",)
    path: Path
    recursive: bool
    via: str = ""


@dataclass(frozen=True, slots=True)
class GlobStatus(Operation):
    """``globStatus(pattern)``, the pattern being relative to the program's root.

    Returns statuses, or nothing for null.
    """

    NAME: ClassVar[str] = "globStatus"
    VIAS: ClassVar[tuple[str, ...]] = (
        "filter",
        "context",
    )
    pattern: str
    via: str = ""


@dataclass(frozen=True, slots=True)
class GetContentSummary(Operation):
    """``getContentSummary(path)``.

    Returns facts ``summary``: length, files, directories, quota, spaceConsumed, spaceQuota.
    """

    NAME: ClassVar[str] = "getContentSummary"
    VIAS: ClassVar[tuple[str, ...]] = ("context",)
    path: Path
    via: str = ""


@dataclass(frozen=True, slots=True)
class GetQuotaUsage(Operation):
    """``getQuotaUsage(path)``. Returns facts ``quota usage``: entries, quota, spaceConsumed, spaceQuota."""

    NAME: ClassVar[str] = "getQuotaUsage"
    path: Path


@dataclass(frozen=True, slots=True)
class GetFileBlockLocations(Operation):
    """``getFileBlockLocations(path, start, length)``, in bytes; via status the overload that takes a FileStatus.

    Returns facts ``locations`` with ``blocks``, a text ``offset,length,number of hosts`` each, and the ``names``,
    ``hosts`` and ``topologies`` of all blocks, each once; nothing for null.
    """

    NAME: ClassVar[str] = "getFileBlockLocations"
    VIAS: ClassVar[tuple[str, ...]] = (
        "status",
        "context",
    )
    path: Path
    start: Long
    length: Long
    via: str = ""


@dataclass(frozen=True, slots=True)
class LocateNull(Operation):
    """``getFileBlockLocations(null, 0, 1)``, the null being a path, or via status a FileStatus.

    Returns nothing for null, else as GetFileBlockLocations.
    """

    NAME: ClassVar[str] = "getFileBlockLocations of null"
    VIAS: ClassVar[tuple[str, ...]] = ("status",)
    via: str = ""


@dataclass(frozen=True, slots=True)
class CompareListed(Operation):
    """``listStatus(path)``, and ``getFileStatus`` of each path it gives. Nothing may happen meanwhile.

    Via iterator, located and files it is listStatusIterator, listLocatedStatus and ``listFiles(path, true)``. Returns
    facts ``comparison``: entries (a number), differing (names of the attributes in which the two statuses of any entry
    differ), unlocated (of the latter two, the number of entries that are no LocatedFileStatus) and misplaced (of them,
    the number of files whose locations are others than getFileBlockLocations gives).
    """

    NAME: ClassVar[str] = "listing compared"
    VIAS: ClassVar[tuple[str, ...]] = (
        "iterator",
        "located",
        "files",
    )
    path: Path
    via: str = ""


ALL: tuple[type[Operation], ...] = (
    IsFile,
    IsDirectory,
    ListFiltered,
    ListMany,
    ListFiles,
    GlobStatus,
    GetContentSummary,
    GetQuotaUsage,
    GetFileBlockLocations,
    LocateNull,
    CompareListed,
)
