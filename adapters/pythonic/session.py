"""Executes programs through a library, in this process."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterator, Sequence

from fsconform.adapters import together
from fsconform.adapters.meeting import NotMet, Round
from fsconform.adapters.pythonic import snapshots
from fsconform.adapters.pythonic.library import Binding, NoAnswer, Table
from fsconform.adapters.pythonic.places import Places
from fsconform.adapters.pythonic.readers import Readers
from fsconform.adapters.pythonic.writers import Writers
from fsconform.adapters.streams import Inexpressible
from fsconform.engine.protocol import Execution, Job, Session, Snapshot, StoreLost, Threads
from fsconform.model.core.operation import Operation, paths_of
from fsconform.model.core.outcomes import NotExpressible, Outcome, Returned, Unknown
from fsconform.model.core.paths import show
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.sync import Sync
from fsconform.model.filesystem.output.write import Write
from fsconform.model.filesystem.programs import Event, Trace

Bind = Callable[[str], Binding]
"""From the place of a program to the calls in it."""

End = Callable[[], None]


class PythonSession:
    """A session through a library; fulfils engine.protocol.Session. Not safe for threads.

    ``table`` names the library's errors; ``pause`` is the least time from one call to the next, in seconds. ``end``
    ends what the library keeps open, and may be called twice. ``apart`` opens another session in a process of its own,
    and is given what removes the places that a lost one leaves.
    """

    def __init__(
        self,
        library: str,
        bind: Bind,
        table: Table,
        places: Places,
        pause: float,
        apart: Callable[[Callable[[str], None]], Session],
        end: End = lambda: None,
    ) -> None:
        self._library, self._bind, self._table, self._apart = library, bind, table, apart
        self._places, self._pause, self._end = places, pause, end
        self._programs, self._next_call, self._closed = 0, 0.0, False

    def execute(self, jobs: Sequence[Job]) -> Iterator[Execution]:
        """Execute programs, each in a fresh place, and give one execution each, in order. Raises StoreLost."""
        if self._closed:
            raise ValueError("the session is closed")
        return map(self._execute, jobs)

    def separate(self) -> Session:
        """Open another session on the store, in a process of its own. Raises StoreLost or SandboxRefused."""
        return self._apart(self._places.clear)

    def close(self) -> None:
        """Remove what the session made in its sandbox. May be called twice."""
        if not self._closed:
            self._closed = True
            try:
                self._places.leave()
            finally:
                self._end()

    def _execute(self, job: Job) -> Execution:
        self._programs += 1
        number = self._programs
        part = Round(job.meeting) if job.meeting else None
        try:
            if part and not part.leads:
                place = part.begin()
                return self._run(self._bind(place), place, job, part)
            began = time.monotonic_ns()
            place = self._places.fresh(number)
            made = time.monotonic_ns()
            try:
                execution = self._run(self._bind(place), place, job, part)
            finally:
                ended = time.monotonic_ns()
                self._places.remove(number)
        except NotMet as error:
            return Execution(Trace(job.program, ()), lost=str(error))
        kept = ((began, made), (ended, time.monotonic_ns()))
        spent = execution.store_nanoseconds + sum(end - start for start, end in kept)
        return Execution(execution.trace, execution.snapshots, spent, execution.lost, kept)

    def _run(self, binding: Binding, place: str, job: Job, part: Round | None) -> Execution:
        streams = (Writers(binding, self._table), Readers(binding, self._table))
        try:
            return self._steps(binding, place, job, streams, part)
        finally:
            for kept in streams:
                kept.close_all()

    def _steps(
        self, binding: Binding, place: str, job: Job, streams: tuple[Writers, Readers], part: Round | None
    ) -> Execution:
        events: list[Event] = []
        taken: list[tuple[int, Snapshot]] = []
        lost = ""
        threads = job.threads
        for number, step in enumerate(job.program):
            if threads and number in threads.steps:
                if number == threads.first:
                    events += self._together(binding, job, threads, streams)
                    lost = next((one.outcome.reason for one in events if isinstance(one.outcome, Unknown)), "")
                    if lost:
                        break
                continue
            if self._pause:
                self._wait()
            if part:
                part.before(number, place)
            event = self._event(binding, step.operation, job.stacks, streams)
            events.append(event)
            if part:
                part.ended(number, event)
            if isinstance(event.outcome, Unknown):
                lost = event.outcome.reason
                break
            if number in job.snapshot_after:
                taken.append((number, _snapshot(binding)))
        if part:
            part.gather(len(job.program), place)
        spent = sum(event.returned - event.invoked for event in events)
        return Execution(Trace(job.program, tuple(events)), tuple(taken), spent, lost)

    def _together(self, binding: Binding, job: Job, threads: Threads, streams: tuple[Writers, Readers]) -> list[Event]:
        """The events of the steps that threads perform at once."""

        def act(_lane: int, number: int) -> Event:
            return self._event(binding, job.program[number].operation, job.stacks, streams)

        for _ in threads.steps if self._pause else ():
            self._wait()
        return together.perform_anew(threads, act)

    def _event(self, binding: Binding, operation: Operation, stacks: bool, streams: tuple[Writers, Readers]) -> Event:
        outcome: Outcome
        invoked = time.monotonic_ns()
        call = next(filter(None, (one.call(operation) for one in (*streams, binding))), None)
        if call is None:
            told = f"{self._library} has no call of its own for {operation.NAME} {getattr(operation, 'via', '')}"
            return Event(NotExpressible(told.strip()), invoked, invoked)
        try:
            outcome = Returned(call())
        except Inexpressible as error:
            return Event(NotExpressible(str(error)), invoked, invoked)
        except NoAnswer as error:
            outcome = Unknown(str(error))
        except Exception as error:
            returned = time.monotonic_ns()
            stack = "".join(traceback.format_exception(error)) if stacks else ""
            where = " to ".join(map(show, paths_of(operation)))
            return Event(self._table.raised(error, kind_of(operation), where, stack), invoked, returned)
        return Event(outcome, invoked, time.monotonic_ns())

    def _wait(self) -> None:
        """Keep to the rate asked for."""
        now = time.monotonic()
        if self._next_call > now:
            time.sleep(self._next_call - now)
        self._next_call = max(now, self._next_call) + self._pause


def kind_of(operation: Operation) -> str:
    """The rows of a table that hold for an operation: see :class:`library.Table`."""
    if isinstance(operation, Write | Sync):
        return "streams"
    if isinstance(operation, OpenWriter):
        return "looking" if operation.mode == "append" else "making"
    return "making" if isinstance(operation, Mkdirs | Create | Rename) else "looking"


def _snapshot(binding: Binding) -> Snapshot:
    try:
        return snapshots.take(binding)
    except NoAnswer as error:
        raise StoreLost(f"no snapshot could be taken: {error}") from error
