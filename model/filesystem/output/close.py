"""close of a stream, and the time of modification that it sets. Source: outputstream.md, "close()"."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from fsconform.model.core.drawing import Draft
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.outcomes import Facts
from fsconform.model.filesystem.branches import Case, Cases, Difference, Level, gives, meaning, returns
from fsconform.model.filesystem.output import clauses as clause
from fsconform.model.filesystem.output import writers as streams
from fsconform.model.filesystem.output.open_writer import drawn_on_stream
from fsconform.model.filesystem.output.stream_states import ASTRAY, phase
from fsconform.model.filesystem.state import State
from fsconform.model.filesystem.validity import COMMON_CASES

if TYPE_CHECKING:
    from random import Random

CLOCK_MILLISECONDS = 15 * 60 * 1000
"""By so much the clocks of a client and its store may differ: stores refuse clients with more."""

UNITS = (60_000, 1000)
"""Milliseconds of the units in which stores count times, the largest first."""

MOMENT_MILLISECONDS = 20
"""By so much the clock that a file's time is taken from may lag behind that which is asked for the time."""


@operation
@dataclass(frozen=True, slots=True)
class CloseWriter(Operation):
    """``close()``.

    Via timed it returns facts ``closing``: ``opened``, ``began`` and ``ended``, the clock before the stream was opened,
    before close and after it, and ``modified``, the time of modification in the status then, or -1 where there is none;
    all in milliseconds. Via window it waits a moment before close, and tells as well when a file was made beside that
    one thereafter and deleted again: ``reference_began`` and ``reference_ended`` by the clock here, and
    ``reference_modified`` by the store's, or -1. The two files tell how far the clocks are apart.
    """

    NAME: ClassVar[str] = "close"
    MUTATES: ClassVar[bool] = True
    VIAS: ClassVar[tuple[str, ...]] = ("timed", "window")
    stream: str
    via: str = ""


def _settle(root: State, op: CloseWriter) -> State:
    return streams.settled(root, op.stream)


def _times(value: Any, *names: str) -> list[int]:
    """The facts of these names, in milliseconds; none unless all are known."""
    found = [value.get(name) for name in names] if isinstance(value, Facts) else []
    times = [one for one in found if isinstance(one, int)]
    return times if len(times) == len(names) else []


def _on_time(_root: State, _op: Any, value: Any) -> bool:
    times = _times(value, "opened", "modified", "ended")
    if not times:
        return False
    opened, modified, ended = times
    return opened - CLOCK_MILLISECONDS <= modified <= ended + CLOCK_MILLISECONDS


def _within_close(root: State, op: Any, value: Any) -> bool:
    """Whether the time is one that the store's clock showed during the close, or that can't be told.

    A file that was made later has a time of that clock too: how far the clocks are apart lies within what it took to
    make it. A store whose times are whole seconds or minutes may cut off most of one.
    """
    if not _on_time(root, op, value):
        return False
    times = _times(value, "began", "modified", "ended", "reference_began", "reference_modified", "reference_ended")
    if not times:
        return True
    began, modified, ended, reference_began, reference, reference_ended = times
    blur = next((unit for unit in UNITS if modified % unit == reference % unit == 0), MOMENT_MILLISECONDS)
    return reference < 0 or began - reference_ended - blur <= modified - reference <= ended - reference_began + blur


_DURING = gives(clause.MODIFIED_IN_CLOSE, "set a time during close", _within_close, level="SHOULD", effect=_settle)


def _closed_again(broken: str, name: str, level: Level, *also: str) -> Case:
    again = gives(broken, "succeed", lambda _root, _op, value: isinstance(value, Facts), level=level, also=also)
    return Case(name, broken, (returns(broken, None, level=level, also=also), again))


def _differs(root: State, op: CloseWriter, value: Any) -> Difference | None:
    if phase(root, op.stream) == 0 and isinstance(value, Facts) and not _on_time(root, op, value):
        return Difference(clause.MODIFIED, "MUST", "a time of modification of another day")
    return None


_MET = Cases(*COMMON_CASES)
_TIMED = _MET.case(
    "timed",
    clause.MODIFIED,
    (gives(clause.MODIFIED, "set the time of modification", _on_time, effect=_settle),),
)
_WINDOW = _MET.case(
    "a time during close", clause.MODIFIED_IN_CLOSE, (_DURING, replace(_DURING, check=_on_time, deviates=True))
)
_OPEN = _MET.case("an open stream", clause.METADATA, (returns(clause.METADATA, None, effect=_settle),))
_ENDED = (
    _MET.add(_closed_again(clause.IDEMPOTENT, "a closed stream", "MUST", clause.CLOSED)),
    _MET.add(_closed_again(clause.ABORT_NO_EXCEPTION, "an aborted stream", "MUST NOT")),
    _MET.add(ASTRAY),
)


@meaning(CloseWriter, _MET, differs=_differs)
def _classify(root: State, op: CloseWriter) -> int:
    if met := phase(root, op.stream):
        return _ENDED[met - 1]
    return {"timed": _TIMED, "window": _WINDOW}.get(op.via, _OPEN)


_WAYS = ("", "", "", "", "timed", "window")
"""The ways of close as they are drawn: the last waits a while."""


@drawn_on_stream(CloseWriter)
def _draw(_draft: Draft, dice: Random, name: str) -> CloseWriter:
    return CloseWriter(name, dice.choice(_WAYS))
