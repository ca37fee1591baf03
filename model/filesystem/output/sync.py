"""flush, hflush and hsync of a stream. Source: outputstream.md, "flush()", "Syncable"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from fsconform.model.core.drawing import Draft
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.outcomes import Facts
from fsconform.model.filesystem.branches import Branch, Cases, Difference, gives, meaning
from fsconform.model.filesystem.options.writers import SUPPORTS_HFLUSH, SUPPORTS_HSYNC
from fsconform.model.filesystem.output import clauses as clause
from fsconform.model.filesystem.output import writers as streams
from fsconform.model.filesystem.output.open_writer import drawn_on_stream
from fsconform.model.filesystem.output.stream_states import ASTRAY, answer, done, fails, is_raised, phase, told
from fsconform.model.filesystem.state import State
from fsconform.model.filesystem.stream_answers import words_of
from fsconform.model.filesystem.validity import COMMON_CASES

if TYPE_CHECKING:
    from random import Random

SYNCS = ("flush", "hflush", "hsync")


@operation
@dataclass(frozen=True, slots=True)
class Sync(Operation):
    """``flush()``, ``hflush()`` or ``hsync()``, as ``call`` says.

    Returns facts ``sync``: ``answer`` (done, or raised with the class, see :mod:`stream_scripts`), ``capability`` (what
    hasCapability told of the call before), ``syncable`` (the stream within is Syncable).
    """

    NAME: ClassVar[str] = "sync"
    MUTATES: ClassVar[bool] = True
    WORDS: ClassVar[Mapping[str, tuple[str, ...]]] = {"call": SYNCS}
    stream: str
    call: str


def _flushed(root: State, op: Sync) -> State:
    length = root.writers[op.stream].length
    if op.call == "hsync":
        return streams.changed(root, op.stream, least=length, synced=length, shown=True)
    return streams.changed(root, op.stream, least=length, shown=True)


def _kept_promise(_root: State, _op: Any, value: Any) -> bool:
    return answer(value) == "done" and told(value, "capability")


def _refused(_root: State, _op: Any, value: Any) -> bool:
    return is_raised(value, "UnsupportedOperationException") and not told(value, "capability")


def _made_a_flush(_root: State, _op: Any, value: Any) -> bool:
    return answer(value) == "done" and not told(value, "capability") and not told(value, "syncable")


def _synced(option: str, broken: str, first: Branch) -> tuple[Branch, ...]:
    """The branches of hflush or hsync: ``first`` where it is supported."""
    without = (option, False)
    return (
        replace(first, when=(*first.when, (option, True))),
        gives(clause.UNSUPPORTED, "raise UnsupportedOperationException", _refused, without),
        gives(
            clause.ALWAYS, "raise UnsupportedOperationException", _made_a_flush, without, level="SHOULD", deviates=True
        ),
    )


_SAVES = gives(clause.SYNC_VISIBLE, "save all that was written", _kept_promise, effect=_flushed)
_SAVES_UNCHECKED = gives(
    clause.UNCHECKED_SYNC, "save all that was written", _kept_promise, effect=_flushed, also=(clause.SYNC_VISIBLE,)
)
_CLOSED_SYNC = gives(clause.SYNC_OPEN, "raise IOException", fails("IOException"))


def _differs(root: State, op: Sync, value: Any) -> Difference | None:
    if op.call == "flush" or phase(root, op.stream) > 2 or not isinstance(value, Facts):
        return None
    if is_raised(value, "UnsupportedOperationException") and told(value, "capability"):
        return Difference(clause.SYNC_ONLY_IF_KEPT, "MUST NOT", f"{words_of(answer(value))}, declared as a capability")
    if not phase(root, op.stream) and root.writers[op.stream].unchecked:
        words = "no capability, without checksums" if answer(value) == "done" else words_of(answer(value))
        return Difference(clause.UNCHECKED_SYNC, "MUST", words)
    if answer(value) == "done":
        if phase(root, op.stream) and told(value, "capability"):
            return (
                Difference(clause.SYNC_OPEN, "MUST", "no error from a closed stream")
                if told(value, "syncable")
                else None
            )
        if told(value, "syncable") and not told(value, "capability"):
            return Difference(clause.UNSUPPORTED, "MUST", "no error, without the capability")
        return None
    if is_raised(value, "UnsupportedOperationException"):
        return None
    return Difference(
        clause.SYNC_OPEN if phase(root, op.stream) else clause.SYNC_VISIBLE, "MUST", words_of(answer(value))
    )


_MET = Cases(*COMMON_CASES)
_BY_PHASE = {
    "flush": (
        _MET.case("flush", clause.SAVED, (gives(clause.SAVED, "succeed", done, also=(clause.FLUSH_VISIBLE,)),)),
        _MET.case(
            "flush of a closed stream",
            clause.FLUSH_CLOSED,
            (
                gives(clause.FLUSH_CLOSED, "succeed", done, level="SHOULD"),
                gives(
                    clause.FLUSH_CLOSED,
                    "succeed",
                    fails("IOException", "RuntimeException"),
                    level="SHOULD",
                    deviates=True,
                ),
            ),
        ),
        _MET.case("flush of an aborted stream", clause.ABORT_FLUSH, (gives(clause.ABORT_FLUSH, "succeed", done),)),
        _MET.add(ASTRAY),
    )
}
_SYNCABLE = {"hflush": SUPPORTS_HFLUSH, "hsync": SUPPORTS_HSYNC}
for _call, _option in _SYNCABLE.items():
    _OF_ENDED = (*_synced(_option, clause.SYNC_OPEN, _CLOSED_SYNC), _CLOSED_SYNC)
    _BY_PHASE[_call] = (
        _MET.case(_call, clause.SYNC_VISIBLE, _synced(_option, clause.SYNC_VISIBLE, _SAVES)),
        _MET.case(f"{_call} of a closed stream", clause.SYNC_OPEN, _OF_ENDED),
        _MET.case(f"{_call} of an aborted stream", clause.SYNC_OPEN, _OF_ENDED),
        _MET.add(ASTRAY),
    )
_APPENDING = {
    call: _MET.case(
        f"{call} of a stream that appends", clause.SYNC_VISIBLE, _synced(option, clause.SYNC_VISIBLE, _SAVES)
    )
    for call, option in _SYNCABLE.items()
}
_UNCHECKED = {
    call: _MET.case(f"{call} of a stream without checksums", clause.UNCHECKED_SYNC, (_SAVES_UNCHECKED,))
    for call in _SYNCABLE
}


@meaning(Sync, _MET, differs=_differs)
def _classify(root: State, op: Sync) -> int:
    met = phase(root, op.stream)
    if not met and op.call in _SYNCABLE:
        one = root.writers[op.stream]
        if one.unchecked or one.appends:
            return (_UNCHECKED if one.unchecked else _APPENDING)[op.call]
    return _BY_PHASE[op.call][met]


@drawn_on_stream(Sync)
def _draw(_draft: Draft, dice: Random, name: str) -> Sync:
    return Sync(name, dice.choice(SYNCS))
