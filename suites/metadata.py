"""What a store keeps of a path beside its bytes: owners, permissions, times, defaults, capabilities."""

from __future__ import annotations

from fsconform.engine.grammar import Grammar, Suite
from fsconform.model.filesystem.metadata.access import Access
from fsconform.model.filesystem.metadata.file_checksum import GetFileChecksum
from fsconform.model.filesystem.metadata.get_attributes import GetAttributes
from fsconform.model.filesystem.metadata.owner import SetOwner
from fsconform.model.filesystem.metadata.permission import SetPermission
from fsconform.model.filesystem.metadata.replication import SetReplication
from fsconform.model.filesystem.metadata.times import SetTimes
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create, CreateWith
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs, MkdirsWith
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.status.enclosing_root import GetEnclosingRoot
from fsconform.model.filesystem.status.etags import GetEtag
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.path_capabilities import HasPathCapability
from fsconform.model.filesystem.status.resolve_path import ResolvePath
from fsconform.model.filesystem.status.server_defaults import (
    GetDefaultBlockSize,
    GetDefaultReplication,
    GetServerDefaults,
)
from fsconform.model.filesystem.status.sizes_and_replication import GetBlockSize, GetLength, GetReplication
from fsconform.model.filesystem.status.working_directory import WorkingDirectory

METADATA = Suite(
    "metadata",
    "metadata",
    "owners, permissions, times, sizes, defaults, working directories and capabilities",
    witnesses=("metadata", "times", "modes"),
    grammar=Grammar(
        weights=(
            *((Mkdirs, 2), (Create, 3), (Append, 1), (Delete, 1), (Rename, 2), (GetFileStatus, 1)),
            *((GetAttributes, 3), (SetPermission, 2), (SetTimes, 2), (SetReplication, 1)),
            *((SetOwner, 1), (MkdirsWith, 1), (CreateWith, 1), (WorkingDirectory, 2)),
            *((GetBlockSize, 1), (GetLength, 1), (GetReplication, 1), (GetDefaultBlockSize, 1)),
            *((GetDefaultReplication, 1), (GetServerDefaults, 1), (ResolvePath, 1)),
            *((GetEnclosingRoot, 1), (Access, 1), (GetFileChecksum, 1), (HasPathCapability, 2)),
            *((GetEtag, 1),),
        ),
        clients=2,
    ),
)
