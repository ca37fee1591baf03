"""What the services that are started here share: a directory of their own, daemons, and an end that leaves nothing."""

from __future__ import annotations

import atexit
import shutil
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from fsconform.adapters.patience import Patience
from fsconform.adapters.services.daemon import START_SECONDS, Daemon, ServiceError
from fsconform.adapters.services.ports import free_port
from fsconform.adapters.volumes.durability import Discipline
from fsconform.adapters.volumes.powered import ALL, Lose, PoweredFolders
from fsconform.adapters.volumes.volume import Volume

_ATTEMPTS = 3
_POLL_SECONDS = 0.05
_RECOVERY_SECONDS = 20.0
"""For so long daemons that live are waited for once their medium is well again, on an idle machine."""


class PortTaken(ServiceError):
    """The port went to another program."""


class Service:
    """A service; ``work`` is a directory, new or empty, that it makes and removes, and ``what`` names it in errors.

    A subclass starts its daemons in ``_bring_up`` and keeps them in ``_daemons``. A stop removes everything; if a
    daemon failed before, the logs stay and ``logs`` says where. ``start_timeout`` is in seconds on an idle machine.
    """

    def __init__(
        self,
        what: str,
        work: Path,
        progress: Callable[[str], None] | None = None,
        start_timeout: float = START_SECONDS,
    ) -> None:
        self._what, self._work, self._timeout = what, work.absolute(), start_timeout
        self._host, self._port = "127.0.0.1", 0
        self._progress = progress or (lambda message: None)
        self._daemons: list[Daemon] = []
        self._log_names: tuple[str, ...] = ()
        self._started = self._failed = False
        self._powered = PoweredFolders()

    def on_volumes(self) -> None:
        """Keep what the daemons store on volumes that can lose their power; said before the start."""
        self._powered.wanted = True

    @property
    def powered(self) -> tuple[str, ...]:
        """The daemons whose machines can lose their power; of several also all of them at once."""
        names = self._powered.names
        return (*names, *((ALL,) if len(names) > 1 else ()))

    def settle(self, discipline: Discipline) -> None:
        """Make all durable that is stored, and have the disks follow a discipline. Raises VolumeLost."""
        self._powered.settle(discipline)

    def lose_power(self, part: str, lose: Lose) -> None:
        """Let a daemon's machine lose its power, or those of all; start what stood there again, and wait for it.

        Raises ServiceError if that takes too long, VolumeLost, KeyError for a name that no machine has.
        """
        daemons = [daemon for daemon in self._daemons if part in (ALL, daemon.name)]
        for daemon in daemons:
            daemon.crash()
        self._powered.lose([daemon.name for daemon in daemons], lose)
        heard = [len(daemon.text()) for daemon in daemons]
        for daemon in daemons:
            daemon.start()
        for daemon, length in zip(daemons, heard, strict=True):
            self._wait(Patience(self._timeout), partial(self._serves_again, daemon, length))

    def volumes(self, part: str) -> list[Volume]:
        """The volumes of a daemon's machine, or of all. Raises KeyError for a name that none has."""
        return self._powered.volumes(self._powered.names if part == ALL else [part])

    def notice(self, part: str) -> None:
        """Wait until a daemon that looks for room by itself has noticed that it has none."""

    def recover(self) -> None:
        """Wait until all serve again after a medium failed, and start again what ended by that.

        Raises ServiceError if that takes too long.
        """
        patience = Patience(self._timeout)
        while not patience.over:
            ended = [daemon for daemon in self._daemons if not daemon.alive()]
            heard = [len(daemon.text()) for daemon in ended]
            for daemon in ended:
                daemon.start()
            for daemon, length in zip(ended, heard, strict=True):
                self._wait(patience, partial(self._serves_again, daemon, length))
            if self._recovered(Patience(_RECOVERY_SECONDS)):
                return
        raise ServiceError(f"{self._what} did not serve again once its medium was well; see {self.logs()}")

    def _recovered(self, patience: Patience) -> bool:
        """Whether all daemons live and serve within a time."""
        while not patience.over and self.alive():
            if self._serves():
                return True
            time.sleep(_POLL_SECONDS)
        return False

    def _serves(self) -> bool:
        """Whether it serves, all of its daemons being up."""
        raise NotImplementedError

    @property
    def pids(self) -> dict[str, int]:
        """The process id of each daemon, by its name."""
        return {daemon.name: daemon.pid for daemon in self._daemons if daemon.pid is not None}

    @property
    def port(self) -> int:
        """The port it listens on. Raises ServiceError before the start."""
        if not self._port:
            raise ServiceError(f"{self._what} has no port before it is started")
        return self._port

    def logs(self) -> list[Path]:
        """The logs there are, that of the first daemon first."""
        return [path for name in self._log_names if (path := self._log(name)).is_file()]

    def alive(self) -> bool:
        """Whether every daemon runs."""
        return bool(self._daemons) and all(daemon.alive() for daemon in self._daemons)

    def failure(self) -> str:
        """Which daemons ended of themselves, with the path and the last lines of each log; empty if none did."""
        return "\n".join(
            f"The {one.name} ended with code {code}; see {one.log}:\n{one.tail()}"
            for one in self._daemons
            if (code := one.poll()) is not None
        )

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of the daemons that can be crashed and restarted on what they left; none where that is unknown."""
        return ()

    def crash(self, part: str) -> None:
        """Send a daemon SIGKILL, and wait until it is gone. Raises KeyError for a name that no daemon has."""
        self._named(part).crash()

    def restart(self, part: str) -> None:
        """Start a daemon again that was crashed, on its port and its storage, and wait until it serves.

        Raises ServiceError if that takes too long, KeyError for a name that no daemon has.
        """
        daemon = self._named(part)
        heard = len(daemon.text())
        daemon.start()
        self._wait(Patience(self._timeout), lambda: self._serves_again(daemon, heard))

    def _serves_again(self, daemon: Daemon, heard: int) -> bool:
        """Whether a daemon that was started anew serves; ``heard`` is the length of its log before."""
        raise NotImplementedError

    def _named(self, part: str) -> Daemon:
        return {daemon.name: daemon for daemon in self._daemons}[part]

    def start(self) -> None:
        """Start the service, and return when it answers. Raises ServiceError, and what a part of it needs to start."""
        if self._started:
            raise ServiceError(f"{self._what} is started already")
        if self._work.exists() and (not self._work.is_dir() or any(self._work.iterdir())):
            raise ServiceError(f"{self._work} is in use: {self._what} needs a directory that is new or empty")
        self._started, self._failed = True, False
        atexit.register(self.stop)
        try:
            (self._work / "logs").mkdir(parents=True, exist_ok=True)
            self._bring_up()
        except BaseException as error:
            self._failed = isinstance(error, Exception)
            self.stop()
            raise

    def stop(self) -> None:
        """Stop the daemons and remove the work directory. May be called twice, and after a failed start."""
        if not self._started:
            return
        self._failed = self._failed or any(daemon.poll() is not None for daemon in self._daemons)
        self._stop_daemons()
        self._powered.close()
        if self._failed and self.logs():
            for one in self._work.iterdir():
                if not one.is_dir():
                    one.unlink()
                elif one.name != "logs":
                    shutil.rmtree(one, ignore_errors=True)
        else:
            shutil.rmtree(self._work, ignore_errors=True)
        self._started = False
        atexit.unregister(self.stop)

    def __enter__(self) -> Self:
        """Start the service."""
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the service."""
        self.stop()

    def _bring_up(self) -> None:
        """Start the daemons, and return when they answer. Raises ServiceError."""
        raise NotImplementedError

    def _on_a_port(self, asked: int | None, attempt: Callable[[bool], None]) -> None:
        """Try ports until one is ours, or the one that was asked for; ``attempt`` is told if it is the first.

        It raises PortTaken, which shows by the log of the first daemon: that is begun anew then.
        """
        for number in range(1, _ATTEMPTS + 1):
            self._port = asked or free_port(self._host)
            try:
                attempt(number == 1)
                return
            except PortTaken:
                self._stop_daemons()
                if asked or number == _ATTEMPTS:
                    raise
                self._log(self._daemons[0].name).unlink(missing_ok=True)

    def _wait(self, patience: Patience, done: Callable[[], bool]) -> None:
        """Return when ``done`` holds. Raises ServiceError if a daemon ends or the time is up before."""
        while not patience.over:
            if failure := self.failure():
                raise self._ended(failure)
            if done():
                return
            time.sleep(_POLL_SECONDS)
        logs = "\n".join(f"{daemon.name}, see {daemon.log}:\n{daemon.tail()}" for daemon in self._daemons)
        raise ServiceError(f"{self._what} was not ready after {patience.seconds:.0f} s. Its logs end so:\n{logs}")

    def _ended(self, failure: str) -> ServiceError:
        """What it means that a daemon ended while the service was awaited."""
        return ServiceError(failure)

    def _stop_daemons(self) -> None:
        for daemon in self._daemons:
            daemon.ask_to_stop()
        for daemon in self._daemons:
            daemon.stop()

    def _log(self, name: str) -> Path:
        return self._work / "logs" / f"{name}.log"
