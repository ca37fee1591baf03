"""What HDFS loses with the power of its machines although it was saved, and what can't be read once one was killed.

Source: BlockReceiver.receivePacket of Hadoop 3.5.0, which has the directories synced once a block is finished only if
its last packet asks for it, as that of an hsync with END_BLOCK does, or with dfs.datanode.synconclose; and
FsVolumeImpl.addFinalizedBlock, which renames the block and its checksums. An append renames them the other way first:
FsVolumeImpl.append.

A DataNode that is started again takes what was being written for a replica that waits to be recovered, of which no
bytes are visible: BlockPoolSlice.addReplicaToReplicasMap, ReplicaWaitingToBeRecovered.getVisibleLength. A client that
opens the file asks for that length: DFSInputStream.readBlockLength.
"""

from __future__ import annotations

from collections.abc import Collection

from fsconform.adapters.stores.quirks.shared import UNTIL
from fsconform.engine.histories.breaches import OPENED
from fsconform.engine.histories.concurrent import Concurrent, History
from fsconform.engine.histories.known_races import KnownRace
from fsconform.engine.histories.power import HSYNC_DURABLE
from fsconform.engine.histories.small_steps import Reached, SmallSteps
from fsconform.engine.injection import DATANODE, Crash, PowerLoss
from fsconform.model.core import content
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Outcome
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.sync import Sync
from fsconform.model.filesystem.output.write import Write
from fsconform.model.filesystem.state import State

_A, _HELD = ("a",), "held"
_LANE = (OpenWriter(_A, _HELD, "create"), Write(_HELD, content.of(2, 5)), Sync(_HELD, "hsync"), CloseWriter(_HELD))


def synced_and_closed(history: History) -> Collection[int]:
    """Each hsync of a stream that was closed after it, where machines lose their power."""
    if not isinstance(history.program.fault, PowerLoss):
        return ()
    rows = [(number, call.operation) for number, (call, place) in enumerate(history.rows) if place >= 0]
    closed = {one.stream: number for number, one in rows if isinstance(one, CloseWriter)}
    return [number for number, one in rows if isinstance(one, Sync) and number < closed.get(one.stream, -1)]


def appended_and_closed(history: History) -> Collection[int]:
    """Each create before the lanes of a file that they append to, where machines lose their power."""
    if not isinstance(history.program.fault, PowerLoss):
        return ()
    appended = {
        one.operation.path
        for one, place in history.rows
        if place >= 0 and one.returned is not None and isinstance(one.operation, Append)
    }
    rows = enumerate(history.rows)
    return [
        number
        for number, (one, place) in rows
        if place == -1 and isinstance(one.operation, Create) and one.operation.path in appended
    ]


_APPENDED = ((Create(_A, content.of(1, 3), False),), ((), (Append(_A, content.of(4, 9)),)), (0, 0), (Open(_A),))

FORGETS_WHAT_WAS_APPENDED_TO = KnownRace(
    "hdfs/forgets-with-the-power-what-was-appended-to",
    "what was on the disk can't be read once the file was appended to and the DataNode's machine has lost its power",
    HSYNC_DURABLE,
    "data lost",
    "lost update",
    "an append renames the block and its checksums, and close back again, and no directory is synced: the NameNode "
    "takes a block of the generation before, or one that is unfinished again, for corrupt",
    "hdfs/forgets-with-the-power-what-was-appended-to",
    UNTIL,
    Concurrent(
        *_APPENDED, fault=PowerLoss("cluster", 0, returned=True, survives="nothing", seed=0, discipline="ordered")
    ),
    {},
    appended_and_closed,
)


def _none(_steps: SmallSteps, _state: State, _op: Operation, _outcome: Outcome, _left: object) -> Reached:
    return ()


UNREADABLE_AFTER_AN_APPEND = KnownRace(
    "hdfs/unreadable-until-the-lease-is-recovered",
    "a file can't be read after an append that failed as its DataNode was killed, until the lease is recovered",
    OPENED,
    "wrong error",
    "lost update",
    "the replica of its last block waits to be recovered and shows no bytes, not even those from before the append",
    "hdfs/unreadable-until-the-lease-is-recovered",
    UNTIL,
    Concurrent(*_APPENDED, fault=Crash(DATANODE, 20_000_000)),
    {Open: _none},
    disturbed=Crash,
    by_itself=True,
    errors=frozenset(("CannotObtainBlockLengthException",)),
)

FORGETS_A_FINISHED_BLOCK = KnownRace(
    "hdfs/forgets-a-finished-block-with-the-power",
    "what hsync had saved can't be read once the file was closed and the DataNode's machine has lost its power",
    HSYNC_DURABLE,
    "data lost",
    "lost update",
    "close has the block renamed to where finished ones are, and neither directory is synced: the NameNode takes a "
    "block that is unfinished again for corrupt",
    "hdfs/forgets-a-finished-block-with-the-power",
    UNTIL,
    Concurrent(
        (),
        ((), _LANE),
        (0, 0),
        (Open(_A),),
        fault=PowerLoss("datanode-0", 0, returned=True, survives="nothing", seed=0, discipline="ordered"),
    ),
    {},
    synced_and_closed,
)
