"""abort of a stream, and what a stream says it can.

Source: abortable.md; outputstream.md, "Interface StreamCapabilities" and "interface CanSetDropBehind".
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fsconform.model.core.outcomes import Facts
from fsconform.model.filesystem.branches import (
    Branch,
    Case,
    Check,
    Difference,
    Effect,
    Meaning,
    gives,
    keep,
    returns,
)
from fsconform.model.filesystem.input.rules import words_of
from fsconform.model.filesystem.operations.writers import ABORTABLE, AbortWriter, SetDropBehind, WriterCapability
from fsconform.model.filesystem.options.writers import CREATE_VISIBILITY_DELAYED, SUPPORTS_HFLUSH, SUPPORTS_HSYNC
from fsconform.model.filesystem.output import clauses as clause
from fsconform.model.filesystem.output import writers as streams
from fsconform.model.filesystem.output.stream_states import ASTRAY, answer, anything, by_phase, is_raised, phase, told
from fsconform.model.filesystem.state import State
from fsconform.model.filesystem.validity import COMMON_BITS, COMMON_CASES

_DELAYED = (CREATE_VISIBILITY_DELAYED, True)


def _undo(root: State, op: AbortWriter) -> State:
    return streams.undone(root, op.stream)


def _lose(root: State, op: AbortWriter) -> State:
    return streams.changed(root, op.stream, phase="astray")


def _no_abort(_root: State, _op: Any, value: Any) -> bool:
    refused = is_raised(value, "UnsupportedOperationException")
    return refused and not told(value, "capability") and not told(value, "path")


def _was_shown(root: State, op: AbortWriter) -> bool:
    """True if what was written has been made visible."""
    one = root.writers[op.stream]
    return one.phase == "open" and one.shown


def _aborts(already: bool) -> Check:
    def check(root: State, op: AbortWriter, value: Any) -> bool:
        says = told(value, "capability") and told(value, "abortable") and not _was_shown(root, op)
        return answer(value) == "done" and told(value, "already") is already and (says or already)

    return check


def _abort_differs(root: State, op: AbortWriter, value: Any) -> Difference | None:
    met = phase(root, op.stream)
    if met == 3 or not isinstance(value, Facts):
        return None
    if is_raised(value, "UnsupportedOperationException"):
        if told(value, "capability"):
            return Difference(clause.ABORT_INCAPABLE, "MUST", "a capability that is not there")
        return (
            Difference(clause.ABORT_PATH, "MUST", "a path capability that is not there")
            if told(value, "path")
            else None
        )
    if answer(value) != "done":
        broken = clause.ABORT_CLOSED if met else clause.ABORT_SUPPORTED
        return Difference(broken, "MUST", f"{words_of(answer(value))}")
    if told(value, "already") is not (met != 0):
        return Difference(clause.ALREADY_CLOSED, "MUST", "another word on whether it was closed already")
    if _was_shown(root, op):
        return Difference(clause.ABORT_VISIBLE, "MUST", "aborted, though its data was visible")
    if not told(value, "capability"):
        return Difference(clause.ABORT_CAPABLE, "MUST", "no capability, where it aborts")
    if not told(value, "abortable"):
        return Difference(clause.ABORT_INTERFACES, "MUST", "no stream that is Abortable, where it aborts")
    return None


def _abort_branches(refused: Effect, broken: str) -> tuple[Branch, ...]:
    also = (clause.ABORT_CAPABLE, clause.ABORT_INTERFACES, clause.ALREADY_CLOSED, clause.ABORT_UNCHANGED)
    return (
        gives(broken, "abort", _aborts(False), _DELAYED, effect=_undo, also=also),
        gives(
            clause.ABORT_SUPPORTED,
            "raise UnsupportedOperationException",
            _no_abort,
            effect=refused,
            also=(clause.ABORT_INCAPABLE, clause.ABORT_PATH),
        ),
    )


_NO_ABORT_AGAIN = gives(clause.ABORT_CLOSED, "do nothing", _aborts(True), also=(clause.ALREADY_CLOSED,))


ABORT_WRITER = Meaning(
    AbortWriter,
    (
        *COMMON_CASES,
        Case("while another thread writes", clause.ABORT_THREADS, _abort_branches(_lose, clause.ABORT_THREADS)),
        Case("an open stream", clause.ABORT_VISIBLE, _abort_branches(keep, clause.ABORT_VISIBLE)),
        Case(
            "a closed stream",
            clause.ABORT_CLOSED,
            (
                replace(_NO_ABORT_AGAIN, when=(_DELAYED,)),
                gives(clause.ABORT_SUPPORTED, "raise UnsupportedOperationException", _no_abort),
            ),
        ),
        Case("an aborted stream", clause.ABORT_CLOSED, (_NO_ABORT_AGAIN,)),
        ASTRAY,
    ),
    by_phase(lambda op: op.via == "threads", lambda op: True),
    _abort_differs,
)

# --- what a stream says it can

_CLAIMED = {"hflush": SUPPORTS_HFLUSH, "hsync": SUPPORTS_HSYNC}
_CLAIMS = (*_CLAIMED, "claim", "")


def _claim(op: WriterCapability) -> int:
    if op.capability in _CLAIMED:
        return _CLAIMS.index(op.capability)
    return 2 if op.capability in ("dropbehind", ABORTABLE) else 3


def _classify_capability(root: State, op: WriterCapability) -> int:
    met = phase(root, op.stream)
    if met == 3:
        return 1 << COMMON_BITS + 8
    if op.capability in _CLAIMED and root.writers[op.stream].unchecked:
        return 1 << COMMON_BITS + (12 if met else 11)
    if not met and op.capability in _CLAIMED and root.writers[op.stream].appends:
        return 1 << COMMON_BITS + 9 + _claim(op)
    return 1 << COMMON_BITS + _claim(op) + (4 if met else 0)


def _capable(option: str) -> tuple[Branch, ...]:
    broken = clause.IMPLEMENTED
    return (
        returns(broken, True, (option, True), level="SHOULD", also=(clause.SYNC_ONLY_IF_KEPT,)),
        returns(broken, False, (option, False), level="SHOULD"),
    )


_EITHER = (
    returns(clause.SUPPORTED_ONLY, True, level="MUST NOT"),
    returns(clause.SUPPORTED_ONLY, False, level="MUST NOT"),
)
_NEVER = (returns(clause.SUPPORTED_ONLY, False, level="MUST NOT"),)
_FALSE_ONCE_CLOSED = returns(clause.CAPABILITY_CLOSED, False)


def _closed_claim(name: str, branches: tuple[Branch, ...]) -> Case:
    once = tuple(replace(one, clause=clause.CAPABILITY_CLOSED, level="MUST") for one in branches if one.value is True)
    return Case(f"{name} of a closed stream", clause.CAPABILITY_CLOSED, (_FALSE_ONCE_CLOSED, *once))


_CLAIM_CASES = (
    ("hflush", _capable(SUPPORTS_HFLUSH)),
    ("hsync", _capable(SUPPORTS_HSYNC)),
    ("a capability", _EITHER),
    ("a capability of no output stream", _NEVER),
)

CAPABILITY = Meaning(
    WriterCapability,
    (
        *COMMON_CASES,
        *(Case(name, branches[0].clause, branches) for name, branches in _CLAIM_CASES),
        *(_closed_claim(name, branches) for name, branches in _CLAIM_CASES),
        ASTRAY,
        *(Case(f"{name} of a stream that appends", own[0].clause, own) for name, own in _CLAIM_CASES[:2]),
        Case("a sync of a stream without checksums", clause.UNCHECKED_SYNC, (returns(clause.UNCHECKED_SYNC, True),)),
        Case(
            "a sync of a closed stream without checksums",
            clause.CAPABILITY_CLOSED,
            (_FALSE_ONCE_CLOSED, returns(clause.CAPABILITY_CLOSED, True)),
        ),
    ),
    _classify_capability,
    derived=True,
)


def _drops(_root: State, _op: Any, value: Any) -> bool:
    if is_raised(value, "UnsupportedOperationException"):
        return not told(value, "capability")
    return told(value, "capability") and (answer(value) == "done" or is_raised(value, "IOException"))


def _drop_differs(root: State, op: SetDropBehind, value: Any) -> Difference | None:
    if phase(root, op.stream) or not isinstance(value, Facts):
        return None
    if is_raised(value, "UnsupportedOperationException"):
        return Difference(clause.SUPPORTED_ONLY, "MUST NOT", "a capability that is not there")
    if answer(value) == "done" or is_raised(value, "IOException"):
        return Difference(clause.DROP_CAPABILITY, "MUST", "no capability, where it is supported")
    return Difference(clause.DROP_UNSUPPORTED, "MUST", words_of(answer(value)))


_KNOWN = gives(clause.DROP_UNSUPPORTED, "do as the capability says", _drops, also=(clause.DROP_CAPABILITY,))

DROP_BEHIND = Meaning(
    SetDropBehind,
    (
        *COMMON_CASES,
        Case("an open stream", clause.DROP_UNSUPPORTED, (_KNOWN,)),
        anything("a closed stream"),
        anything("an aborted stream"),
        ASTRAY,
    ),
    by_phase(lambda op: True),
    _drop_differs,
    derived=True,
)

MEANINGS: tuple[Meaning, ...] = (ABORT_WRITER, CAPABILITY, DROP_BEHIND)
