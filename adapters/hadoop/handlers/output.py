"""Calls that write through streams, which may stay open from step to step."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.fullness import MOST, ROOMY, Found, anew_size, facts_of, filling, piece, piece_size
from fsconform.adapters.hadoop import jvm, wire
from fsconform.adapters.hadoop.calls import Caller, Outcome, Places, handles
from fsconform.adapters.hadoop.handlers.answers import answer_of, pieces, tried
from fsconform.adapters.hadoop.handlers.checksum_switches import NO_CHECKSUMS, keeps_checksums, switched
from fsconform.adapters.hadoop.handlers.classes import java, java_bytes
from fsconform.adapters.streams import Inexpressible
from fsconform.model.core import content as contents
from fsconform.model.core.outcomes import Facts, facts
from fsconform.model.filesystem.output.abort import AbortWriter
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.close_beyond_quota import FailClose
from fsconform.model.filesystem.output.full_disk import FillUp
from fsconform.model.filesystem.output.leases import IsFileClosed, RecoverLease
from fsconform.model.filesystem.output.observe import Observe
from fsconform.model.filesystem.output.open_writer import UNCHECKED, OpenWriter
from fsconform.model.filesystem.output.position import WriterPosition
from fsconform.model.filesystem.output.stream_capabilities import ABORTABLE, SetDropBehind, WriterCapability
from fsconform.model.filesystem.output.sync import Sync
from fsconform.model.filesystem.output.write import Write, WriteWrongly
from fsconform.model.filesystem.output.write_by_two_threads import WriteTogether
from fsconform.model.filesystem.stream_scripts import told_pieces


def _read_whole(caller: Caller, path: Any) -> str:
    """The bytes of a file, as model.scripts tells them. Raises what Java raises."""
    stream = caller.base.open(path)
    try:
        return told_pieces(pieces(stream))
    finally:
        stream.close()


def _told_read(caller: Caller, path: Any) -> str:
    answer, read = tried(lambda: _read_whole(caller, path))
    return answer if read is None else read


def _entry(found: Any, path: Any) -> Any:
    """The entry of a path among statuses."""
    for one in found:
        if one.getPath().equals(path):
            return one
    return None


def _iterated(iterator: Any) -> Iterator[Any]:
    while iterator.hasNext():
        yield iterator.next()


def _entries(call: Callable[[], Any], path: Any) -> list[Any]:
    """The entry of a path in a listing; nothing where it has none, or fails."""
    _, entry = tried(lambda: _entry(call(), path))
    return [] if entry is None else [entry]


def _disagrees(call: Callable[[], Any], path: Any, status: Any) -> tuple[bool, bool]:
    """Whether the entry in a listing differs from a status in length or kind, and in the time."""
    entries = _entries(call, path)
    if not entries or int(entries[0].getLen()) != int(status.getLen()) or not entries[0].isFile():
        return True, False
    return False, int(entries[0].getModificationTime()) != int(status.getModificationTime())


def _listings(fs: Any, parent: Any, path: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    yield "listStatus", lambda: fs.listStatus(parent)
    yield "listStatusIterator", lambda: _iterated(fs.listStatusIterator(parent))
    yield "listLocatedStatus", lambda: _iterated(fs.listLocatedStatus(parent))
    yield "listFiles", lambda: _iterated(fs.listFiles(parent, False))
    yield "listStatus of the file", lambda: fs.listStatus(path)


@handles(Observe)
def observe(caller: Caller, op: Observe, places: Places) -> Outcome:
    fs, path = caller.base, places.java(op.path)
    status: Any
    told, status = tried(lambda: fs.getFileStatus(path))
    kind = "missing" if told.split(" ")[-1] == "FileNotFoundException" else told
    if status is not None:
        kind = "directory" if status.isDirectory() else "file"
    length = int(status.getLen()) if kind == "file" else -1
    read = _told_read(caller, path) if kind != "directory" else ""
    listed, disagree, untimely = -1, [], []
    if op.path and kind in ("file", "missing"):
        parent = places.java(op.path[:-1])
        entries = _entries(lambda: fs.listStatus(parent), path)
        listed = int(entries[0].getLen()) if entries else -1
        for name, call in _listings(fs, parent, path) if kind == "file" else ():
            other, late = _disagrees(call, path, status)
            disagree += [name] * other
            untimely += [name] * late
    return facts(
        "seen",
        status=kind,
        length=length,
        read=read,
        listed=listed,
        disagree=tuple(disagree),
        untimely=tuple(untimely),
    )


_int = jpype.JInt
_LARGEST_ARRAY = 1 << 22
"""Arrays of more bytes are not made: larger contents are written in pieces."""
_MOST_SINGLE_BYTES = 1 << 12
_AROUND = 3
"""Bytes that stand before and after a part of an array that is written."""
_FILL = 0x5A
_RECOVERY_SECONDS = 25.0
_PAUSE_SECONDS = 0.05


@dataclass(slots=True)
class OpenStream:
    """A stream, and when it was opened, in milliseconds."""

    stream: Any
    path: Any
    opened: int


def _now() -> int:
    return int(java("java.lang.System").currentTimeMillis())


def _stream_of(places: Places, name: str) -> OpenStream:
    """The stream of a name. Raises Inexpressible."""
    found: OpenStream | None = places.streams.get(name)
    if found is None:
        raise Inexpressible(f"no stream {name} was opened")
    return found


@handles(OpenWriter)
def open_writer(caller: Caller, op: OpenWriter, places: Places) -> Outcome:
    if op.stream in places.streams:
        return wire.NotExpressible(f"the name {op.stream} is taken")
    fs, path, opened = caller.base, places.java(op.path), _now()
    if op.via == UNCHECKED:
        if not keeps_checksums(caller):
            return NO_CHECKSUMS
        with switched(fs.setWriteChecksum):
            stream = fs.append(path) if op.mode == "append" else fs.create(path, op.mode == "overwrite")
    elif op.via == "builder":
        builder = fs.appendFile(path) if op.mode == "append" else fs.createFile(path)
        if op.mode != "append":
            builder = builder.recursive().overwrite(op.mode == "overwrite")
        stream = builder.build()
    elif op.mode == "append":
        stream = fs.append(path)
    else:
        stream = fs.create(path, op.mode == "overwrite")
    # Cast: a store's class may have overloads of its own.
    places.streams[op.stream] = OpenStream(jpype.JObject(stream, java("FSDataOutputStream")), path, opened)
    return None


def _large_pieces(content: contents.Content) -> Iterator[bytes]:
    """The bytes of a content: at once, or of a large one in pieces."""
    if contents.length(content) <= _LARGEST_ARRAY:
        return iter((b"".join(contents.chunks(content)),))
    return contents.chunks(content)


@handles(Write)
def write(caller: Caller, op: Write, places: Places) -> Outcome:
    stream = _stream_of(places, op.stream).stream
    if op.via == "bytes" and contents.length(op.content) > _MOST_SINGLE_BYTES:
        return wire.NotExpressible("so many bytes are not written one by one")
    for data in _large_pieces(op.content):
        if op.via == "bytes":
            for number, byte in enumerate(data):
                stream.write(_int(byte + 256 * (number % 5 - 2)))
        elif op.via == "slice":
            around = bytes([_FILL]) * _AROUND
            stream.write(java_bytes(around + data + around), _int(_AROUND), _int(len(data)))
        else:
            array = java_bytes(data)
            stream.write(array)
            if op.via == "reused":
                array[:] = bytes([_FILL]) * len(data)
    return None


_RANGES = {
    "negative offset": (-1, 3),
    "negative length": (2, -3),
    "beyond the end": (8, 3),
    "offset beyond the end": (11, 1),
}


@handles(WriteWrongly)
def write_wrongly(caller: Caller, op: WriteWrongly, places: Places) -> Outcome:
    stream = _stream_of(places, op.stream).stream
    if op.how == "null":
        stream.write(jpype.JObject(None, jpype.JArray(jpype.JByte)), _int(0), _int(1))
    else:
        offset, length = _RANGES[op.how]
        stream.write(java_bytes(bytes(10)), _int(offset), _int(length))
    return None


def _within(stream: Any) -> Any:
    """The store's own stream: what an FSDataOutputStream, or several, are put around."""
    wrapper = java("FSDataOutputStream")
    while stream is not None and wrapper.class_.isInstance(stream):
        stream = jpype.JObject(stream, wrapper).getWrappedStream()
    return stream


@handles(Sync)
def sync(caller: Caller, op: Sync, places: Places) -> Outcome:
    stream = _stream_of(places, op.stream).stream
    capability = bool(stream.hasCapability(op.call))
    syncable = bool(java("Syncable").class_.isInstance(_within(stream)))
    return facts("sync", answer=answer_of(getattr(stream, op.call)), capability=capability, syncable=syncable)


@handles(CloseWriter)
def close_writer(caller: Caller, op: CloseWriter, places: Places) -> Outcome:
    one, fs = _stream_of(places, op.stream), caller.base
    if op.via == "window":
        if jvm.text(fs.getUri().getScheme()) == "file":
            return wire.NotExpressible("the close of a local file talks to no server")
        time.sleep(_PAUSE_SECONDS)
    began = _now()
    one.stream.close()
    if not op.via:
        return None
    ended, modified = _now(), _modified(fs, one.path)
    reference = _reference(fs, one.path) if op.via == "window" and modified >= 0 else {}
    return facts("closing", opened=one.opened, began=began, ended=ended, modified=modified, **reference)


def _modified(fs: Any, path: Any) -> int:
    """The time of modification in milliseconds, -1 without a status."""
    _, status = tried(lambda: fs.getFileStatus(path))
    return -1 if status is None else int(status.getModificationTime())


def _reference(fs: Any, path: Any) -> dict[str, int]:
    """When a file was made beside another, by the clock here and by the store's. It is deleted again."""
    place, began = java("Path")(path.getParent(), "fsconform-clock"), _now()
    answer, _ = tried(lambda: fs.create(place, False).close())
    ended, modified = _now(), -1
    if answer == "done":
        modified = _modified(fs, place)
        tried(lambda: fs.delete(place, False))
    return {"reference_began": began, "reference_ended": ended, "reference_modified": modified}


@handles(AbortWriter)
def abort_writer(caller: Caller, op: AbortWriter, places: Places) -> Outcome:
    one = _stream_of(places, op.stream)
    capability = bool(one.stream.hasCapability(ABORTABLE))
    path = bool(caller.base.hasPathCapability(one.path, ABORTABLE))
    abortable = bool(java("Abortable").class_.isInstance(_within(one.stream)))
    result: list[Any] = []
    beside = _Beside(one.stream) if op.via == "threads" else None
    if beside is not None:
        beside.begin()
    try:
        told = answer_of(lambda: result.append(one.stream.abort()))
    finally:
        if beside is not None:
            beside.end()
    already = bool(result and result[0].alreadyClosed())
    failed = {"cleanup": True} if result and result[0].anyCleanupException() is not None else {}
    known = {"already": already, "capability": capability, "path": path, "abortable": abortable}
    return facts("abort", answer=told, **known, **failed)


class _Beside:
    """A thread that writes to a stream until it is refused, or told to end."""

    def __init__(self, stream: Any) -> None:
        self._stream, self._ended, self._wrote = stream, threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def begin(self) -> None:
        """Begin, and wait for the first write."""
        self._thread.start()
        self._wrote.wait()

    def end(self) -> None:
        """Stop."""
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        array = java_bytes(bytes(64))
        try:
            for _ in range(10_000):
                self._stream.write(array)
                self._wrote.set()
                if self._ended.is_set():
                    return
        except jvm.JavaError:
            return
        finally:
            self._wrote.set()
            java("java.lang.Thread").detach()


@handles(WriterCapability)
def writer_capability(caller: Caller, op: WriterCapability, places: Places) -> Outcome:
    return bool(_stream_of(places, op.stream).stream.hasCapability(op.capability))


_DROPS = {"true": True, "false": False, "null": None}


@handles(SetDropBehind)
def set_drop_behind(caller: Caller, op: SetDropBehind, places: Places) -> Outcome:
    stream, kind, value = _stream_of(places, op.stream).stream, java("java.lang.Boolean"), _DROPS[op.value]
    given = jpype.JObject(None, kind) if value is None else kind.valueOf(value)
    able = bool(stream.hasCapability("dropbehind"))
    return facts("drop behind", answer=answer_of(lambda: stream.setDropBehind(given)), capability=able)


@handles(WriterPosition)
def writer_position(caller: Caller, op: WriterPosition, places: Places) -> Outcome:
    return facts("position", at=int(_stream_of(places, op.stream).stream.getPos()))


def _leases(caller: Caller) -> Any:
    """The filesystem as one that recovers leases; None if it has none."""
    kind = java("LeaseRecoverable")
    return jpype.JObject(caller.filesystem, kind) if kind.class_.isInstance(caller.filesystem) else None


_NO_LEASES = wire.NotExpressible("the store's filesystem is not LeaseRecoverable")


@handles(RecoverLease)
def recover_lease(caller: Caller, op: RecoverLease, places: Places) -> Outcome:
    leases, path = _leases(caller), places.java(op.path)
    if leases is None:
        return _NO_LEASES
    first = bool(leases.recoverLease(path))
    closed = bool(leases.isFileClosed(path))
    until = time.monotonic() + _RECOVERY_SECONDS
    last = first
    while not last and time.monotonic() < until:
        time.sleep(_PAUSE_SECONDS)
        last = bool(leases.recoverLease(path))
    return facts("recovery", first=first, closed=closed, **{"finally": last})


@handles(IsFileClosed)
def is_file_closed(caller: Caller, op: IsFileClosed, places: Places) -> Outcome:
    leases = _leases(caller)
    return _NO_LEASES if leases is None else bool(leases.isFileClosed(places.java(op.path)))


_WRITES = 40
"""Writes of each thread."""
_WRITE_BYTES = 1000
"""Bytes of each write: no divisor or multiple of any buffer."""
_CLOSE_QUOTA = 2 << 20
_BEYOND = 4 << 20
"""Bytes that a directory may hold, and that are written into it; the store's blocks may be as large as the quota."""


def _piece(thread: int, number: int) -> bytes:
    return bytes([1 + thread, 16 + number]) * (_WRITE_BYTES // 2)


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


@handles(WriteTogether)
def write_together(caller: Caller, op: WriteTogether, places: Places) -> Outcome:
    fs, path = caller.base, places.java(op.path)
    stream = jpype.JObject(fs.create(path, False), java("FSDataOutputStream"))
    written: list[bytes] = []

    def write(thread: int) -> None:
        for number in range(_WRITES):
            piece = _piece(thread, number)
            stream.write(java_bytes(piece))
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
        data = _bytes_of(fs, path)
    finally:
        with contextlib.suppress(jvm.JavaError):
            stream.close()
        fs.delete(path, False)
    whole = sum(data.count(piece) == 1 for piece in written)
    length = len(data) // _WRITE_BYTES if len(data) % _WRITE_BYTES == 0 else -1
    return facts("together", answer=told, writes=len(written), whole=whole, length=length)


def _bytes_of(fs: Any, path: Any) -> bytes:
    stream = fs.open(path)
    try:
        return b"".join(pieces(stream))
    finally:
        stream.close()


@handles(FailClose)
def fail_close(caller: Caller, op: FailClose, places: Places) -> Outcome:
    fs, directory = caller.base, places.java(op.path)
    if fs.exists(directory):
        return wire.NotExpressible("the path is taken")
    file = places.java((*op.path, "f"))
    fs.mkdirs(directory)
    try:
        fs.setQuota(directory, jpype.JLong((1 << 63) - 1), jpype.JLong(_CLOSE_QUOTA))
        stream = jpype.JObject(fs.create(file, False), java("FSDataOutputStream"))
        array = java_bytes(bytes(1 << 16))

        def write() -> None:
            for _ in range(_BEYOND >> 16):
                stream.write(array)

        refused = answer_of(write)
        first = answer_of(stream.close)
        before = _length_of(fs, file)
        fs.setQuota(directory, jpype.JLong(-1), jpype.JLong(-1))
        again = answer_of(stream.close)
        after = _length_of(fs, file)
    finally:
        fs.delete(directory, True)
    told = refused if refused != "done" else first
    return facts("failed close", refused=told, again=again, before=before, after=after)


def _length_of(fs: Any, path: Any) -> int:
    _, status = tried(lambda: fs.getFileStatus(path))
    return -1 if status is None else int(status.getLen())


_FULL_QUOTA = 2 << 20
"""Bytes that a directory may hold: two blocks of the store hdfs."""
_ANEW_SECONDS, _ANEW_PAUSE_SECONDS = 10.0, 0.1
_long = jpype.JLong


@handles(FillUp)
def fill_up(caller: Caller, op: FillUp, places: Places) -> Outcome:
    fs, directory = caller.base, places.java(op.path)
    if fs.exists(directory):
        return wire.NotExpressible("the path is taken")
    fs.mkdirs(directory)
    limited = False
    try:
        limited = _limit_space(fs, directory)
        room = _FULL_QUOTA if limited else int(fs.getStatus(directory).getRemaining())
        if room > MOST:
            return wire.Unknown(ROOMY.format(room=room))
        return _filled(fs, places.java((*op.path, "f")), places.java((*op.path, "g")), room, op.synced)
    finally:
        if limited:
            fs.setQuota(directory, _long(-1), _long(-1))
        fs.delete(directory, True)


def _limit_space(fs: Any, directory: Any) -> bool:
    """Give a directory a quota of space; false where it can have none."""
    try:
        fs.setQuota(directory, _long((1 << 63) - 1), _long(_FULL_QUOTA))
    except jvm.JavaError:
        return False
    return True


def _filled(fs: Any, file: Any, other: Any, room: int, synced: bool) -> Facts:
    found = Found()
    stream = jpype.JObject(fs.create(file, False), java("FSDataOutputStream"))
    try:
        syncs = synced and bool(stream.hasCapability("hsync"))
        for data in filling(room):
            array = java_bytes(data)
            if not found.wrote(answer_of(lambda array=array: stream.write(array)), data):  # type: ignore[misc]
                break
            if syncs and not found.synced(answer_of(stream.hsync)):
                break
    finally:
        closed = answer_of(stream.close)
    found.closed(closed)
    again = answer_of(stream.close)
    later = answer_of(lambda: stream.write(java_bytes(piece(0, piece_size(room)))))
    kept, sound = found.compared(_bytes_or_none(fs, file))
    deleted = bool(fs.delete(file, False)) and not fs.exists(file)
    return facts_of(found, again, later, kept, sound, deleted, _written_anew(fs, other, anew_size(room)))


def _bytes_or_none(fs: Any, path: Any) -> bytes | None:
    """What a file holds; None where it can't be read."""

    def call() -> bytes:
        stream = fs.open(path)
        try:
            return b"".join(pieces(stream))
        finally:
            stream.close()

    return tried(call)[1]


def _written_anew(fs: Any, path: Any, size: int) -> str:
    """What comes of writing a file once there is space again; a store may need a moment to see that there is."""
    until, data = time.monotonic() + _ANEW_SECONDS, piece(1, size)

    def write() -> None:
        stream = fs.create(path, True)
        try:
            stream.write(java_bytes(data))
        except BaseException:
            with contextlib.suppress(jvm.JavaError):
                stream.close()
            raise
        stream.close()

    answer = answer_of(write)
    while answer != "done" and time.monotonic() < until:
        time.sleep(_ANEW_PAUSE_SECONDS)
        answer = answer_of(write)
    return answer if answer != "done" or _bytes_or_none(fs, path) == data else "other bytes"
