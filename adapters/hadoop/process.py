"""A worker process as the session sees it: a child that is talked to in frames and drives a JVM."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from fsconform.adapters.child import Child, module_path
from fsconform.adapters.hadoop import wire
from fsconform.adapters.patience import patient

_DUMP_SECONDS = 1.0


class WorkerProcess(Child):
    """One worker."""

    def __init__(self, log: Path, java_home: Path, poll_seconds: float) -> None:
        """Start a worker that writes its output to ``log``. ``poll_seconds`` bounds each wait for a frame."""
        super().__init__(log, "fsconform.adapters.hadoop.worker", _environment(java_home))
        self.connection.settimeout(poll_seconds)
        self._receiver = wire.Receiver(self.connection)
        self.reply = self._receiver.reply
        """Waits for the next frame. Raises TimeoutError, wire.PeerGone or wire.WireError."""

    def send(self, frame: wire.Frame) -> None:
        """Send a frame. Raises wire.PeerGone, wire.WireError, UnicodeEncodeError; TimeoutError if nobody reads it."""
        wire.send(self.connection, (frame,))

    def wait_at_most(self, seconds: float) -> None:
        """Bound each wait for a frame from now on."""
        self.connection.settimeout(seconds)

    def where_it_hangs(self) -> str:
        """The Java stack of the executing thread, by way of the JVM's own dump on SIGQUIT; empty if it gives none."""
        start = self._log_size()
        try:
            os.kill(self.pid, signal.SIGQUIT)
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


def _environment(java_home: Path) -> dict[str, str]:
    """The worker's environment: ours, in a UTF-8 locale, with the modules that we can import."""
    environment = dict(os.environ)
    # A JVM uses segmentation faults for its own ends, and Python's handler for them would report each as a crash.
    for name in ("PYTHONFAULTHANDLER", "CLASSPATH", "LANG", "LC_CTYPE"):
        environment.pop(name, None)
    environment["LC_ALL"] = "C.UTF-8"
    environment["JAVA_HOME"] = str(java_home)
    environment["PYTHONPATH"] = module_path()
    return environment
