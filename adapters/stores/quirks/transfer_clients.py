"""What Hadoop's clients of FTP and SFTP have in common: they wait for ever, and delete first what they overwrite.

Neither client has a time-out. FTPFileSystem.connect sets none on the FTPClient, whose default is none:
``fs.ftp.timeout`` is the time after which it sends NOOP during a transfer. SFTPConnectionPool.connect calls
Session.connect and ChannelSftp.connect without one, and sets none on the session.

create with overwrite deletes the file that is there and then makes another one: in between there is none, and where
the call fails there, the file is gone. So it is whatever comes in between: a network that fails, or another client.

Source: FTPFileSystem.create, connect and setTimeout; SFTPFileSystem.create; SFTPConnectionPool.connect (3.5.0).
"""

from __future__ import annotations

from collections.abc import Iterable

from fsconform.adapters.stores.quirks.shared import UNTIL
from fsconform.engine.histories.concurrent import Concurrent
from fsconform.engine.histories.known_races import KnownRace
from fsconform.engine.histories.small_steps import Continued, Reached, SmallSteps
from fsconform.engine.injection import Wire
from fsconform.model.core import content
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Outcome, Raised
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.create import Create, CreateWith
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.write import Write
from fsconform.model.filesystem.state import File, State, locate, remove
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus

_A = ("a",)
_ALL: tuple[type[Operation], ...] = (
    *(Create, Mkdirs, Rename, Delete, Open, GetFileStatus, ListStatus),
    *(OpenWriter, Write, CloseWriter),
)
_DELETED = "what is to be overwritten was deleted"


def deleting_first(
    steps: SmallSteps, state: State, op: Create | CreateWith | OpenWriter, outcome: Outcome, left: str | None
) -> Reached:
    """create with overwrite: the file that is there goes; then another one comes, or the call fails."""
    if left is None:
        overwrites = op.mode == "overwrite" if isinstance(op, OpenWriter) else op.overwrite
        if overwrites and type(locate(state, op.path)) is File:
            yield remove(state, op.path), Continued(deleting_first, _DELETED)
        return
    if isinstance(outcome, Raised):
        yield state, None
    yield from steps.step(state, op, outcome)


def _unheard(_steps: SmallSteps, _state: State, _op: Operation, _outcome: Outcome, _left: object) -> Reached:
    return ()


def of_transfer_clients(store: str) -> Iterable[KnownRace]:
    """The known races of ``ftp`` or ``sftp``, of which the link has the store's name too."""
    yield KnownRace(
        f"{store}/waits-for-ever-where-the-network-is-silent",
        "a call does not return where the server can't be reached any more and nothing says so",
        "introduction.failures.complete",
        "wrong error",
        "wrongly refused",
        "the client's connections have no time-out",
        f"{store}/waits-for-ever-where-the-network-is-silent",
        UNTIL,
        Concurrent((), ((), (Mkdirs(_A),)), (0, 0), fault=Wire(store, 0, "half-open")),
        dict.fromkeys(_ALL, _unheard),
        disturbed=Wire,
        faults=frozenset(("half-open",)),
        by_itself=True,
    )
    yield KnownRace(
        f"{store}/deletes-what-it-overwrites-first",
        "the file is gone where create with overwrite fails midway",
        "introduction.retries.order",
        "data lost",
        "lost update",
        "create deletes the file that is there, and only then asks the server to store another one",
        f"{store}/deletes-what-it-overwrites-first",
        UNTIL,
        Concurrent(
            (Create(_A, content.of(1, 3), False),),
            ((), (Create(_A, content.of(4, 9), True),)),
            (0, 0),
            (Open(_A),),
            fault=Wire(store, 0, "reset", "STOR") if store == "ftp" else Wire(store, 0, "reset", "", 30),
        ),
        dict.fromkeys((Create, CreateWith, OpenWriter), deleting_first),
    )
