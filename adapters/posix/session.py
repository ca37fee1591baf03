"""Executes programs on this machine's filesystem, in this process."""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from fsconform.adapters import errnos, together
from fsconform.adapters.folders.sandbox import Sandbox
from fsconform.adapters.meeting import NotMet, Round
from fsconform.adapters.posix import calls, fullness, readers, snapshots, writers
from fsconform.adapters.streams import Inexpressible
from fsconform.engine.protocol import Execution, Job, Session, Snapshot, Threads
from fsconform.model.core.operation import Operation, paths_of
from fsconform.model.core.outcomes import NotExpressible, Outcome, Returned, Unknown
from fsconform.model.core.paths import show
from fsconform.model.filesystem.programs import Event, Trace

_CALLS = {**calls.CALLS, **fullness.CALLS}
_Kept = tuple[writers.Writers, readers.Readers]


class PosixSession:
    """A session in a directory of its own below the sandbox; fulfils engine.protocol.Session. Not safe for threads.

    ``pause`` is the least time from one call to the next, in seconds; ``leave`` is told when the session ends.
    ``apart`` opens another one in a process of its own, and is given what removes the directory that a lost one leaves.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        pause: float,
        leave: Callable[[Sandbox], None],
        apart: Callable[[Callable[[str], None]], Session],
    ) -> None:
        self._sandbox, self._pause, self._leave, self._apart = sandbox, pause, leave, apart
        self._programs, self._next_call, self._closed = 0, 0.0, False

    def execute(self, jobs: Sequence[Job]) -> Iterator[Execution]:
        """Execute programs, each in a fresh directory, and give one execution each, in order. Raises StoreLost."""
        if self._closed:
            raise ValueError("the session is closed")
        return map(self._execute, jobs)

    def separate(self) -> Session:
        """Open another session on the store, in a process of its own. Raises StoreLost or SandboxRefused."""
        return self._apart(self._sandbox.clear)

    def sweep(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Remove what other sessions left in the sandbox; the names removed and the problems met."""
        return self._sandbox.sweep()

    def close(self) -> None:
        """Remove what the session made in its sandbox. May be called twice."""
        if not self._closed:
            self._closed = True
            self._leave(self._sandbox)

    def _execute(self, job: Job) -> Execution:
        self._programs += 1
        number = self._programs
        part = Round(job.meeting) if job.meeting else None
        try:
            if part and not part.leads:
                return self._follow(part, job)
            base = self._sandbox.open_base(number)
            try:
                return self._run(base, self._sandbox.name_of(number), job, part)
            finally:
                self._sandbox.close_base(number, base)
        except NotMet as error:
            return Execution(Trace(job.program, ()), lost=str(error))

    def _follow(self, part: Round, job: Job) -> Execution:
        """One client's share of a concurrent program, in the directory that another session made. Raises NotMet."""
        where = part.begin()
        base = self._sandbox.open_of_other(where)
        try:
            return self._run(base, where, job, part)
        finally:
            os.close(base)

    def _run(self, base: int, where: str, job: Job, part: Round | None) -> Execution:
        streams = (writers.Writers(base), readers.Readers(base))
        try:
            return self._steps(base, where, job, streams, part)
        finally:
            for kept in streams:
                kept.close_all()

    def _steps(self, base: int, where: str, job: Job, streams: _Kept, part: Round | None) -> Execution:
        events: list[Event] = []
        taken: list[tuple[int, Snapshot]] = []
        threads = job.threads
        for number, step in enumerate(job.program):
            if threads and number in threads.steps:
                if number == threads.first:
                    events += self._together(base, job, threads, streams)
                continue
            if self._pause:
                self._wait()
            if part:
                part.before(number, where)
            events.append(_event(base, step.operation, job.stacks, streams))
            if part:
                part.ended(number, events[-1])
            if number in job.snapshot_after:
                taken.append((number, snapshots.take(base)))
        if part:
            part.gather(len(job.program), where)
        spent = sum(event.returned - event.invoked for event in events)
        return Execution(Trace(job.program, tuple(events)), tuple(taken), spent)

    def _together(self, base: int, job: Job, threads: Threads, streams: _Kept) -> list[Event]:
        """The events of the steps that threads perform at once."""

        def act(_lane: int, number: int) -> Event:
            return _event(base, job.program[number].operation, job.stacks, streams)

        for _ in threads.steps if self._pause else ():
            self._wait()
        return together.perform_anew(threads, act)

    def _wait(self) -> None:
        """Keep to the rate asked for."""
        now = time.monotonic()
        if self._next_call > now:
            time.sleep(self._next_call - now)
        self._next_call = max(now, self._next_call) + self._pause


def _event(base: int, operation: Operation, stacks: bool, streams: _Kept) -> Event:
    kind = type(operation)
    outcome: Outcome
    invoked = time.monotonic_ns()
    call = next(filter(None, (kept.call(operation) for kept in streams)), None)
    if call is None and not operation.via and kind in _CALLS:
        call = partial(_CALLS[kind], base, operation)
    if call is None:
        return Event(
            NotExpressible(f"POSIX has no call of its own for {operation.NAME} {operation.via}"), invoked, invoked
        )
    try:
        outcome = Returned(call())
        returned = time.monotonic_ns()
    except Inexpressible as error:
        return Event(NotExpressible(str(error)), invoked, invoked)
    except fullness.Roomy as error:
        return Event(Unknown(str(error)), invoked, time.monotonic_ns())
    except OSError as error:
        returned = time.monotonic_ns()
        stack = "".join(traceback.format_exception(error)) if stacks else ""
        where = " to ".join(map(show, paths_of(operation)))
        outcome = errnos.raised(error, calls.makes(operation), where, stack)
    return Event(outcome, invoked, returned)
