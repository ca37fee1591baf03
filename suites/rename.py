"""Rename above all, in longer programs than the core has."""

from __future__ import annotations

from fsconform.engine.grammar import Grammar, Suite
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.predicates import Exists

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
