"""listFiles. Source: filesystem.md, "RemoteIterator[LocatedFileStatus] listFiles(Path path, boolean recursive)".

The words speak of files alone, the formulas of directories too, and of no file that is asked for itself recursively.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from fsconform.model.core.drawing import Draft, drawn
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Branch, Cases, Difference, below_a_file, gives, meaning
from fsconform.model.filesystem.state import UNDER_FILE, Dir, File, State, locate
from fsconform.model.filesystem.status import entries as of
from fsconform.model.filesystem.status.entries import missing
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    from random import Random

_LIST_FILES = "filesystem.listFiles"
_UNSETTLED = f"{_LIST_FILES}.unsettled"


@operation
@dataclass(frozen=True, slots=True)
class ListFiles(Operation):
    """``listFiles(path, recursive)``, drained. Returns statuses."""

    NAME: ClassVar[str] = "listFiles"
    VIAS: ClassVar[tuple[str, ...]] = ("context",)
    path: Path
    recursive: bool
    via: str = ""


def _files(root: State, op: ListFiles) -> of.Entries:
    return of.files(of.descendants(root, op.path) if op.recursive else of.listing(root, op.path))


def _with_directories(root: State, op: ListFiles) -> of.Entries:
    return of.descendants(root, op.path) if op.recursive else of.listing(root, op.path)


def _file_itself(root: State, op: ListFiles) -> of.Entries:
    return of.listing(root, op.path)


def _listed_files(clause: str, expected: str) -> tuple[Branch, ...]:
    return (
        gives(clause, expected, of.exactly(_files, any_length=False)),
        gives(
            _UNSETTLED,
            "directories too",
            of.exactly(_with_directories, any_length=True),
            level="UNDEFINED",
            deviates=True,
        ),
    )


def _files_differ(root: State, op: ListFiles, value: Any) -> Difference | None:
    # That null is forbidden is said of listStatus; of a listing that is an iterator no answer is said at all.
    if not isinstance(value, tuple) or type(of.existing(root, op.path)) is not Dir:
        return None
    words = of.wrong(value, _files(root, op))
    return Difference(f"{_LIST_FILES}.post.{'recursive' if op.recursive else 'flat'}", "MUST", words) if words else None


_OF_FILES = Cases(*COMMON_CASES)
_FLAT = _OF_FILES.case(
    "directory, not recursive",
    f"{_LIST_FILES}.post.flat",
    _listed_files(f"{_LIST_FILES}.post.flat", "the statuses of the files in the directory"),
)
_RECURSIVE = _OF_FILES.case(
    "directory, recursive",
    f"{_LIST_FILES}.post.recursive",
    _listed_files(f"{_LIST_FILES}.post.recursive", "the statuses of all files below the directory"),
)
_FILE_FLAT = _OF_FILES.case(
    "file, not recursive",
    f"{_LIST_FILES}.post.flat",
    (gives(f"{_LIST_FILES}.post.flat", "the status of the file", of.exactly(_file_itself, any_length=False)),),
)
_FILE_RECURSIVE = _OF_FILES.case(
    "file, recursive",
    _UNSETTLED,
    (
        gives(_UNSETTLED, "the status of the file", of.exactly(_file_itself, False), level="UNDEFINED"),
        gives(_UNSETTLED, "nothing", of.exactly(_files, False), level="UNDEFINED"),
    ),
)
_NO_ROOT = _OF_FILES.add(missing(f"{_LIST_FILES}.pre.exists"))
_ROOT_BELOW_FILE = _OF_FILES.add(below_a_file(f"{_LIST_FILES}.pre.exists"))


@meaning(ListFiles, _OF_FILES, differs=_files_differ, derived=True)
def _classify_files(root: State, op: ListFiles) -> int:
    node = locate(root, op.path)
    found = bits(op.path, node)
    if type(node) is Dir:
        return found | (_RECURSIVE if op.recursive else _FLAT)
    if type(node) is File:
        return found | (_FILE_RECURSIVE if op.recursive else _FILE_FLAT)
    return found | _NO_ROOT | (_ROOT_BELOW_FILE if node is UNDER_FILE else 0)


@drawn(ListFiles)
def _draw_files(_draft: Draft, dice: Random, path: Path) -> ListFiles:
    return ListFiles(path, dice.random() < 0.5, dice.choice(("", *ListFiles.VIAS)))
