"""The store ``local``: this machine's own filesystem, through Python's os calls."""

from __future__ import annotations

import platform
import threading
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import psutil

from fsconform.adapters.folders.sandbox import Sandbox
from fsconform.adapters.posix.session import PosixSession
from fsconform.adapters.separate.processes import Processes
from fsconform.engine.protocol import Session

JUDGED = "the mapping of errno to the specification's errors"
"""What judging this store tells: POSIX's calls are not Hadoop's, and between them stands this package's table."""


class PosixStore:
    """A directory of this machine as a store; fulfils engine.protocol.Store.

    Sessions may be opened from several threads. ``sandbox`` is the directory in which programs play: missing, empty or
    ours. ``request_rate`` caps the operations a second of each session. ``logs_folder`` is for the logs of sessions in
    processes of their own.
    """

    def __init__(
        self, name: str, sandbox: Path, request_rate: float | None = None, logs_folder: Path | None = None
    ) -> None:
        """Describe the store; nothing is made yet. Raises ValueError for a rate that cannot be meant."""
        if request_rate is not None and not request_rate > 0:
            raise ValueError(f"request_rate is {request_rate!r}; it is a number of operations a second above 0")
        self._name, self._path = name, sandbox.absolute()
        self._rate, self._pause = request_rate, 1 / request_rate if request_rate else 0.0
        self._processes = Processes(logs_folder)
        self._lock = threading.Lock()
        self._made_marker = self._made_sandbox = False

    @property
    def name(self) -> str:
        """The name under which results are reported."""
        return self._name

    @property
    def uri(self) -> str:
        """The sandbox directory."""
        return self._path.as_uri()

    @property
    def versions(self) -> dict[str, str]:
        """What is judged; the versions of Python and the system, and the kind of filesystem that is below."""
        system = f"{platform.system()} {platform.release()}"
        return {"judged": JUDGED, "python": platform.python_version(), "system": system, "disk": _kind_of(self._path)}

    def session(self, run: str = "") -> PosixSession:
        """Open a session with a directory of its own, named ``run`` or by chance.

        Raises StoreLost or SandboxRefused.
        """
        with self._lock:
            sandbox = Sandbox(self._path, run)
            self._made_marker = self._made_marker or sandbox.made_marker
            self._made_sandbox = self._made_sandbox or sandbox.made_sandbox
        return PosixSession(sandbox, self._pause, self._leave, self._apart)

    def logs(self) -> Iterable[str]:
        """Paths of the logs of sessions in processes of their own."""
        return self._processes.logs()

    def close(self) -> None:
        """Remove a temporary folder of logs, unless a process was lost. May be called twice."""
        self._processes.close()

    def clean_up(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Remove what earlier runs left in the sandbox: names removed, problems met.

        Raises StoreLost or SandboxRefused.
        """
        session = self.session()
        try:
            return session.sweep()
        finally:
            session.close()

    def _apart(self, clear: Callable[[str], None]) -> Session:
        """A session in a process of its own. Raises StoreLost or SandboxRefused."""
        return self._processes.session(partial(_opened, self._name, self._path, self._rate), clear)

    def _leave(self, sandbox: Sandbox) -> None:
        """Hear that a session ends. Marker and sandbox go with the last one, if this store made them."""
        with self._lock:
            sandbox.leave(self._made_marker, self._made_sandbox)


def _opened(name: str, path: Path, rate: float | None, run: str) -> Session:
    """A session as its process opens it: beside one that stays, to which marker and sandbox belong."""
    return PosixStore(name, path, rate).session(run)


def _kind_of(path: Path) -> str:
    """The kind of filesystem at a path, by the longest mount point above it; empty where that is not known."""
    real = path.resolve()
    above = {str(place) for place in (real, *real.parents)}
    try:
        mounted = [one for one in psutil.disk_partitions(all=True) if one.mountpoint in above]
    except OSError:  # no /proc
        return ""
    return max(mounted, key=lambda one: len(one.mountpoint)).fstype if mounted else ""
