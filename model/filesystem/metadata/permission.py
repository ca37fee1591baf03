"""setPermission. Source: introduction.md, "Object Stores vs. Filesystems"; see :mod:`shared_by_setters`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from fsconform.model.core.drawing import Draft, any_way, drawn
from fsconform.model.core.operation import Operation, Short, operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Cases, meaning, returns
from fsconform.model.filesystem.metadata.shared_by_setters import FAILURE, KEEPS, NOT_KEPT, QUIETLY, SETTERS, know
from fsconform.model.filesystem.refusals import EXCEPTIONS
from fsconform.model.filesystem.state import ACCESSED, MODIFIED, STALE, Dir, File, State, locate
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    from random import Random

PERMISSION = "permission"
"""What was set on a store that keeps it: a number."""

_PERMISSION_BITS = 0o777

MODES = (0o700, 0o711, 0o750, 0o755, 0o770, 0o777)
"""Permissions that leave everything to the owner: programs must be able to go on, and to be cleaned away."""


@operation
@dataclass(frozen=True, slots=True)
class SetPermission(Operation):
    """``setPermission(path, permission)``."""

    NAME: ClassVar[str] = "setPermission"
    MUTATES: ClassVar[bool] = True
    VIAS: ClassVar[tuple[str, ...]] = ("context",)
    path: Path
    permission: Short
    via: str = ""


def set_permission(root: State, op: SetPermission) -> State:
    """The permission is known; of bits beyond the nine it is not said what a store does with them."""
    if op.permission & ~_PERMISSION_BITS:
        return know(root, op.path, {}, (PERMISSION, MODIFIED, ACCESSED, STALE))
    return know(root, op.path, {PERMISSION: op.permission}, (MODIFIED, ACCESSED, STALE))


_PERMITTED = (returns(SETTERS, None, KEEPS, level="SHOULD", effect=set_permission), *NOT_KEPT)

_MET = Cases(*COMMON_CASES)
_FILE = _MET.case("file", SETTERS, _PERMITTED)
_DIRECTORY = _MET.case("directory", SETTERS, _PERMITTED)
_MISSING = _MET.case("missing", EXCEPTIONS, (*FAILURE, QUIETLY, *NOT_KEPT))


@meaning(SetPermission, _MET)
def _classify(root: State, op: SetPermission) -> int:
    """Which cases are met."""
    node = locate(root, op.path)
    return bits(op.path, node) | (_FILE if type(node) is File else _DIRECTORY if type(node) is Dir else _MISSING)


@drawn(SetPermission)
def _draw(_draft: Draft, dice: Random, path: Path) -> SetPermission:
    return SetPermission(path, dice.choice(MODES), any_way(SetPermission, dice))
