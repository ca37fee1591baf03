"""Changes of the namespace and of files beyond the core: concat, truncate, renames with options, copies, uploads."""

from __future__ import annotations

from fsconform.engine.grammar import Grammar, Suite
from fsconform.model.operations import Append, Create, Delete, ListStatus, Mkdirs, Open, Rename

CHANGES = Suite(
    "changes",
    "namespace",
    "concat, truncate, renames with options, copies from and to the local disk, builders, handles, uploads",
    witnesses=("changes",),
    grammar=Grammar(
        weights=((Mkdirs, 3), (Create, 3), (Append, 1), (Delete, 1), (Rename, 1), (Open, 1), (ListStatus, 1)),
        spiced=1,
        clients=2,
    ),
    default=False,
)
