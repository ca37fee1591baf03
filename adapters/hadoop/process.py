"""A worker process as the session sees it: started, talked to, killed, and asked why it ended."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from fsconform.adapters import offspring
from fsconform.adapters.hadoop import wire
from fsconform.adapters.patience import patient
from fsconform.engine.secrecy import Pump

_DUMP_SECONDS = 1.0
_LOOK_SECONDS = 0.005
_EXIT_SECONDS = 3.0
_DRAIN_SECONDS = 1.0
"""A child of a connector that left the worker's group may hold the log open: it is not waited for."""
_TAIL_LINES, _TAIL_BYTES = 5, 4096


class WorkerProcess:
    """One worker. It leads a process group of its own, so a Ctrl-C at the terminal does not reach it."""

    def __init__(self, log: Path, java_home: Path, poll_seconds: float) -> None:
        """Start a worker that writes its output to ``log``. ``poll_seconds`` bounds each wait for a frame."""
        self.log = log
        self._mark, self._ended = offspring.mark(), False
        self._pump = Pump(log)
        ours, theirs = socket.socketpair()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "fsconform.adapters.hadoop.worker", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=self._pump.end,
                stderr=subprocess.STDOUT,
                pass_fds=(theirs.fileno(),),
                env=_environment(java_home) | {offspring.VARIABLE: self._mark},
                start_new_session=True,
            )
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
            self._pump.started()
        ours.settimeout(poll_seconds)
        self._connection = ours
        self._receiver = wire.Receiver(ours)
        self.reply = self._receiver.reply
        """Waits for the next frame. Raises TimeoutError, wire.PeerGone or wire.WireError."""

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def send(self, frame: wire.Frame) -> None:
        """Send a frame. Raises wire.PeerGone, wire.WireError, UnicodeEncodeError; TimeoutError if nobody reads it."""
        wire.send(self._connection, (frame,))

    def wait_at_most(self, seconds: float) -> None:
        """Bound each wait for a frame from now on."""
        self._connection.settimeout(seconds)

    def kill(self) -> None:
        """End the worker and what it started, now. May be called twice."""
        self._connection.close()
        self._end_group()
        if not self._ended:
            offspring.end(self._mark)
            self._ended = True

    def _end_group(self) -> None:
        if self._process.returncode is None:
            # The group is named after the worker, which is not yet reaped: the number cannot have passed to another.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._pump.settle(_DRAIN_SECONDS)

    def _wait(self, seconds: float) -> int:
        """Wait for the worker's end, and end what is left of its group then. Raises subprocess.TimeoutExpired."""
        until = time.monotonic() + seconds
        while self._process.returncode is None:
            # As above: not reaped before its group is gone.
            if os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait()
            elif time.monotonic() >= until:
                raise subprocess.TimeoutExpired("worker", seconds)
            else:
                time.sleep(_LOOK_SECONDS)
        return int(self._process.returncode)

    def let_end(self) -> None:
        """Give the worker a moment to end by itself, then kill it."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._wait(patient(_EXIT_SECONDS))
        self.kill()

    def why_ended(self) -> str:
        """How the process ended and what it wrote last; waits a moment for an end that is under way."""
        try:
            status = self._wait(patient(_EXIT_SECONDS))
            self._pump.settle(_DRAIN_SECONDS)
        except subprocess.TimeoutExpired:
            return f"the worker process closed its connection and goes on{self._told()}"
        if status < 0:
            try:
                name = signal.Signals(-status).name
            except ValueError:
                name = "unknown"
            return f"the worker process was ended by signal {-status} ({name}){self._told()}"
        return f"the worker process ended with status {status}{self._told()}"

    def where_it_hangs(self) -> str:
        """The Java stack of the executing thread, by way of the JVM's own dump on SIGQUIT; empty if it gives none."""
        start = self._log_size()
        try:
            os.kill(self._process.pid, signal.SIGQUIT)
        except ProcessLookupError:
            return ""
        deadline = time.monotonic() + patient(_DUMP_SECONDS)
        while time.monotonic() < deadline:
            time.sleep(0.05)
            lines = self._read(start, 1 << 20).splitlines()
            for number, line in enumerate(lines):
                if line.startswith('"main"') and "" in lines[number:]:
                    end = lines.index("", number)
                    frames = [one.strip() for one in lines[number:end] if one.lstrip().startswith("at ")]
                    return " < ".join(one.removeprefix("at ").removeprefix("app//") for one in frames[:6])
        return ""

    def _told(self) -> str:
        end = self._read(max(0, self._log_size() - _TAIL_BYTES), _TAIL_BYTES)
        lines = [line for line in end.splitlines() if line.strip()]
        return f"; its last words: {' | '.join(lines[-_TAIL_LINES:])}" if lines else ""

    def _log_size(self) -> int:
        try:
            return self.log.stat().st_size
        except OSError:
            return 0

    def _read(self, start: int, most: int) -> str:
        try:
            with self.log.open("rb") as stream:
                stream.seek(start)
                return stream.read(most).decode("utf-8", "replace")
        except OSError:
            return ""


def _environment(java_home: Path) -> dict[str, str]:
    """The worker's environment: ours, in a UTF-8 locale, with the modules that we can import."""
    environment = dict(os.environ)
    # A JVM uses segmentation faults for its own ends, and Python's handler for them would report each as a crash.
    for name in ("PYTHONFAULTHANDLER", "CLASSPATH", "LANG", "LC_CTYPE"):
        environment.pop(name, None)
    environment["LC_ALL"] = "C.UTF-8"
    environment["JAVA_HOME"] = str(java_home)
    environment["PYTHONPATH"] = os.pathsep.join(str(Path(entry).absolute()) for entry in sys.path if entry)
    return environment
