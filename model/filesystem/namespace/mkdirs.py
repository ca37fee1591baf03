"""mkdirs. Source: filesystem.md, "boolean mkdirs(Path p, FsPermission permission)"; docs/errata.md on its errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from fsconform.model.core.drawing import Draft, drawn
from fsconform.model.core.operation import Operation, Short, operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Branch, Cases, meaning, raises, returns, runtime_instead
from fsconform.model.filesystem.metadata.permission import MODES
from fsconform.model.filesystem.metadata.quotas import limited_case, over
from fsconform.model.filesystem.refusals import RELAXED
from fsconform.model.filesystem.state import EMPTY_DIR, UNDER_FILE, Dir, File, State, locate, put
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    from random import Random


_MKDIRS = "filesystem.mkdirs"


@operation
@dataclass(frozen=True, slots=True)
class Mkdirs(Operation):
    """``mkdirs(path)``. Returns true, also where the directory was there."""

    NAME: ClassVar[str] = "mkdirs"
    MUTATES: ClassVar[bool] = True
    VIAS: ClassVar[tuple[str, ...]] = ("permission", "static", "context")
    path: Path
    via: str = ""


@operation
@dataclass(frozen=True, slots=True)
class MkdirsWith(Operation):
    """``mkdirs(path, permission)``. Returns true, also where the directory was there."""

    NAME: ClassVar[str] = "mkdirs with permission"
    MUTATES: ClassVar[bool] = True
    path: Path
    permission: Short


def make(root: State, op: Mkdirs | MkdirsWith) -> State:
    """FS'.Directories = FS.Directories + [p] + ancestors(FS, p)."""
    return put(root, op.path, EMPTY_DIR)


def not_a_directory(clause: str) -> tuple[Branch, ...]:
    """The errors for a path that is, or lies below, something other than a directory, be it of mkdirs or of create."""
    return runtime_instead(
        (
            raises(clause, "FileAlreadyExistsException"),
            raises(clause, "ParentNotDirectoryException"),
            raises(clause, "IOException", RELAXED),
        )
    )


_MET = Cases(*COMMON_CASES)

# --- preconditions: the path is a directory or does not exist, no ancestor is a file, and no quota is broken

_FILE = _MET.case("file", f"{_MKDIRS}.pre.not-a-file", not_a_directory(f"{_MKDIRS}.pre.not-a-file"))
_UNDER_FILE = _MET.case("under a file", f"{_MKDIRS}.pre.ancestors", not_a_directory(f"{_MKDIRS}.pre.ancestors"))
_OVER_QUOTA = _MET.add(limited_case(make, True))

# --- postconditions: the directory is made, or was there

_MISSING = _MET.case("missing", f"{_MKDIRS}.post", (returns(f"{_MKDIRS}.post", True, effect=make),))
_DIRECTORY = _MET.case("directory", f"{_MKDIRS}.post.existing", (returns(f"{_MKDIRS}.post.existing", True),))


@meaning(Mkdirs, _MET)
def _classify(root: State, op: Mkdirs | MkdirsWith) -> int:
    node = locate(root, op.path)
    if type(node) is File:
        return bits(op.path, node) | _FILE
    if node is UNDER_FILE:
        return bits(op.path, node) | _UNDER_FILE
    if type(node) is Dir:
        return bits(op.path, node) | _DIRECTORY
    if root.quotas and over(root, op.path):
        return bits(op.path, node) | _OVER_QUOTA
    return bits(op.path, node) | _MISSING


meaning(MkdirsWith, _MET)(_classify.classify)


@drawn(MkdirsWith)
def _draw(_draft: Draft, dice: Random, path: Path) -> MkdirsWith:
    return MkdirsWith(path, dice.choice(MODES))
