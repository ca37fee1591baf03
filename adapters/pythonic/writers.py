"""Files that are written through a file object of Python that stays open from step to step.

The calls are write, flush, tell and close. What a file object of Python has no word for (hflush, hsync, a stream's
capabilities, abort, a null) is not expressible. An array that is written is a bytearray of the caller's: a slice of it
is a memoryview, and what is done to it after the call has returned must change nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fsconform.adapters.pythonic.library import Binding, CannotName, NoAnswer, Table, written
from fsconform.adapters.pythonic.readers import ended
from fsconform.adapters.streams import Streams
from fsconform.model.core import content as contents
from fsconform.model.core.outcomes import Status, Value, facts
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.observe import Observe
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.position import WriterPosition
from fsconform.model.filesystem.output.sync import Sync
from fsconform.model.filesystem.output.write import Write
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.stream_scripts import told_error, told_pieces

_READ = 1 << 16
_MARGIN = 3
"""Bytes before and after a slice."""


@dataclass(slots=True)
class _Open:
    """A file object that writes, and its path."""

    file: Any
    path: Path
    appends: bool


class Writers:
    """The file objects of one program that write, by the names of its streams."""

    def __init__(self, binding: Binding, table: Table) -> None:
        self._binding, self._table = binding, table
        self._streams: Streams[_Open] = Streams(lambda one: one.file.close())
        self.close_all = self._streams.close_all

    def call(self, operation: Any) -> Callable[[], Value] | None:
        """The call that an operation is; None for one of another kind. Calls raise as those of a binding do."""
        found = _CALLS.get(type(operation))
        if found is None or getattr(operation, "via", "") not in ("", "bytes", "slice", "reused"):
            return None
        return lambda: found(self, operation)

    def open_writer(self, operation: OpenWriter) -> None:
        """The library's call that opens a file to be written."""
        path, mode = operation.path, operation.mode
        self._streams.add(
            operation.stream, lambda: _Open(self._binding.open_writer(path, mode), path, mode == "append")
        )

    def write(self, operation: Write) -> None:
        """write, again with the rest where it took a part only."""
        one = self._streams.of(operation.stream)
        with _Closing(one):
            for piece in tuple(contents.chunks(operation.content)) or (b"",):
                if operation.via == "bytes":
                    for number in piece:
                        one.file.write(bytes((number,)))
                elif operation.via == "slice":
                    whole = bytearray(b"-" * _MARGIN + piece + b"-" * _MARGIN)
                    written(one.file, memoryview(whole)[_MARGIN:-_MARGIN])
                elif operation.via == "reused":
                    array = bytearray(piece)
                    written(one.file, array)
                    array[:] = bytes(len(array))
                else:
                    written(one.file, piece)

    def sync(self, operation: Sync) -> Value:
        """flush."""
        one = self._streams.of(operation.stream)
        if operation.call != "flush":
            raise CannotName(f"a file object of Python has no {operation.call}")
        answer = "done"
        try:
            one.file.flush()
        except NoAnswer:
            raise
        except Exception as error:
            answer = told_error(ended(self._table, one.file, error).classes)
        return facts("sync", answer=answer, capability=False, syncable=False)

    def close(self, operation: CloseWriter) -> None:
        """close."""
        self._streams.of(operation.stream).file.close()

    def position(self, operation: WriterPosition) -> Value:
        """tell."""
        one = self._streams.of(operation.stream)
        if getattr(one.file, "closed", False):
            raise CannotName("what tell of a closed file object gives is not asked")
        if one.appends:
            raise CannotName("Python goes to the end of a file that is appended to with each write, not before")
        return facts("position", at=int(one.file.tell()))

    def observe(self, operation: Observe) -> Value:
        """The calls of getFileStatus, open and listStatus."""
        path = operation.path
        kind, length = "missing", -1
        try:
            found = self._ask(GetFileStatus(path))
            assert isinstance(found, Status)
            kind = "directory" if found.is_dir else "file"
            length = -1 if found.is_dir else found.length
        except (NoAnswer, CannotName):
            raise
        except Exception as error:
            told = told_error(self._table.raised(error, "looking", "").classes)
            kind = "missing" if told == "raised FileNotFoundException" else told
        read = "" if kind == "directory" else self._read(path)
        listed = self._listed(path) if path and kind in ("file", "missing") else -1
        return facts("seen", status=kind, length=length, read=read, listed=listed, disagree=(), untimely=())

    def _ask(self, operation: GetFileStatus | ListStatus) -> Value:
        call = self._binding.call(operation)
        if call is None:
            raise CannotName(f"there is no call for {operation.NAME}")
        return call()

    def _read(self, path: Path) -> str:
        try:
            with self._binding.open_reader(path) as file:
                return told_pieces(iter(lambda: file.read(_READ), b""))
        except (NoAnswer, CannotName):
            raise
        except Exception as error:
            return told_error(self._table.raised(error, "looking", "").classes)

    def _listed(self, path: Path) -> int:
        try:
            listing = self._ask(ListStatus(path[:-1]))
        except (NoAnswer, CannotName):
            raise
        except Exception:  # the parent is missing: the path is not listed
            return -1
        entries = listing if isinstance(listing, tuple) else ()
        return next((one.length for one in entries if one.path == path and not one.is_dir), -1)


class _Closing:
    """Within, what Python's io module raises of a closed file object is an OSError: see :func:`readers.ended`."""

    def __init__(self, one: _Open) -> None:
        self._one = one

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        """Name the error anew where the file object is closed."""
        if type(error) is ValueError and getattr(self._one.file, "closed", False):
            raise OSError(str(error)) from error


_CALLS: dict[type, Callable[[Writers, Any], Value]] = {
    OpenWriter: Writers.open_writer,
    Write: Writers.write,
    Sync: Writers.sync,
    CloseWriter: Writers.close,
    WriterPosition: Writers.position,
    Observe: Writers.observe,
}
