"""What the streams of a client leave that was killed: the end of a client as a step of a history.

What was made visible stays readable; of what was written after that each beginning may have been saved. Where new files
stay unseen until they are closed, what was there before the stream is there still. Where a store promises one writer at
a time a file stays open until its lease is recovered, and is settled then; elsewhere it may be settled at once, or not.

Sources: outputstream.md, "Syncable", "Consistency and Visibility"; leaserecoverable.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Final

from fsconform.engine.histories.concurrent import History, Observed
from fsconform.engine.histories.linearizability import Call
from fsconform.model.core import content as contents
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Returned
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.state import Dir, File, State, Writer, locate, put, remove

MOST_LENGTHS = 64
"""Lengths that a file may have of which each is a state of its own; a file with more of them stays open."""

_DIED = "a client was killed"
"""The mark of a state in which a stream that is open has nobody who writes it."""


@dataclass(frozen=True, slots=True)
class Died(Operation):
    """The end of a client: not a call, but a step between those of others."""

    NAME: ClassVar[str] = "a client is killed"
    MUTATES: ClassVar[bool] = True


DIED: Final = Died()


def with_death(history: History) -> tuple[Observed, ...]:
    """The calls, and after them the end of the client that was killed, if one was.

    It comes after all calls of its lane that returned, and before those of others that began afterwards.
    """
    program = history.program
    if program.kill is None:
        return history.calls
    lane = len(program.lanes) - 1
    own = [call for call, place in history.rows if place == lane]
    if not own:
        return history.calls
    ended = 1 + max(call.invoked if call.returned is None else call.returned for call in own)
    later = [call.invoked for call, place in history.rows if place < -1]
    return (*history.calls, Call(-1, DIED, Returned(None), ended, max(ended, min(later, default=ended) - 1)))


def died(state: State, delayed: bool, leased: bool) -> Iterator[State]:
    """Where the end of a client leads; ``delayed`` as the option says.

    ``leased``: a lease keeps open what it left. Who does not promise that may have leases all the same.
    """
    yield state.noting(_DIED, True)
    if leased:
        return
    yield from _settled(state, [name for name, one in state.writers.items() if one.phase == "open"], delayed)


def recovered(state: State, path: Path) -> Iterator[State]:
    """Where the recovery of a lease leads whose holder was killed; nothing if that is not known."""
    names = [name for name, one in state.writers.items() if one.phase == "open" and one.path == path]
    if _DIED in state.marks and names:
        yield from _settled(state, names, delayed=False)


def _settled(state: State, names: list[str], delayed: bool) -> Iterator[State]:
    """All states in which these streams may have left their files."""
    if not names:
        yield state
        return
    for after in _choices(state, names[0], state.writers[names[0]], delayed):
        yield from _settled(after, names[1:], delayed)


def _choices(state: State, name: str, one: Writer, delayed: bool) -> Iterator[State]:
    lengths = range(one.least, one.length + 1)
    if len(lengths) > MOST_LENGTHS or type(locate(state, one.path)) is not File:
        yield state
        return
    without = replace(state, writers=state.writers.delete(name))
    for length in lengths:
        yield put(without, one.path, File(contents.slice_of(one.content, 0, length)))
    if not (delayed and one.is_hidden):
        return
    if one.before is not None:
        yield put(without, one.path, one.before)
        return
    left = remove(without, one.path)
    yield left
    # The parents that it made may be unseen as well.
    for depth in range(len(one.path) - 1, one.depth, -1):
        above = locate(left, one.path[:depth])
        if type(above) is not Dir or above.children:
            break
        left = remove(left, one.path[:depth])
        yield left
