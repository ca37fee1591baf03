"""Files that are read step by step through a file object of Python, as its io module has them.

The calls are read, readinto, seek, tell and close; positioned reads are ``read_at`` where a library has it. There is no
null, no future and no other replica; a script that asks for one of these is not expressible.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import IO, Any

from fsconform.adapters.pythonic.library import Binding, CannotName, NoAnswer, Table
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Facts, Value
from fsconform.model.filesystem.input.open_reader import OpenReader
from fsconform.model.filesystem.input.read_stream import ReadOn, ReadStream
from fsconform.model.filesystem.input.scripts import Action, parse, told_bytes, told_error

_DRAINED_BYTES = 4096
_LARGEST = 1 << 22
"""Bytes that are asked for at once, at most."""


class _Reader:
    """A file object that reads, with the table that names its errors."""

    def __init__(self, file: IO[bytes], table: Table) -> None:
        self.file: Any = file
        self._table = table

    def answer(self, action: Action) -> str:
        """The answer of one action, an error too. Raises NoAnswer."""
        try:
            told = _ACTS[action.kind](self, action)
        except NoAnswer:
            raise
        except Exception as error:
            return told_error(ended(self._table, self.file, error).classes)
        return "done" if told is None else told

    def read(self, action: Action) -> str:
        """read of one byte."""
        found = self.file.read(1)
        return str(found[0]) if found else "-1"

    def read_into(self, action: Action) -> str:
        """read."""
        size = action.numbers[0]
        return _told(self.file.read(size), size)

    def drain(self, action: Action) -> str:
        """read until there is no more."""
        found = bytearray()
        while piece := self.file.read(_DRAINED_BYTES):
            found += piece
        return told_bytes(bytes(found))

    def seek_and_read(self, action: Action) -> str:
        """seek and read."""
        start, size = action.numbers
        self.file.seek(start)
        return _told(self.file.read(size), size)

    def seek(self, action: Action) -> None:
        """seek."""
        self.file.seek(action.numbers[0])

    def pread(self, action: Action) -> str:
        """read_at."""
        start, size = action.numbers[:2]
        return _told(self.file.read_at(size, start), size)

    def byte_buffer(self, action: Action) -> str:
        """readinto."""
        (size,) = action.numbers
        buffer = bytearray(size)
        return _told(bytes(buffer[: self.file.readinto(buffer)]), size)


def _told(data: bytes, size: int) -> str:
    """The answer for bytes that were asked for: 0 says that there are no more."""
    return told_bytes(bytes(data)) if data or not size else "-1"


_ACTS: dict[str, Callable[[_Reader, Action], str | None]] = {
    "read": _Reader.read,
    "read into": _Reader.read_into,
    "drain": _Reader.drain,
    "from": _Reader.seek_and_read,
    "seek": _Reader.seek,
    "getPos": lambda reader, action: str(reader.file.tell()),
    "pread": _Reader.pread,
    "bytebuffer": _Reader.byte_buffer,
    "close": lambda reader, action: reader.file.close(),
}
_NEEDS = {"pread": "read_at", "bytebuffer": "readinto", "seek": "seek", "from": "seek", "getPos": "tell"}
"""The method that a file object must have for an action."""


def ended(table: Table, file: Any, error: Exception) -> Any:
    """What a call on a file object raised.

    Of one that is closed Python's io module has every call raise a plain ValueError, for which there is no finer
    class: it says what Hadoop's streams say by an IOException.
    """
    closed = type(error) is ValueError and getattr(file, "closed", False)
    return table.raised(OSError(str(error)) if closed else error, "streams", "")


def _expressible(text: str, file: Any = None) -> Action:
    """An action. Raises CannotName if there is no call for it."""
    action = parse(text)
    if action.kind not in _ACTS:
        raise CannotName(f"a file object of Python has no call for {action.kind}")
    needed = _NEEDS.get(action.kind, "")
    if needed and file is not None and not hasattr(file, needed):
        raise CannotName(f"the library's file objects have no {needed}")
    if action.kind in ("read into", "pread"):
        size, offset, room = action.numbers[-3:]
        if size < 0 or offset < 0 or offset + size > room:
            raise CannotName("read gives bytes and takes no buffer with a range that it could check")
    if any(number > _LARGEST for number in action.numbers[-1:] if action.kind != "seek"):
        raise CannotName("no buffer of that size is made")
    return action


class Readers:
    """The file objects of one program that read, by the names of its streams."""

    def __init__(self, binding: Binding, table: Table) -> None:
        self._binding, self._table = binding, table
        self._open: dict[str, _Reader] = {}

    def call(self, operation: Operation) -> Callable[[], Value] | None:
        """The call that an operation is; None for one of another kind. Calls raise as those of a binding do."""
        if isinstance(operation, OpenReader) and not operation.via:
            return lambda: self._open_reader(operation)
        if isinstance(operation, ReadStream) and not operation.via:
            return lambda: self._read_stream(operation)
        return (lambda: self._read_on(operation)) if isinstance(operation, ReadOn) else None

    def close_all(self) -> None:
        """Close what is open still."""
        for one in self._open.values():
            with suppress(Exception):
                one.file.close()
        self._open.clear()

    def _read_stream(self, operation: ReadStream) -> Facts:
        """open, what the script says, close."""
        for text in operation.script:
            _expressible(text)
        reader = _Reader(self._binding.open_reader(operation.path), self._table)
        told = []
        try:
            for number, text in enumerate(operation.script, 1):
                told.append((str(number), reader.answer(_expressible(text, reader.file))))
        finally:
            closed = reader.file.closed
            with suppress(Exception):
                reader.file.close()
        return Facts("input stream", (*told, *(() if closed else (("close", "done"),))))

    def _open_reader(self, operation: OpenReader) -> None:
        if operation.stream in self._open:
            raise CannotName(f"the name {operation.stream} is taken")
        self._open[operation.stream] = _Reader(self._binding.open_reader(operation.path), self._table)

    def _read_on(self, operation: ReadOn) -> Value:
        one = self._open.get(operation.stream)
        if one is None:
            raise CannotName(f"no stream {operation.stream} was opened to read")
        actions = [_expressible(text, one.file) for text in operation.script]
        return Facts(
            "input stream", tuple((str(number), one.answer(action)) for number, action in enumerate(actions, 1))
        )
