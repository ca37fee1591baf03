"""Operations on what a store keeps of a path beside its bytes and its place."""

from __future__ import annotations

from fsconform.model.core.operation import Operation
from fsconform.model.filesystem.metadata.access import Access as Access
from fsconform.model.filesystem.metadata.file_checksum import GetFileChecksum as GetFileChecksum
from fsconform.model.filesystem.metadata.get_attributes import GetAttributes as GetAttributes
from fsconform.model.filesystem.metadata.owner import SetOwner as SetOwner
from fsconform.model.filesystem.metadata.permission import SetPermission as SetPermission
from fsconform.model.filesystem.metadata.replication import SetReplication as SetReplication
from fsconform.model.filesystem.metadata.times import SetTimes as SetTimes
from fsconform.model.filesystem.namespace.create import CreateWith as CreateWith
from fsconform.model.filesystem.namespace.mkdirs import MkdirsWith as MkdirsWith
from fsconform.model.filesystem.status.enclosing_root import GetEnclosingRoot as GetEnclosingRoot
from fsconform.model.filesystem.status.etags import GetEtag as GetEtag
from fsconform.model.filesystem.status.home_directory import GetHomeDirectory as GetHomeDirectory
from fsconform.model.filesystem.status.msync import Msync as Msync
from fsconform.model.filesystem.status.path_capabilities import HasPathCapability as HasPathCapability
from fsconform.model.filesystem.status.resolve_path import ResolvePath as ResolvePath
from fsconform.model.filesystem.status.server_defaults import GetDefaultBlockSize as GetDefaultBlockSize
from fsconform.model.filesystem.status.server_defaults import GetDefaultReplication as GetDefaultReplication
from fsconform.model.filesystem.status.server_defaults import GetServerDefaults as GetServerDefaults
from fsconform.model.filesystem.status.sizes_and_replication import GetBlockSize as GetBlockSize
from fsconform.model.filesystem.status.sizes_and_replication import GetLength as GetLength
from fsconform.model.filesystem.status.sizes_and_replication import GetReplication as GetReplication
from fsconform.model.filesystem.status.working_directory import WorkingDirectory as WorkingDirectory

ALL: tuple[type[Operation], ...] = (
    GetAttributes,
    MkdirsWith,
    CreateWith,
    SetPermission,
    SetOwner,
    SetTimes,
    SetReplication,
    GetBlockSize,
    GetLength,
    GetReplication,
    GetDefaultBlockSize,
    GetDefaultReplication,
    GetServerDefaults,
    GetHomeDirectory,
    WorkingDirectory,
    ResolvePath,
    GetEnclosingRoot,
    Access,
    GetFileChecksum,
    Msync,
    HasPathCapability,
    GetEtag,
)
