"""What a stream says it can, and setDropBehind, which a capability stands for.

Source: outputstream.md, "Interface StreamCapabilities" and "interface CanSetDropBehind".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from fsconform.model.core.drawing import Draft
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.outcomes import Facts
from fsconform.model.filesystem.branches import Branch, Case, Cases, Difference, gives, meaning, returns
from fsconform.model.filesystem.options.writers import SUPPORTS_HFLUSH, SUPPORTS_HSYNC
from fsconform.model.filesystem.output import clauses as clause
from fsconform.model.filesystem.output.open_writer import drawn_on_stream
from fsconform.model.filesystem.output.stream_states import ASTRAY, answer, anything, is_raised, phase, told
from fsconform.model.filesystem.state import State
from fsconform.model.filesystem.stream_answers import words_of
from fsconform.model.filesystem.validity import COMMON_CASES

if TYPE_CHECKING:
    from random import Random

ABORTABLE = "fs.capability.outputstream.abortable"
UNKNOWN_CAPABILITY = "fsconform.unknown"
CAPABILITIES = (
    "hflush",
    "hsync",
    "dropbehind",
    ABORTABLE,
    "in:readahead",
    "in:unbuffer",
    "in:readbytebuffer",
    "in:preadbytebuffer",
    UNKNOWN_CAPABILITY,
)
"""The names that hasCapability is asked for: those of ``in:`` are of input streams, the last is of no stream."""


@operation
@dataclass(frozen=True, slots=True)
class WriterCapability(Operation):
    """``hasCapability(capability)`` of an output stream."""

    NAME: ClassVar[str] = "hasCapability of a stream"
    stream: str
    capability: str


@operation
@dataclass(frozen=True, slots=True)
class SetDropBehind(Operation):
    """``setDropBehind(value)`` of an output stream, ``value`` being true, false or null.

    Returns facts ``drop behind``: ``answer`` (done, or raised with the class) and ``capability`` (what hasCapability
    told of it before).
    """

    NAME: ClassVar[str] = "setDropBehind"
    WORDS: ClassVar[Mapping[str, tuple[str, ...]]] = {"value": ("true", "false", "null")}
    stream: str
    value: str


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


_OF_SYNCS = {"hflush": _capable(SUPPORTS_HFLUSH), "hsync": _capable(SUPPORTS_HSYNC)}
_BRANCHES = {**_OF_SYNCS, "a capability": _EITHER, "a capability of no output stream": _NEVER}
_ASKED = Cases(*COMMON_CASES)
_OPEN = {name: _ASKED.case(name, own[0].clause, own) for name, own in _BRANCHES.items()}
_CLOSED = {name: _ASKED.add(_closed_claim(name, own)) for name, own in _BRANCHES.items()}
_UNKNOWN = _ASKED.add(ASTRAY)
_APPENDING = {
    name: _ASKED.case(f"{name} of a stream that appends", own[0].clause, own) for name, own in _OF_SYNCS.items()
}
_UNCHECKED = _ASKED.case(
    "a sync of a stream without checksums", clause.UNCHECKED_SYNC, (returns(clause.UNCHECKED_SYNC, True),)
)
_UNCHECKED_CLOSED = _ASKED.case(
    "a sync of a closed stream without checksums",
    clause.CAPABILITY_CLOSED,
    (_FALSE_ONCE_CLOSED, returns(clause.CAPABILITY_CLOSED, True)),
)


@meaning(WriterCapability, _ASKED, derived=True)
def _classify_capability(root: State, op: WriterCapability) -> int:
    met = phase(root, op.stream)
    if met == 3:
        return _UNKNOWN
    name = op.capability
    if name in _OF_SYNCS:
        one = root.writers[op.stream]
        if one.unchecked:
            return _UNCHECKED_CLOSED if met else _UNCHECKED
        if one.appends and not met:
            return _APPENDING[name]
    else:
        name = "a capability" if name in ("dropbehind", ABORTABLE) else "a capability of no output stream"
    return (_CLOSED if met else _OPEN)[name]


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

_SET = Cases(*COMMON_CASES)
_BY_PHASE = (
    _SET.case("an open stream", clause.DROP_UNSUPPORTED, (_KNOWN,)),
    _SET.add(anything("a closed stream")),
    _SET.add(anything("an aborted stream")),
    _SET.add(ASTRAY),
)


@meaning(SetDropBehind, _SET, differs=_drop_differs, derived=True)
def _classify_drop(root: State, op: SetDropBehind) -> int:
    return _BY_PHASE[phase(root, op.stream)]


@drawn_on_stream(WriterCapability)
def _draw_capability(_draft: Draft, dice: Random, name: str) -> WriterCapability:
    return WriterCapability(name, dice.choice(CAPABILITIES))


@drawn_on_stream(SetDropBehind)
def _draw_drop(_draft: Draft, dice: Random, name: str) -> SetDropBehind:
    return SetDropBehind(name, dice.choice(SetDropBehind.WORDS["value"]))
