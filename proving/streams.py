"""The full store's streams that read: a file's bytes with a position. Sources: fsdatainputstream.md."""

from __future__ import annotations

from dataclasses import dataclass

from fsconform.proving.store import ANCESTRY, StoreError

_LIBRARY = (
    "ArrayIndexOutOfBoundsException",
    "IndexOutOfBoundsException",
    "IllegalArgumentException",
    "NullPointerException",
)

Range = tuple[int, int] | None


@dataclass(slots=True)
class Buffer:
    """A byte buffer; as all of its bytes do, those before its position and after its limit belong to the caller."""

    data: bytearray
    position: int
    limit: int


class Stream:
    """One open file. Methods raise StoreError; seeded faults override them."""

    unbuffers = True
    seeks = True
    pread_works = True
    replicas = 1
    capabilities: tuple[str, ...] = ("in:readvectored", "in:readahead", "in:readbytebuffer", "in:preadbytebuffer")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.pos = 0
        self.closed = False
        self.pending = 0
        """Vectored reads that were begun and are not waited for yet."""
        self.busy = False
        """True while others read at the same time."""

    def fail(self, error: str) -> StoreError:
        """An error to raise."""
        if error in _LIBRARY:
            return StoreError((f"java.lang.{error}", *ANCESTRY["UnsupportedOperationException"][1:]), error)
        if error == "EOFException":
            return StoreError((f"java.io.{error}", *ANCESTRY["IOException"]), error)
        return StoreError(ANCESTRY[error], error)

    # --- the stream itself

    def close(self) -> None:
        """Close; again, too."""
        self.closed = True

    def check_open(self) -> None:
        """Raise IOException once closed."""
        if self.closed:
            raise self.fail("IOException")

    def get_pos(self) -> int:
        """The position."""
        return self.pos

    def read(self) -> int:
        """The next byte, or -1."""
        self.check_open()
        if self.pos >= len(self.data):
            return -1
        self.pos += 1
        return self.data[self.pos - 1]

    def read_into(self, buffer: bytearray | None, offset: int, size: int) -> int:
        """Fill some of a buffer; the number of bytes, or -1."""
        if buffer is None:
            raise self.fail("NullPointerException")
        self.check_open()
        self.check_room(buffer, offset, size)
        if size == 0:
            return 0
        if self.pos >= len(self.data):
            return -1
        found = self.data[self.pos : self.pos + size]
        buffer[offset : offset + len(found)] = found
        self.pos += len(found)
        return len(found)

    def check_room(self, buffer: bytearray, offset: int, size: int) -> None:
        """Raise IndexOutOfBoundsException if that is not a part of the buffer."""
        if offset < 0 or size < 0 or offset + size > len(buffer):
            raise self.fail("IndexOutOfBoundsException")

    # --- seeking

    def check_seek(self, to: int) -> None:
        """Raise EOFException for a place out of range."""
        if to < 0 or to > len(self.data):
            raise self.fail("EOFException")

    def can_seek(self) -> None:
        """Raise UnsupportedOperationException if it can't."""
        if not self.seeks:
            raise self.fail("UnsupportedOperationException")

    def seek(self, to: int) -> None:
        """Move the position."""
        self.can_seek()
        self.check_open()
        self.check_seek(to)
        self.pos = to

    def skip(self, count: int) -> int:
        """Move on by so many bytes at most."""
        moved = max(0, min(count, len(self.data) - self.pos))
        self.pos += moved
        return moved

    def seek_to_new_source(self, to: int) -> bool:
        """Take the data from another replica from now on, if there is one."""
        self.check_open()
        return self.replicas > 1

    def unbuffer(self) -> None:
        """Nothing is held that could be given back."""

    def has_capability(self, name: str) -> bool:
        """True of what it can do."""
        return (name == "in:unbuffer" and self.unbuffers) or name in self.capabilities

    def set_readahead(self, count: int) -> None:
        """Nothing is read ahead."""

    # --- byte buffers

    def read_buffer(self, buffer: Buffer) -> int:
        """Read into what room a byte buffer has; the number of bytes, or -1."""
        self.check_open()
        return self.advance(buffer, self.read_into(buffer.data, buffer.position, buffer.limit - buffer.position))

    def pread_buffer(self, start: int, buffer: Buffer) -> int:
        """The same from a place."""
        return self.advance(buffer, self.pread(start, buffer.data, buffer.position, buffer.limit - buffer.position))

    def advance(self, buffer: Buffer, count: int) -> int:
        """Move a byte buffer's position on by the bytes that were read."""
        buffer.position += max(count, 0)
        return count

    # --- positioned reads

    def can_pread(self) -> None:
        """Raise UnsupportedOperationException if it can't."""
        if not (self.seeks and self.pread_works):
            raise self.fail("UnsupportedOperationException")

    def check_positioned(self, start: int, buffer: bytearray, offset: int, size: int) -> None:
        """Raise for a place, or a part of the buffer, that there is not."""
        if start < 0:
            raise self.fail("EOFException")
        self.check_room(buffer, offset, size)

    def pread(self, start: int, buffer: bytearray, offset: int, size: int) -> int:
        """Fill some of a buffer from a place; the number of bytes, or -1."""
        self.can_pread()
        self.check_positioned(start, buffer, offset, size)
        if start >= len(self.data):
            return -1
        return self.take(start, buffer, offset, size)

    def take(self, start: int, buffer: bytearray, offset: int, size: int) -> int:
        """Copy bytes."""
        found = self.data[start : start + size]
        buffer[offset : offset + len(found)] = found
        return len(found)

    def read_fully(self, start: int, buffer: bytearray, offset: int, size: int) -> None:
        """Fill a part of a buffer from a place."""
        self.can_pread()
        self.check_positioned(start, buffer, offset, size)
        self.check_enough(start, size)
        self.take(start, buffer, offset, size)

    def check_enough(self, start: int, size: int) -> None:
        """Raise EOFException if there are fewer bytes."""
        if start + size > len(self.data):
            raise self.fail("EOFException")

    def check_ranges(self, ranges: list[Range]) -> None:
        """Raise for ranges that break a precondition."""
        for one in ranges:
            if one is None:
                raise self.fail("IllegalArgumentException")
            self.check_range(*one)
        end = None
        for offset, size in sorted(one for one in ranges if one is not None):
            if end is not None and offset < end:
                raise self.fail("IllegalArgumentException")
            end = offset + size
        self.check_ends(ranges)

    def check_range(self, offset: int, size: int) -> None:
        """Raise for numbers below 0."""
        if offset < 0:
            raise self.fail("EOFException")
        if size < 0:
            raise self.fail("IllegalArgumentException")

    def check_ends(self, ranges: list[Range]) -> None:
        """Ranges beyond the end are not looked for: their futures fail."""

    def read_vectored(self, ranges: list[Range] | None, allocates: bool) -> None:
        """Begin to read ranges."""
        if ranges is None or not allocates:
            raise self.fail("NullPointerException")
        self.can_pread()
        self.check_ranges(ranges)
        self.pending += 1

    def completed(self, offset: int, size: int) -> bytes | None:
        """What the future of a range gives; None if there is no future."""
        self.check_enough(offset, size)
        return self.data[offset : offset + size]
