"""A real Azurite on this machine: a server of Azure's blobs, on loopback, gone when stopped.

The client under test takes the account of the emulator at one fixed port, so there can be one at a time.
"""

from __future__ import annotations

import base64
import hmac
import http.client
import re
import socket
from collections.abc import Callable, Sequence
from email.utils import formatdate
from pathlib import Path

from fsconform.adapters.nodejs import NodeError, NodeProgram, find_node, installed
from fsconform.adapters.patience import patient
from fsconform.adapters.services.daemon import ServiceError
from fsconform.adapters.services.server import Server

AZURITE = NodeProgram("azurite", "3.35.0", "node_modules/azurite/dist/src/blob/main.js", 20)
"""The server as npm has it; the lock is in ``npm/azurite``."""

PORT = 10000
"""Where a client of the emulator's account looks for it."""

ACCOUNT, CONTAINER = "storageemulator", "fsconform"

_DEVELOPER = "devstoreaccount1"
_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
"""The emulator's account as the server names it, with the key that Azure's documentation gives to everybody."""

_VERSION = "2018-03-28"
_LINES = "\n" * 12
"""What is signed has a line for each standard header, all of them empty here."""

_LISTENS = re.compile(r"Azurite Blob service successfully listens on http://127\.0\.0\.1:(\d+)")


class AzuriteService(Server):
    """One Azurite, its service for blobs alone. ``work`` is a directory, new or empty, that it makes and removes.

    It has no ``parts``: what it knows of blobs and containers it keeps in memory, and saves every 5 seconds. Source:
    Azurite 3.35.0, LokiBlobMetadataStore (``autosaveInterval``). A kill shows that, and nothing of its client.
    """

    def __init__(self, work: Path, progress: Callable[[str], None] = lambda message: None) -> None:
        """Describe the service; nothing is started."""
        super().__init__("azurite", work, self._command, _LISTENS, progress=progress)
        self.versions = {"azurite": AZURITE.version}

    @property
    def uri(self) -> str:
        """The URI of the container's root."""
        return f"wasb://{CONTAINER}@{ACCOUNT}"

    def client_configuration(self) -> dict[str, str]:
        """Hadoop settings for a client of this server; append is switched on, as in Hadoop's own contract tests."""
        return {
            "fs.wasb.impl": "org.apache.hadoop.fs.azure.NativeAzureFileSystem",
            "fs.AbstractFileSystem.wasb.impl": "org.apache.hadoop.fs.azure.Wasb",
            "fs.azure.storage.emulator.account.name": ACCOUNT,
            "fs.azure.enable.append.support": "true",
            "fs.azure.skip.metrics": "true",
        }

    def _bring_up(self) -> None:
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
            super()._bring_up()
        except NodeError as error:
            raise ServiceError(str(error)) from error
        self._make_container()

    def _make_container(self) -> None:
        """Make the container: of two clients that find none and make it at once, one fails. Raises ServiceError."""
        date = formatdate(usegmt=True)
        place = f"/{_DEVELOPER}/{CONTAINER}"
        of = f"x-ms-date:{date}\nx-ms-version:{_VERSION}\n/{_DEVELOPER}{place}\nrestype:container"
        signed = hmac.digest(base64.b64decode(_KEY), f"PUT{_LINES}{of}".encode(), "sha256")
        headers = {
            "Authorization": f"SharedKey {_DEVELOPER}:{base64.b64encode(signed).decode()}",
            "Content-Length": "0",
            "x-ms-date": date,
            "x-ms-version": _VERSION,
        }
        connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=patient(30))
        try:
            connection.request("PUT", f"{place}?restype=container", headers=headers)
            status = connection.getresponse().status
        except (OSError, http.client.HTTPException) as error:
            raise ServiceError(f"azurite made no container: {error}") from error
        finally:
            connection.close()
        if status != 201:
            raise ServiceError(f"azurite made no container: HTTP status {status}")

    def _command(self, home: Path) -> Sequence[str]:
        script = installed(AZURITE, self._progress)
        place = ("--blobHost", "127.0.0.1", "--blobPort", str(PORT), "--location", str(home / "data"))
        # Without --loose it refuses headers that it does not act upon, whatever they ask.
        return (str(find_node(AZURITE)), str(script), "--silent", "--loose", "--disableTelemetry", *place)
