"""Streams that several threads use, and closes that fail, in Java."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop import jvm, wire
from fsconform.adapters.hadoop.further.observing import answer_of, pieces, tried
from fsconform.adapters.hadoop.further.ways import java
from fsconform.model.core.outcomes import facts
from fsconform.model.filesystem.output.close_beyond_quota import FailClose
from fsconform.model.filesystem.output.write_by_two_threads import WriteTogether

if TYPE_CHECKING:
    from fsconform.adapters.hadoop.calls import Caller, Places

_WRITES = 40
"""Writes of each thread."""

_BYTES = 1000
"""Bytes of each write: no divisor or multiple of any buffer."""

_QUOTA = 2 << 20
_BEYOND = 4 << 20
"""Bytes that a directory may hold, and that are written into it; the store's blocks may be as large as the quota."""


def _piece(thread: int, number: int) -> bytes:
    return bytes([1 + thread, 16 + number]) * (_BYTES // 2)


class _Thread:
    """A thread that calls, and what it raised."""

    def __init__(self, barrier: threading.Barrier, act: Callable[[], None]) -> None:
        self._barrier, self._act = barrier, act
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def join(self) -> None:
        """Wait for its end."""
        self._thread.join()

    def _run(self) -> None:
        try:
            self._barrier.wait()
            self._act()
        except jvm.JavaError:
            return  # what it could not write is missing in the file
        finally:
            java("java.lang.Thread").detach()


def write_together(caller: Caller, op: WriteTogether, places: Places) -> Any:
    """Two threads at one stream."""
    fs, path = caller.base, places.java(op.path)
    stream = jpype.JObject(fs.create(path, False), java("FSDataOutputStream"))
    written: list[bytes] = []

    def write(thread: int) -> None:
        for number in range(_WRITES):
            piece = _piece(thread, number)
            stream.write(jpype.JArray(jpype.JByte)(piece))
            written.append(piece)

    def sync() -> None:
        for _ in range(_WRITES):
            stream.hsync()

    closed: list[str] = []
    barrier = threading.Barrier(2)
    try:
        if op.beside == "close":
            write(0)
            threads = [_Thread(barrier, sync), _Thread(barrier, lambda: closed.append(answer_of(stream.close)))]
        else:
            beside = (lambda: write(1)) if op.beside == "write" else sync
            threads = [_Thread(barrier, lambda: write(0)), _Thread(barrier, beside)]
        for one in threads:
            one.join()
        told = closed[0] if closed else answer_of(stream.close)
        data = _read(fs, path)
    finally:
        with contextlib.suppress(jvm.JavaError):
            stream.close()
        fs.delete(path, False)
    whole = sum(data.count(piece) == 1 for piece in written)
    length = len(data) // _BYTES if len(data) % _BYTES == 0 else -1
    return facts("together", answer=told, writes=len(written), whole=whole, length=length)


def _read(fs: Any, path: Any) -> bytes:
    stream = fs.open(path)
    try:
        return b"".join(pieces(stream))
    finally:
        stream.close()


def fail_close(caller: Caller, op: FailClose, places: Places) -> Any:
    """Write beyond a quota of space."""
    fs, directory = caller.base, places.java(op.path)
    if fs.exists(directory):
        return wire.NotExpressible("the path is taken")
    file = places.java((*op.path, "f"))
    fs.mkdirs(directory)
    try:
        fs.setQuota(directory, jpype.JLong((1 << 63) - 1), jpype.JLong(_QUOTA))
        stream = jpype.JObject(fs.create(file, False), java("FSDataOutputStream"))
        array = jpype.JArray(jpype.JByte)(bytes(1 << 16))

        def write() -> None:
            for _ in range(_BEYOND >> 16):
                stream.write(array)

        refused = answer_of(write)
        first = answer_of(stream.close)
        before = _length(fs, file)
        fs.setQuota(directory, jpype.JLong(-1), jpype.JLong(-1))
        again = answer_of(stream.close)
        after = _length(fs, file)
    finally:
        fs.delete(directory, True)
    told = refused if refused != "done" else first
    return facts("failed close", refused=told, again=again, before=before, after=after)


def _length(fs: Any, path: Any) -> int:
    _, status = tried(lambda: fs.getFileStatus(path))
    return -1 if status is None else int(status.getLen())


HANDLERS: dict[tuple[type, str], Any] = {(WriteTogether, ""): write_together, (FailClose, ""): fail_close}
