"""A store without space: only on request, on a place that is small. See docs/how-to-fill-a-store.md."""

from __future__ import annotations

from fsconform.engine.grammar import Grammar, Suite
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.output.full_disk import FillUp

FULL = Suite(
    "disk-full",
    "full",
    "files written until the store has no space: what is raised, what is kept, and how it goes on",
    witnesses=("full",),
    grammar=Grammar(weights=((Mkdirs, 1), (Create, 2), (Delete, 2), (Rename, 1), (FillUp, 2)), spiced=1, longest=8),
    default=False,
    trial=True,
    alone=True,
)
