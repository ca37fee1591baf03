"""Large content: a file of 1 GiB, which neither the model nor the harness ever holds in memory. Only on request."""

from __future__ import annotations

from fsconform.engine.grammar import Grammar, Suite
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.observe import Observe
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.write import Write

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
