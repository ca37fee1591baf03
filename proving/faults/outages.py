"""Faults that a loss of power shows: what is said to be saved, and is not on the disks yet."""

from __future__ import annotations

from fsconform.proving.faults.base import seeded
from fsconform.proving.keeping_store import Told
from fsconform.proving.raced_store import RacedStore
from fsconform.proving.store import Node


class _InTheCache(RacedStore):
    """A store that has the bytes of some files in its cache alone: a loss of power leaves what was there before."""

    def __init__(self, *arguments: object, **named: object) -> None:
        self._on_disk: dict[int, tuple[Node, bytes]] = {}
        super().__init__(*arguments, **named)  # type: ignore[arg-type]

    def save(self) -> None:
        self._on_disk.clear()

    def cached(self, key: str, before: bytes | None) -> None:
        """The bytes of a file are in the cache, and ``before`` is on the disk, unless something is said already."""
        node = self.nodes.get(key)
        if node is not None and node.data is not None:
            self._on_disk.setdefault(id(node), (node, before or b""))

    def saved(self, key: str) -> None:
        """The bytes of a file are on the disk."""
        self._on_disk.pop(id(self.nodes.get(key)), None)

    def data_at(self, key: str) -> bytes | None:
        """The bytes of a file as it is."""
        node = self.nodes.get(key)
        return None if node is None else node.data

    def lose_power(self) -> None:
        super().lose_power()
        for node, before in self._on_disk.values():
            node.data = before
        self._on_disk.clear()


@seeded(
    "hsync-without-a-sync",
    "hsync makes data visible, and leaves it to the cache of the disk until close",
    clause="outputstream.hsync.post.durable",
)
class _NotSynced(_InTheCache):
    def sync(self, stream: str, call: str) -> Told:
        key = self.writers[stream].key
        before = self.data_at(key)
        told = super().sync(stream, call)
        if call == "hsync":
            self.cached(key, before)
        return told

    def close_writer(self, stream: str) -> Told | None:
        key = self.writers[stream].key
        told = super().close_writer(stream)
        self.saved(key)
        return told


@seeded(
    "hsync-only-flushes",
    "hsync does what hflush does, and close no more: the bytes are on no disk",
    clause="outputstream.hsync.post.durable",
)
class _OnlyFlushes(_InTheCache):
    def sync(self, stream: str, call: str) -> Told:
        key = self.writers[stream].key
        before = self.data_at(key)
        told = super().sync(stream, call) | super().sync(stream, "hflush") if call == "hsync" else None
        if told is None:
            return super().sync(stream, call)
        self.cached(key, before)
        return told


@seeded(
    "close-without-a-sync",
    "close and create leave the last bytes to the cache of the disk",
    clause="outputstream.close.post.durable",
)
class _ClosesUnsynced(_InTheCache):
    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        key = self.locate(path)[1]
        super().create(path, data, overwrite)
        self.cached(key, None)

    def append(self, path: str, data: bytes) -> None:
        key = self.locate(path)[1]
        before = self.data_at(key)
        super().append(path, data)
        self.cached(key, before)

    def close_writer(self, stream: str) -> Told | None:
        key = self.writers[stream].key
        told = super().close_writer(stream)
        self.cached(key, None)
        return told


@seeded(
    "disk-shared-with-others",
    "with the last block of a file that is lost goes one of another that was saved",
    clause="outputstream.close.post.durable",
)
class _TakesOthersAlong(_InTheCache):
    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        super().create(path, data, overwrite)
        self._changed()

    def rename(self, src: str, dst: str) -> bool:
        done = super().rename(src, dst)
        self._changed()
        return done

    def _changed(self) -> None:
        for key, node in self.nodes.items():
            if node.data is not None and len(node.data) > 512 and key.endswith("/k"):
                self._on_disk.setdefault(id(node), (node, node.data[:512]))


@seeded(
    "synced-unreadable-once-back",
    "a file that was open when its server ended can't be opened once that is back, whatever was synced of it",
    "HDFS-17863",
    clause="outputstream.hsync.post.durable",
)
class _UnreadableOnceBack(RacedStore):
    def __init__(self, *arguments: object, **named: object) -> None:
        self._waiting: set[str] = set()
        super().__init__(*arguments, **named)  # type: ignore[arg-type]

    def reset(self) -> None:
        super().reset()
        self._waiting.clear()

    def sync(self, stream: str, call: str) -> Told:
        self._waiting.add(self.writers[stream].key)
        return super().sync(stream, call)

    def close_writer(self, stream: str) -> Told | None:
        self._waiting.discard(self.writers[stream].key)
        return super().close_writer(stream)

    def open(self, path: str) -> bytes:
        if self.starts and self.locate(path)[1] in self._waiting:
            self.fail("IOException", f"cannot obtain the length of the last block of {path}")
        return super().open(path)
