"""Faults of streams that are closed or aborted, or that are not the first to write their file."""

from __future__ import annotations

from fsconform.proving.faults.base import seeded
from fsconform.proving.faults.writers import writing
from fsconform.proving.full_store import FullStore
from fsconform.proving.outputs import DelayedWriter, Writer
from fsconform.proving.store import FileStatus, Node


@writing("outputstream.write.pre.open", "writer-empty-once-closed", "an array without bytes is no error once closed")
class _EmptyOnceClosed(Writer):
    def write(self, array: bytearray | None, offset: int, size: int) -> None:
        if size or not self.closed:
            super().write(array, offset, size)


@writing("abortable.write.post.aborted", "abort-empty-goes-on", "an array without bytes is no error once aborted")
class _EmptyOnceAborted(DelayedWriter):
    def write(self, array: bytearray | None, offset: int, size: int) -> None:
        if size or not self.closed:
            super().write(array, offset, size)


@writing("abortable.abort.post.closed", "abort-second-unsupported", "a stream can be aborted once, and then can't be")
class _SecondUnsupported(DelayedWriter):
    def abort(self) -> bool:
        if self.closed:
            self.store.fail("UnsupportedOperationException", "abort")
        return super().abort()


@writing("abortable.abort.pre.supported", "abort-done-once-closed", "an abort that is not supported is, once closed")
class _DoneOnceClosed(Writer):
    def abort(self) -> bool:
        return True if self.closed else super().abort()


@writing("outputstream.sync.pre.open", "abort-then-synced", "hflush and hsync of an aborted stream do nothing")
class _SyncedOnceAborted(DelayedWriter):
    def sync(self) -> None:
        if not self.closed:
            super().sync()


@seeded(
    "writer-append-shortens",
    "a file that is appended to has length 0 until the stream is closed",
    clause="outputstream.close.post.metadata",
)
class _AppendShortens(FullStore):
    def status(self, name: str, key: str, node: Node) -> FileStatus:
        status = super().status(name, key, node)
        return status if self.writing(key) is None else FileStatus(status.path, status.is_dir, 0, status.block_size)


@seeded(
    "create-over-a-stream",
    "create without overwriting makes anew what a stream is writing",
    clause="filesystem.create.pre.no-overwrite",
)
class _OverStream(FullStore):
    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        writer = self.writing(self.locate(path)[1])
        if writer is not None:
            writer.lost = True
        super().create(path, data, overwrite or writer is not None)
