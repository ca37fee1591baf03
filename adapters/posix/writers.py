"""Files that are written through a descriptor that stays open from step to step, as POSIX writes.

write goes to the system at once, so there is nothing to flush; fsync is hsync. What POSIX has no word for (a stream's
capabilities, abort, a null) is not expressible. A descriptor that was closed may be another's by then, so what is asked
of a closed one is EBADF without asking.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from fsconform.adapters.errnos import fault, raised
from fsconform.adapters.folders.trees import placed, scanned
from fsconform.adapters.posix.calls import CannotName, name_of, opened_to_append, opened_to_create
from fsconform.adapters.streams import Streams
from fsconform.model.core import content as contents
from fsconform.model.core.outcomes import Value, facts
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.observe import Observe
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.position import WriterPosition
from fsconform.model.filesystem.output.sync import Sync
from fsconform.model.filesystem.output.write import Write
from fsconform.model.filesystem.stream_scripts import told_error, told_pieces

_READ = 1 << 16


@dataclass(slots=True)
class _Open:
    """A descriptor, -1 once closed; and when it was opened, in milliseconds."""

    file: int
    path: Path
    opened: int
    appends: bool = False


def _now() -> int:
    return time.time_ns() // 1_000_000


def _close(one: _Open) -> None:
    if one.file >= 0:
        os.close(one.file)


class Writers:
    """The descriptors of one program, by the names of its streams, in the directory ``base``."""

    def __init__(self, base: int) -> None:
        self._base = base
        self._streams: Streams[_Open] = Streams(_close)
        self.close_all = self._streams.close_all

    def call(self, operation: Any) -> Callable[[], Value] | None:
        """The call that an operation is; None for one of another kind. Calls raise OSError and CannotName."""
        found = _CALLS.get(type(operation))
        return None if found is None or operation.via not in ("", "timed", "bytes") else lambda: found(self, operation)

    def open_writer(self, operation: OpenWriter) -> None:
        """open with O_CREAT, or O_APPEND."""

        def opened() -> _Open:
            began = _now()
            if operation.mode == "append":
                file = opened_to_append(self._base, Append(operation.path, ()))
            else:
                file = opened_to_create(self._base, Create(operation.path, (), operation.mode == "overwrite"))
            return _Open(file, operation.path, began, operation.mode == "append")

        self._streams.add(operation.stream, opened)

    def write(self, operation: Write) -> None:
        """write."""
        one = self._streams.of(operation.stream)
        if operation.via == "bytes" and not contents.length(operation.content):
            return  # of no bytes none is written
        if one.file < 0:
            raise fault(errno.EBADF)
        for piece in contents.chunks(operation.content):
            left = memoryview(piece)
            while left:
                left = left[os.write(one.file, left[:1] if operation.via else left) :]

    def sync(self, operation: Sync) -> Value:
        """fsync."""
        one = self._streams.of(operation.stream)
        if operation.call != "hsync":
            raise CannotName(f"POSIX has no {operation.call}: what is written is with the system at once")
        answer = "done"
        try:
            if one.file < 0:
                raise fault(errno.EBADF)
            os.fsync(one.file)
        except OSError as error:
            answer = told_error(raised(error, False, "").classes)
        return facts("sync", answer=answer, capability=True, syncable=True)

    def close(self, operation: CloseWriter) -> Value:
        """close."""
        one = self._streams.of(operation.stream)
        if one.file < 0:
            raise CannotName("what was closed may be another's by now")
        began, file, one.file = _now(), one.file, -1
        os.close(file)
        if not operation.via:
            return None
        ended = _now()
        modified = -1
        with suppress(OSError):
            modified = self._stat(one.path).st_mtime_ns // 1_000_000
        return facts("closing", opened=one.opened, began=began, ended=ended, modified=modified)

    def position(self, operation: WriterPosition) -> Value:
        """lseek to where it is."""
        one = self._streams.of(operation.stream)
        if one.file < 0:
            raise CannotName("what was closed may be another's by now")
        if one.appends:
            raise CannotName("POSIX goes to the end of a file that is appended to with each write, not before")
        return facts("position", at=os.lseek(one.file, 0, os.SEEK_CUR))

    def _stat(self, path: Path) -> os.stat_result:
        with placed(self._base, name_of(path)) as (parent, last):
            return os.stat(last, dir_fd=parent, follow_symlinks=False)

    def observe(self, operation: Observe) -> Value:
        """stat, read, readdir."""
        kind, length = "missing", -1
        try:
            found = self._stat(operation.path)
            kind = "directory" if stat.S_ISDIR(found.st_mode) else "file"
            length = -1 if kind == "directory" else found.st_size
        except (FileNotFoundError, NotADirectoryError):
            pass
        except OSError as error:
            kind = told_error(raised(error, False, "").classes)
        read = "" if kind == "directory" else self._read(operation.path)
        listed = self._listed(operation.path) if operation.path and kind in ("file", "missing") else -1
        return facts("seen", status=kind, length=length, read=read, listed=listed, disagree=(), untimely=())

    def _read(self, path: Path) -> str:
        try:
            with placed(self._base, name_of(path)) as (parent, last):
                file = os.open(last, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=parent)
            try:
                return told_pieces(iter(lambda: os.read(file, _READ), b""))
            finally:
                os.close(file)
        except OSError as error:
            return told_error(raised(error, False, "").classes)

    def _listed(self, path: Path) -> int:
        name = name_of(path)
        with suppress(OSError), scanned(self._base, name[:-1]) as entries:
            for entry in entries:
                if os.fsencode(entry.name) == name[-1]:
                    return entry.stat(follow_symlinks=False).st_size
        return -1


_CALLS: dict[type, Callable[[Writers, Any], Value]] = {
    OpenWriter: Writers.open_writer,
    Write: Writers.write,
    Sync: Writers.sync,
    CloseWriter: Writers.close,
    WriterPosition: Writers.position,
    Observe: Writers.observe,
}
