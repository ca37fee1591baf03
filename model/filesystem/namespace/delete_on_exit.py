"""deleteOnExit, on an instance that is closed then.

filesystem.md has no section on it: what is there is deleted as a recursive delete does it.

Source: filesystem.md, "boolean delete(Path p, boolean recursive)" and "boolean exists(Path p)".
"""

from __future__ import annotations

from fsconform.model.filesystem.branches import ANY, Case, Meaning, keep, returns
from fsconform.model.filesystem.namespace.delete import empty, take_away
from fsconform.model.filesystem.operations.changes import DeleteOnExit
from fsconform.model.filesystem.state import Absence, File, State, locate
from fsconform.model.filesystem.validity import COMMON_CASES, bits

_DELETE = "filesystem.delete"


def _classify(root: State, op: DeleteOnExit) -> int:
    node = locate(root, op.path)
    found = bits(op.path, node)
    if isinstance(node, Absence):
        return found | 4
    if op.via:
        return found | 8
    if isinstance(node, File):
        return found | 16
    return found | (128 if not op.path else 64 if node.children else 32)


DELETE_ON_EXIT = Meaning(
    DeleteOnExit,
    (
        *COMMON_CASES,
        # Object stores do not look whether there is something to delete.
        Case("missing", f"{_DELETE}.post.missing-unchanged", (returns(f"{_DELETE}.post.missing-unchanged", ANY),)),
        Case("cancelled", "filesystem.exists", (returns("filesystem.exists", True),)),
        Case("file", f"{_DELETE}.post.file", (returns(f"{_DELETE}.post.file", True, effect=take_away),)),
        Case(
            "empty directory",
            f"{_DELETE}.post.empty-directory",
            (returns(f"{_DELETE}.post.empty-directory", True, effect=take_away),),
        ),
        Case(
            "directory with children",
            f"{_DELETE}.post.recursive",
            (returns(f"{_DELETE}.post.recursive", True, effect=take_away),),
        ),
        Case(
            "the root",
            f"{_DELETE}.root.recursive",
            (
                returns(f"{_DELETE}.root.recursive", True, effect=empty, level="MAY"),
                returns(f"{_DELETE}.root.recursive", True, effect=keep, level="MAY"),
            ),
        ),
    ),
    _classify,
)
