"""Safe mode, which halts a store as a whole: only on request, and only on a store that is the harness's own."""

from __future__ import annotations

from fsconform.engine.grammar import Grammar, Suite
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.protocols.safe_mode import UseSafeMode

SAFEMODE = Suite(
    "safemode",
    "root",
    "safe mode, entered and left",
    witnesses=("safemode",),
    grammar=Grammar(
        weights=((Mkdirs, 1), (Create, 2), (Delete, 1), (Rename, 1), (UseSafeMode, 4)), spiced=1, longest=8
    ),
    default=False,
    root=True,
)
