"""Operations that list, match and sum up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fsconform.model.core.operation import Operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.status.block_locations import GetFileBlockLocations as GetFileBlockLocations
from fsconform.model.filesystem.status.block_locations import LocateNull as LocateNull
from fsconform.model.filesystem.status.compare_listed import CompareListed as CompareListed
from fsconform.model.filesystem.status.glob_status import GlobStatus as GlobStatus
from fsconform.model.filesystem.status.summaries import GetContentSummary as GetContentSummary
from fsconform.model.filesystem.status.summaries import GetQuotaUsage as GetQuotaUsage


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
