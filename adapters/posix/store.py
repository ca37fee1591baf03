"""The store ``local``: this machine's own filesystem, through Python's os calls."""

from __future__ import annotations

import platform
from functools import partial
from pathlib import Path

import psutil

from fsconform.adapters.folders.sandbox import Sandbox
from fsconform.adapters.in_process import InProcessStore
from fsconform.adapters.posix.session import PosixSession
from fsconform.adapters.separate.frames import Opening
from fsconform.engine.protocol import Session

JUDGED = "the mapping of errno to the specification's errors"
"""What judging this store tells: POSIX's calls are not Hadoop's, and between them stands this package's table."""


class PosixStore(InProcessStore):
    """A directory of this machine as a store; fulfils engine.protocol.Store.

    ``sandbox`` is the directory in which programs play: missing, empty or ours.
    """

    def __init__(
        self, name: str, sandbox: Path, request_rate: float | None = None, logs_folder: Path | None = None
    ) -> None:
        """Describe the store; nothing is made yet. Raises ValueError for a rate that cannot be meant."""
        super().__init__(name, request_rate, logs_folder)
        self._path = sandbox.absolute()

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
            self._entered(sandbox)
        return PosixSession(sandbox, self._pause, self._leave, self._apart)

    def clean_up(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Remove what earlier runs left in the sandbox: names removed, problems met.

        Raises StoreLost or SandboxRefused.
        """
        session = self.session()
        try:
            return session.sweep()
        finally:
            session.close()

    def _opening(self) -> Opening:
        return partial(_opened, self._name, self._path, self._rate)


def _opened(name: str, path: Path, rate: float | None, run: str) -> Session:
    """A session as its process opens it."""
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
