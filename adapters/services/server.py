"""A store's server that is one process: it takes a free port, says in its log which, and is gone when stopped."""

from __future__ import annotations

import atexit
import re
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from fsconform.adapters.patience import Patience
from fsconform.adapters.services.daemon import START_SECONDS, Daemon, ServiceError

_POLL_SECONDS = 0.05


class Server:
    """One server. ``work`` is a directory, new or empty, that it makes and removes.

    ``command`` gives the program and its arguments for the folder in which it is to keep what it has. Its log tells the
    port by a line that ``says`` finds, whose first group is the number. ``variables`` are added to its environment. If
    it fails its log stays, and ``logs`` says where.
    """

    def __init__(
        self,
        name: str,
        work: Path,
        command: Callable[[Path], Sequence[str]],
        says: re.Pattern[str],
        variables: Mapping[str, str] | None = None,
        progress: Callable[[str], None] = lambda message: None,
        start_timeout: float = START_SECONDS,
    ) -> None:
        """Describe the server. ``start_timeout`` is in seconds on an idle machine."""
        self.name, self._work, self._command, self._says = name, work.absolute(), command, says
        self._variables, self._progress, self._timeout = dict(variables or {}), progress, start_timeout
        self._daemon: Daemon | None = None
        self._port = 0
        self._started = self._failed = False

    @property
    def port(self) -> int:
        """The port it listens on. Raises ServiceError before the start."""
        if not self._port:
            raise ServiceError(f"{self.name} has no port before it is started")
        return self._port

    @property
    def pids(self) -> dict[str, int]:
        """The process id of the server, by its name."""
        return {self.name: self._daemon.pid} if self._daemon is not None and self._daemon.pid is not None else {}

    def logs(self) -> list[Path]:
        """The server's log, if there is one."""
        return [path for path in (self._log,) if path.is_file()]

    def alive(self) -> bool:
        """Whether the server runs."""
        return self._daemon is not None and self._daemon.alive()

    def start(self) -> None:
        """Start the server, and return when it listens. Raises ServiceError, and what ``command`` raises."""
        if self._started:
            raise ServiceError(f"{self.name} is started already")
        if self._work.exists() and (not self._work.is_dir() or any(self._work.iterdir())):
            raise ServiceError(f"{self._work} is in use: {self.name} needs a directory that is new or empty")
        self._started, self._failed = True, False
        atexit.register(self.stop)
        try:
            for folder in (self._home, self._log.parent):
                folder.mkdir(parents=True, exist_ok=True)
            self._progress(f"Starting {self.name}.")
            command = self._command(self._home)
            self._daemon = Daemon(self.name, command, self._home, self._log, variables=self._variables)
            self._daemon.start()
            self._port = self._told(self._daemon)
        except BaseException as error:
            self._failed = isinstance(error, Exception)
            self.stop()
            raise

    def stop(self) -> None:
        """Stop the server and remove the work directory. May be called twice, and after a failed start."""
        if not self._started:
            return
        if self._daemon is not None:
            self._failed = self._failed or self._daemon.poll() is not None
            self._daemon.stop()
        shutil.rmtree(self._home if self._failed else self._work, ignore_errors=True)
        self._started = False
        atexit.unregister(self.stop)

    def _told(self, daemon: Daemon) -> int:
        """The port that the log tells. Raises ServiceError if the server ends or the time is up before."""
        patience = Patience(self._timeout)
        while not patience.over:
            if (code := daemon.poll()) is not None:
                raise ServiceError(f"{self.name} ended with code {code}; see {self._log}:\n{daemon.tail()}")
            if found := self._says.search(daemon.text()):
                return int(found[1])
            time.sleep(_POLL_SECONDS)
        raise ServiceError(
            f"{self.name} was not ready after {patience.seconds:.0f} s; see {self._log}:\n{daemon.tail()}"
        )

    @property
    def _home(self) -> Path:
        return self._work / self.name

    @property
    def _log(self) -> Path:
        return self._work / "logs" / f"{self.name}.log"
