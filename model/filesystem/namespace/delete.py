"""delete, in the order of its section in the specification.

Source: filesystem.md, "boolean delete(Path p, boolean recursive)". docs/errata.md says how the formula and the prose on
a path that does not exist are read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import ANY, Cases, below_a_file, meaning, raises, returns, runtime_instead
from fsconform.model.filesystem.state import EMPTY, UNDER_FILE, Dir, File, State, locate, remove
from fsconform.model.filesystem.validity import COMMON_CASES, bits

_DELETE = "filesystem.delete"


@operation
@dataclass(frozen=True, slots=True)
class Delete(Operation):
    """``delete(path, recursive)``."""

    NAME: ClassVar[str] = "delete"
    MUTATES: ClassVar[bool] = True
    VIAS: ClassVar[tuple[str, ...]] = ("path", "context")
    path: Path
    recursive: bool
    via: str = ""


def take_away(root: State, op: Delete) -> State:
    """FS' lacks p and its descendants."""
    return remove(root, op.path)


def empty(_root: State, _op: Delete) -> State:
    """FS' = ({["/"]}, {}, {}, {}): the root stays."""
    return EMPTY


_MET = Cases(*COMMON_CASES)

# --- preconditions

# A directory with children is deleted recursively only.

_NOT_EMPTY = _MET.case(
    "non-empty directory, not recursive",
    f"{_DELETE}.pre.not-empty",
    runtime_instead((raises(f"{_DELETE}.pre.not-empty", "IOException"),)),
)
_ROOT_NOT_EMPTY = _MET.case(
    "non-empty root, not recursive",
    f"{_DELETE}.root.not-empty",
    runtime_instead(
        (
            raises(f"{_DELETE}.root.not-empty", "IOException"),
            returns(f"{_DELETE}.root.object-store", False, level="MAY"),
        )
    ),
)

# --- postconditions

# Nonexistent path.

_MISSING_RETURNS = f"{_DELETE}.post.missing-returns"
_MISSING_UNCHANGED = f"{_DELETE}.post.missing-unchanged"
_MISSING = _MET.case(
    "missing",
    _MISSING_RETURNS,
    (
        returns(f"{_DELETE}.post.missing", False, level="SHOULD", also=(_MISSING_UNCHANGED, _MISSING_RETURNS)),
        returns(f"{_DELETE}.post.missing", True, level="SHOULD", deviates=True, also=(_MISSING_RETURNS,)),
    ),
    unchanged=_MISSING_UNCHANGED,
)
_UNDER_FILE = _MET.add(below_a_file(_MISSING_RETURNS))

# Simple file.

_FILE = _MET.case("file", f"{_DELETE}.post.file", (returns(f"{_DELETE}.post.file", True, effect=take_away),))

# Empty root directory, not recursive.

_ROOT_EMPTY = _MET.case(
    "empty root, not recursive",
    f"{_DELETE}.root.empty",
    (
        returns(f"{_DELETE}.root.empty", True, level="SHOULD"),
        returns(f"{_DELETE}.root.empty", ANY, level="SHOULD", deviates=True),
    ),
    unchanged=f"{_DELETE}.root.empty-unchanged",
)

# Empty (non-root) directory, recursive or not.

_EMPTY = _MET.case(
    "empty directory",
    f"{_DELETE}.post.empty-directory",
    (returns(f"{_DELETE}.post.empty-directory", True, effect=take_away),),
)

# Recursive delete of the root directory: it is emptied, or left alone, or the call is rejected.

_ROOT_RECURSIVE = _MET.case(
    "root, recursive",
    f"{_DELETE}.root.recursive",
    (
        returns(f"{_DELETE}.root.recursive", True, effect=empty, level="MAY"),
        returns(f"{_DELETE}.root.recursive", False, level="MAY"),
        raises(f"{_DELETE}.root.recursive", "IOException", level="MAY"),
    ),
)

# Recursive delete of non-root directory.

_RECURSIVE = _MET.case(
    "non-empty directory, recursive",
    f"{_DELETE}.post.recursive",
    (returns(f"{_DELETE}.post.recursive", True, effect=take_away),),
)


@meaning(Delete, _MET)
def _classify(root: State, op: Delete) -> int:
    node = locate(root, op.path)
    if not op.path:
        assert type(node) is Dir
        if op.recursive:
            return _ROOT_RECURSIVE
        return _ROOT_NOT_EMPTY if node.children else _ROOT_EMPTY
    found = bits(op.path, node)
    if type(node) is File:
        return found | _FILE
    if type(node) is Dir:
        return found | (_EMPTY if not node.children else _RECURSIVE if op.recursive else _NOT_EMPTY)
    return found | (_MISSING | _UNDER_FILE if node is UNDER_FILE else _MISSING)
