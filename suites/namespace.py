"""The core: every operation of the namespace with whole-file content, in all short programs."""

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

NAMESPACE = Suite(
    "namespace",
    "namespace",
    "all operations of the core, in every program of up to three of them",
    witnesses=("queries", "mkdirs", "create", "append", "open", "delete", "rename"),
    grammar=Grammar(
        weights=(
            (Mkdirs, 2),
            (Create, 3),
            (Append, 1),
            (Delete, 3),
            (Rename, 3),
            (Open, 1),
            (GetFileStatus, 1),
            (Exists, 1),
            (ListStatus, 1),
        ),
        clients=2,
    ),
    kinds=(Mkdirs, Create, Append, Delete, Rename, Exists),
    lengths=(1, 2, 3),
)
