"""Lookups: every way to list, to match and to sum up; and the core by its other ways in."""

from __future__ import annotations

from fsconform.engine.grammar import Grammar, Suite
from fsconform.model.operations import Append, Create, Delete, ListStatus, Mkdirs, Rename

LOOKUPS = Suite(
    "lookups",
    "listing",
    "listings with filters, of several paths, of files; patterns, summaries, locations; overloads, builders, contexts",
    witnesses=("listing", "ways"),
    grammar=Grammar(
        weights=((Mkdirs, 3), (Create, 4), (Append, 1), (Delete, 1), (Rename, 2), (ListStatus, 4)),
        clients=2,
    ),
    default=False,
)
