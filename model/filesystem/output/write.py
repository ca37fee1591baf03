"""Streams that write: how they are opened, and write in all forms.

Source: outputstream.md; filesystem.md, create and append, for what opening asks for. What comes to be seen of what was
written is for ``writing`` and ``seen`` to judge.
"""

from __future__ import annotations

from dataclasses import replace

from fsconform.model.core import content as contents
from fsconform.model.filesystem.branches import ANY, Case, Meaning, lost, raises, returns
from fsconform.model.filesystem.namespace.append import APPEND, extend
from fsconform.model.filesystem.namespace.create import CREATE, rewrite, write
from fsconform.model.filesystem.operations import Append, Create
from fsconform.model.filesystem.operations.writers import UNCHECKED, OpenWriter, Write, WriteWrongly
from fsconform.model.filesystem.options.writers import CREATE_VISIBILITY_DELAYED
from fsconform.model.filesystem.output import clauses as clause
from fsconform.model.filesystem.output import writers as streams
from fsconform.model.filesystem.output.stream_states import ASTRAY, PHASES, by_phase, phase
from fsconform.model.filesystem.state import File, State, locate
from fsconform.model.filesystem.validity import COMMON_BITS, COMMON_CASES

_COMMON = (1 << COMMON_BITS) - 1


def _begin(root: State, op: OpenWriter) -> State:
    return streams.begun(root, op.stream, op.path, op.mode, op.via == UNCHECKED)


def _late(root: State, op: OpenWriter) -> State:
    return streams.changed(streams.begun(root, op.stream, op.path, op.mode), op.stream, phase="astray")


def _opening(case: Case) -> Case:
    """A case of create or append, the stream being left open."""
    begins = (write, rewrite, extend)
    return replace(
        case, branches=tuple(replace(one, effect=_begin) if one.effect in begins else one for one in case.branches)
    )


_TAKEN = Case(
    "a name that is taken",
    clause.PATH_CHANGED_WRITES,
    (returns(clause.PATH_CHANGED_WRITES, ANY, effect=lost, level="UNDEFINED"),),
)
_DELAYED = (CREATE_VISIBILITY_DELAYED, True)


def _with_late_check(case: Case) -> Case:
    late = returns(clause.LATE_CHECK, None, _DELAYED, effect=_late, level="MAY")
    return replace(case, branches=(*case.branches, late)) if case.name == "file, not to be overwritten" else case


_CREATING = tuple(_with_late_check(_opening(case)) for case in CREATE.cases[COMMON_BITS:])
_APPENDING = tuple(map(_opening, APPEND.cases[COMMON_BITS:]))
_LEASED = tuple(
    Case(
        f"{case.name}, once its stream is closed",
        clause.LEASE,
        tuple(
            replace(one, clause=clause.LEASE, level="MUST") if one.effect is _begin else one for one in case.branches
        ),
    )
    for case in (*_CREATING, *_APPENDING)
)


def _classify_open(root: State, op: OpenWriter) -> int:
    if root.writers.get(op.stream) is not None:
        return 1 << COMMON_BITS + len(_CREATING) + len(_APPENDING) + len(_LEASED)
    if op.mode == "append":
        met, shift = APPEND.classify(root, Append(op.path, contents.EMPTY)), len(_CREATING)
    else:
        met, shift = CREATE.classify(root, Create(op.path, contents.EMPTY, op.mode == "overwrite")), 0
    before = any(one.path == op.path and one.phase == "closed" for one in root.writers.values())
    if before and type(locate(root, op.path)) is File:
        shift += len(_CREATING) + len(_APPENDING)
    return met & _COMMON | met >> COMMON_BITS << COMMON_BITS + shift


OPEN_WRITER = Meaning(
    OpenWriter,
    (*COMMON_CASES, *_CREATING, *_APPENDING, *_LEASED, _TAKEN),
    _classify_open,
)


def _extend(root: State, op: Write) -> State:
    return streams.changed(root, op.stream, content=root.writers[op.stream].content + op.content)


def _written(name: str, broken: str) -> Case:
    return Case(name, broken, (returns(broken, None, effect=_extend, also=(clause.WRITE_VISIBLE,)),))


_writes = by_phase(lambda op: op.via == "bytes", lambda op: op.via == "reused", lambda op: True)


def _classify_write(root: State, op: Write) -> int:
    # No bytes, one by one, are no call at all.
    if not op.content and op.via == "bytes" and PHASES[phase(root, op.stream)] != "astray":
        return 1 << COMMON_BITS
    return _writes(root, op)


WRITE = Meaning(
    Write,
    (
        *COMMON_CASES,
        _written("bytes one by one", clause.BYTE),
        _written("an array that is used again", clause.REUSE),
        _written("an array", clause.ARRAY),
        Case("a closed stream", clause.WRITE_OPEN, (raises(clause.WRITE_OPEN, "IOException"),)),
        Case(
            "an aborted stream",
            clause.ABORT_WRITE,
            (raises(clause.ABORT_WRITE, "IOException"), raises(clause.ABORT_WRITE, "RuntimeException")),
        ),
        ASTRAY,
    ),
    _classify_write,
)

_MISUSED = (raises(clause.NOT_NULL, "NullPointerException"), raises(clause.RANGE, "IndexOutOfBoundsException"))

WRITE_WRONGLY = Meaning(
    WriteWrongly,
    (
        *COMMON_CASES,
        Case("null", clause.NOT_NULL, _MISUSED[:1]),
        Case("a range that is none of the array", clause.RANGE, _MISUSED[1:]),
        Case("a closed stream", clause.WRITE_OPEN, (raises(clause.WRITE_OPEN, "IOException"), *_MISUSED)),
        Case(
            "an aborted stream",
            clause.ABORT_WRITE,
            (raises(clause.ABORT_WRITE, "IOException"), raises(clause.ABORT_WRITE, "RuntimeException")),
        ),
        ASTRAY,
    ),
    by_phase(lambda op: op.how == "null", lambda op: True),
)

MEANINGS: tuple[Meaning, ...] = (OPEN_WRITER, WRITE, WRITE_WRONGLY)
