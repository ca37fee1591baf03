"""A store's server that is one process: it takes a free port, says in its log which, and is gone when stopped."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from fsconform.adapters.patience import Patience
from fsconform.adapters.services.daemon import START_SECONDS, Daemon
from fsconform.adapters.services.service import Service


class Server(Service):
    """One server.

    ``command`` gives the program and its arguments for the folder in which it is to keep what it has. Its log tells the
    port by a line that ``says`` finds, whose first group is the number. ``variables`` are added to its environment.
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
        super().__init__(name, work, progress, start_timeout)
        self._make_command, self._says, self._variables = command, says, dict(variables or {})
        self._log_names = (name,)

    def _serves_again(self, daemon: Daemon, heard: int) -> bool:
        """Whether it says once more that it listens, where its clients look for it."""
        found = self._says.search(daemon.text(), heard)
        return found is not None and int(found[1]) == self._port

    def _bring_up(self) -> None:
        name, home = self._what, self._work / self._what
        home.mkdir(parents=True)
        self._progress(f"Starting {name}.")
        daemon = Daemon(name, self._make_command(home), home, self._log(name), variables=self._variables)
        self._daemons = [daemon]
        daemon.start()
        self._wait(Patience(self._timeout), lambda: self._says.search(daemon.text()) is not None)
        found = self._says.search(daemon.text())
        assert found is not None
        self._port = int(found[1])
