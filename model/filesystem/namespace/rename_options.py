"""rename with options: the destination is taken as given, and every failure raises.

Source: rename.md, "void rename(Path source, Path dest, Rename...options)".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from fsconform.model.core.drawing import Draft, drawn, rarely_another_way
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.paths import Path, is_ancestor
from fsconform.model.filesystem.branches import (
    Case,
    Cases,
    Level,
    below_a_file,
    meaning,
    raises,
    returns,
)
from fsconform.model.filesystem.refusals import one_of, precisely
from fsconform.model.filesystem.state import NO_PARENT, UNDER_FILE, Absence, Dir, File, Node, State, locate, put, remove
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    from random import Random


_RENAME = "rename.rename3"


@operation
@dataclass(frozen=True, slots=True)
class RenameWith(Operation):
    """``rename(src, dst, options)`` with OVERWRITE or NONE; via repeated NONE and then that option twice."""

    NAME: ClassVar[str] = "rename with options"
    MUTATES: ClassVar[bool] = True
    VIAS: ClassVar[tuple[str, ...]] = ("repeated", "context")
    src: Path
    dst: Path
    overwrite: bool
    via: str = ""


def move(root: State, op: RenameWith) -> State:
    """What was at the source, and below it, is at the destination, in place of what was there."""
    node = locate(root, op.src)
    assert not isinstance(node, Absence)
    return put(remove(root, op.src), op.dst, node)


def _case(name: str, part: str, *errors: str, level: Level = "MUST", also: tuple[str, ...] = ()) -> Case:
    clause = f"{_RENAME}.{part}"
    make = one_of if "IOException" in errors else precisely
    refusals = make(clause, *errors, level=level)
    return Case(name, clause, tuple(replace(one, also=also) for one in refusals) if also else refusals)


def _stays(root: State, _op: RenameWith) -> State:
    """Nothing has changed, though nothing was refused: its own effect, so that it is no answer to other refusals."""
    return root


def _to_itself() -> Case:
    """Only a proposal has this refused; who accepts it has to leave everything as it is."""
    case = _case("to itself", "pre.not-itself", "FileAlreadyExistsException", level="MUST NOT")
    accepted = returns(case.clause, None, effect=_stays, level="MUST NOT", deviates=True)
    refused = raises(case.clause, "IOException", level="MUST NOT", deviates=True)
    return replace(case, branches=(*case.branches, accepted, refused))


def _moved(name: str, part: str) -> Case:
    clause = f"{_RENAME}.{part}"
    return Case(name, clause, (returns(clause, None, effect=move, also=(f"{_RENAME}.raises",)),))


_MET = Cases(*COMMON_CASES)
_SOURCE_MISSING = _MET.add(_case("source missing", "pre.source-exists", "FileNotFoundException"))
_SOURCE_ROOT = _MET.add(_case("source is the root", "pre.not-root", "IOException", level="MUST NOT"))
_ITSELF = _MET.add(_to_itself())
_BELOW_ITSELF = _MET.add(_case("destination below the source", "pre.not-below-itself", "IOException", level="MUST NOT"))
_ON_ROOT = _MET.add(_case("onto the root", "pre.destination-not-root", "IOException", level="MUST NOT"))
_NO_PARENT = _MET.add(_case("parent of the destination missing", "pre.parent-exists", "FileNotFoundException"))
_PARENT_FILE = _MET.add(
    _case(
        "an ancestor of the destination is a file",
        "pre.parent-is-directory",
        "ParentNotDirectoryException",
        "IOException",
    )
)
_OTHER_TYPE = _MET.add(_case("onto what is of another type", "pre.same-type", "IOException"))
_ON_FILE = _MET.add(
    _case(
        "onto a file",
        "pre.no-file-at-destination",
        "FileAlreadyExistsException",
        also=(f"{_RENAME}.options.none",),
    )
)
_ON_DIRECTORY = _MET.add(_case("onto a directory", "pre.no-directory-at-destination", "FileAlreadyExistsException"))
_NOT_EMPTY = _MET.add(_case("onto a directory that has children", "pre.empty-directory", "IOException"))
_FILE_TO_FREE = _MET.add(_moved("file to a free destination", "post.file"))
_DIRECTORY_TO_FREE = _MET.add(_moved("directory to a free destination", "post.directory"))
_REPLACES = _MET.add(_moved("overwriting a file", "post.overwrite"))
_SOURCE_BELOW_FILE = _MET.add(below_a_file(f"{_RENAME}.pre.source-exists"))
_REPLACES_DIRECTORY = _MET.add(_moved("overwriting an empty directory", "destination"))
_REPLACES_REPEATEDLY = _MET.add(_moved("overwriting, the options repeated", "options.any-order"))


@meaning(RenameWith, _MET)
def _classify(root: State, op: RenameWith) -> int:
    source, target = locate(root, op.src), locate(root, op.dst)
    found = bits(op.src, source) | bits(op.dst, target)
    failed = _failed(op, root, source, target)
    if failed:
        return found | failed
    if not isinstance(target, Absence):
        if op.via == "repeated":
            return found | _REPLACES_REPEATEDLY
        return found | (_REPLACES if type(target) is File else _REPLACES_DIRECTORY)
    return found | (_FILE_TO_FREE if type(source) is File else _DIRECTORY_TO_FREE)


def _failed(op: RenameWith, root: State, source: Node | Absence, target: Node | Absence) -> int:
    failed = 0
    if isinstance(source, Absence):
        failed |= _SOURCE_MISSING | (_SOURCE_BELOW_FILE if source is UNDER_FILE else 0)
    if not op.src:
        failed |= _SOURCE_ROOT
    if op.src == op.dst:
        failed |= _ITSELF
    if is_ancestor(op.src, op.dst):
        failed |= _BELOW_ITSELF
    if not op.dst:
        failed |= _ON_ROOT
    if target is UNDER_FILE:
        # That the parent is a directory is asked of all its ancestors; where a file is further up there is no parent.
        failed |= _PARENT_FILE | (0 if type(locate(root, op.dst[:-1])) is File else _NO_PARENT)
    elif target is NO_PARENT:
        failed |= _NO_PARENT
    elif type(target) is File:
        failed |= (0 if op.overwrite else _ON_FILE) | (_OTHER_TYPE if type(source) is Dir else 0)
    elif type(target) is Dir:
        failed |= _on_directory(op, source, target)
    return failed


def _on_directory(op: RenameWith, source: Node | Absence, target: Dir) -> int:
    if type(source) is File:
        return _OTHER_TYPE
    return (0 if op.overwrite else _ON_DIRECTORY) | (_NOT_EMPTY if target.children else 0)


@drawn(RenameWith)
def _draw(draft: Draft, dice: Random, path: Path) -> RenameWith:
    return RenameWith(path, draft.anywhere(dice, root=False), dice.random() < 0.5, rarely_another_way(RenameWith, dice))
