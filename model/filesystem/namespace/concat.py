"""concat, in the order of its section. Source: filesystem.md, "void concat(Path p, Path sources[])"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from fsconform.model.core import content as contents
from fsconform.model.core.drawing import Draft, drawn
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Branch, Cases, meaning, raises, returns
from fsconform.model.filesystem.options.changes import (
    CONCAT_OF_WHOLE_BLOCKS,
    CONCAT_REFUSES_EMPTY_SOURCES,
    SUPPORTS_CONCAT,
)
from fsconform.model.filesystem.refusals import PLAIN, illegal_argument, one_of, precisely, unnamed, unsupported
from fsconform.model.filesystem.state import Dir, File, State, locate, put, remove, untimed
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    from random import Random


_CONCAT = "filesystem.concat"
_SUPPORTED = (SUPPORTS_CONCAT, True)
_WHOLE_ONLY = (CONCAT_OF_WHOLE_BLOCKS, True)
_PARTS_TOO = (CONCAT_OF_WHOLE_BLOCKS, False)
_REFUSES_EMPTY = (CONCAT_REFUSES_EMPTY_SOURCES, True)
_SECTOR = 512
"""No block size is anything but a multiple of so many bytes."""


@operation
@dataclass(frozen=True, slots=True)
class Concat(Operation):
    """``concat(path, sources)``."""

    NAME: ClassVar[str] = "concat"
    MUTATES: ClassVar[bool] = True
    path: Path
    sources: tuple[Path, ...]


def join(root: State, op: Concat) -> State:
    """data(FS', p) is that of p and then of each source in order, and the sources are gone."""
    target = locate(root, op.path)
    assert type(target) is File
    content = target.content
    for source in op.sources:
        node = locate(root, source)
        assert type(node) is File
        content += node.content
        root = remove(root, source)
    return put(root, op.path, File(content, untimed(target.meta, "cut")))


def _refused(*branches: Branch) -> tuple[Branch, ...]:
    return (*branches, *unsupported(f"{_CONCAT}.unsupported", SUPPORTS_CONCAT))


def _joined(*more: Branch) -> tuple[Branch, ...]:
    return (returns(f"{_CONCAT}.post", None, _SUPPORTED, effect=join), *more, *_refused())


_EMPTY_REFUSED = tuple(
    raises(f"{_CONCAT}.post", error, _SUPPORTED, _REFUSES_EMPTY, departs=True)
    for error in ("IOException", "IllegalArgumentException")
)

_PARTS_REFUSED = tuple(
    raises(f"{_CONCAT}.pre.whole-blocks", error, _SUPPORTED, _WHOLE_ONLY)
    for error in ("IOException", "IllegalArgumentException")
)

_MET = Cases(*COMMON_CASES)

# --- preconditions

# The target exists; of one that is no file nothing is said, but it has no data to join to.

_TARGET_MISSING = _MET.case(
    "target missing",
    f"{_CONCAT}.pre.exists",
    _refused(
        *precisely(f"{_CONCAT}.pre.exists", "FileNotFoundException"),
        raises(f"{_CONCAT}.pre.exists", "IOException", PLAIN, departs=True),
    ),
)
_TARGET_DIRECTORY = _MET.case(
    "target is a directory",
    f"{_CONCAT}.pre.exists",
    _refused(*one_of(f"{_CONCAT}.pre.exists", "IOException")),
)

# There are sources, and all are in the directory of the target.

_NO_SOURCES = _MET.case(
    "no sources",
    f"{_CONCAT}.pre.sources",
    _refused(*illegal_argument(f"{_CONCAT}.pre.sources", "IllegalArgumentException")),
)
_ELSEWHERE = _MET.case(
    "source in another directory",
    f"{_CONCAT}.pre.same-directory",
    _refused(*illegal_argument(f"{_CONCAT}.pre.same-directory", "IllegalArgumentException")),
)

# All block sizes match that of the target: getBlockSize, which is asked of each source, raises for what is no file.

_SOURCE_NO_FILE = _MET.case(
    "source is no file", f"{_CONCAT}.pre.block-size", _refused(*unnamed(f"{_CONCAT}.pre.block-size"))
)

# No duplicate paths.

_TWICE = _MET.case("a path twice", f"{_CONCAT}.pre.distinct", _refused(*unnamed(f"{_CONCAT}.pre.distinct")))

# --- postconditions; whether blocks have to be complete, as HDFS asks, an option says

_PARTIAL = _MET.case(
    "parts of blocks",
    f"{_CONCAT}.post",
    (
        returns(f"{_CONCAT}.post", None, _SUPPORTED, _PARTS_TOO, effect=join),
        *_PARTS_REFUSED,
        *_EMPTY_REFUSED,
        *_refused(),
    ),
)
_EMPTY = _MET.case("source without data", f"{_CONCAT}.post", _joined(*_EMPTY_REFUSED, *_PARTS_REFUSED))
_UNSURE = _MET.case("blocks that may be whole", f"{_CONCAT}.post", _joined(*_PARTS_REFUSED))
_JOINED = _MET.case("to be joined", f"{_CONCAT}.post", _joined())


@meaning(Concat, _MET)
def _classify(root: State, op: Concat) -> int:
    target = locate(root, op.path)
    found = bits(op.path, target)
    failed = 0
    if type(target) is Dir:
        failed |= _TARGET_DIRECTORY
    elif type(target) is not File:
        failed |= _TARGET_MISSING
    if not op.sources:
        return found | failed | _NO_SOURCES
    if any(source[:-1] != op.path[:-1] for source in op.sources):
        failed |= _ELSEWHERE
    nodes = [locate(root, source) for source in op.sources]
    if any(type(node) is not File for node in nodes):
        failed |= _SOURCE_NO_FILE
    if len({op.path, *op.sources}) <= len(op.sources):
        failed |= _TWICE
    if failed:
        return found | failed
    lengths = [contents.length(node.content) for node in (target, *nodes) if type(node) is File]
    if any(length % _SECTOR for length in lengths[:-1]):
        return found | _PARTIAL
    if 0 in lengths[1:]:
        return found | _EMPTY
    # Whether these fill whole blocks depends on the block size, which the model does not know.
    return found | (_UNSURE if any(lengths[:-1]) else _JOINED)


@drawn(Concat)
def _draw(draft: Draft, dice: Random, path: Path) -> Concat:
    sources = [
        (*path[:-1], dice.choice(draft.names)) if dice.random() < 0.75 else draft.anywhere(dice, root=False)
        for _ in range(dice.choice((0, 1, 1, 2, 2, 3)))
    ]
    return Concat(path, tuple(sources))
