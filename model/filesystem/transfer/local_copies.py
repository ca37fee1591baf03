"""Copies from and to the local disk.

Source: filesystem.md, "boolean copyFromLocalFile(boolean delSrc, boolean overwrite, Path src, Path dst)".
moveFromLocalFile, which has no section, is copyFromLocalFile that deletes and overwrites; copyToLocalFile reads as open
does. Where the destination is an existing directory and overwrite is off the section both refuses and puts the copy
below it: either is allowed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from fsconform.model.core.content import Content, is_of
from fsconform.model.core.drawing import Draft, drawn
from fsconform.model.core.errors import FULL_NAMES
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.outcomes import Facts
from fsconform.model.core.paths import Path, is_ancestor
from fsconform.model.filesystem.branches import (
    ANY,
    Branch,
    Cases,
    Difference,
    Effect,
    gives,
    lost,
    meaning,
    raises,
    returns,
)
from fsconform.model.filesystem.options.core import CREATE_FILE_UNDER_FILE_ALLOWED
from fsconform.model.filesystem.refusals import one_of, precisely, unnamed
from fsconform.model.filesystem.state import EMPTY_DIR, UNDER_FILE, Absence, Dir, File, Node, State, locate, put
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    from random import Random

_COPY = "filesystem.copyFromLocalFile"
_SOURCE = f"{_COPY}.post.source"
LOCAL_FILE = "f"
"""The name of a local file that is copied."""
LOCAL_TREE = "t"
"""The name of a local directory that is copied."""


@operation
@dataclass(frozen=True, slots=True)
class CopyFromLocal(Operation):
    """``copyFromLocalFile(delete, overwrite, file, path)`` of a local file named ``f`` that holds ``content``.

    Returns facts ``copied`` with ``left``, true if the local file is still there.
    """

    NAME: ClassVar[str] = "copyFromLocalFile"
    MUTATES: ClassVar[bool] = True
    path: Path
    content: Content
    delete: bool
    overwrite: bool


@operation
@dataclass(frozen=True, slots=True)
class MoveFromLocal(Operation):
    """``moveFromLocalFile(file, path)`` of a local file named ``f`` that holds ``content``.

    Returns facts ``copied`` with ``left``, true if the local file is still there.
    """

    NAME: ClassVar[str] = "moveFromLocalFile"
    MUTATES: ClassVar[bool] = True
    path: Path
    content: Content


@operation
@dataclass(frozen=True, slots=True)
class CopyTreeFromLocal(Operation):
    """``copyFromLocalFile(delete, overwrite, directory, path)`` of a local directory named ``t``.

    It holds the file ``f`` with ``content`` and the directory ``d`` with an empty file ``g``.
    Returns facts ``copied`` with ``left``, true if the local directory is still there.
    """

    NAME: ClassVar[str] = "copyFromLocalFile of a tree"
    MUTATES: ClassVar[bool] = True
    path: Path
    content: Content
    delete: bool
    overwrite: bool


@operation
@dataclass(frozen=True, slots=True)
class CopyMissingFromLocal(Operation):
    """``copyFromLocalFile(false, overwrite, file, path)`` of a local file that is not there."""

    NAME: ClassVar[str] = "copyFromLocalFile of nothing"
    MUTATES: ClassVar[bool] = True
    path: Path
    overwrite: bool


@operation
@dataclass(frozen=True, slots=True)
class CopyWithin(Operation):
    """``copyFromLocalFile(false, overwrite, src, dst)`` where the store itself is the local disk.

    It is made where both paths are one, or one is below the other.
    """

    NAME: ClassVar[str] = "copyFromLocalFile within the store"
    MUTATES: ClassVar[bool] = True
    src: Path
    dst: Path
    overwrite: bool


@operation
@dataclass(frozen=True, slots=True)
class CopyToLocal(Operation):
    """``copyToLocalFile(path, file)``. Returns length and digest of the local file."""

    NAME: ClassVar[str] = "copyToLocalFile"
    path: Path


Copy = CopyFromLocal | MoveFromLocal


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
    return isinstance(value, Facts) and value.get("left") is not (isinstance(op, MoveFromLocal) or op.delete)


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


_OVERWRITE, _REPLACES = f"{_COPY}.pre.overwrite", f"{_COPY}.post.replaces"
_INTO_DIRECTORY = f"{_COPY}.post.file-into-directory"


_MET = Cases(*COMMON_CASES)
_ON_FILE = _MET.case("onto a file", _OVERWRITE, _exists(_OVERWRITE))
_ON_FILE_OVER = _MET.case("onto a file, to be overwritten", _REPLACES, (_copied(_REPLACES, put_file),))
_INTO = _MET.case("into a directory", _INTO_DIRECTORY, (_copied(_INTO_DIRECTORY, put_file), *_exists(_OVERWRITE)))
_INTO_OVER = _MET.case("into a directory, to be overwritten", _INTO_DIRECTORY, (_copied(_INTO_DIRECTORY, put_file),))
_INTO_ON_FILE = _MET.case("into a directory that has a file of that name", _OVERWRITE, _exists(_OVERWRITE))
_INTO_ON_FILE_OVER = _MET.case(
    "into a directory that has a file of that name, to be overwritten",
    _REPLACES,
    (_copied(_REPLACES, put_file),),
)
_INTO_ON_DIRECTORY = _MET.case("into a directory that has a directory of that name", _OVERWRITE, _exists(_OVERWRITE))
# With overwrite the section lets directories be replaced too; other stores refuse.
_INTO_ON_DIRECTORY_OVER = _MET.case(
    "into a directory that has a directory of that name, to be overwritten",
    _REPLACES,
    (*one_of(_INTO_DIRECTORY, "IOException"), _copied(_REPLACES, put_file)),
)
_FREE = _MET.case("free", f"{_COPY}.post.file", (_copied(f"{_COPY}.post.file", put_file),))
_BELOW_FILE = _MET.case("below a file", f"{_COPY}.post.file", _below_file(f"{_COPY}.post.file"))


def _met(root: State, path: Path, name: str, overwrite: bool) -> int:
    """The cases that a copy meets of something that has a name of its own."""
    node = locate(root, path)
    found = bits(path, node)
    if type(node) is File:
        return found | (_ON_FILE_OVER if overwrite else _ON_FILE)
    if type(node) is not Dir:
        return found | (_BELOW_FILE if node is UNDER_FILE else _FREE)
    inner = node.children.get(name)
    if inner is None:
        return found | (_INTO_OVER if overwrite else _INTO)
    if type(inner) is File:
        return found | (_INTO_ON_FILE_OVER if overwrite else _INTO_ON_FILE)
    return found | (_INTO_ON_DIRECTORY_OVER if overwrite else _INTO_ON_DIRECTORY)


@meaning(CopyFromLocal, _MET, differs=_differs)
def _classify(root: State, op: CopyFromLocal) -> int:
    return _met(root, op.path, LOCAL_FILE, op.overwrite)


@drawn(CopyFromLocal)
def _draw(draft: Draft, dice: Random, path: Path) -> CopyFromLocal:
    return CopyFromLocal(path, draft.content(dice), dice.random() < 0.5, dice.random() < 0.5)


@meaning(MoveFromLocal, _MET, differs=_differs)
def _classify_move(root: State, op: MoveFromLocal) -> int:
    return _met(root, op.path, LOCAL_FILE, True)


@drawn(MoveFromLocal)
def _draw_move(draft: Draft, dice: Random, path: Path) -> MoveFromLocal:
    return MoveFromLocal(path, draft.content(dice))


_ONTO_FILE, _ONTO_FILE_BELOW = f"{_COPY}.pre.directory-onto-file", f"{_COPY}.pre.directory-onto-file-below"
_BELOW, _DIRECTORY = f"{_COPY}.pre.overwrite-below", f"{_COPY}.post.directory"
# The section names the one error among the preconditions and the other with the outcome.
_REFUSED_ON_FILE = (
    raises(_ONTO_FILE, "PathExistsException"),
    raises(_ONTO_FILE_BELOW, "FileAlreadyExistsException"),
    *precisely(_ONTO_FILE),
)


# The same situations in the same order as those of a file, so that they have the same bits, and one more.
_MET_BY_TREE = Cases(*COMMON_CASES)
_MET_BY_TREE.case("onto a file", _ONTO_FILE, _REFUSED_ON_FILE)
_MET_BY_TREE.case("onto a file, to be overwritten", _ONTO_FILE, _REFUSED_ON_FILE)
_MET_BY_TREE.case("into a directory", _DIRECTORY, (_copied(_DIRECTORY, put_tree), *_exists(_OVERWRITE)))
_MET_BY_TREE.case("into a directory, to be overwritten", _DIRECTORY, (_copied(_DIRECTORY, put_tree),))
_MET_BY_TREE.case(
    "into a directory that has a file of that name",
    _ONTO_FILE_BELOW,
    (*_exists(_BELOW), *precisely(_ONTO_FILE_BELOW, "FileAlreadyExistsException")),
)
_MET_BY_TREE.case(
    "into a directory that has a file of that name, to be overwritten",
    _ONTO_FILE_BELOW,
    precisely(_ONTO_FILE_BELOW, "FileAlreadyExistsException"),
)
_MET_BY_TREE.case("into a directory that has a directory of that name", _BELOW, _exists(_BELOW))
_MET_BY_TREE.case(
    "into a directory that has a directory of that name, to be overwritten",
    _REPLACES,
    (_copied(_REPLACES, put_tree),),
)
_MET_BY_TREE.case("free", _DIRECTORY, (_copied(_DIRECTORY, put_tree),))
_MET_BY_TREE.case("below a file", _DIRECTORY, _below_file(_DIRECTORY))
# Files and directories of the same names: nothing is said of what is copied before that shows.
_CONFLICT = _MET_BY_TREE.case(
    "into a directory whose entries stand in the way",
    _REPLACES,
    (
        Branch(_REPLACES, "MUST", "do anything", lost, raises=FULL_NAMES["IOException"]),
        Branch(_REPLACES, "MUST", "do anything", lost, check=_left_right),
    ),
)


def _conflicts(root: State, op: CopyTreeFromLocal) -> bool:
    place = _place(root, op.path, LOCAL_TREE)
    for path, node in _tree(op):
        there = locate(root, (*place, *path))
        if there is UNDER_FILE or (not isinstance(there, Absence) and type(there) is not type(node)):
            return True
    return False


@meaning(CopyTreeFromLocal, _MET_BY_TREE, differs=_differs)
def _classify_tree(root: State, op: CopyTreeFromLocal) -> int:
    found = _met(root, op.path, LOCAL_TREE, op.overwrite)
    if found & _INTO_ON_DIRECTORY_OVER and _conflicts(root, op):
        return found & ~_INTO_ON_DIRECTORY_OVER | _CONFLICT
    return found


@drawn(CopyTreeFromLocal)
def _draw_tree(draft: Draft, dice: Random, path: Path) -> CopyTreeFromLocal:
    return CopyTreeFromLocal(path, draft.content(dice), dice.random() < 0.5, dice.random() < 0.5)


_MET_BY_NOTHING = Cases(*COMMON_CASES)
_SOURCE_MISSING = _MET_BY_NOTHING.case(
    "source missing",
    f"{_COPY}.pre.source-exists",
    precisely(f"{_COPY}.pre.source-exists", "FileNotFoundException"),
)
_ONTO_SOMETHING = _MET_BY_NOTHING.case("onto something", _OVERWRITE, _exists(_OVERWRITE))


@meaning(CopyMissingFromLocal, _MET_BY_NOTHING)
def _classify_missing(root: State, op: CopyMissingFromLocal) -> int:
    node = locate(root, op.path)
    found = bits(op.path, node) | _SOURCE_MISSING
    return found if op.overwrite or isinstance(node, Absence) else found | _ONTO_SOMETHING


@drawn(CopyMissingFromLocal)
def _draw_missing(_draft: Draft, dice: Random, path: Path) -> CopyMissingFromLocal:
    return CopyMissingFromLocal(path, dice.random() < 0.5)


_MET_WITHIN = Cases(*COMMON_CASES)
_MISSING_SOURCE = _MET_WITHIN.case(
    "missing source", f"{_COPY}.pre.source-exists", one_of(f"{_COPY}.pre.source-exists", "FileNotFoundException")
)
# The class that the text names is neither Java's nor Hadoop's.
_ONTO_ITSELF = _MET_WITHIN.case(
    "onto itself", f"{_COPY}.pre.different", one_of(f"{_COPY}.pre.different", "IOException")
)
_NESTED = _MET_WITHIN.case(
    "one below the other", f"{_COPY}.pre.not-nested", one_of(f"{_COPY}.pre.not-nested", "IOException")
)
_NEITHER = _MET_WITHIN.case(
    "neither",
    f"{_COPY}.pre.different",
    (*unnamed(f"{_COPY}.pre.different"), returns(f"{_COPY}.pre.different", ANY, effect=lost)),
)


@meaning(CopyWithin, _MET_WITHIN)
def _classify_within(root: State, op: CopyWithin) -> int:
    node = locate(root, op.src)
    missing = _MISSING_SOURCE if isinstance(node, Absence) else 0
    found = bits(op.src, node) | bits(op.dst, locate(root, op.dst)) | missing
    if op.src == op.dst:
        return found | _ONTO_ITSELF
    nested = is_ancestor(op.src, op.dst) or is_ancestor(op.dst, op.src)
    return found | (_NESTED if nested else 0 if missing else _NEITHER)


@drawn(CopyWithin)
def _draw_within(_draft: Draft, dice: Random, path: Path) -> Operation:
    other = dice.choice((path, path[:-1], (*path, "a")))
    return CopyWithin(*dice.choice(((path, other), (other, path))), dice.random() < 0.5)


_OPEN = "filesystem.open"


def _right_data(root: State, op: CopyToLocal, data: object) -> bool:
    node = locate(root, op.path)
    return type(node) is File and is_of(node.content, data)


_MET_TO_LOCAL = Cases(*COMMON_CASES)
_NO_FILE = _MET_TO_LOCAL.case(
    "not a file",
    f"{_OPEN}.pre.is-file",
    one_of(f"{_OPEN}.pre.is-file", "FileNotFoundException", "IOException"),
)
_WHOLE = _MET_TO_LOCAL.case("file", f"{_OPEN}.post", (gives(f"{_OPEN}.post", "the bytes of the file", _right_data),))


@meaning(CopyToLocal, _MET_TO_LOCAL)
def _classify_to_local(root: State, op: CopyToLocal) -> int:
    node = locate(root, op.path)
    return bits(op.path, node) | (_WHOLE if type(node) is File else _NO_FILE)


@drawn(CopyToLocal)
def _draw_to_local(_draft: Draft, _dice: Random, path: Path) -> CopyToLocal:
    return CopyToLocal(path)
