"""The board on which the sessions of a concurrent program meet: a small file that processes and threads all map.

Each seat has a counter that its owner alone writes and that only grows, so nothing is locked, and a session that died
holds up nobody for longer than one round: whoever takes its seat counts on from a later one.
"""

from __future__ import annotations

import mmap
import os
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import NoReturn

from fsconform.adapters import temporary
from fsconform.adapters.patience import patient
from fsconform.adapters.together import wait_until
from fsconform.engine.protocol import Meeting
from fsconform.model.filesystem.programs import Event

MOST_SEATS = 64
_WHERE_BYTES = 1 << 16
"""The longest name of a directory that the leader may tell."""
_NUMBER = struct.Struct("<q")
_START_ROUND, _START_AT, _WHERE_LENGTH, _SEATS_FROM = 0, 8, 16, 64
_WHERE_FROM = _SEATS_FROM + 8 * MOST_SEATS
_SIZE = _WHERE_FROM + _WHERE_BYTES

_HERE, _DONE = 1, 2
_PER_ROUND = 3
"""A counter is this many times the round, and one more for a seat that is taken, two more for one that is done."""

LEAD_NANOSECONDS = 400_000
"""From the moment at which all are there to the common start: by then each has looked at the board again."""

GATHERING_SECONDS, ENDING_SECONDS = 30.0, 120.0
LEADING_SECONDS = 3600.0
"""How long the others are waited for before a start, and until all are done, on an idle machine.

Only where one does not answer does it take that long. A call that hangs is given up before, and its worker replaced.
"""

_NAP_SECONDS = 0.00005
_BEAT_NANOSECONDS = 500_000_000

Beat = Callable[[], None]

Hear = Callable[[int, Event | None], None]
"""Hears the number of each step as it begins, with None, and as it has ended, with what came of it."""

_mortal: list[Hear] = []
"""Who hears the steps of this process, if it is one that can be killed in the middle of a program."""


def be_mortal(hear: Hear) -> None:
    """Let ``hear`` know of each step of programs in which this process is to be killed; from now on it may be."""
    _mortal[:] = [hear]


def wait_for_the_end() -> NoReturn:
    """Do nothing more: what is open stays open, until this process is killed."""
    while True:
        time.sleep(_BEAT_NANOSECONDS / 1e9)


class NotMet(Exception):
    """The others did not come, or went on without this session. The text says which."""


@contextmanager
def board(place: str | None = None) -> Iterator[str]:
    """The path of a new board, removed afterwards; ``place`` is the folder in which it is made."""
    folder = temporary.folder("meeting", place)
    path = folder / "board"
    path.write_bytes(_new())
    try:
        yield str(path)
    finally:
        _opened.cache_clear()
        with suppress(OSError):
            path.unlink()
            folder.rmdir()


def _new() -> bytes:
    """A board before the first round: no seat is taken, and nothing has started."""
    memory = bytearray(_SIZE)
    for place in (_START_ROUND, *range(_SEATS_FROM, _WHERE_FROM, 8)):
        _NUMBER.pack_into(memory, place, -1)
    return bytes(memory)


@lru_cache(maxsize=4)
def _opened(path: str) -> mmap.mmap:
    """A board, mapped once a process. Raises OSError."""
    descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
    try:
        return mmap.mmap(descriptor, _SIZE)
    finally:
        os.close(descriptor)


class Round:
    """One session's part in one round. Methods are called in the order in which they stand here."""

    def __init__(self, meeting: Meeting, beat: Beat = lambda: None) -> None:
        """``beat`` is called twice a second while the others are waited for. Raises OSError where there is no board."""
        self._meeting, self._memory, self._beat = meeting, _opened(meeting.board), beat
        self._base = _PER_ROUND * meeting.round

    @property
    def leads(self) -> bool:
        """Whether this session makes the directory."""
        return self._meeting.seat == 0

    @property
    def is_killed(self) -> bool:
        """Whether this session's process is to be killed at its last step, and waits for that there."""
        return self._meeting.kill is not None

    @property
    def is_disturbed(self) -> bool:
        """Whether a fault is injected meanwhile: an error that asks to try again ends no more than its call."""
        return self._meeting.disturbed

    @property
    def is_unsteady(self) -> bool:
        """Whether an error that asks to try again is what came of a call."""
        return self._meeting.unsteady

    @property
    def first(self) -> int:
        """The step before which all gather, and which each begins at its moment, by :meth:`start`."""
        return self._meeting.first

    @property
    def last(self) -> int:
        """The step before which the leader waits until all are done."""
        return self._meeting.last

    def gather(self, index: int, where: str) -> None:
        """Before a step: the leader gathers all in a directory, and each says when it is done. Raises NotMet."""
        if index == self.first and self.leads:
            self.announce(where)
            self.begin()
        if index == self.last:
            self.end()

    def before(self, index: int, where: str) -> None:
        """As :meth:`gather`, and then up to this session's moment if the step is the first of all. Raises NotMet."""
        self.gather(index, where)
        if index == self.first < self.last:
            self.start()
        self._tell(index, None)

    def ended(self, index: int, event: Event) -> None:
        """After a step. Does not return from the last one of a process that is killed there."""
        self._tell(index, event)
        if self.is_killed and _mortal and index == self.last - 1:
            wait_for_the_end()

    def _tell(self, index: int, event: Event | None) -> None:
        if self.is_killed:
            for hear in _mortal:
                hear(index, event)

    def announce(self, where: str) -> None:
        """The leader tells in which directory all play. Raises ValueError for a name that is too long."""
        told = where.encode("utf-8", "surrogatepass")
        if len(told) > _WHERE_BYTES:
            raise ValueError(f"the directory's name has {len(told)} bytes; {_WHERE_BYTES} is the limit")
        self._memory[_WHERE_FROM : _WHERE_FROM + len(told)] = told
        self._put(_WHERE_LENGTH, len(told))

    def gone(self) -> None:
        """This session was lost, or its process killed: the others need not wait for it."""
        self._put(_seat(self._meeting.seat), self._base + _DONE)

    def await_beginning(self) -> None:
        """Wait until the leader has made the beginning. Raises NotMet."""
        due = self._base + _HERE
        self._await(lambda: self._get(_seat(0)) >= due, "the leading client was not there", GATHERING_SECONDS)

    def await_lanes(self) -> None:
        """Wait until all other seats are done. Raises NotMet."""
        seats = [_seat(number) for number in range(self._meeting.seats) if number != self._meeting.seat]
        due = self._base + _DONE
        why = "the clients did not come to the end of their lanes"
        self._await(lambda: all(self._get(seat) >= due for seat in seats), why, ENDING_SECONDS)

    def begin(self) -> str:
        """Wait for all, and for the leader to set the common start; the directory in which they play. Raises NotMet."""
        meeting = self._meeting
        self._put(_seat(meeting.seat), self._base + _HERE)
        if self.leads:
            self._await_all(_HERE, "the other clients were not there", GATHERING_SECONDS)
            self._put(_START_AT, time.monotonic_ns() + LEAD_NANOSECONDS)
            self._put(_START_ROUND, meeting.round)
        else:
            self._await(self._has_started, "the leading client was not there", GATHERING_SECONDS)
            if self._get(_START_ROUND) > meeting.round:
                raise NotMet("the others went on without this client")
        length = self._get(_WHERE_LENGTH)
        return self._memory[_WHERE_FROM : _WHERE_FROM + length].decode("utf-8", "surrogatepass")

    def gathered(self) -> None:
        """Wait until all others are there: what they do before all begin is done. Raises NotMet."""
        seats = [_seat(number) for number in range(self._meeting.seats) if number != self._meeting.seat]
        due = self._base + _HERE
        self._await(
            lambda: all(self._get(seat) >= due for seat in seats), "the clients were not there", LEADING_SECONDS
        )

    def all_done(self) -> None:
        """Wait until all others are done. Raises NotMet."""
        seats = [_seat(number) for number in range(self._meeting.seats) if number != self._meeting.seat]
        due = self._base + _DONE
        self._await(
            lambda: all(self._get(seat) >= due for seat in seats), "a client did not come to its end", ENDING_SECONDS
        )

    def start(self) -> None:
        """Wait up to this session's moment."""
        if self._meeting.alone:
            # Left to themselves two processes often share a core, and then their calls come one after the other.
            _keep_to(_cores()[self._meeting.seat % len(_cores()) :][:1])
        wait_until(self._get(_START_AT) + self._meeting.delay, self._meeting.alone)

    def end(self) -> None:
        """This session's steps are done; the leader waits for all others. Raises NotMet."""
        if self._meeting.alone:
            _keep_to(_cores())
        self._put(_seat(self._meeting.seat), self._base + _DONE)
        if self.leads:
            self._await_all(_DONE, "another client did not come to its end", ENDING_SECONDS)

    def _has_started(self) -> bool:
        return self._get(_START_ROUND) >= self._meeting.round

    def _await_all(self, phase: int, why: str, seconds: float) -> None:
        due = self._base + phase
        seats = [_seat(number) for number in range(1, self._meeting.seats)]
        self._await(lambda: all(self._get(seat) >= due for seat in seats), why, seconds)

    def _await(self, ready: Callable[[], bool], why: str, seconds: float) -> None:
        began = beaten = time.monotonic_ns()
        until = began + int(patient(seconds) * 1e9)
        while not ready():
            now = time.monotonic_ns()
            if now > until:
                raise NotMet(f"{why} within {(now - began) / 1e9:.0f} s")
            if now - beaten > _BEAT_NANOSECONDS:
                beaten = now
                self._beat()
            # Asleep for a moment, not to take the processor from those that are waited for.
            time.sleep(_NAP_SECONDS)

    def _get(self, place: int) -> int:
        (number,) = _NUMBER.unpack_from(self._memory, place)
        return int(number)

    def _put(self, place: int, number: int) -> None:
        _NUMBER.pack_into(self._memory, place, number)


@lru_cache(maxsize=1)
def _cores() -> tuple[int, ...]:
    """The cores that this process had when it first met others; none is told where the system does not."""
    return tuple(sorted(os.sched_getaffinity(0))) if hasattr(os, "sched_getaffinity") else (0,)


def _keep_to(cores: tuple[int, ...]) -> None:
    """Let this thread run on these cores alone, as far as the system lets it."""
    if hasattr(os, "sched_setaffinity"):
        with suppress(OSError):
            os.sched_setaffinity(0, cores)


def _seat(number: int) -> int:
    return _SEATS_FROM + 8 * number
