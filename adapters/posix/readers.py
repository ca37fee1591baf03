"""A file that is read step by step through one open file description, as POSIX reads.

A descriptor that was closed may be another's by then, so what is asked of a closed one is EBADF without asking.
"""

from __future__ import annotations

import errno
import os

from fsconform.adapters import streams
from fsconform.adapters.errnos import fault, raised
from fsconform.adapters.folders.trees import placed
from fsconform.adapters.posix.calls import CannotName, name_of
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.stream_scripts import Action


class _Description(streams.InputStream):
    """An open file description."""

    def __init__(self, file: int) -> None:
        self._descriptor, self._closed = file, False

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._closed

    @property
    def _file(self) -> int:
        if self._closed:
            raise fault(errno.EBADF)
        return self._descriptor

    def read(self, size: int) -> bytes:
        """read."""
        return os.read(self._file, size)

    def read_into(self, buffer: bytearray) -> int:
        """readv."""
        return os.readv(self._file, [buffer])

    def read_at(self, size: int, start: int) -> bytes:
        """pread."""
        return os.pread(self._file, size, start)

    def read_into_at(self, buffer: bytearray, start: int) -> int:
        """preadv."""
        return os.preadv(self._file, [buffer], start)

    def seek(self, start: int) -> int:
        """lseek."""
        return os.lseek(self._file, start, os.SEEK_SET)

    def tell(self) -> int:
        """lseek to where it is."""
        return os.lseek(self._file, 0, os.SEEK_CUR)

    def close(self) -> None:
        """close, once."""
        if not self._closed:
            self._closed = True
            os.close(self._descriptor)

    def classes(self, error: Exception) -> tuple[str, ...]:
        """The classes of an OSError; any other is raised."""
        if not isinstance(error, OSError):
            raise error
        return raised(error, False, "").classes


class Readers(streams.Readers):
    """The descriptors of one program that files are read by, in the directory ``base``."""

    def __init__(self, base: int) -> None:
        super().__init__()
        self._base = base

    def opened(self, path: Path) -> streams.InputStream:
        """open."""
        with placed(self._base, name_of(path)) as (parent, last):
            file = os.open(last, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=parent)
        try:
            os.read(file, 0)  # of a directory open itself is no error
        except OSError:
            os.close(file)
            raise
        return _Description(file)

    def expressible(self, action: Action, stream: streams.InputStream | None) -> Action:
        """An action. Raises Inexpressible if POSIX has no call for it."""
        if action.kind not in streams.KINDS:
            raise CannotName(f"POSIX has no call for {action.kind}")
        return streams.expressible(action, "a buffer of C has no range that a call could check")
