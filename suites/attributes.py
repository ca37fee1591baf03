"""Extended attributes, access control lists, storage policies, snapshots, quotas and symbolic links."""

from __future__ import annotations

from fsconform.engine.grammar import Grammar, Suite
from fsconform.model.filesystem.metadata.acls import (
    GetAclStatus,
    ModifyAcl,
    RemoveAcl,
    RemoveAclEntries,
    RemoveDefaultAcl,
    SetAcl,
)
from fsconform.model.filesystem.metadata.storage_policies import GetStoragePolicy, SetStoragePolicy, UnsetStoragePolicy
from fsconform.model.filesystem.metadata.xattrs import GetXAttr, GetXAttrs, RemoveXAttr, SetXAttr
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.namespace.symlinks import GetLinkTarget
from fsconform.model.filesystem.protocols.snapshots import CreateSnapshot, DeleteSnapshot

ATTRIBUTES = Suite(
    "attributes",
    "attributes",
    "what a store keeps of a path beside its bytes, and calls that few stores have",
    witnesses=("attributes",),
    grammar=Grammar(
        weights=(
            (Mkdirs, 2),
            (Create, 3),
            (Append, 1),
            (Delete, 1),
            (Rename, 3),
            (SetXAttr, 4),
            (GetXAttr, 3),
            (GetXAttrs, 2),
            (RemoveXAttr, 2),
            (SetAcl, 2),
            (ModifyAcl, 2),
            (RemoveAclEntries, 1),
            (RemoveDefaultAcl, 1),
            (RemoveAcl, 1),
            (GetAclStatus, 3),
            (SetStoragePolicy, 2),
            (UnsetStoragePolicy, 1),
            (GetStoragePolicy, 2),
            (CreateSnapshot, 1),
            (DeleteSnapshot, 1),
            (GetLinkTarget, 1),
        ),
        clients=2,
    ),
)
