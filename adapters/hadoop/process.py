"""A worker process as the session sees it: a child that is talked to in frames and drives a JVM."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from fsconform.adapters.child import Child, module_path
from fsconform.adapters.hadoop import wire
from fsconform.adapters.patience import patient
from fsconform.engine.protocol import NO_SETTINGS
from fsconform.engine.secrecy import KNOWN

_T = TypeVar("_T")

_DUMP_SECONDS = 1.0


class Lost(Exception):
    """The worker is gone; the text says why. ``hung`` is true if it was killed for want of an answer."""

    hung = False


class Hung(Lost):
    """It gave no answer in its time."""

    hung = True


class WorkerProcess(Child):
    """One worker."""

    def __init__(
        self, log: Path, java_home: Path, poll_seconds: float, variables: Mapping[str, str] = NO_SETTINGS
    ) -> None:
        """Start a worker that writes its output to ``log``. ``poll_seconds`` bounds each wait for a frame.

        ``variables`` are further ones of its environment. Raises OSError.
        """
        super().__init__(log, "fsconform.adapters.hadoop.worker", {**_environment(java_home), **variables})
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

    def answer(self) -> wire.Reply:
        """The next frame that tells of no secrets; those that are told are learned. Raises as send and reply do."""
        while isinstance(frame := self.reply(), wire.Secrets):
            KNOWN.learn(frame.values)
            self.send(wire.Noted())
        return frame

    def guarded(self, action: Callable[[], _T], waited: Callable[[], float] | None = None) -> _T:
        """What an action returns that talks to the worker, which is killed if that takes too long. Raises Lost.

        ``waited`` tells for how many seconds there was no answer, where that is not the bound of one wait.
        """
        try:
            return action()
        except TimeoutError:
            place = self.where_it_hangs()
            seconds = waited() if waited is not None else self.connection.gettimeout() or 0.0
            self.kill()
            at = f"; it hung in {place}" if place else ""
            raise Hung(f"no answer within {seconds:g} s, and the worker was killed{at}") from None
        except wire.PeerGone:
            raise Lost(self.why_ended()) from None
        except wire.WireError as error:
            raise Lost(f"the worker sent what cannot be read: {error}") from error

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
