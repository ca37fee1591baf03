"""A real Azurite on this machine: a server of Azure's blobs, on loopback, gone when stopped.

The client under test takes the account of the emulator at one fixed port, so there can be one at a time.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Sequence
from pathlib import Path

from fsconform.adapters.nodejs import NodeError, NodeProgram, find_node, installed
from fsconform.adapters.services.daemon import ServiceError
from fsconform.adapters.services.server import Server

AZURITE = NodeProgram("azurite", "3.35.0", "node_modules/azurite/dist/src/blob/main.js", 20)
"""The server as npm has it; the lock is in ``npm/azurite``."""

PORT = 10000
"""Where a client of the emulator's account looks for it."""

ACCOUNT, CONTAINER = "storageemulator", "fsconform"

_LISTENS = re.compile(r"Azurite Blob service successfully listens on http://127\.0\.0\.1:(\d+)")


class AzuriteService:
    """One Azurite, its service for blobs alone. ``work`` is a directory, new or empty, that it makes and removes."""

    def __init__(self, work: Path, progress: Callable[[str], None] = lambda message: None) -> None:
        """Describe the service; nothing is started."""
        self._progress = progress
        self._server = Server("azurite", work, self._command, _LISTENS, progress=progress, start_timeout=180.0)
        self.versions = {"azurite": AZURITE.version}

    @property
    def uri(self) -> str:
        """The URI of the container's root, which the client makes when it writes first."""
        return f"wasb://{CONTAINER}@{ACCOUNT}"

    @property
    def pids(self) -> dict[str, int]:
        """The process id of the server, by its name."""
        return self._server.pids

    def client_configuration(self) -> dict[str, str]:
        """Hadoop settings for a client of this server; append is switched on, as in Hadoop's own contract tests."""
        return {
            "fs.wasb.impl": "org.apache.hadoop.fs.azure.NativeAzureFileSystem",
            "fs.AbstractFileSystem.wasb.impl": "org.apache.hadoop.fs.azure.Wasb",
            "fs.azure.storage.emulator.account.name": ACCOUNT,
            "fs.azure.enable.append.support": "true",
            "fs.azure.skip.metrics": "true",
        }

    def logs(self) -> list[Path]:
        """The server's log, if there is one."""
        return self._server.logs()

    def alive(self) -> bool:
        """Whether the server runs."""
        return self._server.alive()

    def start(self) -> None:
        """Start the server; it is installed first if the cache lacks it. Raises ServiceError."""
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", PORT))
            except OSError as error:
                raise ServiceError(
                    f"port {PORT} of 127.0.0.1 is taken ({error.strerror}), and a client of the emulator's account "
                    "looks for it there: end what listens there, and run the store again"
                ) from error
        try:
            self._server.start()
        except NodeError as error:
            raise ServiceError(str(error)) from error

    def stop(self) -> None:
        """Stop the server and remove the work directory. May be called twice."""
        self._server.stop()

    def _command(self, home: Path) -> Sequence[str]:
        script = installed(AZURITE, self._progress)
        place = ("--blobHost", "127.0.0.1", "--blobPort", str(PORT), "--location", str(home / "data"))
        # Without --loose it refuses headers that it does not act upon, whatever they ask.
        return (str(find_node(AZURITE)), str(script), "--silent", "--loose", "--disableTelemetry", *place)
