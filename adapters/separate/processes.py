"""The processes of a store's sessions: where their logs are, and when those may go."""

from __future__ import annotations

import contextlib
import secrets
import shutil
import threading
from collections.abc import Callable, Iterable
from pathlib import Path

from fsconform.adapters import temporary
from fsconform.adapters.separate import frames
from fsconform.adapters.separate.process import SessionProcess
from fsconform.adapters.separate.session import SeparateSession
from fsconform.engine.protocol import StoreLost


class Processes:
    """Starts processes for one store. Sessions may be opened from several threads."""

    def __init__(self, logs: Path | None = None) -> None:
        """``logs`` is the folder of their logs; a temporary one is made where that is None."""
        self._given = logs
        self._temporary: Path | None = None
        self._lock = threading.Lock()
        self._trouble = False

    def session(self, opening: frames.Opening, clear: Callable[[str], None]) -> SeparateSession:
        """A session in a process of its own. Raises StoreLost or SandboxRefused."""
        started = 0

        def spawn() -> SessionProcess:
            nonlocal started
            started += 1
            return self._spawn(started > 1)

        try:
            return SeparateSession(opening, spawn, clear)
        except BaseException:
            self._trouble = True
            raise

    def logs(self) -> Iterable[str]:
        """Paths of their logs."""
        folder = self._given or self._temporary
        return tuple(sorted(map(str, folder.glob("session-*.log")))) if folder else ()

    def close(self) -> None:
        """Remove a temporary folder of logs, unless a process was lost. May be called twice."""
        with self._lock:
            folder, trouble = self._temporary, self._trouble
        if folder is None:
            return
        if trouble:
            with contextlib.suppress(OSError):
                temporary.keep(folder)
        else:
            shutil.rmtree(folder, ignore_errors=True)

    def _spawn(self, replacement: bool) -> SessionProcess:
        with self._lock:
            self._trouble = self._trouble or replacement
            try:
                folder = self._given or self._temporary
                if folder is None:
                    folder = self._temporary = temporary.folder("logs")
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                return SessionProcess(folder / f"session-{secrets.token_hex(4)}.log")
            except OSError as error:
                raise StoreLost(f"no worker process could be started: {error}") from error
