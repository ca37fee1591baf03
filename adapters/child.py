"""A process of ours that drives a store, as its session sees it: started, killed, and asked why it ended."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from fsconform.adapters import offspring
from fsconform.adapters.patience import patient
from fsconform.engine.secrecy import Pump

_LOOK_SECONDS = 0.005
_EXIT_SECONDS = 3.0
_DRAIN_SECONDS = 1.0
"""What a child started that left its group may hold the log open: it is not waited for."""
_TAIL_LINES, _TAIL_BYTES = 5, 4096


def channel(end: socket.socket) -> Connection[Any, Any]:
    """The way of pickled frames over one end of a socket pair, which belongs to it from now on.

    Both ends are of one program and one user.
    """
    return Connection(end.detach())


class Child:
    """One process. It leads a process group of its own, so a Ctrl-C at the terminal does not reach it."""

    def __init__(self, log: Path, module: str, environment: Mapping[str, str], home: Path | None = None) -> None:
        """Start ``python -m MODULE FD``, FD being its end of a socket pair, in the folder ``home``. Raises OSError.

        Its output goes to ``log``, without secrets.
        """
        self.log = log
        self._mark, self._ended = offspring.mark(), False
        self._pump = Pump(log)
        ours, theirs = socket.socketpair()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", module, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=self._pump.end,
                stderr=subprocess.STDOUT,
                cwd=home,
                pass_fds=(theirs.fileno(),),
                env={**environment, offspring.VARIABLE: self._mark},
                start_new_session=True,
            )
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
            self._pump.started()
        self.connection = ours
        """Our end."""

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def strike(self) -> None:
        """Send the process and its group SIGKILL, and leave it to others to find that it ended."""
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def kill(self) -> None:
        """End the process and what it started, now. May be called twice."""
        self.connection.close()
        self._end_group()
        if not self._ended:
            offspring.end(self._mark)
            self._ended = True

    def _end_group(self) -> None:
        if self._process.returncode is None:
            # The group is named after the process, which is not yet reaped: the number cannot have passed to another.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._pump.settle(_DRAIN_SECONDS)

    def _wait(self, seconds: float) -> int:
        """Wait for the process's end, and end what is left of its group then. Raises subprocess.TimeoutExpired."""
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

    def let_end(self, seconds: float = _EXIT_SECONDS) -> None:
        """Give the process so many seconds to end by itself, then kill it."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._wait(patient(seconds))
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


def module_path() -> str:
    """The value of PYTHONPATH by which a child can import what we can."""
    return os.pathsep.join(str(Path(entry).absolute()) for entry in sys.path if entry)
