"""deleteOnExit, on an instance that is closed then.

filesystem.md has no section on it: what is there is deleted as a recursive delete does it.

Source: filesystem.md, "boolean delete(Path p, boolean recursive)" and "boolean exists(Path p)".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from fsconform.model.core.drawing import Draft, drawn, rarely_another_way
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import ANY, Cases, keep, meaning, returns
from fsconform.model.filesystem.namespace.delete import empty, take_away
from fsconform.model.filesystem.state import Absence, File, State, locate
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    from random import Random


_DELETE = "filesystem.delete"


@operation
@dataclass(frozen=True, slots=True)
class DeleteOnExit(Operation):
    """``deleteOnExit(path)`` on an instance of its own that is closed then. Returns true or false."""

    NAME: ClassVar[str] = "deleteOnExit"
    MUTATES: ClassVar[bool] = True
    VIAS: ClassVar[tuple[str, ...]] = ("cancelled",)
    path: Path
    via: str = ""


_MET = Cases(*COMMON_CASES)
# Object stores do not look whether there is something to delete.
_MISSING = _MET.case(
    "missing", f"{_DELETE}.post.missing-unchanged", (returns(f"{_DELETE}.post.missing-unchanged", ANY),)
)
_CANCELLED = _MET.case("cancelled", "filesystem.exists", (returns("filesystem.exists", True),))
_FILE = _MET.case("file", f"{_DELETE}.post.file", (returns(f"{_DELETE}.post.file", True, effect=take_away),))
_EMPTY = _MET.case(
    "empty directory",
    f"{_DELETE}.post.empty-directory",
    (returns(f"{_DELETE}.post.empty-directory", True, effect=take_away),),
)
_RECURSIVE = _MET.case(
    "directory with children",
    f"{_DELETE}.post.recursive",
    (returns(f"{_DELETE}.post.recursive", True, effect=take_away),),
)
_ROOT = _MET.case(
    "the root",
    f"{_DELETE}.root.recursive",
    (
        returns(f"{_DELETE}.root.recursive", True, effect=empty, level="MAY"),
        returns(f"{_DELETE}.root.recursive", True, effect=keep, level="MAY"),
    ),
)


@meaning(DeleteOnExit, _MET)
def _classify(root: State, op: DeleteOnExit) -> int:
    node = locate(root, op.path)
    found = bits(op.path, node)
    if isinstance(node, Absence):
        return found | _MISSING
    if op.via:
        return found | _CANCELLED
    if isinstance(node, File):
        return found | _FILE
    return found | (_ROOT if not op.path else _RECURSIVE if node.children else _EMPTY)


@drawn(DeleteOnExit)
def _draw(_draft: Draft, dice: Random, path: Path) -> DeleteOnExit:
    return DeleteOnExit(path, rarely_another_way(DeleteOnExit, dice))
