"""What Hadoop's SFTPFileSystem is known to answer where the network fails: what says that nothing is there, or false.

Source: SFTPFileSystem.getFileStatus makes a FileNotFoundException of any SftpException that its listing of the parent
meets, whatever was its cause, and delete makes false of that; rename makes false of any SftpException (Hadoop 3.5.0).
"""

from __future__ import annotations

from fsconform.adapters.stores.quirks.shared import UNTIL
from fsconform.adapters.stores.quirks.transfer_clients import of_transfer_clients
from fsconform.adapters.stores.quirks.unheard import answering, is_raised, raising
from fsconform.engine.histories.concurrent import Calls, Concurrent
from fsconform.engine.histories.known_races import KnownRace
from fsconform.engine.injection import SFTP, Wire
from fsconform.model.core import content
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Outcome, Returned
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.quirks import Quirk
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus

_A = ("a",)
_FILE: Calls = (Create(_A, content.of(1, 3), False),)
_MISSING, _LOOKS = "java.io.FileNotFoundException", "org.apache.hadoop.fs.sftp.SFTPFileSystem.getFileStatus("


def _refuses(outcome: Outcome) -> bool:
    return outcome == Returned(False) or is_raised(outcome, _MISSING, _LOOKS)


_LOOKING: tuple[type[Operation], ...] = (GetFileStatus, ListStatus, Open)

TAKES_A_FAILURE_FOR_AN_ANSWER = KnownRace(
    "sftp/takes-a-failure-of-the-network-for-an-answer",
    "a call finds nothing, or returns false, where the connection to the server is lost",
    "introduction.consistency.all-clients",
    "wrong answer",
    "wrongly refused",
    "getFileStatus takes any error of its listing for a missing file, and delete and rename make false of errors",
    "sftp/takes-a-failure-of-the-network-for-an-answer",
    UNTIL,
    Concurrent(_FILE, ((), (Open(_A),)), (0, 0), fault=Wire(SFTP, 0, "lose-reply")),
    {
        **dict.fromkeys(_LOOKING, raising(_MISSING, _LOOKS)),
        **dict.fromkeys((Delete, Rename), answering(_refuses)),
    },
    disturbed=Wire,
    faults=frozenset(("reset", "lose-reply", "cut-reply")),
)

QUIRKS: tuple[Quirk, ...] = ()
RACES = (TAKES_A_FAILURE_FOR_AN_ANSWER, *of_transfer_clients("sftp"))
