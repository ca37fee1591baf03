"""The worker process: ``python -m fsconform.adapters.hadoop.worker FD``, FD being one end of a socket pair.

The main thread reads requests, and ends the process at once when the connection ends; a watching thread does so when
the parent ends. The executing thread owns the JVM: there the JVM can guard the stack as in its own launcher.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import socket
import sys
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from fsconform.adapters import meeting, offspring, together
from fsconform.adapters.hadoop import (
    archived,
    calls,
    counters,
    declaring,
    directories,
    handlers,
    jvm,
    pace,
    resolved,
    sandbox,
    single_calls,
    snapshots,
    transfer,
    wire,
)
from fsconform.engine.process import collect_seldom
from fsconform.engine.protocol import MOST_LANES

_STACK_BYTES = 8 << 20
_BEAT_SECONDS = 0.5


class Worker:
    """The state of the worker; ``run`` and what it calls belong to the executing thread."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self.requests: queue.SimpleQueue[wire.Request] = queue.SimpleQueue()
        self.stopped = -1
        """Batches up to this number are to be given up. Written by the reading thread."""
        self._callers: dict[int, calls.Caller] = {}
        self._sandbox: sandbox.Sandbox | archived.Archives
        self._archives: archived.Archives | None = None
        self._lanes: ThreadPoolExecutor | None = None
        """Threads of programs that several perform; they stay, as each is attached to the JVM once."""
        self._real_root = False

    def run(self) -> None:
        """Serve until told to close; the process ends with it, whatever happens."""
        try:
            self._serve()
            status = 0
        except (wire.PeerGone, ConnectionError):
            status = 0
        except BaseException:
            traceback.print_exc()
            status = 70
        sys.stderr.flush()
        _exit(status)

    def _serve(self) -> None:
        hello = self.requests.get()
        if not isinstance(hello, wire.Hello) or hello.version != wire.VERSION:
            raise wire.WireError("the first frame was no Hello of this version")
        if hello.single_calls:
            self._answer_asks(hello)
            return
        if not self._open(hello):
            return
        while True:
            match self.requests.get():
                case wire.Execute(batch, jobs):
                    for job in jobs:
                        if self.stopped >= batch:
                            break
                        self._execute(job, batch)
                    self._send(wire.BatchDone(batch))
                case wire.Sweep():
                    self._sweep()
                case wire.Close(marker, made):
                    self._close(marker, made)
                    return
                case _:
                    raise wire.WireError("a frame that only makes sense at the start")

    def _answer_asks(self, hello: wire.Hello) -> None:
        """Make the calls of a client without a store, until the process ends."""
        try:
            jvm.start(hello)
            client = single_calls.Client(self._tell_secrets)
        except Exception as error:
            self._send(_failed(error))
            return
        self._send(wire.Ready(client.versions, False, False))
        while True:
            match self.requests.get():
                case wire.Ask(call, arguments):
                    self._send(_answer(client, call, json.loads(arguments)))
                case _:
                    raise wire.WireError("a frame that only a store's worker understands")

    def _tell_secrets(self, configuration: Any) -> None:
        """Tell what a configuration resolves secrets to, before any code of the store runs."""
        for found in (resolved.secrets, resolved.provided):
            self._send(wire.Secrets(found(configuration)))
            if not isinstance(self.requests.get(), wire.Noted):
                raise wire.WireError("secrets were told, and no answer came to that")

    def _send(self, *frames: wire.Frame) -> None:
        wire.send(self._connection, frames)

    def _open(self, hello: wire.Hello) -> bool:
        """Start the JVM and open the store; False if that failed, which has been told then."""
        try:
            jvm.start(hello)
            try:
                self._opened = jvm.open_store(hello)
                self._tell_secrets(self._opened.configuration)
                caller = self._caller(0)
            except jvm.JavaError as error:
                if told := jvm.misconfigured(error, opened=hasattr(self, "_opened")):
                    self._send(wire.Failed(True, jvm.ancestry(error), told, jvm.stack(error)))
                    return False
                raise
            path = hello.sandbox or self._opened.path
            if archived.FOLDER in hello.configuration:
                folder = hello.configuration[archived.FOLDER]
                self._sandbox = self._archives = archived.Archives(self._opened, folder, hello.run)
            else:
                self._sandbox = sandbox.Sandbox(
                    caller.filesystem, self._opened, path, hello.run, hello.real_root, hello.emptied, hello.own
                )
                if hello.real_root:
                    self._real_root = True
                    self._callers.clear()  # the one that is there empties the root, and is no program's
            self._take(hello.resumed)
        except sandbox.Refused as error:
            self._send(wire.Failed(True, (), str(error), ""))
            return False
        except directories.Trouble as error:
            self._send(wire.Failed(False, (), str(error), ""))
            return False
        except jvm.JavaError as error:
            stack = jvm.stack(error)
            print(stack, file=sys.stderr, flush=True)
            self._send(wire.Failed(False, jvm.ancestry(error), jvm.explain(error), stack))
            return False
        except Exception as error:  # JPype's own complaints: no JVM there, bad arguments, classes missing from the path
            self._send(_failed(error))
            return False
        self._pace = pace.Pace(hello.rate)
        self._housekeeping: list[tuple[int, int]] = []
        self._requests: list[tuple[int, dict[str, int]]] = []
        self._base = ""
        known = jvm.versions(caller.filesystem)
        declared_by = declaring.methods(caller.filesystem)
        if isinstance(self._sandbox, sandbox.Sandbox) and self._sandbox.marker:
            declared_by |= declaring.of_streams(caller.filesystem, self._sandbox.marker)
        collect_seldom()  # JPype has Python look for cycles whenever Java's collector ran
        self._send(
            wire.Ready(known, self._sandbox.made_marker, self._sandbox.made_sandbox, declared_by, self._sandbox.others)
        )
        return True

    def _take(self, resumed: bool) -> None:
        """Take the sandbox, again after a wait if the store asks to try again. Raises as :meth:`Sandbox.take` does."""
        for attempt in range(pace.ATTEMPTS - 1):
            try:
                return self._sandbox.take(resumed)
            except jvm.JavaError as error:
                if not calls.asks_again(error):
                    raise
            time.sleep(pace.back_off(attempt))
        self._sandbox.take(resumed)

    def _close_clients(self) -> None:
        """Close the clients of programs: the next program gets new ones."""
        for caller in self._callers.values():
            with contextlib.suppress(jvm.JavaError):
                caller.filesystem.close()
        self._callers.clear()

    def _caller(self, client: int) -> calls.Caller:
        caller = self._callers.get(client)
        if caller is None:
            caller = self._callers[client] = calls.Caller(self._opened.instance())
        return caller

    def _client(self, client: int) -> calls.Caller | archived.Client:
        return self._archives.client(client) if self._archives else self._caller(client)

    def _execute(self, job: wire.Job, batch: int) -> None:
        """Execute a program; again, after a wait and at a slower pace, if the store asks to try again."""
        number, attempt = job.number, 0
        while True:
            told, lost, again = self._attempt(job, batch, attempt)
            if job.meeting and (lost or again):  # the others need not wait for what does not come
                meeting.Round(job.meeting).gone()
            if not again:
                break
            if not attempt:
                self._pace.slow_down()
            attempt += 1
            if job.meeting:  # the others can't begin anew
                lost, again = f"the store asked to try again: {again}", ""
                break
            if attempt >= self._pace.attempts:
                self._pace.gave_up()
                break
            if self.stopped >= batch:
                break
            self._send(wire.Again(number, again))
            self._wait(number, pace.back_off(attempt - 1), batch)
        requests = tuple(self._requests)
        done = wire.pack(wire.JobDone(number, lost, again, tuple(self._housekeeping), self._base, requests))
        self._housekeeping.clear()
        self._connection.sendall(told + done)

    def _wait(self, number: int, seconds: float, batch: int) -> None:
        """Wait before an attempt, telling now and then that it is no hanging; no longer if the batch is given up."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and self.stopped < batch:
            self._send(wire.Begin(number, wire.WAITING, time.monotonic_ns()))
            time.sleep(min(left, _BEAT_SECONDS))

    def _attempt(self, job: wire.Job, batch: int, attempt: int) -> tuple[bytes, str, str]:
        """Execute a program once: packed frames still to send, why it was lost, and why the store asks to try again."""
        number = job.number
        self._base = ""
        self._requests.clear()
        started = time.monotonic_ns()
        self._send(wire.Begin(number, wire.PREPARING, started))
        trouble = "the program's directory could not be made: "
        part = self._part_of(job, batch)
        try:
            if self._real_root:  # programs name the same paths, and a client may remember them
                self._close_clients()
            base = part.begin() if part and not part.leads else self._base_of(number, attempt)
            callers = [self._client(step.client) for step in job.steps]
        except meeting.NotMet as error:
            return b"", str(error), ""
        except directories.Trouble as error:
            return b"", f"{trouble}{error}", ""
        except jvm.JavaError as error:
            again = calls.asks_again(error)
            return b"", "" if again else f"{trouble}{jvm.explain(error)}", again
        finally:
            self._housekeeping.append((started, time.monotonic_ns()))
        self._base = base
        places = calls.Places(self._sandbox.scheme, self._sandbox.authority, base)
        try:
            told, again = self._steps(job, batch, callers, places, part)
        except meeting.NotMet as error:
            return b"", str(error), ""
        finally:
            if places.streams or places.readers:
                ended = time.monotonic_ns()
                places.close()
                self._housekeeping.append((ended, time.monotonic_ns()))
        return told, "", again

    def _part_of(self, job: wire.Job, batch: int) -> meeting.Round | None:
        """The session's part in a concurrent program; None in any other."""
        if job.meeting is None:
            return None

        def beat() -> None:
            if self.stopped >= batch:
                raise meeting.NotMet("the programs were given up")
            self._send(wire.Begin(job.number, wire.WAITING, time.monotonic_ns()))

        return meeting.Round(job.meeting, beat)

    def _base_of(self, number: int, attempt: int) -> str:
        """A fresh directory; tried twice, as a program may have broken a connection that the client keeps."""
        try:
            return self._sandbox.base(number, attempt)
        except jvm.JavaError as error:
            if calls.asks_again(error):
                raise
        return self._sandbox.base(number, attempt)

    def _steps(
        self,
        job: wire.Job,
        batch: int,
        callers: list[calls.Caller | archived.Client],
        places: calls.Places,
        part: meeting.Round | None,
    ) -> tuple[bytes, str]:
        """Perform the steps up to one that is to be tried again; the end of one and the next's beginning go together.

        The packed end of the last, and why the store asks to try again. Raises NotMet.
        """
        number, clock, pack, send = job.number, time.monotonic_ns, wire.pack, self._connection.sendall
        wanted, measured = set(job.snapshot_after), set(job.measured)
        paced = self._pace.bounded
        ended = b""
        for one in callers:
            if isinstance(one, calls.Caller):
                one.takes_errors = part is not None and part.is_unsteady
        by_threads = job.threads.steps if job.threads else range(0)
        for index, (call, caller) in enumerate(zip(job.steps, callers, strict=True)):
            if index in by_threads:
                if index == by_threads.start:
                    send(ended + pack(wire.Begin(number, index, clock())))
                    ended, again = self._together(job, caller, places)
                    if again:
                        return ended, again
                continue
            if self.stopped >= batch:
                break
            if part:
                ended = self._gather(part, index, places.base, ended)
            if paced:
                if ended:
                    send(ended)
                    ended = b""
                self._pace.wait()
            starts = part is not None and index == part.first < part.last
            if part and starts and part.is_killed:
                part.start()  # the time that it has left counts from the frame on
            send(ended + pack(wire.Begin(number, index, clock())))
            if part and starts and not part.is_killed:
                part.start()
            bare = index in measured
            before = counters.read(caller.filesystem) if bare else {}
            operation = transfer.operation(call)
            invoked = clock()
            outcome = caller.perform(operation, places, job.stacks, bare)
            returned = clock()
            if bare:
                self._requests.append((index, counters.since(before, counters.read(caller.filesystem))))
            ended = _end(wire.End(number, index, invoked, returned, outcome))
            if type(outcome) is wire.TryAgain and not (part and part.is_disturbed):
                return ended, outcome.reason
            if index in wanted:
                beat = wire.Begin(number, wire.SNAPSHOT, returned)
                send(ended + pack(beat))
                looker = self._archives.looker() if self._archives else self._caller(0)
                shot = snapshots.take(looker, places, number, index, lambda beat=beat: self._send(beat))  # type: ignore[misc]
                self._housekeeping.append((returned, clock()))
                ended = pack(shot)
        if part and part.is_killed:
            send(ended)
            meeting.wait_for_the_end()
        if part:
            ended = self._gather(part, len(job.steps), places.base, ended)
        return ended, ""

    def _together(
        self, job: wire.Job, caller: calls.Caller | archived.Client, places: calls.Places
    ) -> tuple[bytes, str]:
        """Perform the steps of threads, all by one FileSystem; as :meth:`_steps`."""
        threads = job.threads
        assert threads is not None
        if not isinstance(caller, calls.Caller):
            raise meeting.NotMet("an archive is read by one thread alone")
        if self._pace.bounded:
            for _ in threads.steps:
                self._pace.wait()
        # A caller has a digest of its own, which threads can't share.
        lanes = [calls.Caller(caller.filesystem) for _ in threads.lengths]
        clock = time.monotonic_ns
        operations = {index: transfer.operation(job.steps[index]) for index in threads.steps}

        def act(lane: int, index: int) -> wire.End:
            invoked = clock()
            outcome = lanes[lane].perform(operations[index], places, job.stacks)
            return wire.End(job.number, index, invoked, clock(), outcome)

        if self._lanes is None:
            self._lanes = ThreadPoolExecutor(MOST_LANES, "lane")
        beat = partial(wire.Begin, job.number, threads.first)
        ends = together.perform(threads, act, self._lanes, lambda: self._send(beat(clock())))
        again = next((end.outcome.reason for end in ends if type(end.outcome) is wire.TryAgain), "")
        return b"".join(map(_end, ends)), again

    def _gather(self, part: meeting.Round, index: int, base: str, ended: bytes) -> bytes:
        """Before a step of a concurrent program: wait for the others where it asks for that. What is still to send."""
        if index not in (part.first, part.last):
            return ended
        self._connection.sendall(ended)
        part.gather(index, base)
        return b""

    def _sweep(self) -> None:
        try:
            removed, problems = self._sandbox.sweep()
        except sandbox.Refused as error:
            self._send(wire.Failed(True, (), str(error), ""))
        except jvm.JavaError as error:
            self._send(wire.Failed(False, jvm.ancestry(error), jvm.explain(error), jvm.stack(error)))
        else:
            self._send(wire.Swept(tuple(removed), tuple(problems)))

    def _close(self, marker: bool, made: bool) -> None:
        try:
            problem = self._sandbox.leave(marker, made)
        except jvm.JavaError as error:
            problem = jvm.explain(error)
        self._send(wire.Closed(problem))
        self._close_clients()


def _failed(error: Exception) -> wire.Failed:
    """What is told of an error that is not Java's; called where it is handled."""
    return wire.Failed(False, (), f"{type(error).__name__}: {error}", traceback.format_exc()[: jvm.STACK_LIMIT])


def _answer(client: single_calls.Client, call: str, arguments: dict[str, Any]) -> wire.Answer:
    try:
        return wire.Answer(json.dumps(client.do[call](arguments)))
    except jvm.JavaError as error:
        print(jvm.stack(error), file=sys.stderr, flush=True)
        return wire.Answer(raised=jvm.ancestry(error), message=jvm.message(error), why=jvm.explain(error))
    except single_calls.Lacking as error:
        return wire.Answer(lacking=str(error))


def _end(frame: wire.End) -> bytes:
    """The End of a step; a result that is too long to send is Unknown."""
    try:
        return wire.pack(frame)
    except wire.WireError as error:
        told = wire.Unknown(f"the result could not be sent: {error}")
        return wire.pack(wire.End(frame.job, frame.step, frame.invoked, frame.returned, told))


def main(descriptor: int) -> None:
    """Serve the controller at the other end of ``descriptor``. Does not return."""
    handlers.load()
    connection = socket.socket(fileno=descriptor)
    worker = Worker(connection)
    threading.stack_size(_STACK_BYTES)
    threading.Thread(target=worker.run, name="executor", daemon=True).start()
    threading.stack_size(0)
    offspring.end_with_parent(partial(_exit, 0))
    receiver = wire.Receiver(connection)
    while True:
        try:
            request = receiver.request()
        except wire.PeerGone:
            _exit(0)
        except wire.WireError as error:
            print(f"fsconform worker: {error}", file=sys.stderr, flush=True)
            _exit(71)
        if isinstance(request, wire.Stop):
            worker.stopped = request.batch
        else:
            worker.requests.put(request)


def _exit(status: int) -> None:
    """End the process, and before it what the store's client started: there may be nobody else to do so."""
    with contextlib.suppress(Exception):
        if own := os.environ.get(offspring.VARIABLE):
            offspring.end(own)
    os._exit(status)


if __name__ == "__main__":
    main(int(sys.argv[1]))
