"""What Hadoop's FTPFileSystem is known to do beside a network that fails: two of its methods raise no IOException.

Source: FTPFileSystem.getHomeDirectory and isFile (Hadoop 3.5.0), which wrap what they catch into FTPException, a
RuntimeException; open, getFileStatus, listStatus, delete and rename ask the first for the working directory, create and
mkdirs the second for each parent.
"""

from __future__ import annotations

from fsconform.adapters.stores.quirks.shared import UNTIL
from fsconform.adapters.stores.quirks.transfer_clients import of_transfer_clients
from fsconform.adapters.stores.quirks.unheard import raising
from fsconform.engine.histories.concurrent import Calls, Concurrent
from fsconform.engine.histories.known_races import KnownRace
from fsconform.engine.injection import FTP, Wire
from fsconform.model.core import content
from fsconform.model.core.operation import Operation
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.quirks import Quirk
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus

_A = ("a",)
_FILE: Calls = (Create(_A, content.of(1, 3), False),)
_KINDS: tuple[type[Operation], ...] = (Create, Delete, GetFileStatus, ListStatus, Mkdirs, Open, OpenWriter, Rename)

WRAPS_WHAT_THE_NETWORK_DOES = KnownRace(
    "ftp/raises-a-runtime-exception-where-the-network-fails",
    "a call raises FTPException, which is no IOException, where the connection to the server is lost",
    "introduction.network.ioexception",
    "wrong error",
    "wrongly refused",
    "getHomeDirectory and isFile wrap the IOException that they meet into a RuntimeException",
    "ftp/raises-a-runtime-exception-where-the-network-fails",
    UNTIL,
    Concurrent(_FILE, ((), (Open(_A),)), (0, 0), fault=Wire(FTP, 0, "lose-reply")),
    dict.fromkeys(
        _KINDS,
        raising(
            "org.apache.hadoop.fs.ftp.FTPException",
            "org.apache.hadoop.fs.ftp.FTPFileSystem.getHomeDirectory(",
            "org.apache.hadoop.fs.ftp.FTPFileSystem.isFile(",
        ),
    ),
    disturbed=Wire,
    faults=frozenset(("reset", "lose-reply", "cut-reply")),
)

QUIRKS: tuple[Quirk, ...] = ()
RACES = (WRAPS_WHAT_THE_NETWORK_DOES, *of_transfer_clients("ftp"))
