"""Changes of the namespace and of files beyond the core: concat, truncate, renames with options, copies, uploads."""

from __future__ import annotations

from fsconform.engine.grammar import Grammar, Suite
from fsconform.model.filesystem.operations import Append, Create, Delete, ListStatus, Mkdirs, Open, Rename
from fsconform.model.filesystem.operations import changes as ops

CHANGES = Suite(
    "changes",
    "changes",
    "concat, truncate, renames with options, copies from and to the local disk, builders, handles, uploads",
    witnesses=("changes", "again"),
    grammar=Grammar(
        weights=(
            *((kind, 2) for kind in (Mkdirs, Create)),
            *((kind, 1) for kind in (Append, Delete, Rename, Open, ListStatus)),
            *((kind, 2) for kind in (ops.Concat, ops.Truncate, ops.RenameWith)),
            *((kind, 1) for kind in ops.ALL if kind not in (ops.Concat, ops.Truncate, ops.RenameWith)),
        ),
        spiced=1,
        clients=2,
    ),
)
