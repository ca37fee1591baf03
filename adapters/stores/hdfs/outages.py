"""What HDFS loses with the power of its machines although hsync had returned.

Source: BlockReceiver.receivePacket of Hadoop 3.5.0, which has the directories synced once a block is finished only if
its last packet asks for it, as that of an hsync with END_BLOCK does, or with dfs.datanode.synconclose; and
FsVolumeImpl.addFinalizedBlock, which renames the block and its checksums.
"""

from __future__ import annotations

from collections.abc import Collection

from fsconform.adapters.stores.quirks.shared import UNTIL
from fsconform.engine.histories.concurrent import Concurrent, History
from fsconform.engine.histories.known_races import KnownRace
from fsconform.engine.histories.power import HSYNC_DURABLE
from fsconform.engine.injection import PowerLoss
from fsconform.model.core import content
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.sync import Sync
from fsconform.model.filesystem.output.write import Write

_A, _HELD = ("a",), "held"
_LANE = (OpenWriter(_A, _HELD, "create"), Write(_HELD, content.of(2, 5)), Sync(_HELD, "hsync"), CloseWriter(_HELD))


def synced_and_closed(history: History) -> Collection[int]:
    """Each hsync of a stream that was closed after it, where machines lose their power."""
    if not isinstance(history.program.fault, PowerLoss):
        return ()
    rows = [(number, call.operation) for number, (call, place) in enumerate(history.rows) if place >= 0]
    closed = {one.stream: number for number, one in rows if isinstance(one, CloseWriter)}
    return [number for number, one in rows if isinstance(one, Sync) and number < closed.get(one.stream, -1)]


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
