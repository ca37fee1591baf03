"""append, with the content that is written and the close that follows.

Source: filesystem.md, "FSDataOutputStream append(Path p, int bufferSize, Progressable progress)".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from fsconform.model.core.content import Content
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import (
    Branch,
    Cases,
    below_a_file,
    meaning,
    raises,
    returns,
    runtime_instead,
)
from fsconform.model.filesystem.options.core import SUPPORTS_APPEND
from fsconform.model.filesystem.options.listing import APPENDS_IN_CONTEXTS
from fsconform.model.filesystem.refusals import RELAXED
from fsconform.model.filesystem.state import UNDER_FILE, Dir, File, State, locate, put, untimed
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    pass


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


def _refusals(*branches: Branch) -> tuple[Branch, ...]:
    clause = f"{_APPEND}.unsupported"
    return (
        *runtime_instead(branches),
        raises(clause, "UnsupportedOperationException", _UNSUPPORTED, level="SHOULD"),
        raises(clause, "IOException", _UNSUPPORTED, level="SHOULD", deviates=True),
        raises(clause, "RuntimeException", _UNSUPPORTED, level="SHOULD", deviates=True),
    )


_MET = Cases(*COMMON_CASES)
_MISSING = _MET.case(
    "missing",
    f"{_APPEND}.pre.exists",
    _refusals(
        raises(f"{_APPEND}.pre.exists", "FileNotFoundException"),
        raises(f"{_APPEND}.pre.exists", "IOException", RELAXED, departs=True),
    ),
)
_DIRECTORY = _MET.case(
    "directory", f"{_APPEND}.pre.is-file", _refusals(raises(f"{_APPEND}.pre.is-file", "IOException"))
)
_FILE = _MET.case(
    "file",
    f"{_APPEND}.post",
    (
        returns(f"{_APPEND}.post", None, _SUPPORTED, effect=extend),
        *_refusals()[1:],
    ),
)
_UNDER_FILE = _MET.add(below_a_file(f"{_APPEND}.pre.exists"))
_FILE_IN_CONTEXT = _MET.case(
    "file, in a context",
    f"{_APPEND}.post",
    (
        returns(f"{_APPEND}.post", None, _SUPPORTED, effect=extend),
        *_refusals()[1:],
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
