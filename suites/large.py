"""Large content: a file of 1 GiB, which neither the model nor the harness ever holds in memory. Only on request."""

from __future__ import annotations

from fsconform.engine.grammar import Grammar, Suite
from fsconform.model.filesystem.operations import Create, Delete, Rename
from fsconform.model.filesystem.operations.writers import CloseWriter, Observe, OpenWriter, Write

LARGE = Suite(
    "large",
    "large",
    "a file of 1 GiB, in many blocks and parts",
    witnesses=("large",),
    grammar=Grammar(
        weights=((Create, 2), (Delete, 1), (Rename, 1), (OpenWriter, 4), (Write, 6), (CloseWriter, 4), (Observe, 3)),
        spiced=1,
    ),
    default=False,
    trial=True,
)
