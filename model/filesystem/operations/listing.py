"""Operations that list, match and sum up."""

from __future__ import annotations

from fsconform.model.core.operation import Operation
from fsconform.model.filesystem.status.block_locations import GetFileBlockLocations as GetFileBlockLocations
from fsconform.model.filesystem.status.block_locations import LocateNull as LocateNull
from fsconform.model.filesystem.status.compare_listed import CompareListed as CompareListed
from fsconform.model.filesystem.status.glob_status import GlobStatus as GlobStatus
from fsconform.model.filesystem.status.list_files import ListFiles as ListFiles
from fsconform.model.filesystem.status.list_filtered import ListFiltered as ListFiltered
from fsconform.model.filesystem.status.list_filtered import ListMany as ListMany
from fsconform.model.filesystem.status.predicates import IsDirectory as IsDirectory
from fsconform.model.filesystem.status.predicates import IsFile as IsFile
from fsconform.model.filesystem.status.summaries import GetContentSummary as GetContentSummary
from fsconform.model.filesystem.status.summaries import GetQuotaUsage as GetQuotaUsage

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
