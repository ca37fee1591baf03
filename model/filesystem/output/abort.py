"""abort of a stream. Source: abortable.md."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from fsconform.model.core.drawing import Draft
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.outcomes import Facts
from fsconform.model.filesystem.branches import Branch, Cases, Check, Difference, Effect, gives, keep, meaning
from fsconform.model.filesystem.options.writers import CREATE_VISIBILITY_DELAYED
from fsconform.model.filesystem.output import clauses as clause
from fsconform.model.filesystem.output import writers as streams
from fsconform.model.filesystem.output.open_writer import drawn_on_stream
from fsconform.model.filesystem.output.stream_states import ASTRAY, answer, is_raised, phase, told
from fsconform.model.filesystem.state import State
from fsconform.model.filesystem.stream_answers import words_of
from fsconform.model.filesystem.validity import COMMON_CASES

if TYPE_CHECKING:
    from random import Random

_DELAYED = (CREATE_VISIBILITY_DELAYED, True)


@operation
@dataclass(frozen=True, slots=True)
class AbortWriter(Operation):
    """``abort()``; via threads while another thread writes to the stream.

    Returns facts ``abort``: ``answer`` (done, or raised with the class), ``already`` (alreadyClosed() of the result),
    ``capability`` (what hasCapability told of it before), ``path`` (what hasPathCapability told of the stream's path),
    ``abortable`` (the stream within is Abortable); and ``cleanup`` where the result has an exception of the cleanup.
    """

    NAME: ClassVar[str] = "abort"
    MUTATES: ClassVar[bool] = True
    VIAS: ClassVar[tuple[str, ...]] = ("threads",)
    stream: str
    via: str = ""


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


def _differs(root: State, op: AbortWriter, value: Any) -> Difference | None:
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


_MET = Cases(*COMMON_CASES)
_WRITTEN_TO = _MET.case(
    "while another thread writes", clause.ABORT_THREADS, _abort_branches(_lose, clause.ABORT_THREADS)
)
_OPEN = _MET.case("an open stream", clause.ABORT_VISIBLE, _abort_branches(keep, clause.ABORT_VISIBLE))
_ENDED = (
    _MET.case(
        "a closed stream",
        clause.ABORT_CLOSED,
        (
            replace(_NO_ABORT_AGAIN, when=(_DELAYED,)),
            gives(clause.ABORT_SUPPORTED, "raise UnsupportedOperationException", _no_abort),
        ),
    ),
    _MET.case("an aborted stream", clause.ABORT_CLOSED, (_NO_ABORT_AGAIN,)),
    _MET.add(ASTRAY),
)


@meaning(AbortWriter, _MET, differs=_differs)
def _classify(root: State, op: AbortWriter) -> int:
    if met := phase(root, op.stream):
        return _ENDED[met - 1]
    return _WRITTEN_TO if op.via == "threads" else _OPEN


@drawn_on_stream(AbortWriter)
def _draw(_draft: Draft, dice: Random, name: str) -> AbortWriter:
    return AbortWriter(name, dice.choice(("", "", "threads")))
