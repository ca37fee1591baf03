"""Calls in and beside a directory of which snapshots are taken: what they keep, hold back and report."""

from __future__ import annotations

from fsconform.engine.grammar import Grammar, Suite
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.protocols.calls_with_snapshots import CallsWithSnapshots

SNAPSHOTS = Suite(
    "snapshots",
    "metadata",
    "calls in a directory of which snapshots are taken, deleted, renamed and compared",
    witnesses=("snapshots",),
    grammar=Grammar(weights=((Mkdirs, 2), (Create, 1), (Delete, 1), (Rename, 1), (CallsWithSnapshots, 8)), longest=8),
    default=False,
)
