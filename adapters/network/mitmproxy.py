"""mitmproxy before an HTTP server: one of its requests fails on demand, by the script :mod:`http_addon`.

It has an environment of its own, made once and kept in the cache, as it pins what it depends on.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from fsconform.adapters.built_programs import kept_path, last_lines, make_once
from fsconform.adapters.patience import Patience, patient
from fsconform.adapters.services.daemon import START_SECONDS, Daemon, ServiceError
from fsconform.adapters.services.ports import free_port
from fsconform.adapters.services.service import PortTaken, Service
from fsconform.engine.injection import Wire

MITMPROXY = "11.0.2"
"""The last release that runs on Python 3.11."""

INSTALL_SECONDS = 1800.0

_ADDON = Path(__file__).with_name("http_addon.py")
_MAIN = "from mitmproxy.tools.main import mitmdump; mitmdump()"
_TAKEN = re.compile(r"address already in use", re.IGNORECASE)
_UP = "listens to what is to fail"

HTTP_FAULTS = frozenset(
    (
        *("reset", "lose-reply", "slow-down", "too-many", "server-error"),
        *("truncated", "wrong-length", "twice"),
    )
)
"""What it does of the faults of a link."""


def installed(progress: Callable[[str], None]) -> Path:
    """The Python of mitmproxy's environment, which is made first if the cache lacks it. Raises ServiceError."""
    release = f"{sys.version_info.major}.{sys.version_info.minor}"
    folder = kept_path("mitmproxy", f"{MITMPROXY}-python-{release}")
    python = folder / "bin" / "python"

    def make(scratch: Path) -> Path:
        progress(f"Installing mitmproxy {MITMPROXY} in an environment of its own: a minute, once.")
        made = scratch / "environment"
        _run([sys.executable, "-m", "venv", str(made)])
        # A constraint of the caller's environment is none of this one.
        _run([str(made / "bin" / "python"), "-m", "pip", "install", "--quiet", f"mitmproxy=={MITMPROXY}"])
        return made

    make_once(folder, python, make, INSTALL_SECONDS, ServiceError, "none is installing")
    return python


def _run(command: list[str]) -> None:
    """Raises ServiceError."""
    variables = {name: value for name, value in os.environ.items() if name not in ("PIP_CONSTRAINT", "PYTHONPATH")}
    try:
        done = subprocess.run(
            command, env=variables, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ServiceError(f"mitmproxy could not be installed: {error}") from error
    if done.returncode != 0:
        raise ServiceError(
            f"mitmproxy {MITMPROXY} could not be installed: pip ended with code {done.returncode}. "
            f"Check the network and pip's settings.\n{last_lines(done)}"
        )


class MitmproxyService(Service):
    """One mitmproxy before one server. ``work`` is a directory, new or empty, that it makes and removes."""

    def __init__(
        self,
        work: Path,
        host: str,
        port: int,
        progress: Callable[[str], None] | None = None,
        start_timeout: float = START_SECONDS,
    ) -> None:
        """Describe the service; the server is at ``host`` and ``port``. ``start_timeout`` is in seconds."""
        super().__init__("mitmproxy", work, progress, start_timeout)
        self._upstream = host, port
        self._log_names = ("mitmproxy",)
        self._secret, self._control = secrets.token_hex(20), 0
        self._connection: socket.socket | None = None

    def arm(self, fault: Wire) -> None:
        """Let the requests fail that a fault names, from now on. Raises ServiceError."""
        self._tell(asdict(fault))

    def disarm(self) -> bool:
        """Let none fail; whether the request was met. Raises ServiceError."""
        return bool(self._tell({}).get("met"))

    def stop(self) -> None:
        """Stop it. May be called twice."""
        if self._connection is not None:
            with suppress(OSError):
                self._connection.close()
            self._connection = None
        super().stop()

    def _tell(self, row: dict[str, Any]) -> dict[str, Any]:
        """Raises ServiceError."""
        try:
            if self._connection is None:
                self._connection = socket.create_connection((self._host, self._control), patient(10))
            self._connection.sendall(json.dumps(row | {"secret": self._secret}).encode() + b"\n")
            answer = b""
            while not answer.endswith(b"\n"):
                more = self._connection.recv(4096)
                if not more:
                    raise ServiceError(f"mitmproxy's script ended; see {self._log('mitmproxy')}")
                answer += more
            found = json.loads(answer)
            return found if isinstance(found, dict) else {}
        except (OSError, ValueError) as error:
            raise ServiceError(f"mitmproxy's script does not answer: {error}; see {self._log('mitmproxy')}") from error

    def _bring_up(self) -> None:
        python = installed(self._progress)
        self._on_a_port(None, lambda first: self._attempt(python))

    def _attempt(self, python: Path) -> None:
        home = self._work / "mitmproxy"
        home.mkdir(parents=True, exist_ok=True)
        self._control = free_port(self._host)
        host, port = self._upstream
        options = {
            "confdir": str(home),
            "keep_host_header": "true",
            "connection_strategy": "lazy",
            "http2": "false",
            "flow_detail": "0",
            "termlog_verbosity": "warn",
        }
        command = [str(python), "-I", "-c", _MAIN, "--mode", f"reverse:http://{host}:{port}"]
        command += ["--listen-host", self._host, "--listen-port", str(self._port), "-s", str(_ADDON)]
        for name, value in options.items():
            command += ["--set", f"{name}={value}"]
        variables = {
            "FSCONFORM_HOST": host,
            "FSCONFORM_PORT": str(port),
            "FSCONFORM_CONTROL": str(self._control),
            "FSCONFORM_SECRET": self._secret,
            "HOME": str(home),
        }
        self._daemons = [Daemon("mitmproxy", command, home, self._log("mitmproxy"), variables=variables)]
        self._daemons[0].start()
        self._wait(Patience(self._timeout), self._serves)

    def _ended(self, failure: str) -> ServiceError:
        return PortTaken(failure) if _TAKEN.search(self._daemons[0].text()) else ServiceError(failure)

    def _serves(self) -> bool:
        if _UP not in self._daemons[0].text():
            return False
        with suppress(OSError), socket.create_connection((self._host, self._port), patient(1)):
            return True
        return False
