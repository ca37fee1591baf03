"""What stores and sessions share that Python drives in this process; others may be beside them, in their own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import ClassVar

from fsconform.adapters import together
from fsconform.adapters.folders.sandbox import Sandbox
from fsconform.adapters.meeting import NotMet, Round
from fsconform.adapters.separate.frames import Opening
from fsconform.adapters.separate.processes import Processes
from fsconform.engine.protocol import Execution, Job, Session, Snapshot
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Unknown
from fsconform.model.filesystem.programs import Event, Trace

Apart = Callable[[Callable[[str], None]], Session]
"""Opens a session in a process of its own, and is given what removes the directory that a lost one leaves."""


class InProcessStore:
    """A store whose sessions may be opened from several threads.

    ``request_rate`` caps the operations a second of each session. ``logs_folder`` is for the logs of sessions in
    processes of their own.
    """

    def __init__(self, name: str, request_rate: float | None, logs_folder: Path | None) -> None:
        """Describe the store; nothing is made yet. Raises ValueError for a rate that cannot be meant."""
        if request_rate is not None and not request_rate > 0:
            raise ValueError(f"request_rate is {request_rate!r}; it is a number of operations a second above 0")
        self._name = name
        self._rate, self._pause = request_rate, 1 / request_rate if request_rate else 0.0
        self._processes = Processes(logs_folder)
        self._lock = threading.Lock()
        self._made_marker = self._made_sandbox = False

    @property
    def name(self) -> str:
        """The name under which results are reported."""
        return self._name

    def logs(self) -> Iterable[str]:
        """Paths of the logs of sessions in processes of their own."""
        return self._processes.logs()

    def close(self) -> None:
        """Remove a temporary folder of logs, unless a process was lost. May be called twice."""
        self._processes.close()

    def _opening(self) -> Opening:
        """What opens a session in a process of its own: beside one that stays, to which marker and sandbox belong."""
        raise NotImplementedError

    def _apart(self, clear: Callable[[str], None]) -> Session:
        """A session in a process of its own. Raises StoreLost or SandboxRefused."""
        return self._processes.session(self._opening(), clear)

    def _entered(self, sandbox: Sandbox) -> None:
        """Hear that a session begins, while the lock is held."""
        self._made_marker = self._made_marker or sandbox.made_marker
        self._made_sandbox = self._made_sandbox or sandbox.made_sandbox

    def _leave(self, sandbox: Sandbox) -> None:
        """Hear that a session ends. Marker and sandbox go with the last one, if this store made them."""
        with self._lock:
            sandbox.leave(self._made_marker, self._made_sandbox)


class InProcessSession:
    """A session that performs programs in this process. Not safe for threads.

    ``pause`` is the least time from one call to the next, in seconds.
    """

    UNKNOWN_ENDS: ClassVar[bool]
    """Whether a program ends at a call of which nobody knows what it did."""

    def __init__(self, pause: float, apart: Apart) -> None:
        self._pause, self._apart = pause, apart
        self._programs, self._next_call, self._closed = 0, 0.0, False

    def execute(self, jobs: Sequence[Job]) -> Iterator[Execution]:
        """Execute programs, each in a fresh place, and give one execution each, in order. Raises StoreLost."""
        if self._closed:
            raise ValueError("the session is closed")
        return map(self._execute, jobs)

    def close(self) -> None:
        """Remove what the session made in its sandbox. May be called twice."""
        if not self._closed:
            self._closed = True
            self._end()

    def _end(self) -> None:
        """Remove what the session made."""
        raise NotImplementedError

    def _execute(self, job: Job) -> Execution:
        self._programs += 1
        part = Round(job.meeting) if job.meeting else None
        try:
            if part and not part.leads:
                return self._follow(part, job)
            return self._lead(self._programs, job, part)
        except NotMet as error:
            return Execution(Trace(job.program, ()), lost=str(error))

    def _lead(self, number: int, job: Job, part: Round | None) -> Execution:
        """Execute a program in a fresh place, the session's ``number``-th. Raises NotMet."""
        raise NotImplementedError

    def _follow(self, part: Round, job: Job) -> Execution:
        """One client's share of a concurrent program, in the place that another session made. Raises NotMet."""
        raise NotImplementedError

    def _steps(
        self,
        job: Job,
        where: str,
        part: Round | None,
        perform: Callable[[Operation], Event],
        look: Callable[[], Snapshot],
    ) -> Execution:
        """Perform the steps, in the place of that name. Raises NotMet."""
        events: list[Event] = []
        taken: list[tuple[int, Snapshot]] = []
        lost = ""
        threads = job.threads
        at_once = threads.steps if threads else range(0)
        for number, step in enumerate(job.program):
            if number in at_once and number != at_once.start:
                continue
            if self._pause:
                for _ in at_once if number in at_once else (number,):
                    self._wait()
            if threads and number in at_once:
                performed = together.perform_anew(threads, lambda _, index: perform(job.program[index].operation))
            else:
                if part:
                    part.before(number, where)
                performed = [perform(step.operation)]
                if part:
                    part.ended(number, performed[0])
            events += performed
            if self.UNKNOWN_ENDS:
                lost = next((one.outcome.reason for one in performed if isinstance(one.outcome, Unknown)), "")
                if lost:
                    break
            if number in job.snapshot_after and number not in at_once:
                taken.append((number, look()))
        if part:
            part.gather(len(job.program), where)
        spent = sum(event.returned - event.invoked for event in events)
        return Execution(Trace(job.program, tuple(events)), tuple(taken), spent, lost)

    def _wait(self) -> None:
        """Keep to the rate asked for."""
        now = time.monotonic()
        if self._next_call > now:
            time.sleep(self._next_call - now)
        self._next_call = max(now, self._next_call) + self._pause
