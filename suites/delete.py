"""Delete alone, in longer programs than the core has."""

from __future__ import annotations

from fsconform.engine.grammar import Suite
from fsconform.model.operations import Create, Delete, Mkdirs

DELETE = Suite(
    "delete",
    "mkdirs, create and delete, in every program of up to four of them",
    witnesses=("delete",),
    kinds=(Mkdirs, Create, Delete),
    lengths=(1, 2, 3, 4),
    default=False,
)
