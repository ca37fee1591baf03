"""setOwner.

Source: introduction.md, "Object Stores vs. Filesystems"; the Javadoc of FileSystem; see :mod:`shared_by_setters`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from fsconform.model.core.drawing import Draft, any_way, drawn
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Cases, meaning, raises, returns
from fsconform.model.filesystem.metadata.shared_by_setters import (
    FAILURE,
    KEEPS,
    LACKS,
    NOT_KEPT,
    QUIETLY,
    SETTERS,
    know,
)
from fsconform.model.filesystem.refusals import EXCEPTIONS, UNSUPPORTED
from fsconform.model.filesystem.state import ACCESSED, MODIFIED, STALE, Dir, File, State, locate
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    from random import Random

OWNER, GROUP = "owner", "group"
"""What was set on a store that keeps it: two names."""

NAMES = ("", "root", "daemon")


@operation
@dataclass(frozen=True, slots=True)
class SetOwner(Operation):
    """``setOwner(path, owner, group)``; the empty text stands for null."""

    NAME: ClassVar[str] = "setOwner"
    MUTATES: ClassVar[bool] = True
    VIAS: ClassVar[tuple[str, ...]] = ("context",)
    path: Path
    owner: str
    group: str
    via: str = ""


def set_owner(root: State, op: SetOwner) -> State:
    """Owner and group are known as far as they were named."""
    named = {name: value for name, value in ((OWNER, op.owner), (GROUP, op.group)) if value}
    return know(root, op.path, named, (MODIFIED, ACCESSED, STALE))


# Whether the caller may give a file away, and whether there is such a user, the program can't know.
_OWNED = (
    returns(SETTERS, None, KEEPS, level="SHOULD", effect=set_owner),
    raises(SETTERS, "IOException", KEEPS, level="SHOULD"),
    *NOT_KEPT,
)

_MET = Cases(*COMMON_CASES)
_FILE = _MET.case("file", SETTERS, _OWNED)
_DIRECTORY = _MET.case("directory", SETTERS, _OWNED)
_MISSING = _MET.case("missing", EXCEPTIONS, (*FAILURE, QUIETLY, *NOT_KEPT))
_NEITHER = _MET.case(
    "neither owner nor group",
    EXCEPTIONS,
    (
        returns(EXCEPTIONS, None, level="SHOULD"),
        # The Javadoc says that not both may be null, and names this error.
        raises(EXCEPTIONS, "IllegalArgumentException", level="SHOULD"),
        *FAILURE,
        raises(UNSUPPORTED, "UnsupportedOperationException", LACKS),
    ),
)


@meaning(SetOwner, _MET)
def _classify(root: State, op: SetOwner) -> int:
    """Which cases are met."""
    node = locate(root, op.path)
    if not op.owner and not op.group:
        return bits(op.path, node) | _NEITHER
    return bits(op.path, node) | (_FILE if type(node) is File else _DIRECTORY if type(node) is Dir else _MISSING)


@drawn(SetOwner)
def _draw(_draft: Draft, dice: Random, path: Path) -> SetOwner:
    return SetOwner(path, dice.choice(NAMES), dice.choice(NAMES), any_way(SetOwner, dice))
