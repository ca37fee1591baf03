"""What a script does with one input stream."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache
from typing import Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop import jvm
from fsconform.adapters.hadoop.handlers.classes import (
    java,
    java_bytes,
)
from fsconform.model.filesystem.stream_scripts import OR, OVERLAPPING, ROUNDS, TOGETHER, Action, told_bytes, told_error

_FILL = 0x5A
"""What buffers hold before a read."""
_AROUND = 3
"""Bytes that a byte buffer has before its position and after its limit."""
_DRAINED_BYTES = 4096
_FUTURE_SECONDS = 20
_LARGEST = 1 << 22
"""Buffers of more bytes are not made."""
_WRAPPING = ("java.util.concurrent.ExecutionException", "java.util.concurrent.CompletionException")
_int, _long = jpype.JInt, jpype.JLong


@cache
def _allocator(direct: bool) -> Any:
    """An IntFunction that makes byte buffers, without a way back into Python: readers call it from their threads."""
    buffer, number = java("java.nio.ByteBuffer"), java("java.lang.Integer").TYPE
    kind = java("java.lang.invoke.MethodType").methodType(buffer.class_, number)
    lookup = java("java.lang.invoke.MethodHandles").publicLookup()
    handle = lookup.findStatic(buffer.class_, "allocateDirect" if direct else "allocate", kind)
    function = java("java.util.function.IntFunction")
    return java("java.lang.invoke.MethodHandleProxies").asInterfaceInstance(function.class_, handle)


def _buffer(size: int) -> Any:
    return java_bytes(bytes([_FILL]) * size)


def _held(buffer: Any, offset: int, count: int) -> str:
    """The answer for a read of so many bytes into a buffer."""
    data = bytes(buffer)
    beside = data[:offset] + data[offset + max(count, 0) :]
    spilled = " spilled" if beside.count(_FILL) != len(beside) else ""
    return (told_bytes(data[offset : offset + count]) if count > 0 else str(count)) + spilled


class Reader:
    """What is done with one stream. Answers are as model.scripts has them; Java's errors are raised."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.open = True

    def answer(self, action: Action) -> str:
        """The answer of one action, an error too."""
        if action.kind == "together":
            return self._together(action)
        if action.kind == "overlapping":
            return self._overlapping(action)
        return self._told(lambda: _ACTS[action.kind](self, action))

    def _told(self, act: Callable[[], str | None]) -> str:
        try:
            told = act()
        except jvm.JavaError as error:
            return told_error(jvm.ancestry(error))
        return "done" if told is None else told

    def _together(self, action: Action) -> str:
        """Each part in a thread of its own, several times; threads of Python are threads of Java's here."""
        found: list[dict[str, None]] = [{} for _ in action.parts]
        start = threading.Barrier(len(action.parts))

        trouble: list[BaseException] = []

        def repeat(part: Action, answers: dict[str, None]) -> None:
            try:
                start.wait()
                for _ in range(ROUNDS):
                    answers[self.answer(part)] = None
            except BaseException as error:
                trouble.append(error)
            finally:
                java("java.lang.Thread").detach()

        threads = [
            threading.Thread(target=repeat, args=(part, answers), daemon=True)
            for part, answers in zip(action.parts, found, strict=True)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if trouble:
            raise trouble[0]
        return TOGETHER.join(OR.join(answers) for answers in found)

    def _overlapping(self, action: Action) -> str:
        """All parts begun, and then waited for."""
        begun: list[Callable[[], str]] = []
        for part in action.parts:
            if part.kind == "vectored":
                try:
                    ranges = self.begin(part)
                except jvm.JavaError as error:
                    told = told_error(jvm.ancestry(error))
                    begun.append(lambda told=told: told)  # type: ignore[misc]
                else:
                    begun.append(lambda ranges=ranges: _awaited(ranges))  # type: ignore[misc]
            else:
                told = self.answer(part)
                begun.append(lambda told=told: told)  # type: ignore[misc]
        return OVERLAPPING.join(one() for one in begun)

    def begin(self, action: Action) -> Any:
        """readVectored; the list of ranges."""
        ranges = java("java.util.ArrayList")()
        for one in action.ranges:
            made = java("FileRange").createFileRange(_long(one[0]), _int(one[1])) if one else None
            ranges.add(made)
        if action.name == "null allocator":
            ranges.add(java("FileRange").createFileRange(_long(0), _int(1)))
        function = java("java.util.function.IntFunction")
        allocate = (
            jpype.JObject(None, function) if action.name == "null allocator" else _allocator(action.name == "direct")
        )
        given = jpype.JObject(None, java("java.util.List")) if action.name == "null list" else ranges
        self.stream.readVectored(given, allocate)
        return ranges

    def read_into(self, action: Action) -> str:
        """read into a buffer."""
        size, offset, room = action.numbers
        buffer = _buffer(room)
        count = int(self.stream.read(buffer, _int(offset), _int(size)))
        return _held(buffer, offset, count)

    def read_null(self) -> str:
        """read into null."""
        return str(int(self.stream.read(jpype.JObject(None, jpype.JArray(jpype.JByte)), _int(0), _int(1))))

    def drain(self) -> str:
        """Read on to the end."""
        found = bytearray()
        buffer = _buffer(_DRAINED_BYTES)
        while True:
            count = int(self.stream.read(buffer, _int(0), _int(_DRAINED_BYTES)))
            if count < 0 or len(found) > 2 * _LARGEST:
                return told_bytes(bytes(found))
            if count == 0:
                return "stuck"
            found += bytes(buffer)[:count]

    def seek_and_read(self, action: Action) -> str:
        """seek, and read into a buffer."""
        start, size = action.numbers
        self.stream.seek(_long(start))
        buffer = _buffer(size)
        return _held(buffer, 0, int(self.stream.read(buffer, _int(0), _int(size))))

    def pread(self, action: Action) -> str:
        """A positioned read."""
        start, size, offset, room = action.numbers
        buffer = _buffer(room)
        return _held(buffer, offset, int(self.stream.read(_long(start), buffer, _int(offset), _int(size))))

    def read_fully(self, action: Action) -> str:
        """readFully, by either form."""
        start, size, *place = action.numbers
        offset, room = place or (0, size)
        buffer = _buffer(room)
        if place:
            self.stream.readFully(_long(start), buffer, _int(offset), _int(size))
        else:
            self.stream.readFully(_long(start), buffer)
        return _held(buffer, offset, size)

    def byte_buffer(self, action: Action) -> str:
        """read into a byte buffer."""
        (size,) = action.numbers
        return self._into(size, action.name == "direct", self.stream.read)

    def from_place(self, action: Action) -> str:
        """A positioned read into a byte buffer."""
        start, size = action.numbers
        return self._into(size, False, lambda buffer: self.stream.read(_long(start), buffer))

    def _into(self, size: int, direct: bool, read: Callable[[Any], Any]) -> str:
        kind, room = java("java.nio.ByteBuffer"), size + 2 * _AROUND
        buffer = kind.allocateDirect(_int(room)) if direct else kind.allocate(_int(room))
        buffer.put(_buffer(room))
        buffer.position(_int(_AROUND))
        buffer.limit(_int(_AROUND + size))
        count = int(read(buffer))
        misplaced = (int(buffer.position()), int(buffer.limit())) != (_AROUND + max(count, 0), _AROUND + size)
        buffer.clear()
        data = jpype.JArray(jpype.JByte)(room)
        buffer.get(data)
        return _held(data, _AROUND, count) + (" misplaced" if misplaced else "")

    def close(self) -> None:
        """close."""
        self.open = False
        self.stream.close()


def _cause(error: Any) -> Any:
    """What made a future fail."""
    while jvm.ancestry(error)[0] in _WRAPPING and error.getCause() is not None:
        error = error.getCause()
    return error


def _awaited(ranges: Any) -> str:
    return ", ".join(_ranged(one) for one in ranges)


def _ranged(one: Any) -> str:
    future = one.getData()
    if future is None:
        return "no future"
    try:
        buffer = future.get(_long(_FUTURE_SECONDS), java("java.util.concurrent.TimeUnit").SECONDS)
    except jvm.JavaError as error:
        return told_error(jvm.ancestry(_cause(error)), "later")
    data = jpype.JArray(jpype.JByte)(int(buffer.remaining()))
    buffer.get(data)
    return told_bytes(bytes(data))


_ACTS: dict[str, Callable[[Reader, Action], str | None]] = {
    "read": lambda reader, action: str(int(reader.stream.read())),
    "read null": lambda reader, action: reader.read_null(),
    "read into": Reader.read_into,
    "drain": lambda reader, action: reader.drain(),
    "getPos": lambda reader, action: str(int(reader.stream.getPos())),
    "available": lambda reader, action: str(int(reader.stream.available())),
    "close": lambda reader, action: reader.close(),
    "unbuffer": lambda reader, action: reader.stream.unbuffer(),
    "seek": lambda reader, action: reader.stream.seek(_long(action.numbers[0])),
    "skip": lambda reader, action: str(int(reader.stream.skip(_long(action.numbers[0])))),
    "readahead": lambda reader, action: reader.stream.setReadahead(java("java.lang.Long").valueOf(action.numbers[0])),
    "newSource": lambda reader, action: "true" if reader.stream.seekToNewSource(_long(action.numbers[0])) else "false",
    "capability": lambda reader, action: "true" if reader.stream.hasCapability(action.name) else "false",
    "from": Reader.seek_and_read,
    "pread": Reader.pread,
    "readFully": Reader.read_fully,
    "fill": Reader.read_fully,
    "vectored": lambda reader, action: _awaited(reader.begin(action)),
    "bytebuffer": Reader.byte_buffer,
    "preadbuffer": Reader.from_place,
}


def _asks(actions: list[Action], kind: str) -> bool:
    """Whether an action of that kind is among them."""
    return any(one.kind == kind for action in actions for one in (action, *action.parts))


def _is_checked(stream: Any) -> bool:
    """Whether what is behind a stream compares checksums: to ask it for another source is to say that they differ."""
    wrapper = java("FSDataInputStream").class_
    while stream is not None and wrapper.isInstance(stream):
        stream = jpype.JObject(stream, java("FSDataInputStream")).getWrappedStream()
    return bool(java("FSInputChecker").class_.isInstance(stream))


def _sizes(action: Action) -> tuple[int, ...]:
    """The sizes of the buffers that an action asks for."""
    ranges = tuple(one[1] for one in action.ranges if one is not None)
    return ranges + (action.numbers[-1:] if len(action.numbers) > 1 or action.kind == "bytebuffer" else ())


def too_large(actions: list[Action]) -> bool:
    """Whether an action asks for a buffer that is not made."""
    return any(size > _LARGEST for action in actions for one in (action, *action.parts) for size in _sizes(one))


def moves_files(stream: Any, actions: list[Action]) -> bool:
    """Whether an action would have a sound file moved away."""
    return _asks(actions, "newSource") and _is_checked(stream)
