"""createSnapshot, renameSnapshot and deleteSnapshot.

The specification has no section on the calls. Source: introduction.md, "Operations and failures", for calls that are
not implemented; the Javadoc of FileSystem; where it is silent, HDFS.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from fsconform.model.core.drawing import Draft, drawn
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.outcomes import Facts
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Branch, Cases, lost, meaning, raises
from fsconform.model.filesystem.metadata.attribute_entries import absence, absent, refused, unsupported
from fsconform.model.filesystem.options.attributes import SUPPORTS_SNAPSHOTS
from fsconform.model.filesystem.state import Absence, Dir, State, locate
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    from random import Random

_IS_DIRECTORY = "filesystem.createSnapshot.pre.directory"
_PERMITTED = "filesystem.createSnapshot.pre.permitted"
_EXISTS = "filesystem.snapshots.pre.exists"


@operation
@dataclass(frozen=True, slots=True)
class CreateSnapshot(Operation):
    """``createSnapshot(path, name)``. Returns facts ``path`` with ``path``."""

    NAME: ClassVar[str] = "createSnapshot"
    MUTATES: ClassVar[bool] = True
    path: Path
    name: str


@operation
@dataclass(frozen=True, slots=True)
class RenameSnapshot(Operation):
    """``renameSnapshot(path, old, new)``."""

    NAME: ClassVar[str] = "renameSnapshot"
    MUTATES: ClassVar[bool] = True
    path: Path
    old: str
    new: str


@operation
@dataclass(frozen=True, slots=True)
class DeleteSnapshot(Operation):
    """``deleteSnapshot(path, name)``."""

    NAME: ClassVar[str] = "deleteSnapshot"
    MUTATES: ClassVar[bool] = True
    path: Path
    name: str


def _any_path(_root: State, _op: CreateSnapshot, value: Any) -> bool:
    return isinstance(value, Facts) and value.kind == "path"


def _enter(
    kind: type[CreateSnapshot | RenameSnapshot | DeleteSnapshot],
    clause: str,
    of_directory: tuple[str, tuple[Branch, ...]],
) -> None:
    """Enter what a call on snapshots means; those of a directory have a clause and branches of their own."""
    met = Cases(*COMMON_CASES, *absent(clause, SUPPORTS_SNAPSHOTS))
    directory = met.case("directory", *of_directory)
    file = met.case("file", clause, refused(clause, "IOException", SUPPORTS_SNAPSHOTS))

    @meaning(kind, met)
    def _classify(root: State, op: CreateSnapshot | RenameSnapshot | DeleteSnapshot) -> int:
        node = locate(root, op.path)
        if isinstance(node, Absence):
            return absence(op.path, node)
        return bits(op.path, node) | (directory if type(node) is Dir else file)


_enter(
    CreateSnapshot,
    _IS_DIRECTORY,
    (
        _PERMITTED,
        (
            raises(_PERMITTED, "IOException", (SUPPORTS_SNAPSHOTS, True), level="MAY"),
            # The snapshot has no place in the model, and keeps the directory from being deleted.
            Branch(
                _PERMITTED,
                "MAY",
                "return the path of a snapshot",
                lost,
                check=_any_path,
                when=((SUPPORTS_SNAPSHOTS, True),),
            ),
            unsupported(SUPPORTS_SNAPSHOTS),
        ),
    ),
)
# There is no snapshot: the model ends where one was made.
for _kind in (RenameSnapshot, DeleteSnapshot):
    _enter(_kind, _EXISTS, (_EXISTS, refused(_EXISTS, "IOException", SUPPORTS_SNAPSHOTS)))


@drawn(CreateSnapshot)
def _draw_create(_draft: Draft, _dice: Random, path: Path) -> CreateSnapshot:
    return CreateSnapshot(path, "s")


@drawn(RenameSnapshot)
def _draw_rename(_draft: Draft, _dice: Random, path: Path) -> RenameSnapshot:
    return RenameSnapshot(path, "s", "t")


@drawn(DeleteSnapshot)
def _draw_delete(_draft: Draft, _dice: Random, path: Path) -> DeleteSnapshot:
    return DeleteSnapshot(path, "s")
