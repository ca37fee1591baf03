"""Operations on extended attributes, ACLs, storage policies, snapshots, quotas and symbolic links."""

from __future__ import annotations

from fsconform.model.core.operation import Operation
from fsconform.model.filesystem.metadata.acls import GetAclStatus as GetAclStatus
from fsconform.model.filesystem.metadata.acls import ModifyAcl as ModifyAcl
from fsconform.model.filesystem.metadata.acls import RemoveAcl as RemoveAcl
from fsconform.model.filesystem.metadata.acls import RemoveAclEntries as RemoveAclEntries
from fsconform.model.filesystem.metadata.acls import RemoveDefaultAcl as RemoveDefaultAcl
from fsconform.model.filesystem.metadata.acls import SetAcl as SetAcl
from fsconform.model.filesystem.metadata.quotas import SetQuota as SetQuota
from fsconform.model.filesystem.metadata.storage_policies import GetStoragePolicy as GetStoragePolicy
from fsconform.model.filesystem.metadata.storage_policies import SetStoragePolicy as SetStoragePolicy
from fsconform.model.filesystem.metadata.storage_policies import UnsetStoragePolicy as UnsetStoragePolicy
from fsconform.model.filesystem.metadata.xattrs import GetXAttr as GetXAttr
from fsconform.model.filesystem.metadata.xattrs import GetXAttrs as GetXAttrs
from fsconform.model.filesystem.metadata.xattrs import RemoveXAttr as RemoveXAttr
from fsconform.model.filesystem.metadata.xattrs import SetXAttr as SetXAttr
from fsconform.model.filesystem.namespace.symlinks import CreateSymlink as CreateSymlink
from fsconform.model.filesystem.namespace.symlinks import GetLinkTarget as GetLinkTarget
from fsconform.model.filesystem.namespace.symlinks import SupportsSymlinks as SupportsSymlinks
from fsconform.model.filesystem.protocols.snapshots import CreateSnapshot as CreateSnapshot
from fsconform.model.filesystem.protocols.snapshots import DeleteSnapshot as DeleteSnapshot
from fsconform.model.filesystem.protocols.snapshots import RenameSnapshot as RenameSnapshot

ALL: tuple[type[Operation], ...] = (
    SetXAttr,
    GetXAttr,
    GetXAttrs,
    RemoveXAttr,
    ModifyAcl,
    RemoveAclEntries,
    RemoveDefaultAcl,
    RemoveAcl,
    SetAcl,
    GetAclStatus,
    SetStoragePolicy,
    UnsetStoragePolicy,
    GetStoragePolicy,
    CreateSnapshot,
    RenameSnapshot,
    DeleteSnapshot,
    SetQuota,
    CreateSymlink,
    GetLinkTarget,
    SupportsSymlinks,
)
