"""Path handles: one is made of a status, something happens to the file, and it is opened; and one of another store.

Source: filesystem.md, "PathHandle getPathHandle(FileStatus stat, HandleOpt... options)" and "FSDataInputStream
open(PathHandle handle, int bufferSize)"; openfile.md, "openFile(PathHandle)".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from fsconform.model.core import content as contents
from fsconform.model.core.content import Content, is_of
from fsconform.model.core.drawing import Draft, drawn
from fsconform.model.core.errors import FULL_NAMES
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.option import Literal
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Branch, Cases, keep, meaning, raises, runtime_instead
from fsconform.model.filesystem.options.changes import (
    HANDLES_NOT_FOUND,
    SUPPORTS_CONTENT_CHECK,
    SUPPORTS_FILE_REFERENCE,
)
from fsconform.model.filesystem.refusals import RELAXED, one_of
from fsconform.model.filesystem.state import MISSING, Dir, File, State, locate, put, remove, untimed
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    from random import Random

_GET, _OPEN = "filesystem.getPathHandle", "filesystem.openHandle"
_NO_HANDLES = f"{_GET}.unsupported"
_STATUS = "filesystem.getFileStatus.pre.exists"

_CHECKS: Literal = (SUPPORTS_CONTENT_CHECK, True)
_REFERS: Literal = (SUPPORTS_FILE_REFERENCE, True)
_NO_CHECKS: Literal = (SUPPORTS_CONTENT_CHECK, False)
_NO_REFERENCE: Literal = (SUPPORTS_FILE_REFERENCE, False)

_NOT_FOUND: Literal = (HANDLES_NOT_FOUND, True)

_GRANTED: dict[str, tuple[tuple[Literal, ...], ...]] = {
    "exact": ((_CHECKS,),),
    "content": ((_CHECKS, _REFERS),),
    "path": ((_CHECKS,), (_REFERS,)),
    "reference": ((_REFERS,),),
}
"""For each kind of handle the conditions under which a store grants it; one of them is enough."""
_DENIED: dict[str, tuple[tuple[Literal, ...], ...]] = {
    "exact": ((_NO_CHECKS,),),
    "content": ((_NO_CHECKS,), (_NO_REFERENCE,)),
    "path": ((_NO_CHECKS, _NO_REFERENCE),),
    "reference": ((_NO_REFERENCE,),),
}
KINDS = tuple(_GRANTED)
_TOLERATES: dict[str, frozenset[str]] = {
    "exact": frozenset(("nothing",)),
    "content": frozenset(("nothing", "rename")),
    "path": frozenset(("nothing", "append")),
    "reference": frozenset(("nothing", "append", "rename")),
}
"""What may happen to the file before a handle of each kind is opened."""

_HAPPENED = {
    "nothing": "not changed",
    "append": "changed",
    "rename": "moved",
    "delete": "deleted",
    "replace": "replaced",
}

CHANGES = tuple(_HAPPENED)

HANDLE_APPENDED: Content = contents.of(99, 3)
"""What is appended to a file whose handle is opened then."""


@operation
@dataclass(frozen=True, slots=True)
class OpenByHandle(Operation):
    """``getFileStatus(path)``, a change, ``getPathHandle(status, options)``, ``open(handle)``, read to the end, close.

    ``handle`` is one of exact, content, path, reference; ``meanwhile`` one of nothing, append, rename (to ``other``),
    delete, replace (by an equal file). A store that grants no such handle is asked before the change, and not changed.
    Via bytes the handle is made again of its bytes, via builder it is opened by openFile. Returns length and digest.
    """

    NAME: ClassVar[str] = "open by path handle"
    MUTATES: ClassVar[bool] = True
    VIAS: ClassVar[tuple[str, ...]] = ("bytes", "builder")
    WORDS: ClassVar[Mapping[str, tuple[str, ...]]] = {"handle": KINDS, "meanwhile": CHANGES}
    path: Path
    handle: str
    meanwhile: str
    other: Path
    via: str = ""


@operation
@dataclass(frozen=True, slots=True)
class OpenForeignHandle(Operation):
    """``open(handle)`` of a path handle of a class that the store does not know. Returns a length if it opens."""

    NAME: ClassVar[str] = "open of a foreign handle"


def _changed(root: State, op: OpenByHandle) -> State:
    """What happens to the file between its status and the open."""
    node = locate(root, op.path)
    assert type(node) is File
    match op.meanwhile:
        case "append":
            return put(root, op.path, File(node.content + HANDLE_APPENDED, untimed(node.meta)))
        case "rename":
            return put(remove(root, op.path), op.other, node)
        case "delete":
            return remove(root, op.path)
        case "replace":
            return put(root, op.path, File(node.content))
        case _:
            return root


def _content(root: State, op: OpenByHandle) -> Content:
    node = locate(root, op.path)
    assert type(node) is File
    return node.content + HANDLE_APPENDED if op.meanwhile == "append" else node.content


def _right_data(root: State, op: OpenByHandle, data: object) -> bool:
    return is_of(_content(root, op), data)


def _clause(kind: str, change: str) -> str:
    if change == "nothing":
        return f"{_GET}.post"
    if change == "replace" and kind in ("path", "reference"):
        return f"{_GET}.options.{kind}"
    if change in ("delete", "replace"):
        return f"{_OPEN}.pre.exists"
    return f"{_GET}.options.default" if kind == "exact" else f"{_GET}.options.relaxed"


def _denied(kind: str) -> tuple[Branch, ...]:
    """The adapter asks for a handle before the change already: a store that grants none is left as it was."""
    return (
        raises(_NO_HANDLES, "UnsupportedOperationException", _NO_CHECKS, _NO_REFERENCE),
        *(raises(f"{_GET}.options.unsupported", "UnsupportedOperationException", *when) for when in _DENIED[kind]),
    )


def _opens(clause: str, change: str, when: tuple[Literal, ...]) -> Branch:
    effect = keep if change == "nothing" else _changed
    also = (f"{_GET}.serializable",)
    return Branch(clause, "MUST", "the bytes of the file", effect, check=_right_data, when=when, also=also)


def _invalid(clause: str, change: str, when: tuple[Literal, ...]) -> tuple[Branch, ...]:
    error = "InvalidPathHandleException"
    also = (f"{_OPEN}.pre.guaranteed",) if change == "replace" else ()
    return (
        Branch(clause, "MUST", f"raise {error}", _changed, FULL_NAMES[error], when=when, also=also),
        Branch(
            clause,
            "MUST",
            "raise IOException",
            _changed,
            FULL_NAMES["IOException"],
            when=(*when, RELAXED),
            departs=True,
        ),
        Branch(
            clause,
            "MUST",
            "raise FileNotFoundException",
            _changed,
            FULL_NAMES["FileNotFoundException"],
            when=(*when, _NOT_FOUND),
            departs=True,
        ),
    )


def _branches(kind: str, change: str) -> tuple[Branch, ...]:
    clause, granted = _clause(kind, change), _GRANTED[kind]
    if (kind, change) == ("path", "replace"):
        # The table has a handle of this kind tolerate changed data, the example beside it wants a new file told apart.
        opened = (replace(_opens(clause, change, when), deviates=True) for when in granted)
        return (*(branch for when in granted for branch in _invalid(clause, change, when)), *opened, *_denied(kind))
    if change in _TOLERATES[kind]:
        return (*(_opens(clause, change, when) for when in granted), *_denied(kind))
    return (*(branch for when in granted for branch in _invalid(clause, change, when)), *_denied(kind))


_UNSUPPORTED_HERE = (
    raises(_NO_HANDLES, "UnsupportedOperationException", _NO_CHECKS, _NO_REFERENCE),
    raises(f"{_GET}.options.unsupported", "UnsupportedOperationException", _NO_CHECKS),
    raises(f"{_GET}.options.unsupported", "UnsupportedOperationException", _NO_REFERENCE),
)

_MET = Cases(*COMMON_CASES)
_MISSING = _MET.case("missing", _STATUS, runtime_instead((raises(_STATUS, "FileNotFoundException"),)))
_DIRECTORY = _MET.case(
    "directory",
    f"{_OPEN}.pre.not-a-directory",
    (*one_of(f"{_OPEN}.pre.not-a-directory", "IOException"), *_UNSUPPORTED_HERE),
)
# The adapter asks nothing of the store where the file can't be moved as planned.
_NOT_MOVED = _MET.case(
    "not to be moved there",
    f"{_GET}.post",
    (*runtime_instead((raises(f"{_GET}.post", "IOException"),)), *_UNSUPPORTED_HERE),
)
_OPENED = {
    (kind, change): _MET.case(
        f"handle of kind {kind} of a file that is {_HAPPENED[change]}", _clause(kind, change), _branches(kind, change)
    )
    for kind in KINDS
    for change in CHANGES
}


@meaning(OpenByHandle, _MET)
def _classify(root: State, op: OpenByHandle) -> int:
    node = locate(root, op.path)
    found = bits(op.path, node)
    if type(node) is Dir:
        return found | _DIRECTORY
    if type(node) is not File:
        return found | _MISSING
    # A file that is renamed to itself stays what and where it is (rename: "no change").
    change = "nothing" if op.meanwhile == "rename" and op.path == op.other else op.meanwhile
    if change == "rename" and locate(root, op.other) is not MISSING:
        return found | _NOT_MOVED
    if change == "rename":
        found |= bits(op.other, MISSING)
    return found | _OPENED[op.handle, change]


_FOREIGN = f"{_OPEN}.unsupported"
_MET_BY_FOREIGN = Cases(*COMMON_CASES)
_ANY_STATE = _MET_BY_FOREIGN.case(
    "any state",
    _FOREIGN,
    (
        raises(_FOREIGN, "UnsupportedOperationException", _NO_REFERENCE, _NO_CHECKS),
        # What a store with handles makes of one that is none of its own no document says.
        raises(_FOREIGN, "Exception", _REFERS),
        raises(_FOREIGN, "Exception", _CHECKS),
    ),
)


@meaning(OpenForeignHandle, _MET_BY_FOREIGN)
def _classify_foreign(_root: State, _op: OpenForeignHandle) -> int:
    return _ANY_STATE


@drawn(OpenByHandle)
def _draw(draft: Draft, dice: Random, path: Path) -> OpenByHandle:
    kind, change = dice.choice(KINDS), dice.choice(CHANGES)
    other = draft.anywhere(dice, root=False)
    return OpenByHandle(path, kind, change, other, dice.choice(OpenByHandle.VIAS) if dice.random() < 0.25 else "")
