"""What the streams of a client leave that was killed: the end of a client as a step of a history.

What was made visible stays readable; of what was written after that each beginning may have been saved. Where new files
stay unseen until they are closed, what was there before the stream is there still. Where a store promises one writer at
a time a file stays open until its lease is recovered; elsewhere it may be settled at once, or not. The streams of other
clients stay as they are.

A lease that is recovered closes the file, be its holder killed or not: the file is settled then.

Sources: outputstream.md, "Syncable", "Consistency and Visibility"; leaserecoverable.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from fsconform.engine.histories.concurrent import History, Observed
from fsconform.engine.histories.linearizability import Call
from fsconform.model.core import content as contents
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Returned
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create, CreateWith
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.state import Dir, File, State, Writer, locate, put, remove

MOST_LENGTHS = 64
"""Lengths that a file may have of which each is a state of its own; of one with more of them none is known."""

UNNAMED = "~"
"""How the names begin of streams that a call opens and closes itself."""


@dataclass(frozen=True, slots=True)
class Died(Operation):
    """The end of a client: not a call, but a step between those of others.

    ``streams`` are those that the client opened; ``within`` has the path of the file that its last call writes, if that
    was cut short: it may have the file open by a stream of its own.
    """

    NAME: ClassVar[str] = "a client is killed"
    MUTATES: ClassVar[bool] = True
    streams: frozenset[str] = frozenset()
    within: frozenset[tuple[str, ...]] = frozenset()

    def left(self, state: State) -> list[str]:
        """The streams that are open in a state and have nobody who writes them."""
        return [
            name
            for name, stream in state.writers.items()
            if stream.phase == "open"
            and (name in self.streams or (name.startswith(UNNAMED) and stream.path in self.within))
        ]


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
    return (*history.calls, Call(-1, end_of(own), Returned(None), ended, max(ended, min(later, default=ended) - 1)))


def end_of(own: Sequence[Observed]) -> Died:
    """The end of the client that made these calls."""
    streams = frozenset(call.operation.stream for call in own if isinstance(call.operation, OpenWriter))
    within = (call.operation for call in own if call.returned is None)
    return Died(streams, frozenset(call.path for call in within if isinstance(call, Create | CreateWith | Append)))


def died(state: State, end: Died, delayed: bool, leased: bool) -> Iterator[State]:
    """Where the end of a client leads; ``delayed`` as the option says.

    ``leased``: a lease keeps open what it left. Who does not promise that may have leases all the same.
    """
    yield state
    left = end.left(state)
    if left and not leased:
        yield from _settled(state, left, delayed)


def recovered(state: State, path: Path) -> Iterator[State]:
    """Where the recovery of a lease leads: the file is closed; nothing if nobody writes it, or no length is known."""
    names = [name for name, one in state.writers.items() if one.phase == "open" and one.path == path]
    if names and all(_is_settled(state, state.writers[name]) for name in names):
        yield from _settled(state, names, delayed=False)


def _settled(state: State, names: list[str], delayed: bool) -> Iterator[State]:
    """All states in which these streams may have left their files."""
    if not names:
        yield state
        return
    for after in _choices(state, names[0], state.writers[names[0]], delayed):
        yield from _settled(after, names[1:], delayed)


def _is_settled(state: State, one: Writer) -> bool:
    """Whether the states are known, one by one, in which a stream may have left its file."""
    return one.length - one.least < MOST_LENGTHS and type(locate(state, one.path)) is File


def _choices(state: State, name: str, one: Writer, delayed: bool) -> Iterator[State]:
    if not _is_settled(state, one):
        yield state
        return
    without = replace(state, writers=state.writers.delete(name))
    for length in range(one.least, one.length + 1):
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
