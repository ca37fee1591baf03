"""Extended attributes, access control lists, storage policies, snapshots, quotas and symbolic links."""

from __future__ import annotations

from fsconform.engine.grammar import Grammar, Suite
from fsconform.model.filesystem.operations import Append, Create, Delete, Mkdirs, Rename
from fsconform.model.filesystem.operations import attributes as ops

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
            (ops.SetXAttr, 4),
            (ops.GetXAttr, 3),
            (ops.GetXAttrs, 2),
            (ops.RemoveXAttr, 2),
            (ops.SetAcl, 2),
            (ops.ModifyAcl, 2),
            (ops.RemoveAclEntries, 1),
            (ops.RemoveDefaultAcl, 1),
            (ops.RemoveAcl, 1),
            (ops.GetAclStatus, 3),
            (ops.SetStoragePolicy, 2),
            (ops.UnsetStoragePolicy, 1),
            (ops.GetStoragePolicy, 2),
            (ops.CreateSnapshot, 1),
            (ops.DeleteSnapshot, 1),
            (ops.GetLinkTarget, 1),
        ),
        clients=2,
    ),
)
