"""What a store keeps of a path beside its bytes: owners, permissions, times, defaults, capabilities."""

from __future__ import annotations

from fsconform.engine.grammar import Grammar, Suite
from fsconform.model.operations import Append, Create, Delete, GetFileStatus, Mkdirs, Rename

METADATA = Suite(
    "metadata",
    "metadata",
    "owners, permissions, times, sizes, defaults, working directories and capabilities",
    witnesses=("metadata",),
    grammar=Grammar(
        weights=((Mkdirs, 2), (Create, 3), (Append, 1), (Delete, 1), (Rename, 2), (GetFileStatus, 1)),
        clients=2,
    ),
    default=False,
)
