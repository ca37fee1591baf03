"""Names that differ in case only: to the specification they are different names; an option says which stores agree.

Source: introduction.md, "Path Names".
"""

from __future__ import annotations

from fsconform.model.core.paths import Path
from fsconform.model.filesystem.options.core import IS_CASE_SENSITIVE
from fsconform.model.filesystem.state import Dir, Node, State, locate

CASE_CLAUSE = "introduction.paths.no-case-insensitive-comparison"
SENSITIVE, INSENSITIVE = (IS_CASE_SENSITIVE, True), (IS_CASE_SENSITIVE, False)
CASE_NAME = "a name that differs in case only"


def case_variant(root: State, path: Path) -> Node | None:
    """The node whose path differs from ``path`` only in the case of its last element, if there is one."""
    other = path[-1].swapcase()
    if other == path[-1]:
        return None
    parent = locate(root, path[:-1])
    return parent.children.get(other) if type(parent) is Dir else None


def meets_variant(root: State, path: Path) -> bool:
    """True if an element of a path is not there, and another name is that differs from it in case only."""
    node: Node | None = root.tree
    for name in path:
        if type(node) is not Dir:
            return False
        if name not in node.children:
            folded = name.casefold()
            return any(other.casefold() == folded for other in node.children)
        node = node.children[name]
    return False
