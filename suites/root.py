"""The real root directory: only on request, and only on a store that is the harness's own."""

from __future__ import annotations

from fsconform.engine.grammar import Grammar, Suite
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.predicates import Exists

ROOT = Suite(
    "root",
    "root",
    "operations on the real root directory of a store of its own",
    witnesses=("root",),
    grammar=Grammar(
        weights=(
            (Mkdirs, 2),
            (Create, 2),
            (Append, 1),
            (Delete, 3),
            (Rename, 3),
            (Open, 1),
            (GetFileStatus, 1),
            (Exists, 1),
            (ListStatus, 1),
        ),
        depth=2,
        spiced=1,
        clients=2,
        longest=8,
    ),
    default=False,
    root=True,
)
