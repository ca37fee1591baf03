"""Faults of streams that write: what they say of themselves, and what syncs without the promise or the capability."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from fsconform.proving.faults.base import seeded
from fsconform.proving.faults.writers import writing
from fsconform.proving.full_store import FullStore
from fsconform.proving.outputs import DelayedWriter, Writer
from fsconform.proving.store import FileStatus, Node

_Kind = TypeVar("_Kind", bound=type[Writer])


_BLOCK = 1024
"""What a block of a file is where readers see whole blocks only."""


def _fault(clause: str, name: str, description: str, reference: str = "") -> Callable[[_Kind], _Kind]:
    return writing(f"outputstream.{clause}", f"writer-{name}", description, reference)


# --- hflush and hsync


@_fault("syncable.unsupported", "sync-does-nothing", "hflush and hsync of an object store do nothing without a word")
class _SyncNothing(DelayedWriter):
    def sync(self) -> None:
        self.check_open()


@_fault("syncable.unsupported", "sync-unable-misnamed", "an object store refuses hflush and hsync with IOException")
class _SyncMisnamed(DelayedWriter):
    def sync(self) -> None:
        self.check_open()
        self.store.fail("IOException", "no hflush, no hsync")


@_fault("sync.post.visible", "sync-whole-blocks", "hflush and hsync show whole blocks only", "HADOOP-89")
class _WholeBlocks(Writer):
    def sync(self) -> None:
        self.check_open()
        self.save(len(self.held) // _BLOCK * _BLOCK)


@_fault("flush.closed", "flush-needs-open", "flush of a closed stream fails", "HADOOP-14346")
class _FlushOpen(Writer):
    def flush(self) -> None:
        self.check_open()


@_fault("sync.pre.open", "sync-once-closed", "hflush and hsync of a closed stream do nothing")
class _SyncOnceClosed(Writer):
    def sync(self) -> None:
        if not self.closed:
            super().sync()


@_fault("sync.pre.open", "hsync-closed-misnamed", "hsync of a closed stream fails on null")
class _HsyncMisnamed(Writer):
    def hsync(self) -> None:
        if self.closed:
            self.store.fail("NullPointerException", "the buffer")
        super().hsync()


@_fault("capability.sync-only-if-kept", "hsync-empty", "hsync saves nothing, though the stream claims it")
class _HsyncEmpty(Writer):
    def hsync(self) -> None:
        self.check_open()


@_fault("capability.sync-only-if-kept", "hflush-empty", "hflush saves nothing, though the stream claims it")
class _HflushEmpty(Writer):
    def hflush(self) -> None:
        self.check_open()


@_fault("capability.sync-only-if-kept", "hsync-unsupported", "hsync is unsupported, though the stream claims it")
class _HsyncUnsupported(Writer):
    def hsync(self) -> None:
        self.check_open()
        self.store.fail("UnsupportedOperationException", "hsync")


@_fault("capability.sync-only-if-kept", "sync-claimed", "an object store claims the hflush and hsync that it refuses")
class _SyncClaimed(DelayedWriter):
    offered = DelayedWriter.offered | {"hflush", "hsync"}


@seeded(
    "writer-length-ahead",
    "the length counts bytes that can't be read yet",
    clause="outputstream.hdfs.length-not-ahead",
)
class _LengthAhead(FullStore):
    def status(self, name: str, key: str, node: Node) -> FileStatus:
        status = super().status(name, key, node)
        writer = self.writing(key)
        if writer is None or status.is_dir:
            return status
        return FileStatus(status.path, False, status.length + len(writer.held), status.block_size)


# --- capabilities


@_fault("capability.closed", "capability-needs-open", "a closed stream fails when asked for a capability")
class _CapabilityOpen(Writer):
    def has_capability(self, name: str) -> bool:
        self.check_open()
        return super().has_capability(name)


@_fault("capability.closed", "object-capability-needs-open", "a closed stream of an object store tells no capability")
class _ObjectCapabilityOpen(DelayedWriter):
    def has_capability(self, name: str) -> bool:
        self.check_open()
        return super().has_capability(name)


@_fault("capability.supported-only", "capability-unknown", "a stream has each capability that it does not know")
class _Unknown(Writer):
    def has_capability(self, name: str) -> bool:
        return not name.startswith(("in:", "fs.capability.")) or super().has_capability(name)


@_fault("capability.supported-only", "capability-of-input", "an output stream claims to read into byte buffers")
class _OfInput(Writer):
    offered = Writer.offered | {"in:readbytebuffer", "in:preadbytebuffer"}


@_fault("capability.supported-only", "drop-behind-claimed", "setDropBehind is unsupported, though the stream claims it")
class _DropClaimed(Writer):
    def set_drop_behind(self, value: bool | None) -> None:
        self.store.fail("UnsupportedOperationException", "setDropBehind")


@_fault("dropBehind.capability", "drop-behind-untold", "setDropBehind works in a stream that does not say so")
class _DropUntold(Writer):
    offered = Writer.offered - {"dropbehind"}


@_fault("dropBehind.unsupported", "drop-behind-misnamed", "a stream without setDropBehind refuses it otherwise")
class _DropMisnamed(Writer):
    offered = Writer.offered - {"dropbehind"}

    def set_drop_behind(self, value: bool | None) -> None:
        self.store.fail("IllegalArgumentException", "setDropBehind")


@_fault("dropBehind.unsupported", "drop-behind-null", "setDropBehind fails on null")
class _DropNull(Writer):
    def set_drop_behind(self, value: bool | None) -> None:
        if value is None:
            self.store.fail("NullPointerException", "setDropBehind")


# --- create


@_fault("create.post.overwrite", "overwrite-keeps", "create with overwrite leaves the old data until some is saved")
class _OverwriteKeeps(Writer):
    keeps = False

    def begin(self, mode: str) -> None:
        node = self.store.nodes.get(self.key)
        old = b"" if node is None else node.data
        super().begin(mode)
        if mode == "overwrite" and old and self.node is not None:
            self.node.data, self.keeps = old, True

    def put(self, piece: bytes) -> None:
        if self.keeps and self.node is not None:
            self.node.data, self.keeps = b"", False
        super().put(piece)


@_fault("create.post.overwrite", "overwrite-removes", "with overwrite there is no file until some bytes are saved")
class _OverwriteRemoves(Writer):
    name = ""
    removing = ("overwrite",)

    def begin(self, mode: str) -> None:
        super().begin(mode)
        if mode in self.removing:
            self.name = self.store.locate(self.path)[0]
            self.store.remove_subtree(self.key)

    def put(self, piece: bytes) -> None:
        if self.name and self.node is not None and self.key not in self.store.nodes:
            self.store.require_no_file_above(self.key, self.path)
            self.store.make_directories(*(one.rpartition("/")[0] for one in (self.name, self.key)))
            self.store.attach(self.name, self.key, self.node)
        super().put(piece)


@_fault(
    "close.post.metadata", "unseen-until-saved", "a new file is not there until some bytes are saved", "HADOOP-1708"
)
class _UnseenUntilSaved(_OverwriteRemoves):
    removing = ("create",)
