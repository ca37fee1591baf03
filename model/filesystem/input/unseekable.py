"""What a stream that can't seek may answer to seeks, positioned and vectored reads.

Source: fsdatainputstream.md, "Seekable.seek(s)" and "Implementation preconditions" of PositionedReadable: what is not
supported is refused. That is one precondition among others, so where another fails too its error will do as well.
Reads of no bytes may be answered without a look at anything else. A vectored read is the reads of its ranges, so each
range may be refused by its future.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsconform.model.filesystem.input import clauses as clause
from fsconform.model.filesystem.input.positioned import arguments, faults_of, missing, positioned
from fsconform.model.filesystem.input.rules import Departs, Wanted, is_a, words_of
from fsconform.model.filesystem.input.scripts import Action, error_of

if TYPE_CHECKING:
    from fsconform.model.filesystem.input.walk import Walk

_EOF = Wanted(clause.SEEK_RANGE, ("EOFException",), "out of range")
_NULL = Wanted(clause.VECTORED_NULL, ("NullPointerException",), "of null")


def unsupported(walk: Walk, action: Action, answer: str) -> None:
    """Hold the answer to what the stream does not support. Raises Departs."""
    if action.kind in ("seek", "from"):
        walk.pos = None  # a seek that fails may have moved the stream
        to = action.numbers[0]
        _refused(error_of(answer), answer, [_EOF] if to < 0 or to >= max(walk.length, 1) else [])
    elif walk.closed:
        return
    elif action.kind == "vectored":
        walk.pos, walk.blame = None, ""
        _vectored(walk, action, answer)
    elif _is_empty(action) and not error_of(answer):
        positioned(walk, action, answer)
    else:
        start, size, *_ = arguments(action)
        beyond = [_EOF] if start + max(size, 1) > walk.length else []
        _refused(error_of(answer), answer, [*missing(walk, action), *beyond])


def _is_empty(action: Action) -> bool:
    _, size, offset, room = arguments(action)
    return size == 0 and 0 <= offset <= room


def _refused(error: tuple[str, str] | None, answer: str, others: list[Wanted]) -> None:
    """Raise Departs unless it is an error of what is unsupported, or of one of the other preconditions that fail."""
    if any(is_a(error, *one.classes) for one in others):
        return
    if is_a(error, "EOFException") or not is_a(error, "UnsupportedOperationException", "IOException"):
        raise Departs(clause.SEEK_SUPPORTED, f"{words_of(answer)} from what is not supported")


def _vectored(walk: Walk, action: Action, answer: str) -> None:
    error = error_of(answer)
    if action.name.startswith("null"):
        _refused(error, answer, [_NULL])
        return
    if not action.ranges:
        return  # no valid list, and no error is named for it
    sure, free = faults_of(walk, action)
    late = [one is not None and one[0] + max(one[1], 1) > walk.length for one in action.ranges]
    given = answer.split(", ")
    if error or sure or len(given) != len(action.ranges):
        _refused(error, answer, [*sure, *free, *([_EOF] if any(late) else [])])
        return
    for past, one, found in zip(late, action.ranges, given, strict=True):
        if one is not None and one[1] == 0 and found == "0":
            continue
        _refused(error_of(found, "later"), found, [_EOF] if past or (one is not None and one[0] < 0) else [])
