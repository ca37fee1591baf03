"""Files that are read by a script, through one stream and step by step: what this machine and Python's libraries share.

There is no null, no future and no other replica; a script that asks for one of these is not expressible.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Facts, Value
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.input.open_reader import OpenReader
from fsconform.model.filesystem.input.read_stream import ReadOn, ReadStream
from fsconform.model.filesystem.stream_scripts import Action, parse, told_bytes, told_error

_DRAINED_BYTES = 4096
_LARGEST = 1 << 22
"""Bytes that are asked for at once, at most."""


class Inexpressible(Exception):
    """There is no call for what is asked; the text says why."""


class InputStream(ABC):
    """An open file that reads. Its calls raise what the driver's calls raise."""

    @property
    @abstractmethod
    def closed(self) -> bool:
        """Whether it was closed."""

    @abstractmethod
    def read(self, size: int) -> bytes:
        """So many bytes at most from where it is; none at the end."""

    @abstractmethod
    def read_into(self, buffer: bytearray) -> int:
        """Read into a buffer; how many bytes came."""

    @abstractmethod
    def read_at(self, size: int, start: int) -> bytes:
        """So many bytes at most from a place, wherever it is."""

    def read_into_at(self, buffer: bytearray, start: int) -> int:
        """Read into a buffer from a place; how many bytes came."""
        raise NotImplementedError

    @abstractmethod
    def seek(self, start: int) -> object:
        """Go to a place."""

    @abstractmethod
    def tell(self) -> int:
        """The place where it is."""

    @abstractmethod
    def close(self) -> object:
        """Close it, if it is open."""

    def leave(self) -> object:
        """Close it after a script, which may have done so."""
        return self.close()

    @abstractmethod
    def classes(self, error: Exception) -> tuple[str, ...]:
        """The classes of an error that is an answer; any other is raised."""

    def answer(self, action: Action) -> str:
        """The answer of one action, an error too."""
        try:
            return _ACTS[action.kind](self, action)
        except Exception as error:
            return told_error(self.classes(error))


def _read_one(stream: InputStream, action: Action) -> str:
    found = stream.read(1)
    return str(found[0]) if found else "-1"


def _read(stream: InputStream, action: Action) -> str:
    size = action.numbers[0]
    return _told(stream.read(size), size)


def _drain(stream: InputStream, action: Action) -> str:
    found = bytearray()
    while piece := stream.read(_DRAINED_BYTES):
        found += piece
    return told_bytes(bytes(found))


def _seek(stream: InputStream, action: Action) -> str:
    stream.seek(action.numbers[0])
    return "done"


def _seek_and_read(stream: InputStream, action: Action) -> str:
    start, size = action.numbers
    stream.seek(start)
    return _told(stream.read(size), size)


def _pread(stream: InputStream, action: Action) -> str:
    start, size = action.numbers[:2]
    return _told(stream.read_at(size, start), size)


def _byte_buffer(stream: InputStream, action: Action) -> str:
    (size,) = action.numbers
    buffer = bytearray(size)
    return _told(bytes(buffer[: stream.read_into(buffer)]), size)


def _byte_buffer_at(stream: InputStream, action: Action) -> str:
    start, size = action.numbers
    buffer = bytearray(size)
    return _told(bytes(buffer[: stream.read_into_at(buffer, start)]), size)


def _close(stream: InputStream, action: Action) -> str:
    stream.close()
    return "done"


_ACTS: dict[str, Callable[[InputStream, Action], str]] = {
    "read": _read_one,
    "read into": _read,
    "drain": _drain,
    "from": _seek_and_read,
    "seek": _seek,
    "getPos": lambda stream, action: str(stream.tell()),
    "pread": _pread,
    "bytebuffer": _byte_buffer,
    "preadbuffer": _byte_buffer_at,
    "close": _close,
}
KINDS = frozenset(_ACTS)
"""The kinds of actions for which there may be a call."""


def _told(data: bytes, size: int) -> str:
    """The answer for bytes that were asked for: 0 says that there are no more."""
    return told_bytes(bytes(data)) if data or not size else "-1"


def expressible(action: Action, no_range: str) -> Action:
    """An action of the KINDS, if its buffer can be had. Raises Inexpressible, with ``no_range`` for a wrong range."""
    if action.kind in ("read into", "pread"):
        size, offset, room = action.numbers[-3:]
        if size < 0 or offset < 0 or offset + size > room:
            raise Inexpressible(no_range)
    if any(number > _LARGEST for number in action.numbers[-1:] if action.kind != "seek"):
        raise Inexpressible("no buffer of that size is made")
    return action


_S = TypeVar("_S")


class Streams(Generic[_S]):
    """The open streams of one program by their names. ``wanted`` tells, in an error, what they are opened for."""

    def __init__(self, close: Callable[[_S], object], wanted: str = "") -> None:
        self._close, self._wanted = close, wanted
        self._open: dict[str, _S] = {}

    def add(self, name: str, opened: Callable[[], _S]) -> None:
        """Open a stream under a name. Raises Inexpressible if it is taken, and what the call raises."""
        if name in self._open:
            raise Inexpressible(f"the name {name} is taken")
        self._open[name] = opened()

    def of(self, name: str) -> _S:
        """The stream of a name. Raises Inexpressible."""
        if name not in self._open:
            raise Inexpressible(f"no stream {name} was opened{self._wanted}")
        return self._open[name]

    def close_all(self) -> None:
        """Close what is open still; what that raises is nobody's concern any more."""
        for one in self._open.values():
            with suppress(Exception):
                self._close(one)
        self._open.clear()


class Readers(ABC):
    """The streams of one program that read. Its calls raise Inexpressible, and what the driver's calls raise."""

    def __init__(self) -> None:
        self._streams: Streams[InputStream] = Streams(lambda one: one.close(), " to read")
        self.close_all = self._streams.close_all

    @abstractmethod
    def opened(self, path: Path) -> InputStream:
        """Open a file."""

    @abstractmethod
    def expressible(self, action: Action, stream: InputStream | None) -> Action:
        """An action, if the driver has a call for it, on that stream if it is known. Raises Inexpressible."""

    def call(self, operation: Operation) -> Callable[[], Value] | None:
        """The call that an operation is; None for one of another kind."""
        match operation:
            case OpenReader(via=""):
                return lambda: self._streams.add(operation.stream, lambda: self.opened(operation.path))
            case ReadStream(via=""):
                return lambda: self._read_stream(operation)
            case ReadOn():
                return lambda: self._read_on(operation)
            case _:
                return None

    def _read_stream(self, operation: ReadStream) -> Facts:
        """Open, what the script says, close."""
        actions = [self.expressible(parse(text), None) for text in operation.script]
        stream = self.opened(operation.path)
        told = []
        try:
            for number, action in enumerate(actions, 1):
                told.append((str(number), stream.answer(self.expressible(action, stream))))
        finally:
            closed = stream.closed
            stream.leave()
        return Facts("input stream", (*told, *(() if closed else (("close", "done"),))))

    def _read_on(self, operation: ReadOn) -> Facts:
        stream = self._streams.of(operation.stream)
        actions = [self.expressible(parse(text), stream) for text in operation.script]
        return Facts(
            "input stream", tuple((str(number), stream.answer(action)) for number, action in enumerate(actions, 1))
        )
