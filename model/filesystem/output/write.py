"""write of a stream in all its forms, and with arguments that it must refuse.

Source: outputstream.md, "write(Stream, data)". What comes to be seen of what was written is for ``while_writing`` and
``observe`` to judge.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from fsconform.model.core.content import Content
from fsconform.model.core.drawing import Draft
from fsconform.model.core.operation import Operation, operation
from fsconform.model.filesystem.branches import Case, Cases, meaning, raises, returns
from fsconform.model.filesystem.output import clauses as clause
from fsconform.model.filesystem.output import writers as streams
from fsconform.model.filesystem.output.open_writer import drawn_on_stream
from fsconform.model.filesystem.output.stream_states import ASTRAY, PHASES, phase
from fsconform.model.filesystem.state import State
from fsconform.model.filesystem.validity import COMMON_CASES

if TYPE_CHECKING:
    from random import Random

MISUSES = ("null", "negative offset", "negative length", "beyond the end", "offset beyond the end")
"""Arguments that write must refuse: null; a range of an array of ten bytes that is no range of it."""


@operation
@dataclass(frozen=True, slots=True)
class Write(Operation):
    """``write(content)``; via slice as a part of a larger array, via bytes one by one as ints with higher bits set.

    Via reused the array is filled with other bytes once the call has returned.
    """

    NAME: ClassVar[str] = "write"
    MUTATES: ClassVar[bool] = True
    VIAS: ClassVar[tuple[str, ...]] = ("slice", "bytes", "reused")
    stream: str
    content: Content
    via: str = ""


@operation
@dataclass(frozen=True, slots=True)
class WriteWrongly(Operation):
    """``write`` with arguments that it must refuse, one of ``MISUSES``."""

    NAME: ClassVar[str] = "write wrongly"
    MUTATES: ClassVar[bool] = True
    WORDS: ClassVar[Mapping[str, tuple[str, ...]]] = {"how": MISUSES}
    stream: str
    how: str


def _extend(root: State, op: Write) -> State:
    return streams.changed(root, op.stream, content=root.writers[op.stream].content + op.content)


def _written(name: str, broken: str) -> Case:
    return Case(name, broken, (returns(broken, None, effect=_extend, also=(clause.WRITE_VISIBLE,)),))


_IO = raises(clause.WRITE_OPEN, "IOException")
_ABORTED = Case(
    "an aborted stream",
    clause.ABORT_WRITE,
    (raises(clause.ABORT_WRITE, "IOException"), raises(clause.ABORT_WRITE, "RuntimeException")),
)

_MET = Cases(*COMMON_CASES)
_BYTES = _MET.add(_written("bytes one by one", clause.BYTE))
_REUSED = _MET.add(_written("an array that is used again", clause.REUSE))
_ARRAY = _MET.add(_written("an array", clause.ARRAY))
_ENDED = _MET.case("a closed stream", clause.WRITE_OPEN, (_IO,)), _MET.add(_ABORTED), _MET.add(ASTRAY)


@meaning(Write, _MET)
def _classify(root: State, op: Write) -> int:
    met = phase(root, op.stream)
    # No bytes, one by one, are no call at all.
    nothing = not op.content and op.via == "bytes" and PHASES[met] != "astray"
    if met and not nothing:
        return _ENDED[met - 1]
    return {"bytes": _BYTES, "reused": _REUSED}.get(op.via, _ARRAY)


@drawn_on_stream(Write)
def _draw(draft: Draft, dice: Random, name: str) -> Write:
    via = dice.choice(("", "", "", *Write.VIAS))
    content = draft.content(dice)
    return Write(name, content, "" if via == "bytes" and sum(one.length for one in content) > 600 else via)


_NULL = raises(clause.NOT_NULL, "NullPointerException")
_RANGE = raises(clause.RANGE, "IndexOutOfBoundsException")

_MISUSED = Cases(*COMMON_CASES)
_OF_NULL = _MISUSED.case("null", clause.NOT_NULL, (_NULL,))
_OF_RANGE = _MISUSED.case("a range that is none of the array", clause.RANGE, (_RANGE,))
_MISUSED_ENDED = (
    _MISUSED.case("a closed stream", clause.WRITE_OPEN, (_IO, _NULL, _RANGE)),
    _MISUSED.add(_ABORTED),
    _MISUSED.add(ASTRAY),
)


@meaning(WriteWrongly, _MISUSED)
def _classify_misuse(root: State, op: WriteWrongly) -> int:
    if met := phase(root, op.stream):
        return _MISUSED_ENDED[met - 1]
    return _OF_NULL if op.how == "null" else _OF_RANGE


@drawn_on_stream(WriteWrongly)
def _draw_misuse(_draft: Draft, dice: Random, name: str) -> WriteWrongly:
    return WriteWrongly(name, dice.choice(MISUSES))
