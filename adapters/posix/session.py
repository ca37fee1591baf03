"""Executes programs on this machine's filesystem, in this process."""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Callable
from functools import partial

from fsconform.adapters import errnos
from fsconform.adapters.folders.sandbox import Sandbox
from fsconform.adapters.in_process import Apart, InProcessSession
from fsconform.adapters.meeting import Round
from fsconform.adapters.posix import calls, fullness, readers, snapshots, writers
from fsconform.adapters.streams import Inexpressible
from fsconform.engine.protocol import Execution, Job, Session
from fsconform.model.core.operation import Operation, paths_of
from fsconform.model.core.outcomes import NotExpressible, Outcome, Returned, Unknown
from fsconform.model.core.paths import show
from fsconform.model.filesystem.programs import Event

_CALLS = {**calls.CALLS, **fullness.CALLS}
_Kept = tuple[writers.Writers, readers.Readers]


class PosixSession(InProcessSession):
    """A session in a directory of its own below the sandbox; fulfils engine.protocol.Session.

    ``leave`` is told when the session ends.
    """

    UNKNOWN_ENDS = False

    def __init__(self, sandbox: Sandbox, pause: float, leave: Callable[[Sandbox], None], apart: Apart) -> None:
        super().__init__(pause, apart)
        self._sandbox, self._leave = sandbox, leave

    def separate(self) -> Session:
        """Open another session on the store, in a process of its own. Raises StoreLost or SandboxRefused."""
        return self._apart(self._sandbox.clear)

    def sweep(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Remove what other sessions left in the sandbox; the names removed and the problems met."""
        return self._sandbox.sweep()

    def _end(self) -> None:
        self._leave(self._sandbox)

    def _lead(self, number: int, job: Job, part: Round | None) -> Execution:
        base = self._sandbox.open_base(number)
        try:
            return self._run(base, self._sandbox.name_of(number), job, part)
        finally:
            self._sandbox.close_base(number, base)

    def _follow(self, part: Round, job: Job) -> Execution:
        where = part.begin()
        base = self._sandbox.open_of_other(where)
        try:
            return self._run(base, where, job, part)
        finally:
            os.close(base)

    def _run(self, base: int, where: str, job: Job, part: Round | None) -> Execution:
        streams = (writers.Writers(base), readers.Readers(base))
        try:
            perform = partial(_event, base, job.stacks, streams)
            return self._steps(job, where, part, perform, partial(snapshots.take, base))
        finally:
            for kept in streams:
                kept.close_all()


def _event(base: int, stacks: bool, streams: _Kept, operation: Operation) -> Event:
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
