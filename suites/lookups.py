"""Lookups: every way to list, to match and to sum up; and the core by its other ways in."""

from __future__ import annotations

from fsconform.engine.grammar import Grammar, Suite
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.status.block_locations import GetFileBlockLocations, LocateNull
from fsconform.model.filesystem.status.compare_listed import CompareListed
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.glob_status import GlobStatus
from fsconform.model.filesystem.status.list_files import ListFiles
from fsconform.model.filesystem.status.list_filtered import ListFiltered, ListMany
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.predicates import Exists, IsDirectory, IsFile
from fsconform.model.filesystem.status.summaries import GetContentSummary, GetQuotaUsage

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
            (IsFile, 1),
            (IsDirectory, 1),
            (ListFiltered, 2),
            (ListMany, 2),
            (ListFiles, 3),
            (GlobStatus, 4),
            (GetContentSummary, 2),
            (GetQuotaUsage, 1),
            (GetFileBlockLocations, 2),
            (CompareListed, 2),
            (LocateNull, 1),
        ),
        clients=2,
    ),
)
