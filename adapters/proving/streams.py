"""The whole store's streams: a file's bytes with a position, read by a script of actions.

Sources: fsdatainputstream.md. The texts of actions and answers are the harness's; they are read here anew. As there are
no threads, what is done at the same time is done in turns.
"""

from __future__ import annotations

import hashlib

from fsconform.adapters.proving.kept import KeepingStore, Told
from fsconform.adapters.proving.store import ANCESTRY, StoreError

_SHOWN, _DIGITS, _CHUNK = 8, 16, 4096
_LIBRARY = (
    "ArrayIndexOutOfBoundsException",
    "IndexOutOfBoundsException",
    "IllegalArgumentException",
    "NullPointerException",
)

Range = tuple[int, int] | None


class Stream:
    """One open file. Methods raise StoreError; seeded faults override them."""

    unbuffers = True
    seeks = True
    pread_works = True
    replicas = 1

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
        return (name == "in:unbuffer" and self.unbuffers) or name == "in:readvectored"

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


class Streams(KeepingStore):
    """Reading by script."""

    stream_kind: type[Stream] = Stream

    def read_stream(self, path: str, script: tuple[str, ...]) -> Told:
        """What each action gave. FileNotFoundException if there is no file."""
        stream = self.stream_kind(self.bytes_of(path)[1])
        told: Told = {str(number): _answered(stream, text) for number, text in enumerate(script, 1)}
        if not stream.closed:
            told["close"] = _answered(stream, "close")
        return told


def _answered(stream: Stream, text: str) -> str:
    if " & " in text or " / " in text:
        sign = " & " if " & " in text else " / "
        stream.busy = True
        parts = [_part(stream, part) for part in text.split(sign)]
        stream.busy, stream.pending = False, 0
        return sign.join(parts)
    answer = _part(stream, text)
    stream.pending = 0
    return answer


def _part(stream: Stream, text: str) -> str:
    try:
        return _ANSWERS[text.split(" ")[0]](stream, text.split(" ")[1:])
    except StoreError as error:
        return f"raised {_named(error)}"


def _named(error: StoreError) -> str:
    name, parent = (one.rpartition(".")[2] for one in error.classes[:2])
    return f"{name} {parent}" if name.endswith("IndexOutOfBoundsException") else name


def _bytes(data: bytes) -> str:
    if not data:
        return "0"
    return f"{len(data)} " + (data.hex() if len(data) <= _SHOWN else hashlib.sha256(data).hexdigest()[:_DIGITS])


def _place(words: list[str], size: int) -> tuple[int, int]:
    return (int(words[1]), int(words[3])) if words else (0, max(size, 0))


def _held(buffer: bytearray, offset: int, count: int) -> str:
    beside = buffer[:offset] + buffer[offset + max(count, 0) :]
    return (_bytes(bytes(buffer[offset : offset + count])) if count > 0 else str(count)) + (
        " spilled" if any(beside) else ""
    )


def _read(stream: Stream, words: list[str]) -> str:
    if not words:
        return str(stream.read())
    if words == ["null"]:
        return str(stream.read_into(None, 0, 1))
    size = int(words[0])
    offset, room = _place(words[1:], size)
    buffer = bytearray(room)
    return _held(buffer, offset, stream.read_into(buffer, offset, size))


def _drain(stream: Stream, words: list[str]) -> str:
    found = bytearray()
    buffer = bytearray(_CHUNK)
    while (count := stream.read_into(buffer, 0, _CHUNK)) > 0:
        found += buffer[:count]
    return "stuck" if count == 0 else _bytes(bytes(found))


def _pread(stream: Stream, words: list[str]) -> str:
    start, size = int(words[0]), int(words[1])
    offset, room = _place(words[2:], size)
    buffer = bytearray(room)
    return _held(buffer, offset, stream.pread(start, buffer, offset, size))


def _fully(stream: Stream, words: list[str]) -> str:
    start, size = int(words[0]), int(words[1])
    offset, room = _place(words[2:], size)
    buffer = bytearray(room)
    stream.read_fully(start, buffer, offset, size)
    return _held(buffer, offset, size)


def _from(stream: Stream, words: list[str]) -> str:
    stream.seek(int(words[0]))
    return _read(stream, words[1:])


def _vectored(stream: Stream, words: list[str]) -> str:
    ranges: list[Range] | None = None
    if words[:2] != ["null", "list"]:
        ranges = [
            None if one == "null" else (int(one.partition("+")[0]), int(one.partition("+")[2]))
            for one in words
            if one not in ("direct", "allocator") and words[-1] != "allocator"
        ]
    stream.read_vectored(ranges, words[-1:] != ["allocator"])
    answers = []
    for one in ranges or ():
        assert one is not None
        try:
            data = stream.completed(*one)
            answers.append("no future" if data is None else _bytes(data))
        except StoreError as error:
            answers.append(f"later {_named(error)}")
    return ", ".join(answers)


def _done(value: object) -> str:
    return "done" if value is None else str(value).lower()


_ANSWERS = {
    "read": _read,
    "drain": _drain,
    "getPos": lambda stream, words: _done(stream.get_pos()),
    "available": lambda stream, words: _done(len(stream.data) - stream.pos),
    "close": lambda stream, words: _done(stream.close()),
    "unbuffer": lambda stream, words: _done(stream.unbuffer()),
    "seek": lambda stream, words: _done(stream.seek(int(words[0]))),
    "skip": lambda stream, words: _done(stream.skip(int(words[0]))),
    "readahead": lambda stream, words: "done",
    "newSource": lambda stream, words: _done(stream.seek_to_new_source(int(words[0]))),
    "capability": lambda stream, words: _done(stream.has_capability(words[0])),
    "from": _from,
    "pread": _pread,
    "readFully": _fully,
    "fill": _fully,
    "vectored": _vectored,
}
