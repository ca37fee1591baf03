"""append, with the content that is written and the close that follows.

Source: filesystem.md, "FSDataOutputStream append(Path p, int bufferSize, Progressable progress)".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fsconform.model.core.content import Content
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Branch, Cases, below_a_file, meaning, returns
from fsconform.model.filesystem.options.core import SUPPORTS_APPEND
from fsconform.model.filesystem.options.listing import APPENDS_IN_CONTEXTS
from fsconform.model.filesystem.refusals import one_of, precisely, unsupported
from fsconform.model.filesystem.state import UNDER_FILE, Dir, File, State, locate, put, untimed
from fsconform.model.filesystem.validity import COMMON_CASES, bits

_APPEND = "filesystem.append"
_SUPPORTED = (SUPPORTS_APPEND, True)
_UNSUPPORTED = (SUPPORTS_APPEND, False)


@operation
@dataclass(frozen=True, slots=True)
class Append(Operation):
    """``append(path)``, write ``content``, close."""

    NAME: ClassVar[str] = "append"
    MUTATES: ClassVar[bool] = True
    VIAS: ClassVar[tuple[str, ...]] = ("buffer", "progress", "builder", "context")
    path: Path
    content: Content
    via: str = ""


def extend(root: State, op: Append) -> State:
    """FS'.Files[p] is what the file held and then what was written."""
    node = locate(root, op.path)
    assert type(node) is File
    return put(root, op.path, File(node.content + op.content, untimed(node.meta, "append")))


def _refused(*branches: Branch) -> tuple[Branch, ...]:
    return (*branches, *unsupported(f"{_APPEND}.unsupported", SUPPORTS_APPEND))


def _extended(*more: Branch) -> tuple[Branch, ...]:
    return (*_refused(returns(f"{_APPEND}.post", None, _SUPPORTED, effect=extend)), *more)


_MET = Cases(*COMMON_CASES)

# --- preconditions: the path exists, and is a file

_MISSING = _MET.case(
    "missing", f"{_APPEND}.pre.exists", _refused(*precisely(f"{_APPEND}.pre.exists", "FileNotFoundException"))
)
_UNDER_FILE = _MET.add(below_a_file(f"{_APPEND}.pre.exists"))
# The other errors that the section names here are IOExceptions too.
_DIRECTORY = _MET.case(
    "directory", f"{_APPEND}.pre.is-file", _refused(*one_of(f"{_APPEND}.pre.is-file", "IOException"))
)

# --- postconditions: what is written follows what the file held

_FILE = _MET.case("file", f"{_APPEND}.post", _extended())
_FILE_IN_CONTEXT = _MET.case(
    "file, in a context",
    f"{_APPEND}.post",
    _extended(
        returns(
            f"{_APPEND}.unsupported",
            None,
            _UNSUPPORTED,
            (APPENDS_IN_CONTEXTS, True),
            effect=extend,
            level="SHOULD",
            departs=True,
        ),
    ),
)


@meaning(Append, _MET)
def _classify(root: State, op: Append) -> int:
    node = locate(root, op.path)
    if type(node) is File:
        return bits(op.path, node) | (_FILE_IN_CONTEXT if op.via == "context" else _FILE)
    if type(node) is Dir:
        return bits(op.path, node) | _DIRECTORY
    return bits(op.path, node) | (_MISSING | _UNDER_FILE if node is UNDER_FILE else _MISSING)
