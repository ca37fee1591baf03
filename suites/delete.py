"""Delete above all, in longer programs than the core has."""

from __future__ import annotations

from fsconform.engine.grammar import Grammar, Suite
from fsconform.model.filesystem.operations import (
    Create,
    Delete,
    Exists,
    GetFileStatus,
    ListStatus,
    Mkdirs,
    Open,
    Rename,
)

DELETE = Suite(
    "delete",
    "delete",
    "mkdirs, create and delete, in every program of up to four of them",
    witnesses=("delete",),
    grammar=Grammar(
        weights=(
            (Mkdirs, 3),
            (Create, 3),
            (Delete, 6),
            (Rename, 1),
            (Open, 1),
            (GetFileStatus, 1),
            (Exists, 1),
            (ListStatus, 1),
        ),
        children=(4, 8, 17),
        depths=(4, 9),
        clients=2,
        longest=16,
    ),
    kinds=(Mkdirs, Create, Delete),
    lengths=(1, 2, 3, 4),
    default=False,
)
