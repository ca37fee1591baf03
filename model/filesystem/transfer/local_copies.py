"""Copies from and to the local disk.

Source: filesystem.md, "boolean copyFromLocalFile(boolean delSrc, boolean overwrite, Path src, Path dst)".
moveFromLocalFile, which has no section, is copyFromLocalFile that deletes and overwrites; copyToLocalFile reads as open
does. Where the destination is an existing directory and overwrite is off the section both refuses and puts the copy
below it: either is allowed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fsconform.model.core.errors import FULL_NAMES
from fsconform.model.core.outcomes import Facts
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Branch, Case, Difference, Effect, Meaning, lost, raises
from fsconform.model.filesystem.operations.changes import (
    LOCAL_FILE,
    LOCAL_TREE,
    CopyFromLocal,
    CopyMissingFromLocal,
    CopyTreeFromLocal,
    MoveFromLocal,
)
from fsconform.model.filesystem.options.core import CREATE_FILE_UNDER_FILE_ALLOWED
from fsconform.model.filesystem.refusals import one_of, precisely
from fsconform.model.filesystem.state import EMPTY_DIR, UNDER_FILE, Absence, Dir, File, Node, State, locate, put
from fsconform.model.filesystem.validity import COMMON_CASES, bits

_COPY = "filesystem.copyFromLocalFile"
_SOURCE = f"{_COPY}.post.source"

Copy = CopyFromLocal | MoveFromLocal


def _overwrites(op: Copy) -> bool:
    return op.overwrite if isinstance(op, CopyFromLocal) else True


def _place(root: State, path: Path, name: str) -> Path:
    return (*path, name) if type(locate(root, path)) is Dir else path


def put_file(root: State, op: Copy) -> State:
    """The bytes are at the destination, or below it under the file's own name where it is a directory."""
    return put(root, _place(root, op.path, LOCAL_FILE), File(op.content))


def put_tree(root: State, op: CopyTreeFromLocal) -> State:
    """Each descendant has its place at the destination, or below it under the tree's name where it is a directory."""
    place = _place(root, op.path, LOCAL_TREE)
    for path, node in _tree(op):
        if type(node) is File or isinstance(locate(root, (*place, *path)), Absence):
            root = put(root, (*place, *path), node)
    return root


def _tree(op: CopyTreeFromLocal) -> tuple[tuple[Path, Node], ...]:
    return (((), EMPTY_DIR), (("f",), File(op.content)), (("d",), EMPTY_DIR), (("d", "g"), File(())))


def _left_right(_root: State, op: Any, value: object) -> bool:
    left = value.get("left") if isinstance(value, Facts) else None
    return left is not (isinstance(op, MoveFromLocal) or op.delete)


def _differs(_root: State, op: Any, value: object) -> Difference | None:
    if not isinstance(value, Facts) or _left_right(_root, op, value):
        return None
    left = value.get("left")
    return Difference(_SOURCE, "MUST", "a copy whose source is still there" if left else "a copy whose source is gone")


def _copied(clause: str, effect: Effect) -> Branch:
    return Branch(clause, "MUST", "copy, and leave or delete the source", effect, check=_left_right, also=(_SOURCE,))


def _below_file(clause: str) -> tuple[Branch, ...]:
    anyway = Branch(
        clause,
        "MUST",
        "copy below the file",
        lost,
        check=_left_right,
        when=((CREATE_FILE_UNDER_FILE_ALLOWED, True),),
        departs=True,
    )
    return (*one_of(clause, "IOException"), anyway)


def _exists(*clauses: str, more: tuple[str, ...] = ()) -> tuple[Branch, ...]:
    return tuple(branch for clause in clauses for branch in precisely(clause, "PathExistsException", *more))


_ON_FILE = 4
_ON_FILE_OVER = 8
_INTO = 16
_INTO_OVER = 32
_INTO_ON_FILE = 64
_INTO_ON_FILE_OVER = 128
_INTO_ON_DIRECTORY = 256
_INTO_ON_DIRECTORY_OVER = 512
_FREE = 1024
_BELOW_FILE = 2048


def _classify_by(name: str, overwrites: Callable[[Any], bool]) -> Callable[[State, Any], int]:
    def classify(root: State, op: Any) -> int:
        node = locate(root, op.path)
        found, over = bits(op.path, node), overwrites(op)
        if type(node) is File:
            return found | (_ON_FILE_OVER if over else _ON_FILE)
        if type(node) is not Dir:
            return found | (_BELOW_FILE if node is UNDER_FILE else _FREE)
        inner = node.children.get(name)
        if inner is None:
            return found | (_INTO_OVER if over else _INTO)
        if type(inner) is File:
            return found | (_INTO_ON_FILE_OVER if over else _INTO_ON_FILE)
        return found | (_INTO_ON_DIRECTORY_OVER if over else _INTO_ON_DIRECTORY)

    return classify


_OVERWRITE, _REPLACES = f"{_COPY}.pre.overwrite", f"{_COPY}.post.replaces"
_INTO_DIRECTORY = f"{_COPY}.post.file-into-directory"

_FILE_CASES = (
    *COMMON_CASES,
    Case("onto a file", _OVERWRITE, _exists(_OVERWRITE)),
    Case("onto a file, to be overwritten", _REPLACES, (_copied(_REPLACES, put_file),)),
    Case("into a directory", _INTO_DIRECTORY, (_copied(_INTO_DIRECTORY, put_file), *_exists(_OVERWRITE))),
    Case("into a directory, to be overwritten", _INTO_DIRECTORY, (_copied(_INTO_DIRECTORY, put_file),)),
    Case("into a directory that has a file of that name", _OVERWRITE, _exists(_OVERWRITE)),
    Case(
        "into a directory that has a file of that name, to be overwritten",
        _REPLACES,
        (_copied(_REPLACES, put_file),),
    ),
    Case("into a directory that has a directory of that name", _OVERWRITE, _exists(_OVERWRITE)),
    # With overwrite the section lets directories be replaced too; other stores refuse.
    Case(
        "into a directory that has a directory of that name, to be overwritten",
        _REPLACES,
        (*one_of(_INTO_DIRECTORY, "IOException"), _copied(_REPLACES, put_file)),
    ),
    Case("free", f"{_COPY}.post.file", (_copied(f"{_COPY}.post.file", put_file),)),
    Case("below a file", f"{_COPY}.post.file", _below_file(f"{_COPY}.post.file")),
)

COPY_FROM_LOCAL = Meaning(CopyFromLocal, _FILE_CASES, _classify_by(LOCAL_FILE, _overwrites), _differs)
MOVE_FROM_LOCAL = Meaning(MoveFromLocal, _FILE_CASES, _classify_by(LOCAL_FILE, _overwrites), _differs)

_ONTO_FILE, _ONTO_FILE_BELOW = f"{_COPY}.pre.directory-onto-file", f"{_COPY}.pre.directory-onto-file-below"
_BELOW, _DIRECTORY = f"{_COPY}.pre.overwrite-below", f"{_COPY}.post.directory"
# The section names the one error among the preconditions and the other with the outcome.
_REFUSED_ON_FILE = (
    raises(_ONTO_FILE, "PathExistsException"),
    raises(_ONTO_FILE_BELOW, "FileAlreadyExistsException"),
    *precisely(_ONTO_FILE),
)


def _conflicts(root: State, op: CopyTreeFromLocal) -> bool:
    place = _place(root, op.path, LOCAL_TREE)
    for path, node in _tree(op):
        there = locate(root, (*place, *path))
        if there is UNDER_FILE or (not isinstance(there, Absence) and type(there) is not type(node)):
            return True
    return False


_classify_place = _classify_by(LOCAL_TREE, lambda op: bool(op.overwrite))


def _classify_tree(root: State, op: CopyTreeFromLocal) -> int:
    found = _classify_place(root, op)
    if found & _INTO_ON_DIRECTORY_OVER and _conflicts(root, op):
        return found ^ _INTO_ON_DIRECTORY_OVER | _CONFLICT
    return found


_CONFLICT = 4096

COPY_TREE_FROM_LOCAL = Meaning(
    CopyTreeFromLocal,
    (
        *COMMON_CASES,
        Case("onto a file", _ONTO_FILE, _REFUSED_ON_FILE),
        Case("onto a file, to be overwritten", _ONTO_FILE, _REFUSED_ON_FILE),
        Case("into a directory", _DIRECTORY, (_copied(_DIRECTORY, put_tree), *_exists(_OVERWRITE))),
        Case("into a directory, to be overwritten", _DIRECTORY, (_copied(_DIRECTORY, put_tree),)),
        Case(
            "into a directory that has a file of that name",
            _ONTO_FILE_BELOW,
            (*_exists(_BELOW), *precisely(_ONTO_FILE_BELOW, "FileAlreadyExistsException")),
        ),
        Case(
            "into a directory that has a file of that name, to be overwritten",
            _ONTO_FILE_BELOW,
            precisely(_ONTO_FILE_BELOW, "FileAlreadyExistsException"),
        ),
        Case("into a directory that has a directory of that name", _BELOW, _exists(_BELOW)),
        Case(
            "into a directory that has a directory of that name, to be overwritten",
            _REPLACES,
            (_copied(_REPLACES, put_tree),),
        ),
        Case("free", _DIRECTORY, (_copied(_DIRECTORY, put_tree),)),
        Case("below a file", _DIRECTORY, _below_file(_DIRECTORY)),
        # Files and directories of the same names: nothing is said of what is copied before that shows.
        Case(
            "into a directory whose entries stand in the way",
            _REPLACES,
            (
                Branch(_REPLACES, "MUST", "do anything", lost, raises=FULL_NAMES["IOException"]),
                Branch(_REPLACES, "MUST", "do anything", lost, check=_left_right),
            ),
        ),
    ),
    _classify_tree,
    _differs,
)


def _classify_missing(root: State, op: CopyMissingFromLocal) -> int:
    node = locate(root, op.path)
    found = bits(op.path, node) | 4
    return found if op.overwrite or isinstance(node, Absence) else found | 8


COPY_MISSING_FROM_LOCAL = Meaning(
    CopyMissingFromLocal,
    (
        *COMMON_CASES,
        Case(
            "source missing",
            f"{_COPY}.pre.source-exists",
            precisely(f"{_COPY}.pre.source-exists", "FileNotFoundException"),
        ),
        Case("onto something", _OVERWRITE, _exists(_OVERWRITE)),
    ),
    _classify_missing,
)
