"""Faults of streams: each breaks one clause of fsdatainputstream.md."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from fsconform.proving.faults.base import seeded
from fsconform.proving.full_store import FullStore
from fsconform.proving.streams import Range, Stream

_Kind = TypeVar("_Kind", bound=type[Stream])


def _fault(
    clause: str, name: str, description: str, declared: Mapping[str, bool] | None = None
) -> Callable[[_Kind], _Kind]:
    """Register a store whose streams are of a class as the fault ``stream-`` and the name."""

    def register(kind: _Kind) -> _Kind:
        store = type(kind.__name__, (FullStore,), {"stream_kind": kind, "__module__": __name__})
        seeded(f"stream-{name}", description, clause=f"fsdatainputstream.{clause}", declared=declared)(store)
        return kind

    return register


@_fault("length", "ends-early", "a stream ends a byte before the file does")
class _EndsEarly(Stream):
    def __init__(self, data: bytes) -> None:
        super().__init__(data[:-1])


@_fault("close.idempotent", "closed-once", "a second close fails")
class _ClosedOnce(Stream):
    def close(self) -> None:
        self.check_open()
        super().close()


@_fault("getPos.post", "position-of-buffer", "getPos tells how far the buffer was filled")
class _PositionOfBuffer(Stream):
    def get_pos(self) -> int:
        return min(len(self.data), self.pos + 8) if self.pos else 0


@_fault("read.pre.open", "read-once-closed", "a closed stream can be read")
class _ReadOnceClosed(Stream):
    def check_open(self) -> None:
        return


@_fault("read.post", "byte-signed", "a byte above 127 is given as a negative number")
class _Signed(Stream):
    def read(self) -> int:
        found = super().read()
        return found - 256 if found > 127 else found


@_fault("read-buffer.pre.not-null", "null-refused-otherwise", "null for a buffer is an IOException")
class _NullArgument(Stream):
    def read_into(self, buffer: bytearray | None, offset: int, size: int) -> int:
        if buffer is None:
            raise self.fail("IOException")
        return super().read_into(buffer, offset, size)


@_fault("read-buffer.pre.range", "range-cut", "a read out of the buffer's range fills what there is of it")
class _RangeCut(Stream):
    def read_into(self, buffer: bytearray | None, offset: int, size: int) -> int:
        if buffer is not None:
            offset = min(max(offset, 0), len(buffer))
            size = min(max(size, 0), len(buffer) - offset)
        return super().read_into(buffer, offset, size)


@_fault("read-buffer.post.zero", "nothing-at-the-end", "a read of length 0 gives -1 at the end")
class _NothingAtTheEnd(Stream):
    def read_into(self, buffer: bytearray | None, offset: int, size: int) -> int:
        return -1 if size == 0 and self.pos >= len(self.data) else super().read_into(buffer, offset, size)


@_fault("read-buffer.post.end", "zero-at-the-end", "a read at the end gives 0")
class _ZeroAtTheEnd(Stream):
    def read_into(self, buffer: bytearray | None, offset: int, size: int) -> int:
        return max(0, super().read_into(buffer, offset, size))


@_fault("read-buffer.post.bytes", "offset-ignored", "a read fills the buffer from its begin")
class _OffsetIgnored(Stream):
    def read_into(self, buffer: bytearray | None, offset: int, size: int) -> int:
        return super().read_into(buffer, 0 if offset > 0 else offset, size)


@_fault("read-buffer.post.at-least-one", "nothing-first", "the first read gives no bytes yet")
class _NothingFirst(Stream):
    waited = False

    def read_into(self, buffer: bytearray | None, offset: int, size: int) -> int:
        if not self.waited and self.data:
            self.waited = True
            return 0
        return super().read_into(buffer, offset, size)


@_fault(
    "seek.pre.supported", "seek-unable-misnamed", "a stream that can't seek fails otherwise", {"supports-seek": False}
)
class _SeekMisnamed(Stream):
    def can_seek(self) -> None:
        raise self.fail("IllegalArgumentException")


@_fault("seek.zero", "start-of-nothing", "an empty file has no start to seek to")
class _StartOfNothing(Stream):
    def check_seek(self, to: int) -> None:
        if to >= len(self.data):
            raise self.fail("EOFException")


@_fault("seek.pre.range", "seek-below", "a seek below 0 goes to the start")
class _SeekBelow(Stream):
    def check_seek(self, to: int) -> None:
        super().check_seek(max(to, 0))


@_fault("seek.lazy-checked", "seek-checked-late", "only the read after it refuses a seek beyond the end")
class _CheckedLate(Stream):
    def check_seek(self, to: int) -> None:
        super().check_seek(min(to, len(self.data)))

    def check_open(self) -> None:
        super().check_open()
        if self.pos > len(self.data):
            raise self.fail("EOFException")


@_fault("seek.post", "seek-forgotten", "the next read goes on where the stream was before a seek backwards")
class _SeekForgotten(Stream):
    def seek(self, to: int) -> None:
        before = self.pos
        super().seek(to)
        self.pos = max(before, to)


@_fault("seek.current", "seek-to-itself", "a seek to where the stream is takes it to the start")
class _ToItself(Stream):
    def seek(self, to: int) -> None:
        stays = to == self.pos
        super().seek(to)
        self.pos = 0 if stays else to


@_fault("seekToNewSource.unsupported", "source-unable-misnamed", "seekToNewSource is an illegal state")
class _SourceMisnamed(Stream):
    def seek_to_new_source(self, to: int) -> bool:
        raise self.fail("NullPointerException")


@_fault("seekToNewSource.pre.open", "source-once-closed", "a closed stream finds another source")
class _SourceOnceClosed(Stream):
    def seek_to_new_source(self, to: int) -> bool:
        return True


@_fault("seekToNewSource.post.found", "source-moves", "with another source the stream is elsewhere")
class _SourceMoves(Stream):
    replicas = 2

    def seek_to_new_source(self, to: int) -> bool:
        self.pos = to
        return super().seek_to_new_source(to)


@_fault("seekToNewSource.post.none", "no-source-moves", "without another source the stream is elsewhere")
class _NoSourceMoves(Stream):
    def seek_to_new_source(self, to: int) -> bool:
        self.pos = to
        return super().seek_to_new_source(to)


@_fault("getPos.post", "source-goes-astray", "without another source the stream is at its start")
class _SourceGoesAstray(Stream):
    def seek_to_new_source(self, to: int) -> bool:
        self.pos = 0
        return super().seek_to_new_source(to)


@_fault("unbuffer.capability", "unbuffer-untold", "a stream that can unbuffer does not say so")
class _UnbufferUntold(Stream):
    unbuffers = False


@_fault("unbuffer.unsupported", "unbuffer-needs-open", "a closed stream refuses to unbuffer")
class _UnbufferOpen(Stream):
    def unbuffer(self) -> None:
        self.check_open()


@_fault("positioned.thread-safe", "preads-share", "positioned reads at the same time get each other's bytes")
class _PreadsShare(Stream):
    shared: bytes | None = None

    def take(self, start: int, buffer: bytearray, offset: int, size: int) -> int:
        if not self.busy:
            return super().take(start, buffer, offset, size)
        count = super().take(start, buffer, offset, size)
        if self.shared is None:
            self.shared = bytes(buffer)
        buffer[:] = (self.shared + bytes(len(buffer)))[: len(buffer)]
        return count


@_fault("positioned.isolated", "pread-disturbs", "a positioned read moves a stream that is read at the same time")
class _PreadDisturbs(Stream):
    last = 0

    def take(self, start: int, buffer: bytearray, offset: int, size: int) -> int:
        self.last = start
        return super().take(start, buffer, offset, size)

    def read_into(self, buffer: bytearray | None, offset: int, size: int) -> int:
        if self.busy:
            self.pos = self.last
        return super().read_into(buffer, offset, size)


@_fault(
    "positioned.pre.supported",
    "pread-unable-misnamed",
    "a stream without positioned reads fails otherwise",
    {"supports-positioned-readable": False},
)
class _PreadMisnamed(Stream):
    def can_pread(self) -> None:
        raise self.fail("IllegalArgumentException")


@_fault("positioned.position-unchanged", "pread-moves", "a positioned read moves the stream")
class _PreadMoves(Stream):
    def take(self, start: int, buffer: bytearray, offset: int, size: int) -> int:
        count = super().take(start, buffer, offset, size)
        self.pos = start + count
        return count


@_fault("pread.pre.position", "pread-below", "a positioned read below 0 reads from the start")
class _PreadBelow(Stream):
    def pread(self, start: int, buffer: bytearray, offset: int, size: int) -> int:
        return super().pread(max(start, 0), buffer, offset, size)


@_fault("pread.pre.range", "pread-range-misnamed", "a positioned read out of the buffer's range is the end of the file")
class _PreadRange(Stream):
    def pread(self, start: int, buffer: bytearray, offset: int, size: int) -> int:
        if offset + size > len(buffer):
            raise self.fail("EOFException")
        return super().pread(start, buffer, offset, size)


@_fault("pread.post", "pread-short", "a positioned read gives at most two bytes")
class _PreadShort(Stream):
    def pread(self, start: int, buffer: bytearray, offset: int, size: int) -> int:
        return super().pread(start, buffer, offset, min(size, 2))


@_fault("readFully.pre.position", "fully-below", "readFully below 0 reads from the start")
class _FullyBelow(Stream):
    def read_fully(self, start: int, buffer: bytearray, offset: int, size: int) -> None:
        super().read_fully(max(start, 0), buffer, offset, size)


@_fault("readFully.pre.range", "fully-range-misnamed", "readFully out of the buffer's range is the end of the file")
class _FullyRange(Stream):
    def read_fully(self, start: int, buffer: bytearray, offset: int, size: int) -> None:
        if offset + size > len(buffer):
            raise self.fail("EOFException")
        super().read_fully(start, buffer, offset, size)


@_fault("readFully.pre.enough", "fully-not-full", "readFully fills a part of the buffer if there is no more")
class _NotFull(Stream):
    def read_fully(self, start: int, buffer: bytearray, offset: int, size: int) -> None:
        left = max(0, len(self.data) - start)
        super().read_fully(min(start, len(self.data)), buffer, offset, min(size, left))


@_fault("readFully.post", "fully-from-begin", "readFully fills the buffer from its begin")
class _FullyFromBegin(Stream):
    def read_fully(self, start: int, buffer: bytearray, offset: int, size: int) -> None:
        super().read_fully(start, buffer, min(offset, 0), size)


@_fault("readVectored.pre.not-null", "vectored-null-misnamed", "null for a list of ranges is an illegal argument")
class _VectoredNull(Stream):
    def read_vectored(self, ranges: list[Range] | None, allocates: bool) -> None:
        if ranges is None:
            raise self.fail("IllegalArgumentException")
        super().read_vectored(ranges, allocates)


@_fault("readVectored.pre.order", "vectored-same-place", "two ranges may begin at one place")
class _SamePlace(Stream):
    def check_ranges(self, ranges: list[Range]) -> None:
        super().check_ranges(list(dict.fromkeys(ranges)))


@_fault("readVectored.pre.no-overlap", "vectored-overlap", "ranges may overlap")
class _Overlap(Stream):
    def check_ranges(self, ranges: list[Range]) -> None:
        for one in ranges:
            super().check_ranges([one])


@_fault("readVectored.pre.range-not-null", "vectored-range-null-misnamed", "a range that is null is no argument at all")
class _RangeNull(Stream):
    def check_ranges(self, ranges: list[Range]) -> None:
        if None in ranges:
            raise self.fail("NullPointerException")
        super().check_ranges(ranges)


@_fault("readVectored.pre.offset", "vectored-below-misnamed", "a range below 0 is an illegal argument")
class _OffsetBelow(Stream):
    def check_range(self, offset: int, size: int) -> None:
        if offset < 0:
            raise self.fail("IllegalArgumentException")
        super().check_range(offset, size)


@_fault("readVectored.pre.length", "vectored-length-misnamed", "a range of a negative length is the end of the file")
class _LengthBelow(Stream):
    def check_range(self, offset: int, size: int) -> None:
        if size < 0:
            raise self.fail("EOFException")
        super().check_range(offset, size)


@_fault("readVectored.pre.end", "vectored-end-cut", "a range beyond the end gives what there is")
class _EndCut(Stream):
    def completed(self, offset: int, size: int) -> bytes | None:
        return self.data[offset : offset + size]


@_fault("readVectored.post.future", "vectored-no-future", "only the first of several ranges gets a future")
class _NoFuture(Stream):
    def completed(self, offset: int, size: int) -> bytes | None:
        return super().completed(offset, size) if offset == 0 else None


@_fault("readVectored.post.bytes", "vectored-from-position", "ranges are taken from the position on")
class _FromPosition(Stream):
    def completed(self, offset: int, size: int) -> bytes | None:
        return super().completed(max(0, offset - 3), size)


@_fault("readVectored.with-reads", "vectored-excludes-reads", "reads fail while ranges are read")
class _ExcludesReads(Stream):
    def read_fully(self, start: int, buffer: bytearray, offset: int, size: int) -> None:
        if self.pending:
            raise self.fail("IOException")
        super().read_fully(start, buffer, offset, size)


@_fault("readVectored.several", "vectored-once", "ranges can't be asked for while others are read")
class _Once(Stream):
    def read_vectored(self, ranges: list[Range] | None, allocates: bool) -> None:
        if self.pending:
            raise self.fail("IOException")
        super().read_vectored(ranges, allocates)
