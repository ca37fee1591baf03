"""Executes programs through a library, in this process."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from fsconform.adapters.in_process import Apart, InProcessSession
from fsconform.adapters.meeting import Round
from fsconform.adapters.pythonic import snapshots
from fsconform.adapters.pythonic.library import Binding, NoAnswer, Table
from fsconform.adapters.pythonic.places import Places
from fsconform.adapters.pythonic.readers import Readers
from fsconform.adapters.pythonic.writers import Writers
from fsconform.adapters.streams import Inexpressible
from fsconform.engine.protocol import Execution, Job, Session, Snapshot, StoreLost
from fsconform.model.core.operation import Operation, paths_of
from fsconform.model.core.outcomes import NotExpressible, Outcome, Returned, Unknown
from fsconform.model.core.paths import show
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.sync import Sync
from fsconform.model.filesystem.output.write import Write
from fsconform.model.filesystem.programs import Event

Bind = Callable[[str], Binding]
"""From the place of a program to the calls in it."""

End = Callable[[], None]


class PythonSession(InProcessSession):
    """A session through a library; fulfils engine.protocol.Session.

    ``table`` names the library's errors. ``end`` ends what the library keeps open, and may be called twice.
    """

    UNKNOWN_ENDS = True

    def __init__(
        self,
        library: str,
        bind: Bind,
        table: Table,
        places: Places,
        pause: float,
        apart: Apart,
        end: End = lambda: None,
    ) -> None:
        super().__init__(pause, apart)
        self._library, self._bind, self._table, self._places = library, bind, table, places
        self._end_library = end

    def separate(self) -> Session:
        """Open another session on the store, in a process of its own. Raises StoreLost or SandboxRefused."""
        return self._apart(self._places.clear)

    def _end(self) -> None:
        try:
            self._places.leave()
        finally:
            self._end_library()

    def _lead(self, number: int, job: Job, part: Round | None) -> Execution:
        began = time.monotonic_ns()
        place = self._places.fresh(number)
        made = time.monotonic_ns()
        try:
            execution = self._run(place, job, part)
        finally:
            ended = time.monotonic_ns()
            self._places.remove(number)
        kept = ((began, made), (ended, time.monotonic_ns()))
        spent = execution.store_nanoseconds + sum(end - start for start, end in kept)
        return replace(execution, store_nanoseconds=spent, housekeeping=kept)

    def _follow(self, part: Round, job: Job) -> Execution:
        return self._run(part.begin(), job, part)

    def _run(self, place: str, job: Job, part: Round | None) -> Execution:
        binding = self._bind(place)
        streams = (Writers(binding, self._table), Readers(binding, self._table))
        try:
            perform = partial(self._event, binding, job.stacks, streams)
            return self._steps(job, place, part, perform, partial(_snapshot, binding))
        finally:
            for kept in streams:
                kept.close_all()

    def _event(self, binding: Binding, stacks: bool, streams: tuple[Writers, Readers], operation: Operation) -> Event:
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
