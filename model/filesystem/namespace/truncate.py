"""truncate, and the wait until the store is done. Source: filesystem.md, "boolean truncate(Path p, long newLength)"."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from fsconform.model.core import content as contents
from fsconform.model.core.content import Content, Observed
from fsconform.model.core.drawing import Draft, drawn, rarely_another_way
from fsconform.model.core.operation import Long, Operation, operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Branch, Cases, meaning, raises, returns
from fsconform.model.filesystem.options.changes import SUPPORTS_TRUNCATE, TRUNCATE_ILLEGAL_ARGUMENT
from fsconform.model.filesystem.refusals import PLAIN, illegal_argument, one_of, precisely, unsupported
from fsconform.model.filesystem.state import Dir, File, State, locate, put, untimed
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    from random import Random


_TRUNCATE = "filesystem.truncate"
_SUPPORTED = (SUPPORTS_TRUNCATE, True)
_LENGTH = f"{_TRUNCATE}.pre.length"


@operation
@dataclass(frozen=True, slots=True)
class Truncate(Operation):
    """``truncate(path, length)``, a wait until it is done, and what it returned: true or false.

    ``length`` is the specification's newLength, in bytes.
    """

    NAME: ClassVar[str] = "truncate"
    MUTATES: ClassVar[bool] = True
    VIAS: ClassVar[tuple[str, ...]] = ("context",)
    path: Path
    length: Long
    via: str = ""


def first(content: Content, length: int) -> Content | None:
    """The first bytes of a content; None where that needs a part of something known by its digest only."""
    parts = []
    for part in content:
        if length <= 0:
            break
        if part.length > length:
            if isinstance(part, Observed):
                return None
            part = replace(part, length=length)
        parts.append(part)
        length -= part.length
    return tuple(parts)


def cut(root: State, op: Truncate) -> State | None:
    """FS'.Files[p] is the first part of what it was."""
    node = locate(root, op.path)
    assert type(node) is File
    content = first(node.content, op.length)
    return None if content is None else put(root, op.path, File(content, untimed(node.meta, "cut")))


def _refused(*branches: Branch) -> tuple[Branch, ...]:
    return (*branches, *unsupported(f"{_TRUNCATE}.unsupported", SUPPORTS_TRUNCATE))


_MET = Cases(*COMMON_CASES)

# --- preconditions: the file exists, is no directory, and is as long as it shall be, or longer

_MISSING = _MET.case(
    "missing",
    f"{_TRUNCATE}.pre.exists",
    _refused(
        *precisely(f"{_TRUNCATE}.pre.exists", "FileNotFoundException"),
        raises(f"{_TRUNCATE}.pre.exists", "IOException", PLAIN, departs=True),
    ),
)
_DIRECTORY = _MET.case(
    "directory",
    f"{_TRUNCATE}.pre.not-a-directory",
    _refused(*one_of(f"{_TRUNCATE}.pre.not-a-directory", "FileNotFoundException", "IOException")),
)
_OUT_OF_RANGE = _MET.case(
    "length out of range",
    _LENGTH,
    _refused(
        *illegal_argument(_LENGTH, "HadoopIllegalArgumentException"),
        raises(_LENGTH, "IllegalArgumentException", (TRUNCATE_ILLEGAL_ARGUMENT, True), departs=True),
    ),
)

# --- postconditions

_FILE = _MET.case(
    "file",
    f"{_TRUNCATE}.post.length",
    (
        returns(f"{_TRUNCATE}.post.length", True, _SUPPORTED, effect=cut),
        returns(
            f"{_TRUNCATE}.post.result",
            False,
            _SUPPORTED,
            effect=cut,
            expected="return false and adjust the file's end in the background",
        ),
        *_refused(),
    ),
)


@meaning(Truncate, _MET)
def _classify(root: State, op: Truncate) -> int:
    node = locate(root, op.path)
    if type(node) is File:
        return bits(op.path, node) | (_FILE if 0 <= op.length <= contents.length(node.content) else _OUT_OF_RANGE)
    return (
        bits(op.path, node) | (_DIRECTORY if type(node) is Dir else _MISSING) | (_OUT_OF_RANGE if op.length < 0 else 0)
    )


@drawn(Truncate)
def _draw(draft: Draft, dice: Random, path: Path) -> Truncate:
    node = draft.node(path)
    length = contents.length(node.content) if isinstance(node, File) else 1
    chosen = dice.choice((-1, 0, length // 2, length - 1, length, length + 1))
    return Truncate(path, chosen, rarely_another_way(Truncate, dice))
