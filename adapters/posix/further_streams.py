"""A file that is read step by step through one open file description, as POSIX reads.

There is no null, no future and no other replica; a script that asks for one of these is not expressible. A descriptor
that was closed may be another's by then, so what is asked of a closed one is EBADF without asking.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from fsconform.adapters.folders.trees import placed
from fsconform.adapters.posix.calls import CannotName, name_of
from fsconform.adapters.posix.errors import fault, raised
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Facts, Value
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.input.open_reader import OpenReader
from fsconform.model.filesystem.input.read_stream import ReadOn, ReadStream
from fsconform.model.filesystem.input.scripts import Action, parse, told_bytes, told_error

_DRAINED_BYTES = 4096
_LARGEST = 1 << 22
"""Bytes that are asked for at once, at most."""


class _Description:
    """An open file description."""

    def __init__(self, file: int) -> None:
        self.file = file
        self.open = True

    def answer(self, action: Action) -> str:
        """The answer of one action, an error too."""
        try:
            if not self.open and action.kind != "close":
                raise fault(errno.EBADF)
            told = _ACTS[action.kind](self, action)
        except OSError as error:
            return told_error(raised(error, False, "").classes)
        return "done" if told is None else told

    def read(self, action: Action) -> str:
        """read of one byte."""
        found = os.read(self.file, 1)
        return str(found[0]) if found else "-1"

    def read_into(self, action: Action) -> str:
        """read."""
        size = action.numbers[0]
        return _told(os.read(self.file, size), size)

    def drain(self, action: Action) -> str:
        """read until there is no more."""
        found = bytearray()
        while piece := os.read(self.file, _DRAINED_BYTES):
            found += piece
        return told_bytes(bytes(found))

    def seek_and_read(self, action: Action) -> str:
        """lseek and read."""
        start, size = action.numbers
        os.lseek(self.file, start, os.SEEK_SET)
        return _told(os.read(self.file, size), size)

    def seek(self, action: Action) -> None:
        """lseek."""
        os.lseek(self.file, action.numbers[0], os.SEEK_SET)

    def pread(self, action: Action) -> str:
        """pread."""
        start, size = action.numbers[:2]
        return _told(os.pread(self.file, size, start), size)

    def byte_buffer(self, action: Action) -> str:
        """readv."""
        (size,) = action.numbers
        return self._into(size, lambda buffer: os.readv(self.file, [buffer]))

    def from_place(self, action: Action) -> str:
        """preadv."""
        start, size = action.numbers
        return self._into(size, lambda buffer: os.preadv(self.file, [buffer], start))

    def _into(self, size: int, read: Callable[[bytearray], int]) -> str:
        buffer = bytearray(size)
        return _told(bytes(buffer[: read(buffer)]), size)

    def close(self, action: Action) -> None:
        """close, once."""
        if self.open:
            self.open = False
            os.close(self.file)


def _told(data: bytes, size: int) -> str:
    """The answer for bytes that were asked for: 0 says that there are no more."""
    return told_bytes(data) if data or not size else "-1"


_ACTS: dict[str, Callable[[_Description, Action], str | None]] = {
    "read": _Description.read,
    "read into": _Description.read_into,
    "drain": _Description.drain,
    "from": _Description.seek_and_read,
    "seek": _Description.seek,
    "getPos": lambda description, action: str(os.lseek(description.file, 0, os.SEEK_CUR)),
    "pread": _Description.pread,
    "bytebuffer": _Description.byte_buffer,
    "preadbuffer": _Description.from_place,
    "close": _Description.close,
}


def _expressible(text: str) -> Action:
    """An action. Raises CannotName if POSIX has no call for it."""
    action = parse(text)
    if action.kind not in _ACTS:
        raise CannotName(f"POSIX has no call for {action.kind}")
    if action.kind in ("read into", "pread"):
        size, offset, room = action.numbers[-3:]
        if size < 0 or offset < 0 or offset + size > room:
            raise CannotName("a buffer of C has no range that a call could check")
    if any(number > _LARGEST for number in action.numbers[-1:] if action.kind != "seek"):
        raise CannotName("no buffer of that size is made")
    return action


def _opened(base: int, path: Path) -> _Description:
    with placed(base, name_of(path)) as (parent, last):
        file = os.open(last, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=parent)
    try:
        os.read(file, 0)  # of a directory open itself is no error
    except OSError:
        os.close(file)
        raise
    return _Description(file)


def read_stream(base: int, operation: ReadStream) -> Facts:
    """open, what the script says, close."""
    actions = [_expressible(text) for text in operation.script]
    description = _opened(base, operation.path)
    try:
        told = [(str(number), description.answer(action)) for number, action in enumerate(actions, 1)]
    finally:
        if description.open:
            os.close(description.file)
    return Facts("input stream", (*told, *((("close", "done"),) if description.open else ())))


CALLS: dict[type, Callable[[int, Any], Value]] = {ReadStream: read_stream}


class Readers:
    """The descriptors of one program that files are read by, by the names of its streams, in the directory ``base``."""

    def __init__(self, base: int) -> None:
        self._base = base
        self._open: dict[str, _Description] = {}

    def call(self, operation: Operation) -> Callable[[], Value] | None:
        """The call that an operation is; None for one of another kind. Calls raise OSError and CannotName."""
        if isinstance(operation, OpenReader) and not operation.via:
            return lambda: self._open_reader(operation)
        return (lambda: self._read_on(operation)) if isinstance(operation, ReadOn) else None

    def close_all(self) -> None:
        """Close what is open still."""
        for one in self._open.values():
            if one.open:
                with suppress(OSError):
                    os.close(one.file)
        self._open.clear()

    def _open_reader(self, operation: OpenReader) -> None:
        if operation.stream in self._open:
            raise CannotName(f"the name {operation.stream} is taken")
        self._open[operation.stream] = _opened(self._base, operation.path)

    def _read_on(self, operation: ReadOn) -> Value:
        one = self._open.get(operation.stream)
        if one is None:
            raise CannotName(f"no stream {operation.stream} was opened to read")
        actions = [_expressible(text) for text in operation.script]
        return Facts(
            "input stream", tuple((str(number), one.answer(action)) for number, action in enumerate(actions, 1))
        )
