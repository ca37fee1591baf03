"""What a store keeps of a path beside its bytes: owners, permissions, times, defaults, capabilities."""

from __future__ import annotations

from fsconform.engine.grammar import Grammar, Suite
from fsconform.model.filesystem.operations import Append, Create, Delete, GetFileStatus, Mkdirs, Rename
from fsconform.model.filesystem.operations import metadata as ops

METADATA = Suite(
    "metadata",
    "metadata",
    "owners, permissions, times, sizes, defaults, working directories and capabilities",
    witnesses=("metadata", "times", "modes"),
    grammar=Grammar(
        weights=(
            *((Mkdirs, 2), (Create, 3), (Append, 1), (Delete, 1), (Rename, 2), (GetFileStatus, 1)),
            *((ops.GetAttributes, 3), (ops.SetPermission, 2), (ops.SetTimes, 2), (ops.SetReplication, 1)),
            *((ops.SetOwner, 1), (ops.MkdirsWith, 1), (ops.CreateWith, 1), (ops.WorkingDirectory, 2)),
            *((ops.GetBlockSize, 1), (ops.GetLength, 1), (ops.GetReplication, 1), (ops.GetDefaultBlockSize, 1)),
            *((ops.GetDefaultReplication, 1), (ops.GetServerDefaults, 1), (ops.ResolvePath, 1)),
            *((ops.GetEnclosingRoot, 1), (ops.Access, 1), (ops.GetFileChecksum, 1), (ops.HasPathCapability, 2)),
            *((ops.GetEtag, 1),),
        ),
        clients=2,
    ),
)
