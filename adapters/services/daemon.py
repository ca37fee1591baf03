"""One daemon process of a service: started with its log in a file, watched, stopped, and never left behind."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from fsconform.adapters.patience import Patience, patient
from fsconform.engine.secrecy import private

_GUARD = Path(__file__).with_name("guard.py")
_PASSED_ON = ("HOME", "LD_LIBRARY_PATH", "PATH", "SystemRoot", "TZ", "USER")
JAVA_OPTIONS = "FSCONFORM_SERVER_JAVA_OPTIONS"
"""The environment variable with further options for the JVMs of servers, as an agent that measures them needs."""

_SETTLE_SECONDS = 2.0
_LOOK_SECONDS = 1.0
"""How often a wait asks how busy the machine is."""


START_SECONDS = 180.0
"""A service that is not ready by then is given up; on a busy machine later (see :mod:`fsconform.adapters.patience`)."""


class ServiceError(Exception):
    """A service could not be brought up or was lost. The text says which part, why, and which log to read."""


def daemon_environment(variables: Mapping[str, str]) -> dict[str, str]:
    """The environment for a daemon: what any program needs and nothing that would configure it behind our back."""
    passed = {name: variables[name] for name in _PASSED_ON if name in variables}
    options = variables.get(JAVA_OPTIONS)
    return {**passed, "LC_ALL": "C.UTF-8", **({"JAVA_TOOL_OPTIONS": options} if options else {})}


class Launcher(Protocol):
    """Makes the daemon of a command: as a process of this machine, or in a container."""

    def __call__(
        self, name: str, command: Sequence[str], home: Path, log: Path, variables: Mapping[str, str] | None = None
    ) -> Daemon:
        """Describe it; nothing is started. ``home`` must exist."""
        ...


def process(
    name: str, command: Sequence[str], home: Path, log: Path, variables: Mapping[str, str] | None = None
) -> Daemon:
    """The daemon of a command as a process of this machine."""
    return Daemon(name, command, home, log, variables=variables)


class Daemon:
    """A program that runs until it is stopped, in a session of its own, below a guard (see guard.py)."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        home: Path,
        log: Path,
        grace: float = 5.0,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        """Describe the daemon; ``home`` must exist, is its working directory and is removed if this process is killed.

        ``grace`` is the seconds between SIGTERM and SIGKILL on an idle machine. ``variables`` are added to its
        environment.
        """
        self.name = name
        self.log = log
        self._command = tuple(command)
        self._home = home
        self._grace = grace
        self._variables = dict(variables or {})
        self._guard: subprocess.Popen[bytes] | None = None
        self._pid: int | None = None

    @property
    def pid(self) -> int | None:
        """The process id of the daemon itself, once started."""
        return self._pid

    def start(self) -> None:
        """Start it, appending to its log. Raises ServiceError if the program cannot be executed."""
        read_end, write_end = os.pipe()
        try:
            with private(self.log) as stream:
                arguments = [str(write_end), str(self._grace), str(self._home), *self._command]
                self._guard = subprocess.Popen(
                    [sys.executable, "-I", "-S", str(_GUARD), *arguments],
                    stdin=subprocess.PIPE,
                    stdout=stream,
                    stderr=subprocess.STDOUT,
                    cwd=self._home,
                    env=daemon_environment(os.environ) | self._variables,
                    start_new_session=True,
                    pass_fds=(write_end,),
                )
        finally:
            os.close(write_end)
        with os.fdopen(read_end, "rb") as reader:
            said = reader.readline()
        if not said:
            self._guard.wait()
            raise ServiceError(f"{self.name} could not be started; see {self.log}:\n{self.tail()}")
        self._pid = int(said)

    def next_as(self, other: Daemon) -> None:
        """Run the command of another one when it is started again, without options that are for one start."""
        self._command = other._command

    def poll(self) -> int | None:
        """The exit code, or None while it runs. 128 and more: it was ended by signal code - 128."""
        return self._guard.poll() if self._guard else None

    def alive(self) -> bool:
        """Whether it was started and still runs."""
        return self._guard is not None and self._guard.poll() is None

    def ask_to_stop(self) -> None:
        """Ask for an orderly stop and return at once."""
        if self._guard is not None and self._guard.stdin is not None and not self._guard.stdin.closed:
            with suppress(OSError):
                self._guard.stdin.write(b"s%f\n" % patient(self._grace))
                self._guard.stdin.flush()
            with suppress(OSError):
                self._guard.stdin.close()

    def stop(self) -> None:
        """Stop it and wait until it is gone. May be called twice."""
        self.ask_to_stop()
        if self._guard is None:
            return
        try:
            self._guard.wait(patient(self._grace) + patient(_SETTLE_SECONDS))
        except subprocess.TimeoutExpired:
            self._kill()

    def crash(self) -> None:
        """Send the daemon SIGKILL, and wait until it is gone; it can be started again, in the home that it left."""
        if self._guard is None or self._guard.poll() is not None:
            return
        if self._pid is not None:
            with suppress(ProcessLookupError):
                os.kill(self._pid, 9)
        # The guard ends by itself once its daemon has, and asked for nothing it leaves the home as it is.
        self._guard.wait()
        if self._guard.stdin is not None:
            with suppress(OSError):
                self._guard.stdin.close()

    def _kill(self) -> None:
        """The guard does not answer: end it, and the daemon too where the kernel does not."""
        assert self._guard is not None
        if self._pid is not None:
            with suppress(ProcessLookupError):
                os.kill(self._pid, 9)
        self._guard.kill()
        self._guard.wait()

    def wait(self, patience: Patience) -> int | None:
        """Wait until it ends of itself or the time is up; its exit code, or None if it still runs."""
        assert self._guard is not None
        while True:
            with suppress(subprocess.TimeoutExpired):
                return self._guard.wait(min(_LOOK_SECONDS, patience.left))
            if patience.over:
                return None

    def finish(self, patience: Patience, what: str) -> None:
        """Start it and wait until it ended well. Raises ServiceError, which calls it ``what``."""
        self.start()
        code = self.wait(patience)
        self.stop()
        if code != 0:
            how = f"did not end within {patience.seconds:.0f} s" if code is None else f"ended with code {code}"
            raise ServiceError(f"{what} {how}; see {self.log}:\n{self.tail()}")

    def text(self) -> str:
        """All that is in its log."""
        try:
            return self.log.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""

    def tail(self, lines: int = 15) -> str:
        """The last lines of its log, indented."""
        return "\n".join(f"    {line}" for line in self.text().splitlines()[-lines:])
