"""Sessions of several clients on one store in memory."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import partial

from fsconform.adapters import together
from fsconform.adapters.meeting import NotMet, Round
from fsconform.engine.protocol import Execution, Job
from fsconform.model.filesystem.programs import Event, Step, Trace
from fsconform.proving.faults import RACES, STREAM_RACES
from fsconform.proving.raced_store import RacedStore
from fsconform.proving.session import begin_at, event_of, prepared


class RacingStore:
    """A store whose sessions all share one store in memory; fulfils engine.protocol.Store."""

    uri = "proving:///racing"

    def __init__(self, name: str = "racing", fault: str = "") -> None:
        """Raises KeyError if no fault of races has that name."""
        self.name = name
        kind = (RACES | STREAM_RACES)[fault].kind if fault else RacedStore
        assert issubclass(kind, RacedStore)
        self._store = kind()
        prepared(self._store)
        self._numbers = iter(range(1, 1 << 62))

    @property
    def versions(self) -> dict[str, str]:
        """Nothing stands behind this store."""
        return {}

    def session(self) -> RacingSession:
        """A session on the shared store."""
        return RacingSession(self._store, self._numbers)

    def logs(self) -> tuple[str, ...]:
        """Nothing: the store has no logs."""
        return ()

    def close(self) -> None:
        """Nothing to stop."""


class RacingSession:
    """Executes one client's programs on a shared store in memory; fulfils engine.protocol.Session."""

    def __init__(self, store: RacedStore, numbers: Iterator[int]) -> None:
        self._store, self._numbers = store, numbers

    def execute(self, jobs: Sequence[Job]) -> Iterator[Execution]:
        """Execute programs, each in a fresh directory, and give one execution each, in order."""
        return map(self._execute, jobs)

    def close(self) -> None:
        """Nothing is kept."""

    def _execute(self, job: Job) -> Execution:
        part = Round(job.meeting) if job.meeting else None
        try:
            if part and not part.leads:
                return self._run(part.begin(), job, part)
            base = f"/p{next(self._numbers)}"
            with self._store.busy:
                begin_at(self._store, base)
            try:
                return self._run(base, job, part)
            finally:
                with self._store.busy:
                    self._store.purge(base)
        except NotMet as error:
            return Execution(Trace(job.program, ()), lost=str(error))

    def _run(self, base: str, job: Job, part: Round | None) -> Execution:
        events: list[Event] = []
        for number, step in enumerate(job.program):
            if job.threads and number in job.threads.steps:
                if number == job.threads.first:
                    act = partial(self._of_thread, base, job)
                    events += together.perform_anew(job.threads, act)
                continue
            if part:
                part.before(number, base)
            events.append(self._event(base, step, job.stacks))
        if part:
            part.gather(len(job.program), base)
        return Execution(Trace(job.program, tuple(events)), store_nanoseconds=0)

    def _of_thread(self, base: str, job: Job, _lane: int, number: int) -> Event:
        return self._event(base, job.program[number], job.stacks)

    def _event(self, base: str, step: Step, stacks: bool) -> Event:
        invoked = time.monotonic_ns()
        # Clients are threads of this process: so that their calls overlap, each lets others go first now and then.
        time.sleep(0)
        with self._store.busy:
            event = event_of(self._store, base, step, stacks)
        time.sleep(0)
        return Event(event.outcome, invoked, max(event.returned, time.monotonic_ns()))
