"""Servers of file transfer protocols on this machine: FTP and SFTP, each over a folder of its own, on loopback."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import re
import secrets
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal as Choice

from fsconform.adapters.services.daemon import ServiceError
from fsconform.adapters.services.server import Server

Protocol = Choice["ftp", "sftp"]

LIBRARIES = {"ftp": "pyftpdlib", "sftp": "asyncssh"}
"""The library that each server is made of, from PyPI."""

USER = "fsconform"

_LISTENS = re.compile(r"^listening on port (\d+)$", re.MULTILINE)


def lacks(protocol: Protocol) -> list[str]:
    """What must be installed before a server of the protocol can be started."""
    library = LIBRARIES[protocol]
    if importlib.util.find_spec(library) is not None:
        return []
    return [f"there is no {library}: pip install 'fsconform[transfer]'"]


class TransferServer(Server):
    """A server of one protocol over a folder below ``work``, a directory, new or empty, that it makes and removes."""

    def __init__(self, protocol: Protocol, work: Path, progress: Callable[[str], None] = lambda message: None) -> None:
        """Describe the server; nothing is started."""
        self.protocol = protocol
        self._password = secrets.token_hex(20)
        self.folder = work.absolute() / protocol / "files"
        """What it serves, as its root; there after the start."""
        variables = {"FSCONFORM_USER": USER, "FSCONFORM_PASSWORD": self._password}
        super().__init__(protocol, work, self._command, _LISTENS, variables, progress)

    @property
    def uri(self) -> str:
        """The URI of the server's root. Raises ServiceError before the start."""
        return f"{self.protocol}://127.0.0.1:{self.port}"

    @property
    def versions(self) -> dict[str, str]:
        """The version of the library."""
        library = LIBRARIES[self.protocol]
        return {library: importlib.metadata.version(library)}

    def client_configuration(self) -> dict[str, str]:
        """Hadoop settings for a client of this server."""
        if self.protocol == "ftp":
            return {
                "fs.ftp.impl": "org.apache.hadoop.fs.ftp.FTPFileSystem",
                "fs.ftp.user.127.0.0.1": USER,
                "fs.ftp.password.127.0.0.1": self._password,
                "fs.ftp.data.connection.mode": "PASSIVE_LOCAL_DATA_CONNECTION_MODE",
                "fs.ftp.transfer.mode": "STREAM_TRANSFER_MODE",
            }
        return {
            "fs.sftp.impl": "org.apache.hadoop.fs.sftp.SFTPFileSystem",
            "fs.sftp.user.127.0.0.1": USER,
            f"fs.sftp.password.127.0.0.1.{USER}": self._password,
            # Of the calls that raise some never give their connection back. Once as many are gone as the client keeps
            # at most, five by default, each call connects anew: an exchange of keys each time.
            "fs.sftp.connection.max": "10000",
        }

    def _command(self, _home: Path) -> Sequence[str]:
        if gone := lacks(self.protocol):
            raise ServiceError(gone[0])
        self.folder.mkdir()
        return (sys.executable, "-m", f"fsconform.adapters.services.{self.protocol}_daemon", str(self.folder))
