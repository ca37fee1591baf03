"""Delete above all, in longer programs than the core has."""

from __future__ import annotations

from fsconform.engine.grammar import Grammar, Suite
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.predicates import Exists

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
