"""The near side of a session in a process of its own: programs go out in batches, executions come back.

A lost process costs the program that was under way, and another takes its place for those that follow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TypeVar

from fsconform.adapters.folders.marker import new_run
from fsconform.adapters.patience import patient
from fsconform.adapters.separate import frames
from fsconform.adapters.separate.process import Gone, SessionProcess
from fsconform.adapters.victim import Victim
from fsconform.engine.protocol import Execution, Job, Misconfigured, SandboxRefused, StoreLost
from fsconform.model.filesystem.programs import Trace

START_SECONDS = 60.0
ANSWER_SECONDS = 300.0
"""How long one program may take, with the waits for the other clients: what hangs longer is killed."""
CLOSING_SECONDS = 30.0

MOST_LOSSES = 6
"""Programs lost in a row after which the store counts as lost."""

_RAISED = {kind.__name__: kind for kind in (StoreLost, SandboxRefused, Misconfigured)}

_T = TypeVar("_T", bound=frames.Reply)


class SeparateSession:
    """A session in a process of its own; fulfils engine.protocol.Session and HasWorker. Not safe for threads.

    ``opening`` is what opens the session there, in a directory of the sandbox that is named here; ``spawn`` starts a
    process, and raises StoreLost; ``clear`` removes the directory of such a name that a lost process left.
    """

    def __init__(
        self, opening: frames.Opening, spawn: Callable[[], SessionProcess], clear: Callable[[str], None]
    ) -> None:
        """Start the process and open the session. Raises StoreLost or SandboxRefused."""
        self._opening, self._spawn, self._clear = opening, spawn, clear
        self._process: SessionProcess | None = None
        self._run = ""
        self._losses, self._closed = 0, False
        self._start()

    @property
    def killable(self) -> bool:
        """Its process can be killed at any time."""
        return True

    @property
    def worker_pid(self) -> int | None:
        """The id of the present process, None if there is none."""
        return self._process.pid if self._process else None

    def execute(self, jobs: Sequence[Job]) -> Iterator[Execution]:
        """Execute programs, each in a fresh directory, and give one execution each, in order. Raises StoreLost.

        The execution of a program whose process was lost has no events: what was called there nobody knows.
        """
        if self._closed:
            raise ValueError("the session is closed")
        return self._execute(tuple(jobs))

    def close(self) -> None:
        """Have the process remove what it made in the sandbox, and end it. May be called twice."""
        if self._closed:
            return
        self._closed = True
        process = self._process
        if process is None:
            return
        try:
            process.send(frames.Close())
            self._expect(frames.Closed, process.reply(patient(CLOSING_SECONDS)), process)
        except (Gone, StoreLost, SandboxRefused, RuntimeError):
            self._discard()
        else:
            self._process = None
            process.kill()

    def _execute(self, jobs: tuple[Job, ...]) -> Iterator[Execution]:
        done = 0
        while done < len(jobs):
            process = self._process or self._start()
            victim = Victim(jobs[done], process)
            settled = False
            try:
                process.send(frames.Execute(jobs[done:]))
                while done < len(jobs):
                    victim = Victim(jobs[done], process)
                    execution = self._execution(process, victim)
                    done += 1
                    self._losses = 0
                    settled = done == len(jobs)
                    yield execution
            except Gone as error:
                self._discard()
                settled = True
                if victim.struck:
                    done += 1
                    yield victim.execution()
                    continue
                self._losses += 1
                told = f"{error}; see {process.log}"
                if self._losses >= MOST_LOSSES:
                    raise StoreLost(f"{self._losses} programs in a row could not be executed: {told}") from None
                yield Execution(Trace(jobs[done].program, ()), lost=told)
                done += 1
            finally:
                if not settled:  # the reader gave up, or an error ended the batch: what is left of it is not awaited
                    self._discard()

    def _execution(self, process: SessionProcess, victim: Victim) -> Execution:
        """What came of the next program. Raises Gone, and what a Failed tells."""
        while True:
            reply = process.reply(patient(ANSWER_SECONDS))
            if not isinstance(reply, frames.Step):
                return self._expect(frames.Executed, reply, process).execution
            victim.hear(reply.number, reply.at, reply.event)

    def _start(self) -> SessionProcess:
        """A new process, with a directory of its own. Raises StoreLost or SandboxRefused."""
        process = self._process = self._spawn()
        self._run = new_run()
        try:
            process.send(frames.Open(self._opening, self._run))
            self._expect(frames.Opened, process.reply(patient(START_SECONDS)), process)
        except Gone as error:
            self._discard()
            raise StoreLost(f"the store could not be opened: {error}; see {process.log}") from None
        except BaseException:
            self._discard()
            raise
        return process

    def _expect(self, kind: type[_T], reply: frames.Reply, process: SessionProcess) -> _T:
        """The reply, if it is of a kind. Raises what a Failed tells: StoreLost, SandboxRefused or RuntimeError."""
        if isinstance(reply, kind):
            return reply
        if isinstance(reply, frames.Failed):
            raise _RAISED.get(reply.kind, RuntimeError)(reply.text)
        raise StoreLost(f"the worker answered with {type(reply).__name__}; see {process.log}")

    def _discard(self) -> None:
        """End the process, and remove what it left."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            # What stays is removed by whoever sweeps the sandbox.
            with suppress(Exception):
                self._clear(self._run)
