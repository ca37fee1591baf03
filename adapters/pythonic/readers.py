"""Files that are read step by step through a file object of Python, as its io module has them.

The calls are read, readinto, seek, tell and close; positioned reads are ``read_at`` where a library has it.
"""

from __future__ import annotations

from contextlib import suppress
from typing import IO, Any

from fsconform.adapters import streams
from fsconform.adapters.pythonic.library import Binding, CannotName, NoAnswer, Table
from fsconform.model.core.outcomes import Raised
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.stream_scripts import Action


class _Reader(streams.InputStream):
    """A file object that reads, with the table that names its errors."""

    def __init__(self, file: IO[bytes], table: Table) -> None:
        self.file: Any = file
        self._table = table

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return bool(self.file.closed)

    def read(self, size: int) -> bytes:
        """read."""
        return self.file.read(size)  # type: ignore[no-any-return]

    def read_into(self, buffer: bytearray) -> int:
        """readinto."""
        return self.file.readinto(buffer)  # type: ignore[no-any-return]

    def read_at(self, size: int, start: int) -> bytes:
        """read_at."""
        return self.file.read_at(size, start)  # type: ignore[no-any-return]

    def seek(self, start: int) -> object:
        """seek."""
        return self.file.seek(start)

    def tell(self) -> int:
        """tell."""
        return self.file.tell()  # type: ignore[no-any-return]

    def close(self) -> None:
        """close."""
        self.file.close()

    def leave(self) -> None:
        """close; what it raises is not told."""
        with suppress(Exception):
            self.file.close()

    def classes(self, error: Exception) -> tuple[str, ...]:
        """The classes of an error. Raises NoAnswer."""
        if isinstance(error, NoAnswer):
            raise error
        return ended(self._table, self.file, error).classes


_NEEDS = {"pread": "read_at", "bytebuffer": "readinto", "seek": "seek", "from": "seek", "getPos": "tell"}
"""The method that a file object must have for an action."""


def ended(table: Table, file: Any, error: Exception) -> Raised:
    """What a call on a file object raised.

    Of one that is closed Python's io module has every call raise a plain ValueError, for which there is no finer
    class: it says what Hadoop's streams say by an IOException.
    """
    closed = type(error) is ValueError and getattr(file, "closed", False)
    return table.raised(OSError(str(error)) if closed else error, "streams", "")


class Readers(streams.Readers):
    """The file objects of one program that read."""

    def __init__(self, binding: Binding, table: Table) -> None:
        super().__init__()
        self._binding, self._table = binding, table

    def opened(self, path: Path) -> _Reader:
        """The library's call that opens a file to be read."""
        return _Reader(self._binding.open_reader(path), self._table)

    def expressible(self, action: Action, stream: streams.InputStream | None) -> Action:
        """An action. Raises Inexpressible if there is no call for it."""
        if action.kind not in streams.KINDS - {"preadbuffer"}:
            raise CannotName(f"a file object of Python has no call for {action.kind}")
        needed = _NEEDS.get(action.kind, "")
        if needed and isinstance(stream, _Reader) and not hasattr(stream.file, needed):
            raise CannotName(f"the library's file objects have no {needed}")
        return streams.expressible(action, "read gives bytes and takes no buffer with a range that it could check")
