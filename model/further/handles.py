"""Path handles: a handle is made of a status, something happens to the file, and the handle is opened.

Source: filesystem.md, "PathHandle getPathHandle(FileStatus stat, HandleOpt... options)" and "FSDataInputStream
open(PathHandle handle, int bufferSize)"; openfile.md, "openFile(PathHandle)".
"""

from __future__ import annotations

from dataclasses import replace

from fsconform.model.branches import Branch, Case, Meaning, keep, raises, runtime_instead
from fsconform.model.content import Content
from fsconform.model.contract import Literal
from fsconform.model.errors import FULL_NAMES
from fsconform.model.further.builders import is_of
from fsconform.model.further.refusals import RELAXED, one_of
from fsconform.model.operations.changes import HANDLE_APPENDED, OpenByHandle
from fsconform.model.options.changes import HANDLES_NOT_FOUND, SUPPORTS_CONTENT_CHECK, SUPPORTS_FILE_REFERENCE
from fsconform.model.state import MISSING, Dir, File, locate, put, remove, untimed
from fsconform.model.validity import COMMON_CASES, bits

_GET, _OPEN = "filesystem.getPathHandle", "filesystem.openHandle"

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
TOLERATES: dict[str, frozenset[str]] = {
    "exact": frozenset(("nothing",)),
    "content": frozenset(("nothing", "rename")),
    "path": frozenset(("nothing", "append")),
    "reference": frozenset(("nothing", "append", "rename")),
}
"""What may happen to the file before a handle of each kind is opened."""


def changed(root: Dir, op: OpenByHandle) -> Dir:
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


def _content(root: Dir, op: OpenByHandle) -> Content:
    node = locate(root, op.path)
    assert type(node) is File
    return node.content + HANDLE_APPENDED if op.meanwhile == "append" else node.content


def _right_data(root: Dir, op: OpenByHandle, data: object) -> bool:
    return is_of(_content(root, op), data)


_FIRST = 2 + 2
_NOT_FILE, _DIRECTORY = 4, 8


def _classify(root: Dir, op: OpenByHandle) -> int:
    node = locate(root, op.path)
    found = bits(op.path, node)
    if type(node) is Dir:
        return found | _DIRECTORY
    if type(node) is not File:
        return found | _NOT_FILE
    # A file that is renamed to itself stays what and where it is (rename: "no change").
    change = "nothing" if op.meanwhile == "rename" and op.path == op.other else op.meanwhile
    if change == "rename" and locate(root, op.other) is not MISSING:
        return found | 1 << _FIRST
    if change == "rename":
        found |= bits(op.other, MISSING)
    return found | 1 << (_FIRST + 1 + _SITUATIONS.index((op.handle, change)))


CHANGES = ("nothing", "append", "rename", "delete", "replace")
_SITUATIONS = tuple((kind, change) for kind in KINDS for change in CHANGES)
_NO_HANDLES = f"{_GET}.unsupported"
_WORDS = {
    "nothing": "not changed",
    "append": "changed",
    "rename": "moved",
    "delete": "deleted",
    "replace": "replaced",
}


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
    effect = keep if change == "nothing" else changed
    also = (f"{_GET}.serializable",)
    return Branch(clause, "MUST", "the bytes of the file", effect, check=_right_data, when=when, also=also)


def _invalid(clause: str, change: str, when: tuple[Literal, ...]) -> tuple[Branch, ...]:
    error = "InvalidPathHandleException"
    also = (f"{_OPEN}.pre.guaranteed",) if change == "replace" else ()
    return (
        Branch(clause, "MUST", f"raise {error}", changed, FULL_NAMES[error], when=when, also=also),
        Branch(
            clause,
            "MUST",
            "raise IOException",
            changed,
            FULL_NAMES["IOException"],
            when=(*when, RELAXED),
            departs=True,
        ),
        Branch(
            clause,
            "MUST",
            "raise FileNotFoundException",
            changed,
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
    if change in TOLERATES[kind]:
        return (*(_opens(clause, change, when) for when in granted), *_denied(kind))
    return (*(branch for when in granted for branch in _invalid(clause, change, when)), *_denied(kind))


_UNSUPPORTED_HERE = (
    raises(_NO_HANDLES, "UnsupportedOperationException", _NO_CHECKS, _NO_REFERENCE),
    raises(f"{_GET}.options.unsupported", "UnsupportedOperationException", _NO_CHECKS),
    raises(f"{_GET}.options.unsupported", "UnsupportedOperationException", _NO_REFERENCE),
)

OPEN_BY_HANDLE = Meaning(
    OpenByHandle,
    (
        *COMMON_CASES,
        Case(
            "missing",
            "filesystem.getFileStatus.pre.exists",
            runtime_instead((raises("filesystem.getFileStatus.pre.exists", "FileNotFoundException"),)),
        ),
        Case(
            "directory",
            f"{_OPEN}.pre.not-a-directory",
            (*one_of(f"{_OPEN}.pre.not-a-directory", "IOException"), *_UNSUPPORTED_HERE),
        ),
        # The adapter asks nothing of the store where the file can't be moved as planned.
        Case(
            "not to be moved there",
            f"{_GET}.post",
            (*runtime_instead((raises(f"{_GET}.post", "IOException"),)), *_UNSUPPORTED_HERE),
        ),
        *(
            Case(
                f"handle of kind {kind} of a file that is {_WORDS[change]}",
                _clause(kind, change),
                _branches(kind, change),
            )
            for kind, change in _SITUATIONS
        ),
    ),
    _classify,
)
