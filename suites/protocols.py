"""Iterators walked in every manner, and the trash."""

from __future__ import annotations

from fsconform.engine.grammar import Grammar, Suite
from fsconform.model.filesystem.operations import Create, Delete, Mkdirs, Rename
from fsconform.model.filesystem.operations import protocols as ops
from fsconform.model.filesystem.operations.administration import CallAsAnother, RenameToTrash

PROTOCOLS = Suite(
    "protocols",
    "protocols",
    "iterators walked in every manner, the trash, etags and times over changes, calls of other users",
    witnesses=("protocols",),
    grammar=Grammar(
        weights=(
            (Mkdirs, 2),
            (Create, 3),
            (Delete, 1),
            (Rename, 1),
            (ops.Iterate, 3),
            (ops.MoveToTrash, 1),
            (ops.TrashCheckpoint, 1),
            (ops.CompareEtags, 1),
            (ops.CopyWithin, 1),
            (ops.RenameTimed, 1),
            (ops.ReadTimed, 1),
            (CallAsAnother, 1),
            (RenameToTrash, 1),
        )
    ),
)
