"""Iterators walked in every manner, and the trash."""

from __future__ import annotations

from fsconform.engine.grammar import Grammar, Suite
from fsconform.model.operations import Create, Delete, Mkdirs, Rename
from fsconform.model.operations.protocols import Iterate, MoveToTrash, TrashCheckpoint

PROTOCOLS = Suite(
    "protocols",
    "protocols",
    "iterators walked in every manner, and the trash",
    witnesses=("protocols",),
    grammar=Grammar(
        weights=(
            (Mkdirs, 2),
            (Create, 3),
            (Delete, 1),
            (Rename, 1),
            (Iterate, 3),
            (MoveToTrash, 1),
            (TrashCheckpoint, 1),
        )
    ),
)
