"""Listings of directories that grow."""

from __future__ import annotations

from functools import partial

from fsconform.engine.grammar import Grammar, Suite
from fsconform.engine.ladders import children, rungs
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.status.list_status import ListStatus

MOST_CHILDREN = 129

LISTING = Suite(
    "listing",
    "listing",
    f"directories of up to {MOST_CHILDREN} entries",
    witnesses=("queries", "pages"),
    grammar=Grammar(
        weights=((Mkdirs, 2), (Create, 2), (Append, 1), (Delete, 2), (Rename, 2), (ListStatus, 4)),
        children=rungs(MOST_CHILDREN),
        crowded=4,
        clients=2,
    ),
    ladders=partial(children, MOST_CHILDREN),
)
