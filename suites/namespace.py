"""The core: every operation of the namespace with whole-file content, in all short programs."""

from __future__ import annotations

from fsconform.engine.grammar import Suite
from fsconform.model.operations import Append, Create, Delete, Exists, Mkdirs, Rename

NAMESPACE = Suite(
    "namespace",
    "all operations of the core, in every program of up to three of them",
    witnesses=("queries", "mkdirs", "create", "append", "open", "delete", "rename"),
    kinds=(Mkdirs, Create, Append, Delete, Rename, Exists),
    lengths=(1, 2, 3),
)
