"""A cluster in memory: a NameNode, DataNodes with disks, and the protocol between them as far as replicas go.

Written from the paper and the history of appends, not from our model. Time is turns: in each turn heartbeats arrive,
nodes that keep silent come nearer to being dead, and the NameNode has replicas copied and removed. Faults are
subclasses that do one thing wrongly.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass, field

DEAD_AFTER = 3
"""Turns without a heartbeat after which a node counts as dead."""

SOFT_LIMIT, HARD_LIMIT = 6, 9
"""Turns after the last renewal of a lease."""

TURN_SECONDS = 10
"""So long a turn is for who counts seconds."""

TURNS = 12
"""So many are waited for at most."""

CHUNK = 1 << 16
"""Bytes that have a checksum of their own."""


class Unreadable(Exception):
    """No replica could be read."""


class LeaseHeld(Exception):
    """The file has a writer."""


class WriterFailed(Exception):
    """A pipeline has no node left."""


def checksums(data: bytes) -> list[int]:
    """The checksums of data, one for each chunk."""
    return [zlib.crc32(data[start : start + CHUNK]) for start in range(0, len(data), CHUNK)]


@dataclass(slots=True)
class Stored:
    """A replica on a disk: its data, its metadata, and whether it is finished."""

    stamp: int
    data: bytearray
    sums: list[int]
    finished: bool = False

    @property
    def sound(self) -> bool:
        """Whether the checksums are those of the data."""
        return checksums(bytes(self.data)) == self.sums


@dataclass(slots=True)
class DataNode:
    """A node: its disk by block, and whether it runs."""

    name: str
    disk: dict[int, Stored] = field(default_factory=dict)
    up: bool = True
    silent: int = 0


@dataclass(slots=True)
class Known:
    """A block as the NameNode has it: where replicas are that count, and which were reported as corrupt."""

    id: int
    stamp: int
    length: int = 0
    places: dict[str, str] = field(default_factory=dict)
    pipeline: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Entry:
    """A file of the namespace."""

    replication: int
    blocks: list[Known] = field(default_factory=list)
    open: bool = True
    dirty: bytearray = field(default_factory=bytearray)
    """What the client has written and not yet sent."""
    left: bool = False
    """Whether its writer is gone."""
    silent: int = 0
    """Turns since its lease was renewed."""


class MemoryCluster:
    """The cluster."""

    block_bytes = 1 << 20

    def __init__(self, names: Iterable[str]) -> None:
        self.nodes = {name: DataNode(name) for name in names}
        self.files: dict[str, Entry] = {}
        self._last_id = 1000
        self._last_stamp = 0
        self._readings = 0
        self.newer = False
        self.kept: tuple[dict[str, Entry], dict[str, dict[int, Stored]]] | None = None
        """The state before an upgrade: the namespace, and the disks."""
        self.turns = 0

    # Clients.

    def begin(self, name: str, replication: int) -> None:
        """Open a new file to write to."""
        self.files[name] = Entry(replication)

    def reopen(self, name: str) -> None:
        """Open a file to append to: its last block, if that is not full, goes on with a new stamp."""
        entry = self.files[name]
        entry.open = True
        if entry.blocks and entry.blocks[-1].length < self.block_bytes:
            block = entry.blocks[-1]
            block.pipeline = [one for one in self.counted(block) if self.nodes[one].up]
            self.recover(block)
            for one in block.pipeline:
                self.nodes[one].disk[block.id].finished = False

    def write(self, name: str, data: bytes) -> None:
        """Write; full packets are on their way, what is not full waits. Raises WriterFailed."""
        entry = self.files[name]
        entry.dirty += data
        self.send(entry)

    def hflush(self, name: str) -> None:
        """Send all to each node of the pipeline, and wait for them. Raises WriterFailed."""
        self.send(self.files[name])

    def close(self, name: str) -> None:
        """Send all, and finish the last block. Raises WriterFailed."""
        entry = self.files[name]
        self.send(entry)
        if entry.blocks:
            self.finish(entry.blocks[-1])
        entry.open = False

    def intrude(self, name: str) -> None:
        """Another client opens a file to append to, and closes it. Raises LeaseHeld."""
        entry = self.files[name]
        if entry.open and not self.may_take(entry):
            raise LeaseHeld("the file is being created already")
        if entry.open:
            self.release(entry)

    def may_take(self, entry: Entry) -> bool:
        """Whether a lease may be taken from who has it."""
        return entry.silent >= SOFT_LIMIT

    def vanish(self) -> None:
        """The client that writes is gone, with what it has not sent."""
        for entry in self.files.values():
            if entry.open:
                entry.left = True
                entry.dirty.clear()

    def release(self, entry: Entry) -> None:
        """End a lease: the last block is recovered, with a new stamp, and the file closed with what its nodes have."""
        if entry.blocks and entry.blocks[-1].pipeline:
            block = entry.blocks[-1]
            block.pipeline = [one for one in block.pipeline if self.nodes[one].up] or block.pipeline
            self.recover(block)
            self.finish(block)
        entry.open = entry.left = False
        entry.silent = 0

    def renew(self, entry: Entry) -> None:
        """A writer that lives renews its lease."""
        if not entry.left:
            entry.silent = 0

    def is_expired(self, entry: Entry) -> bool:
        """Whether the hard limit has passed."""
        return entry.silent >= HARD_LIMIT

    def send(self, entry: Entry) -> None:
        """Send what was written down the pipelines, block by block."""
        while entry.dirty:
            if not entry.blocks or entry.blocks[-1].length >= self.block_bytes or not entry.blocks[-1].pipeline:
                if entry.blocks and entry.blocks[-1].pipeline:
                    self.finish(entry.blocks[-1])
                entry.blocks.append(self.allocate(entry))
            block = entry.blocks[-1]
            if any(not self.nodes[one].up for one in block.pipeline):
                block.pipeline = [one for one in block.pipeline if self.nodes[one].up]
                if not block.pipeline:
                    raise WriterFailed("All datanodes are bad. Aborting...")
                self.recover(block)
            room = self.block_bytes - block.length
            piece, entry.dirty = bytes(entry.dirty[:room]), entry.dirty[room:]
            for one in block.pipeline:
                self.receive(self.nodes[one], block, piece)
            block.length += len(piece)

    def allocate(self, entry: Entry) -> Known:
        """A new block with a pipeline. Raises WriterFailed."""
        up = [one.name for one in self.nodes.values() if one.up]
        if not up:
            raise WriterFailed("could only be written to 0 of the 1 minReplication nodes")
        self._last_id += 1
        block = Known(self._last_id, self.stamp())
        first = self._last_id % len(up)
        block.pipeline = [*up[first:], *up[:first]][: entry.replication]
        for one in block.pipeline:
            self.nodes[one].disk[block.id] = Stored(block.stamp, bytearray(), [])
            block.places[one] = "live"
        return block

    def receive(self, node: DataNode, block: Known, piece: bytes) -> None:
        """A node of a pipeline takes a piece of a block."""
        stored = node.disk[block.id]
        stored.data += piece
        stored.sums = checksums(bytes(stored.data))

    def stamp(self) -> int:
        """A new generation stamp."""
        self._last_stamp += 1
        return self._last_stamp

    def recover(self, block: Known) -> None:
        """Go on with the nodes that are left, which all take the block's new stamp."""
        block.stamp = self.stamp()
        for one in block.pipeline:
            self.nodes[one].disk[block.id].stamp = block.stamp
        block.places = dict.fromkeys(block.pipeline, "live")

    def finish(self, block: Known) -> None:
        """The nodes of the pipeline that are up finish the block, and are places of it. Raises WriterFailed."""
        up = [one for one in block.pipeline if self.nodes[one].up]
        if not up:
            raise WriterFailed("All datanodes are bad. Aborting...")
        if len(up) < len(block.pipeline):
            block.pipeline = up
            self.recover(block)
        for one in up:
            self.nodes[one].disk[block.id].finished = True
        block.places = dict.fromkeys(up, "live")
        block.pipeline = []

    def set_replication(self, name: str, replication: int) -> None:
        """Ask for another number of replicas."""
        self.files[name].replication = replication

    def read(self, name: str) -> bytes:
        """Read a file to its end. Raises Unreadable."""
        found = bytearray()
        for block in self.files[name].blocks:
            found += self.read_block(block)
        return bytes(found)

    def read_block(self, block: Known) -> bytes:
        """A block, from a replica that is up and whole; corrupt ones that are met are reported. Raises Unreadable."""
        for one in self.nearest(block):
            node = self.nodes[one]
            stored = node.disk.get(block.id)
            if block.places[one] == "corrupt" or not node.up or stored is None:
                continue
            if stored.stamp != block.stamp:
                self.report_corrupt(block, one)
            elif self.verifies(stored, block):
                return bytes(stored.data)
            else:
                self.report_corrupt(block, one)
        raise Unreadable(f"Could not obtain block: {block.id}")

    def nearest(self, block: Known) -> list[str]:
        """The nodes with a replica in the order in which a reader tries them: each time another one is the first."""
        names = sorted(block.places)
        self._readings += 1
        first = self._readings % len(names) if names else 0
        return [*names[first:], *names[:first]]

    def verifies(self, stored: Stored, block: Known) -> bool:
        """Whether a reader takes what a replica has."""
        return stored.sound and len(stored.data) == block.length

    # Machines.

    def kill(self, name: str) -> None:
        """A node is killed."""
        self.nodes[name].up = False

    def restart(self, name: str) -> None:
        """A node comes back: unfinished replicas as they are, and it reports all of its blocks."""
        node = self.nodes[name]
        node.up, node.silent = True, 0
        self.report(node)

    def restart_namenode(self) -> None:
        """It comes back with the namespace, and learns places from the reports of all nodes."""
        for block in self.blocks():
            if not block.pipeline:
                block.places = {}
        for node in self.nodes.values():
            if node.up:
                self.report(node)

    def report(self, node: DataNode) -> None:
        """A report of all blocks that a node has: those of an old stamp are no replicas, and are removed."""
        for block in self.blocks():
            stored = node.disk.get(block.id)
            if node.name in block.pipeline:
                continue
            if stored is None:
                block.places.pop(node.name, None)
            elif self.is_outdated(stored, block):
                block.places.pop(node.name, None)
                del node.disk[block.id]
            elif len(stored.data) != block.length:
                self.report_corrupt(block, node.name)
            else:
                block.places.setdefault(node.name, "live")

    def is_outdated(self, stored: Stored, block: Known) -> bool:
        """Whether what a node reports is of an old generation."""
        return stored.stamp != block.stamp

    def scan(self, name: str) -> None:
        """A node's scanner reads all that is finished."""
        node = self.nodes[name]
        for block in self.blocks():
            stored = node.disk.get(block.id)
            if stored is not None and stored.finished and not self.verifies(stored, block):
                self.report_corrupt(block, name)

    def report_corrupt(self, block: Known, name: str) -> None:
        """The NameNode hears that a replica is corrupt."""
        block.places[name] = "corrupt"

    # Releases.

    def delete(self, name: str) -> None:
        """Delete a file, and its replicas."""
        for block in self.files.pop(name).blocks:
            for node in self.nodes.values():
                node.disk.pop(block.id, None)

    def upgrade(self, asked: bool) -> str:
        """Start in the newer release; why not."""
        if asked and self.kept is not None and not self.may_upgrade_twice():
            return "previous fs state should not exist during upgrade. Finalize or rollback first."
        if not asked and not self.newer and self.needs_asking():
            return "File system image contains an old layout version."
        if asked:
            self.kept = self.state()
            self.convert()
        self.newer = True
        self.restart_namenode()
        return ""

    def needs_asking(self) -> bool:
        """Whether data of the older layout are taken up by an upgrade alone."""
        return True

    def may_upgrade_twice(self) -> bool:
        """Whether the state before an upgrade may be given up for another."""
        return False

    def state(self) -> tuple[dict[str, Entry], dict[str, dict[int, Stored]]]:
        """All there is, as a copy."""
        return deepcopy(self.files), {node.name: deepcopy(node.disk) for node in self.nodes.values()}

    def convert(self) -> None:
        """Write the data in the newer layout, which is the same."""

    def rollback(self) -> str:
        """Go back to the state before the upgrade; why not."""
        if self.kept is None:
            return "None of the storage directories contain previous fs state."
        self.files, disks = self.kept
        for node in self.nodes.values():
            self.restore(node, disks[node.name])
        self.kept, self.newer = None, False
        self.restart_namenode()
        return ""

    def restore(self, node: DataNode, old: dict[int, Stored]) -> None:
        """Give a node its old disk back."""
        node.disk = old

    def finalize(self) -> None:
        """Give the old state up."""
        self.kept = None

    def layout(self, name: str) -> str:
        """The layout version that a daemon's directories name."""
        return "2" if self.newer else "1"

    def old(self, name: str) -> str:
        """What a daemon keeps of the state before the upgrade."""
        if self.kept is None:
            return ""
        files, disks = self.kept
        return repr(disks[name]) + " " if name in disks else repr(files) + " "

    # Time.

    def turn(self) -> None:
        """Heartbeats and renewals arrive; the NameNode has replicas copied and removed, and ends leases."""
        self.turns += 1
        for entry in self.files.values():
            entry.silent += entry.open
            self.renew(entry)
            if entry.open and self.is_expired(entry):
                self.release(entry)
        for node in self.nodes.values():
            node.silent = 0 if node.up else node.silent + 1
        for entry in self.files.values():
            for block in entry.blocks:
                if not block.pipeline:
                    self.manage(entry, block)

    def alive(self, name: str) -> bool:
        """Whether the NameNode takes a node for alive."""
        return self.nodes[name].silent < DEAD_AFTER

    def counted(self, block: Known) -> list[str]:
        """The nodes whose replicas the NameNode counts."""
        return [name for name, how in block.places.items() if how == "live" and self.alive(name)]

    def manage(self, entry: Entry, block: Known) -> None:
        """Copy what is missing, remove what is excess, and what is corrupt once there are enough."""
        live = self.counted(block)
        if len(live) < entry.replication:
            self.copy(block, live)
        for one in self.excess(entry, live):
            self.remove(block, one)
        corrupt = [one for one, how in block.places.items() if how == "corrupt"]
        if corrupt and self.enough(entry, self.counted(block)):
            for one in corrupt:
                self.remove(block, one)

    def enough(self, entry: Entry, live: list[str]) -> bool:
        """Whether corrupt replicas may be deleted."""
        return len(live) >= entry.replication

    def excess(self, entry: Entry, live: list[str]) -> list[str]:
        """Which replicas are too many."""
        return live[entry.replication :]

    def copy(self, block: Known, live: list[str]) -> None:
        """Copy a good replica to a node that has none."""
        sources = [one for one in live if self.nodes[one].up and self.nodes[one].disk[block.id].sound]
        targets = [one.name for one in self.nodes.values() if one.up and block.id not in one.disk]
        if sources and targets:
            good = self.nodes[sources[0]].disk[block.id]
            self.nodes[targets[0]].disk[block.id] = Stored(good.stamp, bytearray(good.data), list(good.sums), True)
            block.places[targets[0]] = "live"

    def remove(self, block: Known, name: str) -> None:
        """Have a node remove its replica."""
        block.places.pop(name, None)
        if self.nodes[name].up:
            self.nodes[name].disk.pop(block.id, None)

    def blocks(self) -> Iterable[Known]:
        """All blocks."""
        return [block for entry in self.files.values() for block in entry.blocks]
