"""Faults of streams that stay open from step to step, of byte buffers, and of real stores' streams."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from fsconform.proving.faults.base import seeded
from fsconform.proving.full_store import FullStore
from fsconform.proving.keeping_store import Told
from fsconform.proving.store import Behaviour, StoreError
from fsconform.proving.streams import Buffer, Stream

_Kind = TypeVar("_Kind", bound=type[Stream])
_READAHEAD = 65536
_CHUNK = 512
_BYTES = "fsdatainputstream.read-buffer.post.bytes"


def _fault(clause: str, name: str, description: str, reference: str = "") -> Callable[[_Kind], _Kind]:
    """Register a store whose streams are of a class as the fault of that name."""

    def register(kind: _Kind) -> _Kind:
        store = type(kind.__name__, (FullStore,), {"stream_kind": kind, "__module__": __name__})
        seeded(name, description, reference, clause=clause)(store)
        return kind

    return register


# --- what real stores' streams did


@_fault(
    "fsdatainputstream.read.post",
    "end-after-readahead",
    "a read from where the bytes end that were read ahead finds the end of the file",
    "HADOOP-16109",
)
class _EndAfterReadahead(Stream):
    ahead = _READAHEAD
    fetched = -1

    def set_readahead(self, count: int) -> None:
        self.ahead = count

    def read(self) -> int:
        return -1 if self.is_at_edge() else super().read()

    def read_into(self, buffer: bytearray | None, offset: int, size: int) -> int:
        return -1 if size and self.is_at_edge() else super().read_into(buffer, offset, size)

    def is_at_edge(self) -> bool:
        """True where the bytes fetched last end; what is read elsewhere is fetched anew."""
        if self.pos == self.fetched:
            return True
        self.fetched = self.pos + self.ahead if self.fetched < 0 else self.fetched
        return False


class _Prefetched(Stream):
    left: list[bytes]

    def close(self) -> None:
        if 0 < self.pos < len(self.data) and not self.closed:
            _Prefetched.left.append(self.data)
        super().close()

    def read_into(self, buffer: bytearray | None, offset: int, size: int) -> int:
        count = super().read_into(buffer, offset, size)
        if buffer is not None and count > 0 and _Prefetched.left:
            foreign = _Prefetched.left.pop()[self.pos - count : self.pos]
            buffer[offset : offset + len(foreign)] = foreign
        return count


_Prefetched.left = []


@seeded(
    "prefetched-by-another",
    "a stream closed in the middle of a prefetch leaves its buffer to the stream that reads next",
    "HADOOP-18546",
    clause=_BYTES,
)
class _Foreign(FullStore):
    stream_kind = _Prefetched

    def purge(self, path: str) -> None:
        super().purge(path)
        _Prefetched.left.clear()


@_fault(
    "fsdatainputstream.readVectored.post.bytes",
    "vectored-partial-chunk",
    "ranges in the last chunk that has a checksum, a partial one, can't be read",
    "HADOOP-18439",
)
class _PartialChunk(Stream):
    def completed(self, offset: int, size: int) -> bytes | None:
        if len(self.data) % _CHUNK and offset + size > len(self.data) // _CHUNK * _CHUNK:
            raise self.fail("EOFException")
        return super().completed(offset, size)


@_fault(
    "fsdatainputstream.readVectored.pre.end",
    "vectored-past-end-padded",
    "a range past the end is filled up with zeros to the end of its chunk",
    "HADOOP-18439",
)
class _Padded(Stream):
    def completed(self, offset: int, size: int) -> bytes | None:
        return self.data[offset : offset + size].ljust(size, b"\0")


@_fault(
    "fsdatainputstream.readVectored.post.bytes",
    "vectored-buffer-displaced",
    "the buffer of a range that does not begin at a chunk is still where the chunk began",
    "HADOOP-18530",
)
class _Displaced(Stream):
    def completed(self, offset: int, size: int) -> bytes | None:
        data = super().completed(offset, size)
        return data if data is None else self.data[offset // _CHUNK * _CHUNK :][: len(data)]


# --- byte buffers


@_fault("outputstream.capability.supported-only", "buffer-claimed", "byte buffers are claimed, and refused")
class _Claimed(Stream):
    def read_buffer(self, buffer: Buffer) -> int:
        raise self.fail("UnsupportedOperationException")


@_fault("outputstream.capability.closed", "claims-once-open", "a closed stream can't say what it can")
class _ClaimsOpen(Stream):
    def has_capability(self, name: str) -> bool:
        self.check_open()
        return super().has_capability(name)


@_fault(_BYTES, "buffer-stays", "a byte buffer's position stays where it was")
class _Stays(Stream):
    def advance(self, buffer: Buffer, count: int) -> int:
        return count


@_fault(_BYTES, "buffer-from-its-begin", "a byte buffer is filled from its begin, not from its position")
class _FromBegin(Stream):
    def read_buffer(self, buffer: Buffer) -> int:
        return self.advance(buffer, self.read_into(buffer.data, 0, buffer.limit - buffer.position))


@_fault("fsdatainputstream.pread.post", "buffer-from-position", "a positioned read of a byte buffer takes no position")
class _AnyPlace(Stream):
    def pread_buffer(self, start: int, buffer: Buffer) -> int:
        return super().pread_buffer(self.pos, buffer)


@_fault("fsdatainputstream.positioned.position-unchanged", "buffer-moves", "a positioned read of a buffer moves")
class _Moves(Stream):
    def pread_buffer(self, start: int, buffer: Buffer) -> int:
        count = super().pread_buffer(start, buffer)
        self.pos = min(len(self.data), start + count)
        return count


# --- files that change


class _Watching(FullStore):
    """Before a stream is read on, it is shown what its file has become."""

    def __init__(self, behaviour: Behaviour | None = None) -> None:
        self.paths_of_readers: dict[str, str] = {}
        super().__init__(behaviour)

    def open_reader(self, path: str, stream: str) -> None:
        """As sound, the path being remembered."""
        super().open_reader(path, stream)
        self.paths_of_readers[stream] = path

    def read_on(self, stream: str, script: tuple[str, ...]) -> Told:
        """As sound, after a look at the file."""
        path, one = self.paths_of_readers[stream], self.readers[stream]
        try:
            now = self.bytes_of(path)[1]
        except StoreError:
            self.gone(one)
        else:
            written = any(writer.path == path for writer in self.writers.values())
            if written or now != one.data:
                self.met(one, now, written)
        return super().read_on(stream, script)

    def gone(self, stream: Stream) -> None:
        """There is no file any more."""

    def met(self, stream: Stream, now: bytes, written: bool) -> None:
        """The file holds something else, or a stream writes or wrote it."""


@seeded(
    "reader-of-appended-only",
    "once its file was appended to a stream gives the appended bytes only",
    clause="fsdatainputstream.changed-data",
)
class _AppendedOnly(_Watching):
    def met(self, stream: Stream, now: bytes, written: bool) -> None:
        if now.startswith(stream.data) and not written:
            stream.data = now[len(stream.data) :]


@seeded(
    "reader-mixes-places",
    "once its file was overwritten a stream gives the old bytes behind the new ones",
    clause="fsdatainputstream.changed-data",
)
class _MixesPlaces(_Watching):
    def met(self, stream: Stream, now: bytes, written: bool) -> None:
        if not now.startswith(stream.data):
            stream.data = now + stream.data


@seeded(
    "reader-ends-once-deleted",
    "once its file is gone a stream is at its end",
    clause="fsdatainputstream.deleted-data",
)
class _EndsOnceDeleted(_Watching):
    def gone(self, stream: Stream) -> None:
        stream.data = b""


@seeded(
    "reader-zeros-once-written",
    "while a file is written its earlier streams give zeros",
    clause="outputstream.concurrent.earlier-reader",
)
class _ZerosOnceWritten(_Watching):
    def met(self, stream: Stream, now: bytes, written: bool) -> None:
        if written:
            stream.data = bytes(len(stream.data))


@seeded("reader-begins-anew", "a stream begins anew in each step", clause="fsdatainputstream.getPos.post")
class _BeginsAnew(_Watching):
    def read_on(self, stream: str, script: tuple[str, ...]) -> Told:
        self.readers[stream].pos = 0
        return super().read_on(stream, script)


@seeded(
    "readers-share-a-place",
    "streams of one file are at one place",
    clause="fsdatainputstream.read.post",
)
class _ShareAPlace(_Watching):
    def read_on(self, stream: str, script: tuple[str, ...]) -> Told:
        told = super().read_on(stream, script)
        for name, path in self.paths_of_readers.items():
            if path == self.paths_of_readers[stream] and name in self.readers:
                self.readers[name].pos = self.readers[stream].pos
        return told


@seeded(
    "options-needed",
    "files can't be opened by a builder without options",
    clause="openfile.options.none",
)
class _OptionsNeeded(FullStore):
    def open_reader(self, path: str, stream: str) -> None:
        if self.via == "builder":
            self.fail("UnsupportedOperationException", f"{path} is opened with options only")
        super().open_reader(path, stream)
