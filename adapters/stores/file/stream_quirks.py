"""The quirks of LocalFileSystem's streams that are closed.

A stream with checksums holds single bytes back in a buffer of whole chunks, and hands chunks to the buffer of the raw
filesystem's stream; neither asks whether it is closed. What both hold is simulated, as the source has it. A stream
without checksums is one of the raw filesystem.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fsconform.adapters.stores.quirks.checksums import CHUNK
from fsconform.adapters.stores.quirks.local_trees import BUFFER
from fsconform.adapters.stores.quirks.shared import UNTIL
from fsconform.adapters.stores.rawlocal import quirks as rawlocal
from fsconform.model.core import content as contents
from fsconform.model.core.errors import short
from fsconform.model.core.outcomes import Outcome
from fsconform.model.filesystem.branches import Branch, Effect, gives
from fsconform.model.filesystem.output import clauses as writer_clauses
from fsconform.model.filesystem.output.abort import AbortWriter
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.open_writer import UNCHECKED, OpenWriter
from fsconform.model.filesystem.output.stream_states import answer
from fsconform.model.filesystem.output.sync import Sync
from fsconform.model.filesystem.output.write import Write
from fsconform.model.filesystem.programs import Step
from fsconform.model.filesystem.quirks import Quirk
from fsconform.model.filesystem.state import State

SUMMED = 9 * CHUNK
"""Bytes that a stream holds back to write their checksums."""

_NO_ROOM = "java.lang.ArrayIndexOutOfBoundsException"

Held = tuple[int, int]
"""Bytes in the buffer of whole chunks, and in that of the raw filesystem's stream."""


def _held(root: State, stream: str) -> Held:
    found = root.marks.get(f"summed {stream}")
    return (0, 0) if found is None else found


def _with_held(root: State, stream: str, held: Held) -> State:
    return root.noting(f"summed {stream}", None if held == (0, 0) else held)


def _handed_on(held: Held, size: int) -> tuple[Held, str]:
    """The buffers once so many bytes were handed on, chunk by chunk, and the class of the error that ended that."""
    many, below = held
    if size > SUMMED:
        return held, _NO_ROOM
    for start in range(0, size, CHUNK):
        piece = min(CHUNK, size - start)
        if piece > BUFFER - below:
            return (many, below), rawlocal.FS_ERROR
        below += piece
    return (many - size, below), ""


def _of_bytes(held: Held, size: int) -> tuple[Held, str]:
    """The buffers once so many bytes were written one by one, and the class of the error that ended that."""
    many, below = held
    for _ in range(size):
        many += 1  # it is counted even where there is no room for it
        if many > SUMMED:
            return (many, below), _NO_ROOM
        if many == SUMMED:
            (many, below), error = _handed_on((many, below), many)
            if error:
                return (many, below), error
    return (many, below), ""


def _after(root: State, op: Sync | CloseWriter) -> tuple[Held, str]:
    """The buffers after a call that hands on what is held, whole chunks or all of it, and the class of its error."""
    held = _held(root, op.stream)
    return _handed_on(held, held[0] if isinstance(op, CloseWriter) else held[0] // CHUNK * CHUNK)


def _takes_bytes(root: State, op: Write | Sync | CloseWriter) -> Iterator[Branch]:
    one = rawlocal.closed(root, op)
    if one is None:
        return
    if one.unchecked:
        if not isinstance(op, CloseWriter):
            yield from rawlocal.takes_bytes(root, op)
    elif isinstance(op, Write):
        if op.via == "bytes":
            held, error = _of_bytes(_held(root, op.stream), contents.length(op.content))
            words = f"raise {short(error)}" if error else "succeed"
            effect = _keeping(op.stream, held)
            yield Branch(writer_clauses.WRITE_OPEN, "MUST", words, effect, error)
    else:
        held, error = _after(root, op)
        if error:
            yield _refused(op, held, error)


def _keeping(stream: str, held: Held) -> Effect:
    return lambda root, _op: _with_held(root, stream, held)


def _refused(op: Sync | CloseWriter, held: Held, error: str) -> Branch:
    effect, name = _keeping(op.stream, held), short(error)
    if isinstance(op, CloseWriter):
        return Branch(writer_clauses.IDEMPOTENT, "MUST", f"raise {name}", effect, error)

    def is_so(_root: State, _op: Sync, value: Any) -> bool:
        return answer(value).split(" ")[:2] == ["raised", name]

    return gives(writer_clauses.SYNC_OPEN, f"raise {name}", is_so, effect=effect)


def _remembered(before: State, op: Any, outcome: Outcome, after: State) -> State:
    """What is held after calls that hand it on, or where a thread writes beside an abort."""
    one = rawlocal.closed(before, op)
    if one is None:
        return after
    if isinstance(op, AbortWriter):
        return rawlocal.written_beside(before, op, outcome, after) if one.unchecked else after
    return after if one.unchecked else _with_held(after, op.stream, _after(before, op)[0])


_CLOSED = (Step(OpenWriter(("a",), "w", "create")), Step(CloseWriter("w")))

TAKES = Quirk(
    "file/closed-stream-takes-bytes",
    "a byte that is written to a closed stream is taken and lost",
    writer_clauses.WRITE_OPEN,
    "data lost",
    "single bytes go to a buffer that does not ask whether the stream is closed, and fails once it is full",
    "file/takes-a-byte-for-a-closed-stream",
    UNTIL,
    (*_CLOSED, Step(Write("w", contents.of(1, 1), "bytes"))),
    (Write, Sync, CloseWriter),
    _takes_bytes,
    remembers=(AbortWriter, Sync, CloseWriter),
    remember=_remembered,
)


def _flushes(root: State, op: Sync) -> Iterator[Branch]:
    one = rawlocal.closed(root, op)
    if one is not None and one.unchecked:
        yield from rawlocal.flushes_closed(root, op)


FLUSHES = Quirk(
    "file/closed-stream-without-checksums-flushes",
    "hflush of a closed stream without checksums returns",
    writer_clauses.SYNC_OPEN,
    "wrong answer",
    "the stream is one of the raw filesystem, whose hflush asks the operating system nothing",
    "file/makes-a-flush-of-hflush-and-hsync",
    UNTIL,
    (
        Step(OpenWriter(("a",), "w", "create", UNCHECKED)),
        Step(CloseWriter("w")),
        Step(Sync("w", "hflush")),
    ),
    (Sync,),
    _flushes,
)
