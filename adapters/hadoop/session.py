"""The controller's side of a worker: programs go out in batches, traces come back, lost workers are replaced."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from fsconform.adapters.hadoop import transfer, wire
from fsconform.adapters.hadoop.process import Lost, WorkerProcess
from fsconform.adapters.meeting import Round
from fsconform.adapters.patience import Patience, patient
from fsconform.adapters.victim import Victim
from fsconform.engine.protocol import Execution, Job, Misconfigured, SandboxRefused, Snapshot, StoreLost
from fsconform.model.core.outcomes import Unknown
from fsconform.model.filesystem.programs import Event, Trace

NO_HEAP = re.compile(
    r"Invalid maximum heap size|Too small maximum heap|Could not reserve enough space|initial heap size"
)
"""How a JVM says that it can't have the heap that it was given."""

GROUP = 32
"""Programs sent at a time; two such groups are under way, so that the worker never waits for us."""

MOST_LOSSES = 6
"""Programs lost in a row, or given up because the store only asks to try again, after which it counts as lost."""

START_SECONDS = 120.0
CLOSING_SECONDS = 30.0
"""How long a worker may take to start that is wanted only to clean up after a lost one."""

RETURNING_SECONDS, RETURNING_PAUSE_SECONDS = 60.0, 0.5
"""How long a store's machine may take to come back that ended together with a client, and how often it is tried."""

STOPPING_SECONDS = 5.0
"""How long a step that is under way may take to end when the session is closed."""

_PHASES = {
    wire.PREPARING: "while its directory was made",
    wire.SNAPSHOT: "during a snapshot",
    wire.WAITING: "while it waited to try again",
}

HOUSEKEEPING = 4
"""Making directories, snapshots and cleaning take many calls: they may take this many time-outs of one operation."""


class Owner(Protocol):
    """What a session needs of its store."""

    def spawn(self, replacement: bool) -> WorkerProcess:
        """Start a worker process; ``replacement`` if an earlier one was lost. Raises StoreLost."""
        ...

    def hello(self, run: str, resumed: bool) -> wire.Hello:
        """The first frame for a worker."""
        ...

    def opened(self, ready: wire.Ready) -> None:
        """Hear what a worker found."""
        ...

    def leave(self) -> wire.Close:
        """Hear that a session ends; what its worker is to remove."""
        ...


@dataclass(slots=True)
class _Running:
    """What is known of the program under way."""

    job: Job
    number: int
    begun: bool = False
    step: int | None = None
    at: int = 0
    phase: str = "before it began"
    events: list[Event] = field(default_factory=list)
    snapshots: list[tuple[int, Snapshot]] = field(default_factory=list)
    throttled: int = 0
    throttling: str = ""

    def begin_anew(self, reason: str) -> None:
        """The store asked to try again: nothing that was told of the program so far counts."""
        self.events.clear()
        self.snapshots.clear()
        self.step, self.phase = None, "while it waited to try again"
        self.throttled, self.throttling = self.throttled + 1, reason

    def execution(
        self,
        lost: str = "",
        housekeeping: tuple[tuple[int, int], ...] = (),
        base: str = "",
        requests: tuple[tuple[int, dict[str, int]], ...] = (),
    ) -> Execution:
        nanoseconds = sum(event.returned - event.invoked for event in self.events)
        nanoseconds += sum(end - start for start, end in housekeeping)
        return Execution(
            Trace(self.job.program, tuple(self.events)),
            tuple(self.snapshots),
            nanoseconds,
            lost,
            housekeeping,
            self.throttled,
            self.throttling,
            base,
            requests,
        )


class HadoopSession:
    """A session on a Hadoop FileSystem: one worker process at a time. Not for use by several threads at once."""

    def __init__(self, owner: Owner, run: str, operation_seconds: float, pause_seconds: float) -> None:
        """Open the session in the directory ``run`` of the sandbox. Raises StoreLost or SandboxRefused."""
        self._owner, self._run = owner, run
        self._operation_seconds = operation_seconds
        self._patience = HOUSEKEEPING + int(2 * pause_seconds / operation_seconds)
        self._worker: WorkerProcess | None = None
        self._number = self._batch = self._finished_batch = self._losses = 0
        self._why = ""
        self._resumed = self._closed = self._busy = self._is_store_away = False
        try:
            self._start()
        except BaseException:
            self._owner.leave()
            raise

    @property
    def killable(self) -> bool:
        """Its worker can be killed at any time."""
        return True

    @property
    def worker_pid(self) -> int | None:
        """The process id of the present worker, None if there is none."""
        return self._worker.pid if self._worker else None

    def execute(self, jobs: Sequence[Job]) -> Iterator[Execution]:
        """See :class:`fsconform.engine.protocol.Session`. An iterator that is given up early stops its batch."""
        if self._closed:
            raise ValueError("the session is closed")
        if self._busy:
            raise ValueError("an earlier batch of this session is still being read")
        return self._execute(tuple(jobs))

    def _execute(self, jobs: tuple[Job, ...]) -> Iterator[Execution]:
        self._busy = True
        first, self._number = self._number, self._number + len(jobs)
        done = sent = 0
        try:
            self._settle()
            while done < len(jobs):
                if self._losses >= MOST_LOSSES:
                    losses, self._losses = self._losses, 0
                    raise StoreLost(f"{losses} programs in a row could not be executed{self._why}; {self._see_log()}")
                worker = self._worker
                if worker is None:
                    self._start_again()
                    sent = done
                    continue
                running = _Running(jobs[done], first + done)
                victim = Victim(running.job, worker)
                try:
                    while sent < len(jobs) and sent - done <= GROUP:
                        sent += self._send_group(worker, jobs, first, sent)
                    execution = self._follow(worker, running, victim)
                except Lost as error:
                    self._discard()
                    if victim.struck:
                        meeting = running.job.meeting
                        self._is_store_away = meeting is not None and meeting.disturbed
                        done += 1
                        yield victim.execution()
                        continue
                    self._losses, self._why = self._losses + 1, ""
                    if not running.begun:
                        continue
                    if running.job.meeting is not None:
                        Round(running.job.meeting).gone()
                    execution = self._charged(running, error)
                else:
                    self._count(execution)
                done += 1
                yield execution
        finally:
            self._busy = False

    def _count(self, execution: Execution) -> None:
        """Count programs in a row that could not be executed."""
        if execution.lost or execution.given_up:
            self._losses += 1
            self._why = f": {execution.throttling}" if execution.throttled else ""
        else:
            self._losses = 0

    def _send_group(self, worker: WorkerProcess, jobs: tuple[Job, ...], first: int, start: int) -> int:
        group = jobs[start : start + GROUP]
        self._batch += 1
        frames = tuple(transfer.job_frame(first + start + place, job) for place, job in enumerate(group))
        worker.guarded(lambda: worker.send(wire.Execute(self._batch, frames)))
        return len(group)

    def _follow(self, worker: WorkerProcess, running: _Running, victim: Victim) -> Execution:
        """Read frames until the program is done. Raises Lost."""
        number, events = running.number, running.events
        while True:
            frame = self._next(worker, running)
            match frame:
                case wire.End(job, step, invoked, returned, outcome) if job == number:
                    events.append(Event(transfer.outcome(outcome), invoked, returned))
                    running.step, running.phase = None, f"after step {len(events)}"
                    victim.hear(step, returned, events[-1])
                case wire.Begin(job, step, at) if job == number:
                    running.begun = True
                    if step >= 0:
                        running.step, running.at = step, at
                        victim.hear(step, at, None)
                    else:
                        running.step = None
                        running.phase = _PHASES[step]
                case wire.Snapshot(job, step, _, _, _) if job == number:
                    running.snapshots.append((step, transfer.snapshot(frame)))
                case wire.JobDone(job, lost, throttling, housekeeping, base, requests) if job == number:
                    if lost and running.job.meeting is not None:
                        Round(running.job.meeting).gone()
                    if throttling:
                        running.throttled, running.throttling = running.throttled + 1, throttling
                    return running.execution(lost, housekeeping, base, requests)
                case wire.Again(job, reason) if job == number:
                    running.begin_anew(reason)
                    victim.begin_anew()
                case wire.BatchDone(batch):
                    self._finished_batch = batch
                case _:
                    pass  # what is left of a batch that was given up

    def _next(self, worker: WorkerProcess, running: _Running | None = None, patience: int | None = None) -> wire.Reply:
        """The next frame. Raises Lost if none comes in time, or ever; a worker that hangs is killed."""
        waits = 0

        def wait() -> wire.Reply:
            nonlocal waits
            while True:
                try:
                    return worker.reply()
                except TimeoutError:
                    waits += 1
                    in_step = running is not None and running.step is not None
                    if waits >= (1 if in_step else patience or self._patience):
                        raise

        return worker.guarded(wait, lambda: waits * self._operation_seconds)

    def _charged(self, running: _Running, lost: Lost) -> Execution:
        """The execution of a program whose worker was lost."""
        if running.step is None:
            return running.execution(f"{running.phase}: {lost}; {self._see_log()}")
        running.events.append(Event(Unknown(str(lost), lost.hung), running.at, max(running.at, time.monotonic_ns())))
        return running.execution(f"in step {running.step + 1}: {lost}; {self._see_log()}")

    def _start_again(self) -> None:
        """Start a worker anew. Where the last ended with a machine of the store, it is waited for until that is back.

        Raises StoreLost or SandboxRefused.
        """
        patience = Patience(RETURNING_SECONDS if self._is_store_away else 0.0)
        while True:
            try:
                self._start()
                self._is_store_away = False
                return
            except StoreLost:
                if patience.over:
                    raise
                time.sleep(RETURNING_PAUSE_SECONDS)

    def _start(self, seconds: float = START_SECONDS) -> None:
        """Start a worker and open the store within that time of an idle machine. Raises StoreLost or SandboxRefused."""
        seconds = patient(seconds)
        worker = self._owner.spawn(self._resumed)
        self._worker, self._log = worker, worker.log
        try:
            worker.send(self._owner.hello(self._run, self._resumed))
            frame = self._first(worker, seconds)
        except Lost as error:
            self._discard()
            if NO_HEAP.search(str(error)):
                raise Misconfigured(f"no JVM could be started: {error}: choose another --xmx") from None
            raise StoreLost(f"the store could not be opened: {error}; {self._see_log()}") from None
        except (wire.PeerGone, TimeoutError):
            reason = worker.why_ended()
            self._discard()
            if NO_HEAP.search(reason):
                raise Misconfigured(f"no JVM could be started: {reason}: choose another --xmx") from None
            raise StoreLost(f"the worker could not be started: {reason}; {self._see_log()}") from None
        except BaseException:
            self._discard()
            raise
        if isinstance(frame, wire.Ready):
            self._resumed = True
            self._finished_batch = self._batch
            self._owner.opened(frame)
            return
        self._discard()
        if isinstance(frame, wire.Failed):
            if frame.refused:
                raise (SandboxRefused if not frame.classes else Misconfigured)(frame.message)
            raise StoreLost(f"the store could not be opened: {frame.message}; {self._see_log()}")
        raise StoreLost(f"the worker began with a {type(frame).__name__} frame; {self._see_log()}")

    def _first(self, worker: WorkerProcess, seconds: float) -> wire.Reply:
        """The first frame of a worker. Raises Lost."""
        worker.wait_at_most(seconds)
        frame = worker.guarded(worker.answer)
        worker.wait_at_most(self._operation_seconds)
        return frame

    def _settle(self, patience: int | None = None) -> None:
        """Bring a batch that was given up to its end, and with it the worker if it does not stop."""
        worker = self._worker
        if worker is None or self._finished_batch >= self._batch:
            return
        try:
            worker.guarded(lambda: worker.send(wire.Stop(self._batch)))
            while self._finished_batch < self._batch:
                frame = self._next(worker, patience=patience)
                if isinstance(frame, wire.BatchDone):
                    self._finished_batch = frame.batch
        except Lost:
            self._discard()

    def _discard(self) -> None:
        if self._worker is not None:
            self._worker.kill()
            self._worker = None

    def _see_log(self) -> str:
        return f"see {self._log}"

    def sweep(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Remove what other sessions left in the sandbox; the names removed and the problems met.

        It takes away the ground under sessions that are still running. Raises StoreLost or SandboxRefused.
        """
        self._settle()
        if self._worker is None:
            self._start()
        worker = self._worker
        assert worker is not None
        try:
            worker.guarded(lambda: worker.send(wire.Sweep()))
            frame = self._next(worker)
        except Lost as error:
            self._discard()
            raise StoreLost(f"the sandbox could not be swept: {error}; {self._see_log()}") from None
        if isinstance(frame, wire.Failed):
            if frame.refused:
                raise SandboxRefused(frame.message)
            raise StoreLost(f"the sandbox could not be swept: {frame.message}; {self._see_log()}")
        if not isinstance(frame, wire.Swept):
            raise StoreLost(f"the worker answered with a {type(frame).__name__} frame; {self._see_log()}")
        return frame.removed, frame.problems

    def close(self) -> None:
        """Remove what the session made, by a new worker if the last was lost; end the worker. May be called twice."""
        if self._closed:
            return
        self._closed = True
        farewell = self._owner.leave()
        try:
            if self._worker is not None and self._finished_batch < self._batch:
                # Most likely someone pressed Ctrl-C: a step that hangs is not waited for.
                self._worker.wait_at_most(min(STOPPING_SECONDS, self._operation_seconds))
            self._settle(1)
            if self._worker is not None:
                self._worker.wait_at_most(self._operation_seconds)
            if self._worker is None:
                self._start(CLOSING_SECONDS)
            worker = self._worker
            assert worker is not None
            worker.guarded(lambda: worker.send(farewell))
            while not isinstance(self._next(worker), wire.Closed):
                pass
            worker.let_end()
        except (Lost, StoreLost, SandboxRefused):
            pass  # best effort: what stays is removed by sweep
        finally:
            with contextlib.suppress(ProcessLookupError):
                self._discard()

    def __enter__(self) -> HadoopSession:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
