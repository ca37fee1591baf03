"""A process that is to be killed in the middle of a program: what it was heard to do, and when it is killed."""

from __future__ import annotations

import threading
import time
from typing import Protocol

from fsconform.adapters.meeting import Round
from fsconform.engine.protocol import RETURNED, Execution, Job
from fsconform.model.core.outcomes import Unknown
from fsconform.model.filesystem.programs import Event, Trace

KILLED = "the client was killed in this call"
"""Why nobody knows what came of a call."""


class Mortal(Protocol):
    """A process that can be killed."""

    def strike(self) -> None:
        """Send it SIGKILL, and leave it to others to find that it ended."""
        ...


class Victim:
    """One program of one process. Where the program does not have it killed nothing happens."""

    def __init__(self, job: Job, process: Mortal) -> None:
        self._job, self._process = job, process
        self.struck = False
        """Whether it was killed as the program has it."""
        self._events: list[Event] = []
        self._begun: int | None = None

    def hear(self, number: int, at: int, event: Event | None) -> None:
        """A step of the program began at a time of the monotonic clock, in nanoseconds; or ``event`` came of it."""
        meeting = self._job.meeting
        if meeting is None or meeting.kill is None:
            return
        last = number == meeting.last - 1
        if event is not None:
            self._events.append(event)
            self._begun = None
            if last and meeting.kill == RETURNED:
                self._strike()
            return
        self._begun = at
        if last and isinstance(meeting.kill, int):
            timer = threading.Timer(meeting.kill / 1e9, self._strike)
            timer.daemon = True
            timer.start()

    def begin_anew(self) -> None:
        """The store asked to try again: nothing that was heard of the program so far counts."""
        self._events.clear()
        self._begun = None

    def execution(self) -> Execution:
        """What came of the program once the process has ended; the others of the meeting need not wait for it."""
        assert self._job.meeting is not None
        Round(self._job.meeting).gone()
        events = list(self._events)
        if self._begun is not None:
            events.append(Event(Unknown(KILLED), self._begun, max(self._begun, time.monotonic_ns())))
        return Execution(Trace(self._job.program, tuple(events)), killed=True)

    def _strike(self) -> None:
        self.struck = True
        self._process.strike()
