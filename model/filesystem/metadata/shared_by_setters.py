"""What the calls that set owner, permission, times and replication have in common.

The documents give these calls no section. What they say of stores that can't keep owners, permissions or times says by
that what the others do; the options tell which store is which. A call that nothing speaks against works, or raises
UnsupportedOperationException. Source: introduction.md, "Object Stores vs. Filesystems", "Timestamps" and "Operations
and failures".
"""

from __future__ import annotations

from collections.abc import Mapping

from immutables import Map

from fsconform.model.core.outcomes import Fact
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import RUNTIME_CLAUSE, raises, returns
from fsconform.model.filesystem.options.metadata import SUPPORTS_UNIX_PERMISSIONS
from fsconform.model.filesystem.refusals import EXCEPTIONS
from fsconform.model.filesystem.state import Dir, File, State, locate, put

SETTERS = "introduction.object-stores.setters"
KEEPS, LACKS = (SUPPORTS_UNIX_PERMISSIONS, True), (SUPPORTS_UNIX_PERMISSIONS, False)


def know(root: State, path: Path, known: Mapping[str, Fact], forget: tuple[str, ...] = ()) -> State:
    """The tree with more known of the node at a path, and some of it forgotten."""
    node = locate(root, path)
    assert isinstance(node, File | Dir)
    facts = {name: fact for name, fact in (node.meta or {}).items() if name not in forget} | dict(known)
    meta = Map(facts) if facts else None
    return put(root, path, File(node.content, meta) if isinstance(node, File) else Dir(node.children, meta))


FAILURE = (
    raises(EXCEPTIONS, "IOException", level="SHOULD"),
    raises(RUNTIME_CLAUSE, "RuntimeException", level="SHOULD NOT", deviates=True),
)
"""A path that does not exist: no precondition is written down, but nothing was set."""

NOT_KEPT = (
    returns(SETTERS, None, LACKS, level="SHOULD"),
    raises(SETTERS, "UnsupportedOperationException", LACKS, level="SHOULD", deviates=True),
)
QUIETLY = returns(EXCEPTIONS, None, KEEPS, level="SHOULD", deviates=True)
