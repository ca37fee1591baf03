"""A real OpenStack Swift on this machine, on loopback, gone when stopped: see :mod:`swift_daemon` for what it is."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import re
import secrets
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from fsconform.adapters.services.daemon import ServiceError
from fsconform.adapters.services.server import Server
from fsconform.adapters.services.swift_keys import TOKENS

ACCOUNT, USER, CONTAINER, SERVICE = "conformance", "fsconform", "fsconform", "local"

_LISTENS = re.compile(r"^listening on port (\d+)$", re.MULTILINE)


def lacks() -> list[str]:
    """What must be installed before the server can be started."""
    if importlib.util.find_spec("swift") is not None:
        return []
    return ["there is no swift: pip install 'fsconform[swift]'"]


class SwiftService(Server):
    """One Swift with one device. ``work`` is a directory, new or empty, that it makes and removes.

    The file system of ``work`` must have extended attributes of users, as Swift keeps what it knows of an object there.
    """

    def __init__(self, work: Path, progress: Callable[[str], None] = lambda message: None) -> None:
        """Describe the service; nothing is started."""
        self._password = secrets.token_hex(20)
        variables = {"FSCONFORM_ACCOUNT": ACCOUNT, "FSCONFORM_USER": USER, "FSCONFORM_PASSWORD": self._password}
        super().__init__("swift", work, self._command, _LISTENS, variables, progress)

    @property
    def uri(self) -> str:
        """The URI of the container's root, which the client makes when it writes first."""
        return f"swift://{CONTAINER}.{SERVICE}"

    @property
    def versions(self) -> dict[str, str]:
        """The version of the server."""
        return {"swift": importlib.metadata.version("swift")}

    def client_configuration(self) -> dict[str, str]:
        """Hadoop settings for a client of this server. Raises ServiceError before the start."""
        of = f"fs.swift.service.{SERVICE}"
        return {
            "fs.swift.impl": "org.apache.hadoop.fs.swift.snative.SwiftNativeFileSystem",
            f"{of}.auth.url": f"http://127.0.0.1:{self.port}{TOKENS}",
            f"{of}.tenant": ACCOUNT,
            f"{of}.username": USER,
            f"{of}.password": self._password,
            f"{of}.public": "true",
        }

    def _command(self, home: Path) -> Sequence[str]:
        if gone := lacks():
            raise ServiceError(gone[0])
        folder = home / "data"
        folder.mkdir()
        return (sys.executable, "-m", "fsconform.adapters.services.swift_daemon", str(folder))
