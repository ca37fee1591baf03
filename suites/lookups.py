"""Lookups: every way to list, to match and to sum up; and the core by its other ways in."""

from __future__ import annotations

from fsconform.engine.grammar import Grammar, Suite
from fsconform.model.filesystem.operations import (
    Append,
    Create,
    Delete,
    Exists,
    GetFileStatus,
    ListStatus,
    Mkdirs,
    Open,
    Rename,
)
from fsconform.model.filesystem.operations import listing as ops

LOOKUPS = Suite(
    "lookups",
    "lookups",
    "listings with filters, of several paths, of files; patterns, summaries, locations; overloads, builders, contexts",
    witnesses=("listing", "ways", "trees"),
    grammar=Grammar(
        weights=(
            (Mkdirs, 6),
            (Create, 8),
            (Append, 2),
            (Open, 1),
            (Delete, 3),
            (Rename, 3),
            (GetFileStatus, 1),
            (Exists, 1),
            (ListStatus, 2),
            (ops.IsFile, 1),
            (ops.IsDirectory, 1),
            (ops.ListFiltered, 2),
            (ops.ListMany, 2),
            (ops.ListFiles, 3),
            (ops.GlobStatus, 4),
            (ops.GetContentSummary, 2),
            (ops.GetQuotaUsage, 1),
            (ops.GetFileBlockLocations, 2),
            (ops.CompareListed, 2),
            (ops.LocateNull, 1),
        ),
        clients=2,
    ),
)
