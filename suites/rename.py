"""Rename alone, in longer programs than the core has."""

from __future__ import annotations

from fsconform.engine.grammar import Suite
from fsconform.model.operations import Create, Mkdirs, Rename

RENAME = Suite(
    "rename",
    "mkdirs, create and rename, in every program of up to four of them",
    witnesses=("rename",),
    kinds=(Mkdirs, Create, Rename),
    lengths=(1, 2, 3, 4),
    default=False,
)
