"""Faults that are seeded into the cluster in memory: each does one thing wrongly, and breaks one clause."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fsconform.model.blocks import clauses as ids
from fsconform.proving.blocks.cluster import (
    DataNode,
    Entry,
    Known,
    MemoryCluster,
    Stored,
    Unreadable,
    WriterFailed,
    checksums,
)


@dataclass(frozen=True, slots=True)
class BlockFault:
    """A fault: what it does, the clause it breaks, the suite that finds it, and a bug that was like it."""

    name: str
    statement: str
    clause: str
    suite: str
    store: type[MemoryCluster]
    reference: str = ""


FAULTS: dict[str, BlockFault] = {}
"""By name."""

_Kind = type[MemoryCluster]


def seeded(
    name: str, statement: str, clause: str, suite: str = "replicas", reference: str = ""
) -> Callable[[_Kind], _Kind]:
    """Enter a fault under its name. Raises ValueError for a name that is taken."""

    def enter(store: _Kind) -> _Kind:
        fault = BlockFault(name, statement, clause, suite, store, reference)
        if FAULTS.setdefault(name, fault) is not fault:
            raise ValueError(f"two faults are called {name}")
        return store

    return enter


@seeded("replication-not-set", "setReplication changes nothing", ids.PER_FILE)
class _NotSet(MemoryCluster):
    def set_replication(self, name: str, replication: int) -> None:
        pass


@seeded("missing-replicas-not-made", "a block that lacks replicas gets none", ids.KEPT)
class _NotCopied(MemoryCluster):
    def copy(self, block: Known, live: list[str]) -> None:
        pass


@seeded("excess-replicas-kept", "replicas beyond the replication factor are kept", ids.OVER)
class _Kept(MemoryCluster):
    def excess(self, entry: Entry, live: list[str]) -> list[str]:
        return []


@seeded("excess-removes-one-too-many", "one replica too many is removed with the excess ones", ids.KEPT)
class _TooMany(MemoryCluster):
    def excess(self, entry: Entry, live: list[str]) -> list[str]:
        return live[entry.replication - 1 :] if len(live) > entry.replication else []


@seeded("readers-do-not-verify", "readers are given data that do not fit their checksums", ids.VERIFIED)
class _Unverified(MemoryCluster):
    def verifies(self, stored: Stored, block: Known) -> bool:
        return True


@seeded("readers-do-not-report", "a reader that meets a corrupt replica does not report it", ids.REPORTED)
class _Unreported(MemoryCluster):
    def read_block(self, block: Known) -> bytes:
        before = dict(block.places)
        data = super().read_block(block)
        block.places = before
        return data


@seeded("scanner-reads-no-data", "the scanner does not read what it is to verify", ids.SCANNED)
class _Blind(MemoryCluster):
    def scan(self, name: str) -> None:
        pass


@seeded(
    "corrupt-replica-stays",
    "a corrupt replica is kept beside those that replaced it",
    ids.REPLACED,
    reference="HADOOP-4692",
)
class _Stays(MemoryCluster):
    def enough(self, entry: Entry, live: list[str]) -> bool:
        return False


@seeded(
    "corrupt-replica-deleted-at-once", "a corrupt replica is deleted before there are enough good ones", ids.KEPT_FIRST
)
class _AtOnce(MemoryCluster):
    def enough(self, entry: Entry, live: list[str]) -> bool:
        return True

    def copy(self, block: Known, live: list[str]) -> None:
        pass  # so that it can be looked at


@seeded("reader-ends-at-a-corrupt-replica", "a reader fails at the first corrupt replica", ids.OTHER_REPLICA)
class _Ends(MemoryCluster):
    def read_block(self, block: Known) -> bytes:
        first = self.nodes[self.nearest(block)[0]].disk.get(block.id)
        if first is not None and not self.verifies(first, block):
            raise Unreadable("Checksum error")
        return super().read_block(block)


@seeded("reader-ends-at-a-dead-node", "a reader fails where the first DataNode does not answer", ids.NEXT_REPLICA)
class _DeadEnd(MemoryCluster):
    def read_block(self, block: Known) -> bytes:
        if not self.nodes[self.nearest(block)[0]].up:
            raise Unreadable("Connection refused")
        return super().read_block(block)


@seeded("restart-forgets-a-node", "a restarted NameNode does not take the report of one DataNode", ids.LOCATIONS)
class _Forgets(MemoryCluster):
    def restart_namenode(self) -> None:
        last = max(self.nodes)
        super().restart_namenode()
        for block in self.blocks():
            block.places.pop(last, None)


@seeded("dead-nodes-count", "the replicas of dead nodes go on counting", ids.REPLICATED)
class _Undead(MemoryCluster):
    def alive(self, name: str) -> bool:
        return True


@seeded("a-replica-of-another-length", "the last node of a pipeline keeps a byte more than the block has", ids.LENGTH)
class _Longer(MemoryCluster):
    def finish(self, block: Known) -> None:
        super().finish(block)
        stored = self.nodes[max(block.places)].disk[block.id]
        stored.data += b"x"


@seeded("metadata-not-stored", "the last node of a pipeline keeps no metadata", ids.STORED)
class _NoMetadata(MemoryCluster):
    def finish(self, block: Known) -> None:
        super().finish(block)
        self.nodes[max(block.places)].disk[block.id].stamp = -1


@seeded("blocks-end-early", "a block ends before it is full", ids.BLOCK_SIZE)
class _Early(MemoryCluster):
    block_bytes = (1 << 20) - 1


@seeded("block-ids-twice", "two blocks get the same ID", ids.UNIQUE_ID)
class _Twice(MemoryCluster):
    def allocate(self, entry: Entry) -> Known:
        block = super().allocate(entry)
        if len(entry.blocks) == 1:
            return Known(entry.blocks[0].id, block.stamp, 0, block.places, block.pipeline)
        return block

    def receive(self, node: DataNode, block: Known, piece: bytes) -> None:
        node.disk.setdefault(block.id, Stored(block.stamp, bytearray(), []))
        super().receive(node, block, piece)


@seeded("bytes-lost-between-blocks", "the last byte of a full block is lost", ids.NEXT_BLOCK)
class _Gap(MemoryCluster):
    def finish(self, block: Known) -> None:
        if block.length == self.block_bytes:
            block.length -= 1
            for one in block.pipeline:
                stored = self.nodes[one].disk[block.id]
                del stored.data[-1:]
                stored.sums = []
        super().finish(block)


@seeded("hflush-reaches-one-node", "hflush returns once the first node has the data", ids.ALL_NODES, "pipeline")
class _FirstOnly(MemoryCluster):
    def receive(self, node: DataNode, block: Known, piece: bytes) -> None:
        if node.name == block.pipeline[0]:
            super().receive(node, block, piece)


@seeded("stamps-stay", "recovering a pipeline leaves the generation stamp as it was", ids.INCREASE, "pipeline")
class _SameStamp(MemoryCluster):
    def recover(self, block: Known) -> None:
        block.places = dict.fromkeys(block.pipeline, "live")


@seeded(
    "old-replicas-count",
    "a replica of an old generation counts once it is reported",
    ids.OLD_REPORTED,
    "pipeline",
    "HDFS-168",
)
class _OldCounts(MemoryCluster):
    def report(self, node: DataNode) -> None:
        super_places = {block.id: node.disk.get(block.id) for block in self.blocks()}
        super().report(node)
        for block in self.blocks():
            old = super_places[block.id]
            if old is not None and block.id not in node.disk:
                node.disk[block.id] = old
                block.places[node.name] = "live"


@seeded("old-replicas-are-read", "a reader takes a replica of an old generation", ids.OUTDATED, "pipeline", "HDFS-145")
class _OldRead(_OldCounts):
    def read_block(self, block: Known) -> bytes:
        for one in self.nearest(block):
            stored = self.nodes[one].disk.get(block.id)
            if self.nodes[one].up and stored is not None and stored.stamp != block.stamp:
                return bytes(stored.data)
        return super().read_block(block)


@seeded(
    "recovery-drops-flushed-data",
    "recovering a pipeline drops the last byte that was flushed",
    ids.OUTDATED,
    "pipeline",
)
class _Drops(MemoryCluster):
    def recover(self, block: Known) -> None:
        super().recover(block)
        block.length -= 1
        for one in block.pipeline:
            stored = self.nodes[one].disk[block.id]
            del stored.data[-1:]


@seeded(
    "flushed-data-unseen",
    "a reader of an open file is given full packets alone",
    ids.OPEN_LENGTH,
    "pipeline",
    "HDFS-200",
)
class _Unseen(MemoryCluster):
    def read(self, name: str) -> bytes:
        data = super().read(name)
        return data[: len(data) // 1024 * 1024] if self.files[name].open else data


@seeded("close-drops-the-end", "close leaves a reader one byte less than was written", ids.HFLUSH_ALL)
class _DropsEnd(MemoryCluster):
    def read(self, name: str) -> bytes:
        data = super().read(name)
        return data if self.files[name].open else data[:-1]


@seeded("writer-ends-with-a-node", "a writer fails as soon as one node of its pipeline is lost", ids.STAGES, "pipeline")
class _EndsWithNode(MemoryCluster):
    def recover(self, block: Known) -> None:
        raise WriterFailed("a DataNode of the pipeline is bad")


@seeded("two-writers", "another client may append to a file that has a writer", ids.EXCLUSIVE, "cluster-leases")
class _TwoWriters(MemoryCluster):
    def intrude(self, name: str) -> None:
        entry = self.files[name]
        if entry.left:
            super().intrude(name)


@seeded("leases-not-renewed", "the lease of a writer that makes no calls is not renewed", ids.RENEWED, "cluster-leases")
class _NotRenewed(MemoryCluster):
    def renew(self, entry: Entry) -> None:
        pass


@seeded("soft-limit-not-waited-for", "a lease is taken as soon as its writer is gone", ids.SOFT_LIMIT, "cluster-leases")
class _TakenAtOnce(MemoryCluster):
    def may_take(self, entry: Entry) -> bool:
        return entry.left


@seeded(
    "leases-not-taken-over",
    "no other client gets a lease, however long its writer is gone",
    ids.TAKEOVER,
    "cluster-leases",
)
class _NotTaken(MemoryCluster):
    def may_take(self, entry: Entry) -> bool:
        return False

    def is_expired(self, entry: Entry) -> bool:
        return False


_CUT_BYTES = 1_000


class _Cut(MemoryCluster):
    def cut(self, entry: Entry) -> None:
        """Take the end of the file away."""
        block = entry.blocks[-1]
        block.length -= _CUT_BYTES
        for name in block.pipeline:
            stored = self.nodes[name].disk[block.id]
            del stored.data[-_CUT_BYTES:]
            stored.sums = checksums(bytes(stored.data))


@seeded(
    "takeover-drops-flushed-data", "who takes a lease over finds less than was flushed", ids.TAKEOVER, "cluster-leases"
)
class _TakeoverDrops(_Cut):
    def intrude(self, name: str) -> None:
        if self.files[name].left and self.may_take(self.files[name]):
            self.cut(self.files[name])
        super().intrude(name)


@seeded("leases-never-expire", "a file whose writer is gone stays open", ids.HARD_LIMIT, "cluster-leases")
class _NeverExpires(MemoryCluster):
    def is_expired(self, entry: Entry) -> bool:
        return False


@seeded(
    "expiry-drops-flushed-data",
    "a file that is closed by itself has less than was flushed",
    ids.HARD_LIMIT,
    "cluster-leases",
)
class _ExpiryDrops(_Cut):
    def is_expired(self, entry: Entry) -> bool:
        expired = super().is_expired(entry)
        if expired:
            self.cut(entry)
        return expired


@seeded("upgrade-drops-a-byte", "converting a replica drops its last byte", ids.CONVERTED, "upgrade")
class _ConvertsBadly(MemoryCluster):
    def convert(self) -> None:
        for block in self.blocks():
            block.length -= 1
            for node in self.nodes.values():
                if block.id in node.disk:
                    stored = node.disk[block.id]
                    del stored.data[-1:]
                    stored.sums = checksums(bytes(stored.data))


@seeded("upgrade-needs-no-asking", "data of an older layout are taken up by a mere start", ids.REQUIRED, "upgrade")
class _Unasked(MemoryCluster):
    def needs_asking(self) -> bool:
        return False


@seeded("upgrade-twice", "a second upgrade replaces the state before the first", ids.ONE_UPGRADE, "upgrade")
class _Twofold(MemoryCluster):
    def may_upgrade_twice(self) -> bool:
        return True


@seeded("deletions-reach-the-old-state", "a deletion removes the old replicas too", ids.OLD_KEPT, "upgrade")
class _DeletesOld(MemoryCluster):
    def delete(self, name: str) -> None:
        blocks = self.files[name].blocks
        super().delete(name)
        for disk in self.kept[1].values() if self.kept else ():
            for block in blocks:
                disk.pop(block.id, None)


@seeded("appends-reach-the-old-state", "an append goes on in the old replica", ids.OLD_KEPT, "upgrade")
class _AppendsToOld(MemoryCluster):
    def receive(self, node: DataNode, block: Known, piece: bytes) -> None:
        super().receive(node, block, piece)
        if self.kept is not None and block.id in self.kept[1][node.name]:
            self.kept[1][node.name][block.id] = node.disk[block.id]


@seeded("layout-version-not-stored", "a DataNode stores no layout version", ids.LAYOUT_STORED, "upgrade")
class _NoLayout(MemoryCluster):
    def layout(self, name: str) -> str:
        return "" if name == max(self.nodes) else super().layout(name)


@seeded("rollback-restores-no-replicas", "what was deleted since comes back without its bytes", ids.ROLLBACK, "upgrade")
class _NamesAlone(MemoryCluster):
    def restore(self, node: DataNode, old: dict[int, Stored]) -> None:
        pass


@seeded(
    "rollback-leaves-new-replicas",
    "replicas made since the upgrade stay on their disks",
    ids.ROLLBACK_BLOCKS,
    "upgrade",
)
class _LeavesNew(MemoryCluster):
    def restore(self, node: DataNode, old: dict[int, Stored]) -> None:
        node.disk = node.disk | old


@seeded("rollback-keeps-new-files", "files made since the upgrade outlive a rollback", ids.NO_FORWARD, "upgrade")
class _KeepsNew(_LeavesNew):
    def rollback(self) -> str:
        made = dict(self.files)
        refused = super().rollback()
        self.files = made | self.files
        return refused


@seeded("finalize-keeps-the-old-state", "what was kept for a rollback stays", ids.FINALIZE, "upgrade")
class _Hoards(MemoryCluster):
    def finalize(self) -> None:
        pass
