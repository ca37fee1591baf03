"""What positioned and vectored reads of a stream may answer.

Source: fsdatainputstream.md, "interface PositionedReadable".
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from fsconform.model.filesystem.input import clauses as clause
from fsconform.model.filesystem.input.rules import Departs, Wanted, expected, is_a, number_of, refusal, words_of
from fsconform.model.filesystem.input.scripts import Action, error_of

if TYPE_CHECKING:
    from fsconform.model.filesystem.input.walk import Walk

_POSITIONED = {
    "pread": (clause.PREAD_POSITION, clause.PREAD_RANGE, clause.PREAD),
    "readFully": (clause.FULLY_POSITION, clause.FULLY_RANGE, clause.FULLY),
    "fill": (clause.FULLY_POSITION, clause.FULLY_RANGE, clause.FULLY),
}


def arguments(action: Action) -> tuple[int, int, int, int]:
    """Where a positioned read begins, how many bytes it wants, where they go, and the buffer's size."""
    start, size, offset, room = action.numbers if action.kind != "fill" else (*action.numbers, 0, action.numbers[1])
    return start, size, offset, room


def missing(walk: Walk, action: Action) -> list[Wanted]:
    """The preconditions of a positioned read that fail, that of support aside."""
    start, size, offset, room = arguments(action)
    at, within, _ = _POSITIONED[action.kind]
    wanted: list[Wanted] = []
    if start < 0:
        wanted.append(Wanted(at, ("IOException", "RuntimeException"), "below 0"))
    if size < 0 or offset < 0:
        wanted.append(Wanted(within, ("Exception",), "with a negative number"))
    elif offset + size > room:
        wanted.append(Wanted(within, ("RuntimeException",), "out of the buffer's range"))
    if action.kind != "pread" and start + size > walk.length:
        wanted.append(Wanted(clause.FULLY_ENOUGH, ("IOException",), "beyond the end"))
    return wanted


def positioned(walk: Walk, action: Action, answer: str) -> None:
    if walk.closed:
        return
    start, size, offset, room = arguments(action)
    post = _POSITIONED[action.kind][-1]
    wanted = missing(walk, action)
    walk.keep(*(one.broken for one in wanted))
    walk.stays()
    if wanted and not (size == 0 and 0 <= offset <= room and answer in ("0", "-1")):
        refusal(wanted, answer, action.kind)
        return
    walk.keep(post)
    if answer.endswith(" spilled"):
        raise Departs(post, f"a buffer that was changed beside the bytes of {action.kind}")
    left = max(walk.length - start, 0)
    if action.kind == "pread" and not left:
        if answer != "-1" and not (size == 0 and answer == "0"):
            raise Departs(post, f"{words_of(answer)} from pread at the end")
        walk.keep(*((clause.PREAD_ZERO,) if size == 0 else ()))
        return
    if not wanted:
        right = expected(walk.content, start, min(size, left))
        given = number_of(answer)
        if given is not None and 0 < given < min(size, left):
            raise Departs(post, f"too few bytes from {action.kind}")
        if error_of(answer) or given != min(size, left) or (right is not None and right != answer):
            words = words_of(answer) if error_of(answer) else "the end" if answer == "-1" else "other bytes"
            raise Departs(post, f"{words} from {action.kind}")


def faults_of(walk: Walk, action: Action) -> tuple[list[Wanted], list[Wanted]]:
    """The preconditions that fail for sure, and those that need not be looked at as a range is empty."""
    sure: list[Wanted] = []
    free: list[Wanted] = []
    given = [one for one in action.ranges if one is not None]
    if len(given) < len(action.ranges):
        sure.append(Wanted(clause.VECTORED_RANGE_NULL, ("IllegalArgumentException",), "with a range that is null"))
    for offset, size in given:
        into = free if size == 0 else sure
        if offset < 0:
            into.append(Wanted(clause.VECTORED_OFFSET, ("EOFException",), "below 0"))
        if size < 0:
            into.append(Wanted(clause.VECTORED_LENGTH, ("IllegalArgumentException",), "of a negative length"))
    ordered = sorted(given)
    for (first, size), (second, other) in pairwise(ordered):
        into = free if size == 0 or other == 0 or walk.rules.overlaps else sure
        if first == second:
            into.append(Wanted(clause.VECTORED_ORDER, ("Exception",), "of two ranges from one place"))
        if second < first + size or first == second:
            into.append(Wanted(clause.VECTORED_OVERLAP, ("IllegalArgumentException",), "of ranges that overlap"))
    return sure, free


def vectored(walk: Walk, action: Action, answer: str) -> None:
    """Hold what readVectored gave against its ranges."""
    walk.pos, walk.blame = None, ""
    if walk.closed:
        return
    if action.name.startswith("null"):
        walk.keep(clause.VECTORED_NULL)
        refusal([Wanted(clause.VECTORED_NULL, ("NullPointerException",), "of null")], answer, "readVectored")
        return
    if not action.ranges:
        return  # no valid list, and no error is named for it
    sure, free = faults_of(walk, action)
    beyond = [one is not None and one[0] >= 0 and one[0] + max(one[1], 1) > walk.length for one in action.ranges]
    late = Wanted(clause.VECTORED_END, ("EOFException",), "beyond the end")
    for past, one in zip(beyond, action.ranges, strict=True):
        if past and one is not None and one[1] >= 0:
            (free if one[1] == 0 or walk.rules.early is not True else sure).append(late)
    walk.keep(*(one.broken for one in (*sure, *free)))
    if sure:
        refusal([*sure, *free], answer, "readVectored")
        return
    if error_of(answer):
        if walk.rules.early is False and not any(one is not late for one in free):
            free = []
        refusal([*free, Wanted(clause.VECTORED_BYTES, (), "of ranges within the file")], answer, "readVectored")
        return
    given = answer.split(", ")
    if len(given) != len(action.ranges):
        raise Departs(clause.VECTORED_FUTURE, "another number of ranges from readVectored")
    walk.keep(clause.VECTORED_FUTURE, clause.VECTORED_BYTES)
    for past, found, one in zip(beyond, given, action.ranges, strict=True):
        assert one is not None
        _ranged(walk, past, found, *one)


def _ranged(walk: Walk, past: bool, found: str, offset: int, size: int) -> None:
    if size == 0:
        walk.keep(clause.VECTORED_ZERO)
    if found == "no future":
        raise Departs(clause.VECTORED_FUTURE, "no future from readVectored")
    error = error_of(found, "later")
    if past and size:
        if not is_a(error, "EOFException"):
            words = f"later {error[0]}" if error else "no error"
            raise Departs(clause.VECTORED_END, f"{words} from readVectored beyond the end")
        return
    if error and not (past or offset < 0):
        raise Departs(clause.VECTORED_BYTES, f"later {error[0]} from readVectored")
    wanted = expected(walk.content, offset, size)
    if not error and (number_of(found) != size or (wanted is not None and found != wanted)):
        raise Departs(clause.VECTORED_BYTES, "other bytes from readVectored")
