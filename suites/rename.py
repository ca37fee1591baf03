"""Rename above all, in longer programs than the core has."""

from __future__ import annotations

from fsconform.engine.grammar import Grammar, Suite
from fsconform.model.filesystem.operations import Create, Delete, Exists, GetFileStatus, ListStatus, Mkdirs, Rename

RENAME = Suite(
    "rename",
    "rename",
    "mkdirs, create and rename, in every program of up to four of them",
    witnesses=("rename",),
    grammar=Grammar(
        weights=((Mkdirs, 3), (Create, 3), (Rename, 8), (Delete, 1), (GetFileStatus, 1), (Exists, 1), (ListStatus, 1)),
        children=(4, 8),
        depths=(4, 9),
        clients=2,
        longest=16,
    ),
    kinds=(Mkdirs, Create, Rename),
    lengths=(1, 2, 3, 4),
    default=False,
)
