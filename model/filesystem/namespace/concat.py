"""concat. Source: filesystem.md, "void concat(Path p, Path sources[])"."""

from __future__ import annotations

from fsconform.model.core import content as contents
from fsconform.model.filesystem.branches import Branch, Case, Meaning, raises, returns
from fsconform.model.filesystem.operations.changes import Concat
from fsconform.model.filesystem.options.changes import (
    CONCAT_OF_WHOLE_BLOCKS,
    CONCAT_REFUSES_EMPTY_SOURCES,
    SUPPORTS_CONCAT,
)
from fsconform.model.filesystem.refusals import PLAIN, illegal_argument, one_of, precisely, unnamed, unsupported
from fsconform.model.filesystem.state import Dir, File, State, locate, put, remove, untimed
from fsconform.model.filesystem.validity import COMMON_CASES, bits

_CONCAT = "filesystem.concat"
_SUPPORTED = (SUPPORTS_CONCAT, True)
_WHOLE_ONLY = (CONCAT_OF_WHOLE_BLOCKS, True)
_PARTS_TOO = (CONCAT_OF_WHOLE_BLOCKS, False)
_REFUSES_EMPTY = (CONCAT_REFUSES_EMPTY_SOURCES, True)

_SECTOR = 512
"""No block size is anything but a multiple of so many bytes."""


def join(root: State, op: Concat) -> State:
    """The target holds its own bytes and those of each source in order, and the sources are gone."""
    target = locate(root, op.path)
    assert type(target) is File
    content = target.content
    for source in op.sources:
        node = locate(root, source)
        assert type(node) is File
        content += node.content
        root = remove(root, source)
    return put(root, op.path, File(content, untimed(target.meta, "cut")))


_TARGET_MISSING = 4
_NO_SOURCES = 8
_ELSEWHERE = 16
_TWICE = 32
_SOURCE_NO_FILE = 64
_TARGET_DIRECTORY = 128
_PARTIAL = 256
_EMPTY = 512
_UNSURE = 1024
_JOINED = 2048


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
    if len({op.path, *op.sources}) <= len(op.sources):
        failed |= _TWICE
    nodes = [locate(root, source) for source in op.sources]
    if any(type(node) is not File for node in nodes):
        failed |= _SOURCE_NO_FILE
    if failed:
        return found | failed
    lengths = [contents.length(node.content) for node in (target, *nodes) if type(node) is File]
    if any(length % _SECTOR for length in lengths[:-1]):
        return found | _PARTIAL
    if 0 in lengths[1:]:
        return found | _EMPTY
    # Whether these fill whole blocks depends on the block size, which the model does not know.
    return found | (_UNSURE if any(lengths[:-1]) else _JOINED)


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

CONCAT = Meaning(
    Concat,
    (
        *COMMON_CASES,
        Case(
            "target missing",
            f"{_CONCAT}.pre.exists",
            _refused(
                *precisely(f"{_CONCAT}.pre.exists", "FileNotFoundException"),
                raises(f"{_CONCAT}.pre.exists", "IOException", PLAIN, departs=True),
            ),
        ),
        Case(
            "no sources",
            f"{_CONCAT}.pre.sources",
            _refused(*illegal_argument(f"{_CONCAT}.pre.sources", "IllegalArgumentException")),
        ),
        Case(
            "source in another directory",
            f"{_CONCAT}.pre.same-directory",
            _refused(*illegal_argument(f"{_CONCAT}.pre.same-directory", "IllegalArgumentException")),
        ),
        Case("a path twice", f"{_CONCAT}.pre.distinct", _refused(*unnamed(f"{_CONCAT}.pre.distinct"))),
        # getBlockSize, which the documents ask of each source, raises for what is no file.
        Case("source is no file", f"{_CONCAT}.pre.block-size", _refused(*unnamed(f"{_CONCAT}.pre.block-size"))),
        Case(
            "target is a directory",
            f"{_CONCAT}.pre.exists",
            _refused(*one_of(f"{_CONCAT}.pre.exists", "IOException")),
        ),
        Case(
            "parts of blocks",
            f"{_CONCAT}.post",
            (
                returns(f"{_CONCAT}.post", None, _SUPPORTED, _PARTS_TOO, effect=join),
                *_PARTS_REFUSED,
                *_EMPTY_REFUSED,
                *_refused(),
            ),
        ),
        Case("source without data", f"{_CONCAT}.post", _joined(*_EMPTY_REFUSED, *_PARTS_REFUSED)),
        Case("blocks that may be whole", f"{_CONCAT}.post", _joined(*_PARTS_REFUSED)),
        Case("to be joined", f"{_CONCAT}.post", _joined()),
    ),
    _classify,
)
