"""The worker process: ``python -m fsconform.adapters.hadoop.worker FD``, FD being one end of a socket pair.

The main thread reads requests, and ends the process at once when the connection ends; a watching thread does so when
the parent ends. The executing thread owns the JVM: there the JVM can guard the stack as in its own launcher.
"""

from __future__ import annotations

import contextlib
import os
import queue
import socket
import sys
import threading
import time
import traceback

from fsconform.adapters.hadoop import calls, jvm, sandbox, snapshots, wire

_STACK_BYTES = 8 << 20
_PARENT_SECONDS = 1.0


class Worker:
    """The state of the worker; ``run`` and what it calls belong to the executing thread."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self.requests: queue.SimpleQueue[wire.Request] = queue.SimpleQueue()
        self.stopped = -1
        """Batches up to this number are to be given up. Written by the reading thread."""
        self._callers: dict[int, calls.Caller] = {}

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
        os._exit(status)

    def _serve(self) -> None:
        hello = self.requests.get()
        if not isinstance(hello, wire.Hello) or hello.version != wire.VERSION:
            raise wire.WireError("the first frame was no Hello of this version")
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
                    removed, problems = self._sandbox.sweep()
                    self._send(wire.Swept(tuple(removed), tuple(problems)))
                case wire.Close(marker, made):
                    self._close(marker, made)
                    return
                case _:
                    raise wire.WireError("a frame that only makes sense at the start")

    def _send(self, *frames: wire.Frame) -> None:
        wire.send(self._connection, frames)

    def _open(self, hello: wire.Hello) -> bool:
        """Start the JVM and open the store; False if that failed, which has been told then."""
        try:
            jvm.start(hello)
            self._opened = jvm.open_store(hello)
            caller = self._caller(0)
            path = hello.sandbox or self._opened.path
            self._sandbox = sandbox.Sandbox(caller.filesystem, self._opened, path, hello.run, hello.real_root)
            self._sandbox.take(hello.resumed)
        except sandbox.Refused as error:
            self._send(wire.Failed(True, (), str(error), ""))
            return False
        except sandbox.Trouble as error:
            self._send(wire.Failed(False, (), str(error), ""))
            return False
        except jvm.JavaError as error:
            stack = jvm.stack(error)
            print(stack, file=sys.stderr, flush=True)
            self._send(wire.Failed(False, jvm.ancestry(error), jvm.explain(error), stack))
            return False
        except Exception as error:  # JPype's own complaints: no JVM there, bad arguments, classes missing from the path
            told = f"{type(error).__name__}: {error}"
            self._send(wire.Failed(False, (), told, traceback.format_exc()[: jvm.STACK_LIMIT]))
            return False
        self._seconds_a_call = 1 / hello.rate if hello.rate > 0 else 0.0
        self._next_call = 0.0
        known = jvm.versions(caller.filesystem)
        self._send(wire.Ready(known, self._sandbox.made_marker, self._sandbox.made_sandbox))
        return True

    def _caller(self, client: int) -> calls.Caller:
        caller = self._callers.get(client)
        if caller is None:
            caller = self._callers[client] = calls.Caller(self._opened.instance())
        return caller

    def _pause(self) -> None:
        """Keep to the rate asked for."""
        now = time.monotonic()
        if self._next_call > now:
            time.sleep(self._next_call - now)
        self._next_call = max(now, self._next_call) + self._seconds_a_call

    def _execute(self, job: wire.Job, batch: int) -> None:
        number = job.number
        self._send(wire.Begin(number, wire.PREPARING, time.monotonic_ns()))
        try:
            callers = [self._caller(step.client) for step in job.steps]
            base = self._sandbox.base(number)
        except sandbox.Trouble as error:
            self._send(wire.JobDone(number, f"the program's directory could not be made: {error}"))
            return
        except jvm.JavaError as error:
            self._send(wire.JobDone(number, f"the program's directory could not be made: {jvm.explain(error)}"))
            return
        places = calls.Places(self._sandbox.scheme, self._sandbox.authority, base)
        self._steps(job, batch, callers, places)
        self._sandbox.clean(base)

    def _steps(self, job: wire.Job, batch: int, callers: list[calls.Caller], places: calls.Places) -> None:
        """Perform the steps; the end of one and the beginning of the next travel together."""
        number, clock, pack, send = job.number, time.monotonic_ns, wire.pack, self._connection.sendall
        wanted = set(job.snapshot_after)
        paced = self._seconds_a_call > 0
        ended = b""
        for index, (call, caller) in enumerate(zip(job.steps, callers, strict=True)):
            if self.stopped >= batch:
                break
            if paced:
                if ended:
                    send(ended)
                    ended = b""
                self._pause()
            send(ended + pack(wire.Begin(number, index, clock())))
            invoked = clock()
            outcome = caller.perform(call, places, job.stacks)
            returned = clock()
            ended = _end(wire.End(number, index, invoked, returned, outcome))
            if index in wanted:
                beat = wire.Begin(number, wire.SNAPSHOT, returned)
                send(ended + pack(beat))
                shot = snapshots.take(self._caller(0), places, number, index, lambda beat=beat: self._send(beat))  # type: ignore[misc]
                ended = pack(shot)
        send(ended + pack(wire.JobDone(number, "")))

    def _close(self, marker: bool, made: bool) -> None:
        try:
            problem = self._sandbox.leave(marker, made)
        except jvm.JavaError as error:
            problem = jvm.explain(error)
        self._send(wire.Closed(problem))
        for caller in self._callers.values():
            with contextlib.suppress(jvm.JavaError):
                caller.filesystem.close()


def _end(frame: wire.End) -> bytes:
    """The End of a step; a result that is too long to send is Unknown."""
    try:
        return wire.pack(frame)
    except wire.WireError as error:
        told = wire.Unknown(f"the result could not be sent: {error}")
        return wire.pack(wire.End(frame.job, frame.step, frame.invoked, frame.returned, told))


def main(descriptor: int) -> None:
    """Serve the controller at the other end of ``descriptor``. Does not return."""
    connection = socket.socket(fileno=descriptor)
    worker = Worker(connection)
    parent = os.getppid()
    threading.stack_size(_STACK_BYTES)
    threading.Thread(target=worker.run, name="executor", daemon=True).start()
    threading.stack_size(0)
    # A fork of the controller may hold the other end open after the controller died: so the parent is watched as well.
    threading.Thread(target=_watch, args=(parent,), name="watch", daemon=True).start()
    receiver = wire.Receiver(connection)
    while True:
        try:
            request = receiver.request()
        except wire.PeerGone:
            os._exit(0)
        except wire.WireError as error:
            print(f"fsconform worker: {error}", file=sys.stderr, flush=True)
            os._exit(71)
        if isinstance(request, wire.Stop):
            worker.stopped = request.batch
        else:
            worker.requests.put(request)


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_PARENT_SECONDS)
    os._exit(0)


if __name__ == "__main__":
    main(int(sys.argv[1]))
