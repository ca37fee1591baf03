"""What is done with the full store's streams that read: scripts of actions, at once or from call to call.

The texts of actions and answers are the harness's; they are read here anew. As there are no threads, what is done at
the same time is done in turns.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from fsconform.proving.keeping_store import KeepingStore, Told
from fsconform.proving.store import Behaviour, StoreError
from fsconform.proving.streams import Buffer, Range, Stream

_SHOWN, _DIGITS, _CHUNK, _AROUND = 8, 16, 4096, 3


class Streams(KeepingStore):
    """Reading by script. Streams that are left open belong to one program, with which they are forgotten."""

    stream_kind: type[Stream] = Stream

    def __init__(self, behaviour: Behaviour | None = None) -> None:
        self.readers: dict[str, Stream] = {}
        super().__init__(behaviour)

    def purge(self, path: str) -> None:
        """As in the core; streams that are still open are forgotten."""
        super().purge(path)
        self.readers.clear()

    def read_stream(self, path: str, script: tuple[str, ...]) -> Told:
        """What each action gave. FileNotFoundException if there is no file."""
        stream = self.stream_of(path)
        told = _answers(stream, script)
        if not stream.closed:
            told["close"] = _answered(stream, "close")
        return told

    def stream_of(self, path: str) -> Stream:
        """A stream of a file, with the data that it has now. FileNotFoundException if there is none."""
        return self.stream_kind(self.bytes_of(path)[1])

    def open_reader(self, path: str, stream: str) -> None:
        """Open a file, and keep the stream under a name."""
        self.readers[stream] = self.stream_of(path)

    def read_on(self, stream: str, script: tuple[str, ...]) -> Told:
        """What each action on a stream that is kept gave."""
        return _answers(self.readers[stream], script)

    def cannot_read(self, stream: str, opens: bool) -> str:
        """Why a program can't name that stream, be it to open it or to use it; the empty string if it can."""
        if opens == (stream in self.readers):
            return f"a stream is called {stream} already" if opens else f"no stream was opened as {stream} to read"
        return ""


def _answers(stream: Stream, script: tuple[str, ...]) -> Told:
    return {str(number): _answered(stream, text) for number, text in enumerate(script, 1)}


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


def _buffered(stream: Stream, size: int, start: int | None = None) -> str:
    buffer = Buffer(bytearray(size + 2 * _AROUND), _AROUND, _AROUND + size)
    count = stream.read_buffer(buffer) if start is None else stream.pread_buffer(start, buffer)
    told = _held(buffer.data, _AROUND, count)
    in_place = (buffer.position, buffer.limit) == (_AROUND + max(count, 0), _AROUND + size)
    return told if in_place else f"{told} misplaced"


def _done(value: object) -> str:
    return str(value).lower()


def _did(call: Callable[..., None], *arguments: int) -> str:
    call(*arguments)
    return "done"


_ANSWERS: dict[str, Callable[[Stream, list[str]], str]] = {
    "read": _read,
    "drain": _drain,
    "getPos": lambda stream, words: _done(stream.get_pos()),
    "available": lambda stream, words: _done(len(stream.data) - stream.pos),
    "close": lambda stream, words: _did(stream.close),
    "unbuffer": lambda stream, words: _did(stream.unbuffer),
    "seek": lambda stream, words: _did(stream.seek, int(words[0])),
    "skip": lambda stream, words: _done(stream.skip(int(words[0]))),
    "readahead": lambda stream, words: _did(stream.set_readahead, int(words[0])),
    "newSource": lambda stream, words: _done(stream.seek_to_new_source(int(words[0]))),
    "capability": lambda stream, words: _done(stream.has_capability(words[0])),
    "from": _from,
    "pread": _pread,
    "readFully": _fully,
    "fill": _fully,
    "vectored": _vectored,
    "bytebuffer": lambda stream, words: _buffered(stream, int(words[-1])),
    "preadbuffer": lambda stream, words: _buffered(stream, int(words[1]), int(words[0])),
}
