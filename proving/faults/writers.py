"""Faults of streams that write: each breaks one clause of outputstream.md."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from fsconform.proving.faults.base import seeded
from fsconform.proving.full_store import FullStore
from fsconform.proving.keeping_store import Told
from fsconform.proving.outputs import DelayedWriter, Writer
from fsconform.proving.store import FileStatus, Node

DELAYED = {"delayed": True}
"""The abilities of an object store."""

DECLARED = {
    "create-visibility-delayed": True,
    "supports-hflush": False,
    "supports-hsync": False,
    "metadata_updated_on_hsync": False,
}
"""What an object store declares."""

_DAY = 24 * 60 * 60 * 1000
_PART = 5 * 1024 * 1024

_Kind = TypeVar("_Kind", bound=type[Writer])


def writing(clause: str, name: str, description: str, reference: str = "") -> Callable[[_Kind], _Kind]:
    """Register a store whose streams are of a class; one of an object store if its streams are."""

    def register(kind: _Kind) -> _Kind:
        delayed = issubclass(kind, DelayedWriter)
        field = "delayed_kind" if delayed else "writer_kind"
        store = type(kind.__name__, (FullStore,), {field: kind, "__module__": kind.__module__})
        abilities, declared = (DELAYED, DECLARED) if delayed else (None, None)
        seeded(name, description, reference, clause, abilities, declared)(store)
        return kind

    return register


def _fault(clause: str, name: str, description: str, reference: str = "") -> Callable[[_Kind], _Kind]:
    return writing(f"outputstream.{clause}", f"writer-{name}", description, reference)


# --- what is saved


@_fault("sync.post.visible", "sync-keeps-a-byte", "hflush and hsync hold the last byte back")
class _KeepsByte(Writer):
    def sync(self) -> None:
        self.check_open()
        self.save(max(0, len(self.held) - 1))


@_fault("sync.post.visible", "sync-once", "only the first hflush or hsync saves anything")
class _SyncOnce(Writer):
    synced = False

    def sync(self) -> None:
        self.check_open()
        if not self.synced:
            super().sync()
        self.synced = True


@_fault("saved", "synced-twice", "what hflush or hsync saved is saved once more by close")
class _SyncedTwice(Writer):
    def sync(self) -> None:
        self.check_open()
        self.put(bytes(self.held))


@_fault("saved", "piece-replaces", "each piece that is saved takes the place of those before")
class _PieceReplaces(Writer):
    def put(self, piece: bytes) -> None:
        if piece and self.node is not None and self.node.data is not None:
            self.node.data = b""
        super().put(piece)


@_fault("saved", "gap", "behind the pieces that are saved before a flush there is a byte that nobody wrote")
class _Gap(Writer):
    def take(self, data: bytes) -> None:
        before = len(self.held) + len(data)
        super().take(data)
        if len(self.held) < before:
            self.put(b"\0")


@_fault("saved", "append-empties", "a file that is appended to through a stream has its new bytes only")
class _AppendEmpties(Writer):
    def begin(self, mode: str) -> None:
        super().begin(mode)
        if self.node is not None:
            self.node.data = b""


@_fault("saved", "close-keeps-a-byte", "close does not save the last byte")
class _CloseKeepsByte(Writer):
    def finish(self) -> None:
        del self.held[-1:]
        super().finish()


@_fault("saved", "object-cut", "an object store puts the first piece of a stream only")
class _FirstPieceOnly(DelayedWriter):
    def finish(self) -> None:
        del self.held[4096:]
        super().finish()


# --- write


@_fault("write.pre.open", "write-once-closed", "writes to a closed stream are lost without a word")
class _WriteOnceClosed(Writer):
    def write(self, array: bytearray | None, offset: int, size: int) -> None:
        if not self.closed:
            super().write(array, offset, size)

    def write_byte(self, value: int) -> None:
        if not self.closed:
            super().write_byte(value)


@_fault("write.pre.open", "byte-once-closed", "single bytes can be written to a closed stream", "FSOutputSummer")
class _ByteOnceClosed(Writer):
    def write_byte(self, value: int) -> None:
        if not self.closed:
            super().write_byte(value)


@_fault("write.pre.open", "write-reopens", "what is written to a closed stream is in the file")
class _WriteReopens(Writer):
    def write(self, array: bytearray | None, offset: int, size: int) -> None:
        if self.closed and array is not None:
            self.put(bytes(array[offset : offset + size]))
        else:
            super().write(array, offset, size)


@_fault("write.pre.open", "write-closed-misnamed", "a closed stream has no buffer, so that a write fails on null")
class _ClosedMisnamed(Writer):
    def check_open(self) -> None:
        if self.closed:
            self.store.fail("NullPointerException", "the buffer")
        super().check_open()


@_fault("write.post.byte", "byte-of-seven-bits", "write of an int keeps its lowest 7 bits")
class _SevenBits(Writer):
    def write_byte(self, value: int) -> None:
        super().write_byte(value & 0x7F)


@_fault("write.post.byte", "byte-clamped", "write of an int above 255 writes 255, below 0 it writes 0")
class _Clamped(Writer):
    def write_byte(self, value: int) -> None:
        super().write_byte(min(max(value, 0), 0xFF))


@_fault("write-array.pre.not-null", "null-is-nothing", "write of null writes nothing")
class _NullIsNothing(Writer):
    def write(self, array: bytearray | None, offset: int, size: int) -> None:
        if array is not None:
            super().write(array, offset, size)


@_fault("write-array.pre.not-null", "null-misnamed", "write of null is an illegal argument")
class _NullMisnamed(Writer):
    def write(self, array: bytearray | None, offset: int, size: int) -> None:
        if array is None:
            self.store.fail("IllegalArgumentException", "no array")
        super().write(array, offset, size)


@_fault("write-array.pre.range", "negative-length", "a negative length is no length")
class _NegativeLength(Writer):
    def write(self, array: bytearray | None, offset: int, size: int) -> None:
        super().write(array, offset, max(size, 0))


@_fault("write-array.pre.range", "negative-offset", "a negative offset is the start")
class _NegativeOffset(Writer):
    def write(self, array: bytearray | None, offset: int, size: int) -> None:
        super().write(array, max(offset, 0), size)


@_fault("write-array.pre.range", "range-cut", "of a range that goes beyond the array there is written what there is")
class _RangeCut(Writer):
    def check_range(self, array: bytearray, offset: int, size: int) -> None:
        super().check_range(array, offset, min(size, max(0, len(array) - offset)))


@_fault("write-array.pre.range", "range-misnamed", "a range outside of the array is an illegal argument")
class _RangeMisnamed(Writer):
    def check_range(self, array: bytearray, offset: int, size: int) -> None:
        if not 0 <= offset <= offset + size <= len(array):
            self.store.fail("IllegalArgumentException", "range")


@_fault("write-array.reuse", "array-kept", "an array that is written is looked at when it is saved")
class _ArrayKept(Writer):
    given: tuple[bytearray, int, int] | None = None

    def write(self, array: bytearray | None, offset: int, size: int) -> None:
        self.look()
        super().write(array, offset, 0 if array is not None and size > 0 else size)
        if array is not None:
            self.check_range(array, offset, size)
            self.given = array, offset, size

    def write_byte(self, value: int) -> None:
        self.look()
        super().write_byte(value)

    def sync(self) -> None:
        self.look()
        super().sync()

    def finish(self) -> None:
        self.look()
        super().finish()

    def look(self) -> None:
        if self.given is not None:
            array, offset, size = self.given
            self.given = None
            self.take(bytes(array[offset : offset + size]))


@_fault("write-array.post", "slice-from-start", "a part of an array is taken from the array's start")
class _FromStart(Writer):
    def write(self, array: bytearray | None, offset: int, size: int) -> None:
        if array is not None:
            self.check_range(array, offset, size)
        super().write(array, 0, size)


@_fault("write-array.post", "slice-is-whole", "of a part of an array the whole is written")
class _WholeArray(Writer):
    def write(self, array: bytearray | None, offset: int, size: int) -> None:
        if array is None:
            super().write(array, offset, size)
        else:
            self.check_range(array, offset, size)
            super().write(array, 0, len(array))


@_fault("write-array.post", "array-backwards", "the bytes of an array are written from its end")
class _Backwards(Writer):
    def write(self, array: bytearray | None, offset: int, size: int) -> None:
        if array is None:
            super().write(array, offset, size)
        else:
            self.check_range(array, offset, size)
            super().write(array[offset : offset + size][::-1], 0, size)


# --- close


@_fault("close.idempotent", "closed-once", "a second close fails")
class _ClosedOnce(Writer):
    def close(self) -> None:
        self.check_open()
        super().close()


@_fault("close.idempotent", "close-saves-again", "each close saves the last bytes once more")
class _SavesAgain(Writer):
    last = b""

    def close(self) -> None:
        if self.closed:
            self.put(self.last)
        self.last = self.last or bytes(self.held)
        super().close()


@_fault("close.post.closed", "first-close-flushes", "the first close saves all, but the stream stays open")
class _FirstFlushes(Writer):
    asked = False

    def close(self) -> None:
        if self.asked:
            super().close()
        else:
            self.asked = True
            self.sync()


@_fault("close.post.lease", "lease-kept", "close does not give the lease back")
class _LeaseKept(Writer):
    def holds_lease(self) -> bool:
        return not self.lost and self.store.nodes.get(self.key) is self.node


@_fault("close.uploads", "part-lost", "the parts of a large file after the first are lost, and close does not say so")
class _PartLost(Writer):
    def finish(self) -> None:
        super().finish()
        if self.node is not None and self.node.data is not None:
            self.node.data = self.node.data[:_PART]


@_fault("close.uploads", "object-part-lost", "the parts of a large object after the first are lost in silence")
class _ObjectPartLost(DelayedWriter):
    def finish(self) -> None:
        del self.held[_PART:]
        super().finish()


@_fault("close.post.modification-time", "closed-in-1970", "a file that was closed has the time 0")
class _In1970(Writer):
    def finish(self) -> None:
        super().finish()
        if self.node is not None:
            self.store.kept(self.node).modified = 0


@_fault("close.post.modification-time", "closed-yesterday", "the time of a file that was closed is a day too early")
class _Yesterday(Writer):
    def finish(self) -> None:
        super().finish()
        if self.node is not None:
            self.store.kept(self.node).modified -= _DAY


class _Remembers(Writer):
    """Knows how long the file was before close."""

    known = 0

    def finish(self) -> None:
        if self.node is not None and self.node.data is not None:
            self.known = len(self.node.data)
        super().finish()


class _Stale(FullStore):
    """Can tell of a file that a stream has closed what held before."""

    writer_kind = _Remembers

    def before(self, status: FileStatus, node: Node | None) -> FileStatus:
        for one in self.writers.values():
            if isinstance(one, _Remembers) and one.closed and node is not None and one.node is node:
                return FileStatus(status.path, status.is_dir, one.known, status.block_size)
        return status


@seeded(
    "writer-length-stale", "after close the length is that of the last flush", clause="outputstream.close.post.metadata"
)
class _LengthStale(_Stale):
    def status(self, name: str, key: str, node: Node) -> FileStatus:
        return self.before(super().status(name, key, node), node)


@seeded(
    "writer-listing-stale",
    "after close the length in listings is that of the last flush",
    clause="outputstream.close.post.listings",
)
class _ListingStale(_Stale):
    def children(self, name: str, key: str, node: Node) -> list[FileStatus]:
        return [self.before(one, self.nodes.get(self.locate(one.path)[1])) for one in super().children(name, key, node)]


@seeded(
    "writer-located-stale",
    "after close the length in listLocatedStatus is that of the last flush",
    clause="outputstream.close.post.listings",
)
class _LocatedStale(_ListingStale):
    def before(self, status: FileStatus, node: Node | None) -> FileStatus:
        return super().before(status, node) if self.via == "located" else status


@seeded(
    "writer-listed-time-stale",
    "after close the time in listings is that at which the stream was opened",
    clause="outputstream.close.post.listings",
)
class _ListedTimeStale(FullStore):
    def listed_attributes(self, entry: FileStatus) -> Told:
        told = super().listed_attributes(entry)
        for one in self.writers.values():
            if one.closed and one.path == entry.path:
                told["modified"] = one.opened
        return told
