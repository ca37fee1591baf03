"""Toxiproxy on this machine: proxies on loopback that are slow, silent or cut off, on demand; gone when stopped."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from fsconform.adapters.golang import GoError, Program, built
from fsconform.adapters.patience import Patience, patient
from fsconform.adapters.services.daemon import START_SECONDS, Daemon, ServiceError
from fsconform.adapters.services.ports import free_port
from fsconform.adapters.services.service import PortTaken, Service

TOXIPROXY = Program("toxiproxy", "github.com/Shopify/toxiproxy/v2/cmd/server", "v2.12.0", (1, 23), executable="server")

FOREVER: Mapping[str, int] = {"timeout": 0}

TOXICS: Mapping[str, Callable[[int], tuple[tuple[str, str, Mapping[str, int]], ...]]] = {
    "half-open": lambda amount: (("timeout", "upstream", FOREVER), ("timeout", "downstream", FOREVER)),
    "latency": lambda amount: (("latency", "downstream", {"latency": amount, "jitter": 0}),),
    "jitter": lambda amount: (("latency", "downstream", {"latency": amount, "jitter": amount}),),
    "slow": lambda amount: (
        ("bandwidth", "upstream", {"rate": amount}),
        ("bandwidth", "downstream", {"rate": amount}),
    ),
    "cut-request": lambda amount: (("limit_data", "upstream", {"bytes": amount}),),
    "cut-reply": lambda amount: (("limit_data", "downstream", {"bytes": amount}),),
}
"""What Toxiproxy does of the faults of a link, each with an amount: kinds of toxics, directions, attributes."""


class ToxiproxyService(Service):
    """One Toxiproxy. ``work`` is a directory, new or empty, that the service makes and removes."""

    def __init__(
        self, work: Path, progress: Callable[[str], None] | None = None, start_timeout: float = START_SECONDS
    ) -> None:
        """Describe the service. ``start_timeout`` is in seconds on an idle machine."""
        super().__init__("Toxiproxy", work, progress, start_timeout)
        self._log_names = ("toxiproxy",)

    def proxy(self, name: str, host: str, port: int) -> int:
        """Make a proxy before a server, on 127.0.0.1; its port. Raises ServiceError."""
        row = {"name": name, "listen": f"{self._host}:{free_port(self._host)}", "upstream": f"{host}:{port}"}
        made = self._ask("POST", "/proxies", row | {"enabled": True})
        return int(str(made["listen"]).rpartition(":")[2])

    def poison(self, name: str, fault: str, amount: int) -> None:
        """Let a proxy fail from now on, its connections that are open too. Raises ServiceError."""
        for kind, stream, attributes in TOXICS[fault](amount):
            row = {"name": f"{kind}-{stream}", "type": kind, "stream": stream, "attributes": dict(attributes)}
            self._ask("POST", f"/proxies/{name}/toxics", row)

    def cure(self) -> None:
        """Let all proxies pass everything on again; connections that were silent are closed. Raises ServiceError."""
        self._ask("POST", "/reset", {})

    def _bring_up(self) -> None:
        try:
            executable = built(TOXIPROXY, self._progress)
        except GoError as error:
            raise ServiceError(str(error)) from error
        self._on_a_port(None, lambda first: self._attempt(executable))

    def _attempt(self, executable: Path) -> None:
        home = self._work / "toxiproxy"
        home.mkdir(parents=True, exist_ok=True)
        command = (str(executable), "-host", self._host, "-port", str(self._port))
        self._daemons = [Daemon("toxiproxy", command, home, self._log("toxiproxy"), variables={"LOG_LEVEL": "error"})]
        self._daemons[0].start()
        self._wait(Patience(self._timeout), self._answers)

    def _ended(self, failure: str) -> ServiceError:
        taken = "address already in use" in self._daemons[0].text()
        return PortTaken(failure) if taken else ServiceError(failure)

    def _answers(self) -> bool:
        try:
            return "version" in self._ask("GET", "/version", None)
        except ServiceError:
            return False

    def _ask(self, method: str, path: str, row: Mapping[str, Any] | None) -> dict[str, Any]:
        """What its API answers. Raises ServiceError."""
        connection = http.client.HTTPConnection(self._host, self._port, timeout=patient(10))
        try:
            connection.request(method, path, None if row is None else json.dumps(row))
            answer = connection.getresponse()
            said = answer.read()
            if answer.status >= 300:
                raise ServiceError(f"Toxiproxy answered {method} {path} with {answer.status}: {said[:200]!r}")
            found = json.loads(said or b"{}")
            return found if isinstance(found, dict) else {}
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise ServiceError(f"Toxiproxy does not answer: {error}") from error
        finally:
            connection.close()
