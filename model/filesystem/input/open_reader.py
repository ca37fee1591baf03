"""The meaning of streams that stay open from step to step and are read on.

Sources: fsdatainputstream.md, "Consistency"; outputstream.md, "Concurrency"; filesystem.md, "FSDataInputStream
open(Path f, int bufferSize)"; openfile.md. While the file is as it was, all rules of a stream that is read at once
hold; where the stream is, is known as far as the scripts themselves tell.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fsconform.model.filesystem.branches import (
    ANY,
    RUNTIME_CLAUSE,
    Case,
    Check,
    Difference,
    Level,
    Meaning,
    gives,
    raises,
    returns,
    runtime_instead,
)
from fsconform.model.filesystem.input import clauses as clause
from fsconform.model.filesystem.input import readers as open_readers
from fsconform.model.filesystem.input.changed_file_walk import LooseWalk, after
from fsconform.model.filesystem.input.read_stream import CASES, SEVERAL, answers_of, differs, number_of_case, start_of
from fsconform.model.filesystem.input.rules import Departs
from fsconform.model.filesystem.input.walk import Start
from fsconform.model.filesystem.operations.streams import OpenReader, ReadOn
from fsconform.model.filesystem.options.writers import CREATE_VISIBILITY_DELAYED
from fsconform.model.filesystem.output import clauses as writer_clauses
from fsconform.model.filesystem.output import writers as streams
from fsconform.model.filesystem.state import File, Reader, State, locate
from fsconform.model.filesystem.validity import COMMON_BITS, COMMON_CASES, bits

_OPEN = "filesystem.open"
_CHAIN = "openfile.path.chain"
_NO_OPTIONS = "openfile.options.none"
_CHECK_TIME = "fsdatainputstreambuilder.build.check-time"

# --- opening


def _begin(root: State, op: OpenReader) -> State:
    return open_readers.begun(root, op.stream, op.path)


def _forget(root: State, op: OpenReader) -> State:
    return open_readers.kept(root, op.stream, Reader(op.path, None))


_OPENED = returns(f"{_OPEN}.post", None, effect=_begin)
_BUILT = returns(f"{_OPEN}.post", None, effect=_begin, also=(_CHAIN,))
_UNFIT = runtime_instead(
    (raises(f"{_OPEN}.pre.is-file", "FileNotFoundException"), raises(f"{_OPEN}.pre.is-file", "IOException"))
)
_ANYTHING = (
    returns(clause.CHANGED, ANY, effect=_forget, level="UNDEFINED"),
    raises(clause.CHANGED, "Throwable", level="UNDEFINED"),
)
_OPENING = (
    Case("not a file", f"{_OPEN}.pre.is-file", _UNFIT),
    Case(
        "not a file, by a builder",
        f"{_OPEN}.pre.is-file",
        (*_UNFIT, returns(_CHECK_TIME, None, effect=_forget, level="MAY")),
    ),
    Case("file", f"{_OPEN}.post", (_OPENED,)),
    Case("file, by a builder", f"{_OPEN}.post", (_BUILT,)),
    Case(
        "file, by a builder without options",
        f"{_OPEN}.post",
        (
            replace(_BUILT, also=(_CHAIN, _NO_OPTIONS)),
            raises(_NO_OPTIONS, "IllegalArgumentException", level="SHOULD", deviates=True),
        ),
    ),
    Case(
        "a file that is being written",
        f"{_OPEN}.post",
        (
            _OPENED,
            raises(writer_clauses.INVISIBLE, "FileNotFoundException", (CREATE_VISIBILITY_DELAYED, True), level="MAY"),
            returns(_CHECK_TIME, None, (CREATE_VISIBILITY_DELAYED, True), effect=_begin, level="MAY"),
        ),
    ),
    Case("a path of which nothing is known", clause.CHANGED, _ANYTHING),
)
_NOT, _NOT_BUILT, _FILE, _BY_BUILDER, _WITHOUT_OPTIONS, _GROWING, _UNKNOWN = (
    1 << COMMON_BITS + bit for bit in range(len(_OPENING))
)


def _classify_open(root: State, op: OpenReader) -> int:
    if root.readers.get(op.stream) is not None:
        return _UNKNOWN
    node = locate(root, op.path)
    if streams.is_met(root, (op.path,)):
        found = streams.views(root, op.path)
        if found is None:
            return _UNKNOWN
        if found[0].kind == "file":
            return _GROWING
    if type(node) is File:
        return bits(op.path, node) | (_WITHOUT_OPTIONS if op.via == "builder" else _BY_BUILDER if op.via else _FILE)
    return bits(op.path, node) | (_NOT_BUILT if op.via else _NOT)


OPEN_READER = Meaning(OpenReader, (*COMMON_CASES, *_OPENING), _classify_open, derived=True)

# --- reading on


def _goes_on(root: State, op: ReadOn, seeks: bool = True) -> State:
    start = start_of(root, op)
    assert start is not None
    left = after(start, op.script, seeks)
    return open_readers.changed(root, op.stream, pos=left.pos, closed=left.closed)


def _goes_on_unmoved(root: State, op: ReadOn) -> State:
    return _goes_on(root, op, seeks=False)


def _strays(root: State, op: ReadOn) -> State:
    one = root.readers[op.stream]
    left = after(Start((), None, one.closed), op.script)
    met = open_readers.sources(root, one)
    return open_readers.changed(root, op.stream, pos=None, closed=left.closed, strayed=True, versions=met)


def _wrong(root: State, op: ReadOn, value: object, runtime: bool) -> Difference | None:
    one, answers = root.readers[op.stream], answers_of(op, value)
    if answers is None:
        return Difference(clause.LENGTH, "MUST", "no answers")
    try:
        LooseWalk(open_readers.sources(root, one), Start((), one.pos, one.closed), runtime).run(op.script, answers)
    except Departs as wrong:
        return wrong.difference
    return None


def _loosely(runtime: bool) -> Check:
    return lambda root, op, value: _wrong(root, op, value, runtime) is None


def _strayed(name: str, broken: str, level: Level, expected: str) -> Case:
    return Case(
        name,
        broken,
        (
            gives(broken, expected, _loosely(False), level=level, effect=_strays),
            gives(RUNTIME_CLAUSE, expected, _loosely(True), level="SHOULD NOT", deviates=True, effect=_strays),
        ),
    )


_GONE = _strayed("a file that is gone since", clause.DELETED, "MAY", "the old bytes, or an IOException")
_CHANGED = _strayed("a file that was changed since", clause.CHANGED, "UNDEFINED", "old bytes or new, or an IOException")
_WRITTEN = _strayed(
    "a file that is written meanwhile", clause.EARLIER_READER, "MAY", "old bytes or new, or an IOException"
)
_LOST = Case(
    "a stream that nothing is known of",
    clause.CHANGED,
    (returns(clause.CHANGED, ANY, level="UNDEFINED"), raises(clause.CHANGED, "Throwable", level="UNDEFINED")),
)
_SAME = tuple(
    replace(
        case,
        branches=tuple(
            replace(branch, effect=_goes_on_unmoved if branch.clause == clause.SEEK_SUPPORTED else _goes_on)
            for branch in case.branches
        ),
    )
    for case in (*(case for _, case in CASES), SEVERAL)
)
_AFTER = ("gone", "changed", "written", "unknown")


def _classify(root: State, op: ReadOn) -> int:
    one, start = root.readers.get(op.stream), start_of(root, op)
    if start is not None:
        return 1 << COMMON_BITS + number_of_case(op, start)
    standing = "unknown" if one is None else open_readers.standing(root, one)
    return 1 << COMMON_BITS + len(_SAME) + _AFTER.index(standing)


def _differs(root: State, op: ReadOn, value: Any) -> Difference | None:
    one = root.readers.get(op.stream)
    if one is None or open_readers.standing(root, one) == "unknown":
        return None
    return differs(root, op, value) if start_of(root, op) is not None else _wrong(root, op, value, False)


READ_ON = Meaning(ReadOn, (*COMMON_CASES, *_SAME, _GONE, _CHANGED, _WRITTEN, _LOST), _classify, _differs, derived=True)

MEANINGS: tuple[Meaning, ...] = (OPEN_READER, READ_ON)
