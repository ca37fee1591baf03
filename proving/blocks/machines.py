"""The cluster in memory as machines that programs are played on."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator

from fsconform.engine.blocks.playing import CallFailed, Player
from fsconform.model.blocks.answers import Answer, Block, Counted, Replica, Sighted, Storage
from fsconform.model.blocks.steps import NODES, Program
from fsconform.model.core import content as contents
from fsconform.model.core.content import Content
from fsconform.model.core.outcomes import Data
from fsconform.proving.blocks.cluster import (
    TURN_SECONDS,
    TURNS,
    Known,
    LeaseHeld,
    MemoryCluster,
    Unreadable,
    WriterFailed,
)


class MemoryMachines:
    """A cluster in memory with its client."""

    def __init__(self, cluster: MemoryCluster) -> None:
        self._cluster = cluster

    def begin(self, file: str, replication: int) -> None:
        """Open a new file to write to."""
        self._cluster.begin(file, replication)

    def reopen(self, file: str) -> None:
        """Open a file to append to. Raises CallFailed."""
        self._written(lambda: self._cluster.reopen(file))

    def write(self, file: str, content: Content) -> None:
        """Write. Raises CallFailed."""
        self._written(lambda: self._cluster.write(file, b"".join(contents.chunks(content))))

    def hflush(self, file: str) -> None:
        """Call hflush. Raises CallFailed."""
        self._written(lambda: self._cluster.hflush(file))

    def close(self, file: str) -> None:
        """Close the file. Raises CallFailed."""
        self._written(lambda: self._cluster.close(file))

    def _written(self, call: Callable[[], None]) -> None:
        try:
            call()
        except WriterFailed as error:
            raise CallFailed("java.io.IOException", str(error)) from error

    def set_replication(self, file: str, replication: int) -> None:
        """Ask for another number of replicas."""
        self._cluster.set_replication(file, replication)

    def read(self, file: str) -> Data:
        """Read the file to its end. Raises CallFailed."""
        if file not in self._cluster.files:
            raise CallFailed("java.io.FileNotFoundException", f"File does not exist: {file}")
        try:
            data = self._cluster.read(file)
        except Unreadable as error:
            raise CallFailed("org.apache.hadoop.hdfs.BlockMissingException", str(error)) from error
        return Data(len(data), hashlib.sha256(data).hexdigest())

    def look(self, file: str) -> Sighted:
        """What the NameNode has of the file's blocks, and the disks."""
        entry = self._cluster.files.get(file)
        if entry is None:
            return Sighted(-1, ())
        return Sighted(entry.replication, tuple(self._block(block) for block in entry.blocks))

    def _block(self, block: Known) -> Block:
        return Block(block.id, block.stamp, block.length, tuple(self._replicas(block)))

    def _replicas(self, block: Known) -> Iterator[Replica]:
        for node in self._cluster.nodes.values():
            stored = node.disk.get(block.id)
            counted: Counted = ""
            if node.name in block.places and self._cluster.alive(node.name):
                counted = "corrupt" if block.places[node.name] == "corrupt" else "live"
            if stored is not None:
                yield Replica(node.name, counted, stored.stamp, len(stored.data), stored.sound)
            elif counted:
                yield Replica(node.name, counted)

    def until(self, done: Callable[[], bool]) -> bool:
        """Let turns pass until something holds, or so many have."""
        for _ in range(TURNS):
            if done():
                return True
            self._cluster.turn()
        return done()

    def outlast(self, done: Callable[[], bool]) -> bool:
        """The same: so many turns are more than the hard limit."""
        return self.until(done)

    def now(self) -> float:
        """The turns so far, in seconds."""
        return float(self._cluster.turns * TURN_SECONDS)

    def idle(self, seconds: float) -> None:
        """Let turns pass."""
        for _ in range(int(seconds) // TURN_SECONDS):
            self._cluster.turn()

    def intrude(self, file: str) -> None:
        """Append as another client. Raises CallFailed."""
        try:
            self._cluster.intrude(file)
        except LeaseHeld as error:
            raise CallFailed("org.apache.hadoop.hdfs.protocol.AlreadyBeingCreatedException", str(error)) from error

    def vanish(self) -> None:
        """Kill the client."""
        self._cluster.vanish()

    def is_closed(self, file: str) -> bool:
        """Whether the file is closed."""
        return not self._cluster.files[file].open

    @property
    def releases(self) -> bool:
        """It has two."""
        return True

    def delete(self, file: str) -> None:
        """Delete a file."""
        self._cluster.delete(file)

    def upgrade(self, asked: bool) -> str:
        """Upgrade; why not."""
        return self._cluster.upgrade(asked)

    def rollback(self) -> str:
        """Roll back; why not."""
        return self._cluster.rollback()

    def finalize(self) -> None:
        """Finalize the upgrade."""
        self._cluster.finalize()

    def storage(self) -> Storage:
        """What the daemons have stored."""
        names = ("namenode", *self._cluster.nodes)
        blocks = frozenset(block for node in self._cluster.nodes.values() for block in node.disk)
        kept = tuple((name, hashlib.sha256(old.encode()).hexdigest() if old else "") for name, old in self._old(names))
        return Storage(tuple((name, self._cluster.layout(name)) for name in names), kept, blocks)

    def _old(self, names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        return ((name, self._cluster.old(name)) for name in names)

    def kill(self, node: str) -> None:
        """Kill a DataNode."""
        self._cluster.kill(node)

    def restart(self, node: str) -> None:
        """Start it again."""
        self._cluster.restart(node)

    def restart_namenode(self) -> None:
        """Kill the NameNode, and start it again."""
        self._cluster.restart_namenode()

    def spoil(self, node: str, block: Block, how: str) -> bool:
        """Spoil a node's replica of a block."""
        stored = self._cluster.nodes[node].disk.get(block.id)
        if stored is None or not stored.data:
            return False
        if how == "data":
            stored.data[0] ^= 0xFF
        elif how == "checksums":
            stored.sums[0] ^= 0xFF
        else:
            del stored.data[-1:]
        return True

    def scan(self, node: str) -> None:
        """Have a node scan its disk."""
        self._cluster.scan(node)


class MemoryBlocks:
    """A session: each program has a cluster of its own."""

    def __init__(self, cluster: Callable[[tuple[str, ...]], MemoryCluster] = MemoryCluster) -> None:
        """``cluster`` makes one of the names of its nodes."""
        self._cluster = cluster

    def execute(self, program: Program) -> tuple[Answer, ...]:
        """Play a program."""
        return Player(MemoryMachines(self._cluster(NODES))).play(program)
