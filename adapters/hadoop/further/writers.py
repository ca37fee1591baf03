"""Files that are written through a stream that stays open from step to step, in Java."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop import jvm, wire
from fsconform.adapters.hadoop.further.checksums import NONE, keeps_checksums, switched
from fsconform.adapters.hadoop.further.observing import answer_of, tried
from fsconform.adapters.hadoop.further.ways import java
from fsconform.model.core import content as contents
from fsconform.model.core.outcomes import facts
from fsconform.model.filesystem.output.abort import AbortWriter
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.leases import IsFileClosed, RecoverLease
from fsconform.model.filesystem.output.open_writer import UNCHECKED, OpenWriter
from fsconform.model.filesystem.output.position import WriterPosition
from fsconform.model.filesystem.output.stream_capabilities import ABORTABLE, SetDropBehind, WriterCapability
from fsconform.model.filesystem.output.sync import Sync
from fsconform.model.filesystem.output.write import Write, WriteWrongly

if TYPE_CHECKING:
    from fsconform.adapters.hadoop.calls import Caller, Places

_int = jpype.JInt
_LARGEST_ARRAY = 1 << 22
"""Arrays of more bytes are not made: larger contents are written in pieces."""

_MOST_SINGLE_BYTES = 1 << 12
_AROUND = 3
"""Bytes that stand before and after a part of an array that is written."""

_FILL = 0x5A
_RECOVERY_SECONDS = 25.0
_PAUSE_SECONDS = 0.05


class NoStream(Exception):
    """A step names a stream that there is not, or a name that is taken."""


@dataclass(slots=True)
class Open:
    """A stream, and when it was opened, in milliseconds."""

    stream: Any
    path: Any
    opened: int


def _now() -> int:
    return int(java("java.lang.System").currentTimeMillis())


def _array(data: bytes) -> Any:
    return jpype.JArray(jpype.JByte)(data)


def _of(places: Places, name: str) -> Open:
    """The stream of a name. Raises NoStream."""
    found: Open | None = places.streams.get(name)
    if found is None:
        raise NoStream(f"no stream {name} was opened")
    return found


def close_all(places: Places) -> None:
    """Close what a program left open; what that raises is nobody's concern any more."""
    for one in places.streams.values():
        try:
            one.stream.close()
        except jvm.JavaError:
            continue
    places.streams.clear()


def open_writer(caller: Caller, op: OpenWriter, places: Places) -> Any:
    """create, or append."""
    if op.stream in places.streams:
        return wire.NotExpressible(f"the name {op.stream} is taken")
    fs, path, opened = caller.base, places.java(op.path), _now()
    if op.via == UNCHECKED:
        if not keeps_checksums(caller):
            return NONE
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
    places.streams[op.stream] = Open(jpype.JObject(stream, java("FSDataOutputStream")), path, opened)
    return None


def _pieces(content: contents.Content) -> Iterator[bytes]:
    """The bytes of a content: at once, or of a large one in pieces."""
    if contents.length(content) <= _LARGEST_ARRAY:
        return iter((b"".join(contents.chunks(content)),))
    return contents.chunks(content)


def write(caller: Caller, op: Write, places: Places) -> Any:
    """write, in one of its forms."""
    stream = _of(places, op.stream).stream
    if op.via == "bytes" and contents.length(op.content) > _MOST_SINGLE_BYTES:
        return wire.NotExpressible("so many bytes are not written one by one")
    for piece in _pieces(op.content):
        if op.via == "bytes":
            for number, byte in enumerate(piece):
                stream.write(_int(byte + 256 * (number % 5 - 2)))
        elif op.via == "slice":
            around = bytes([_FILL]) * _AROUND
            stream.write(_array(around + piece + around), _int(_AROUND), _int(len(piece)))
        else:
            array = _array(piece)
            stream.write(array)
            if op.via == "reused":
                array[:] = bytes([_FILL]) * len(piece)
    return None


_RANGES = {
    "negative offset": (-1, 3),
    "negative length": (2, -3),
    "beyond the end": (8, 3),
    "offset beyond the end": (11, 1),
}


def write_wrongly(caller: Caller, op: WriteWrongly, places: Places) -> Any:
    """write with arguments that are none."""
    stream = _of(places, op.stream).stream
    if op.how == "null":
        stream.write(jpype.JObject(None, jpype.JArray(jpype.JByte)), _int(0), _int(1))
    else:
        offset, length = _RANGES[op.how]
        stream.write(_array(bytes(10)), _int(offset), _int(length))
    return None


def _within(stream: Any) -> Any:
    """The store's own stream: what an FSDataOutputStream, or several, are put around."""
    wrapper = java("FSDataOutputStream")
    while stream is not None and wrapper.class_.isInstance(stream):
        stream = jpype.JObject(stream, wrapper).getWrappedStream()
    return stream


def sync(caller: Caller, op: Sync, places: Places) -> Any:
    """flush, hflush or hsync."""
    stream = _of(places, op.stream).stream
    capability = bool(stream.hasCapability(op.call))
    syncable = bool(java("Syncable").class_.isInstance(_within(stream)))
    return facts("sync", answer=answer_of(getattr(stream, op.call)), capability=capability, syncable=syncable)


def close(caller: Caller, op: CloseWriter, places: Places) -> Any:
    """close."""
    one, fs = _of(places, op.stream), caller.base
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


def abort(caller: Caller, op: AbortWriter, places: Places) -> Any:
    """abort, perhaps while another thread writes."""
    one = _of(places, op.stream)
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
    return facts("abort", answer=told, already=already, capability=capability, path=path, abortable=abortable)


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
        array = _array(bytes(64))
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


def capability(caller: Caller, op: WriterCapability, places: Places) -> Any:
    """hasCapability."""
    return bool(_of(places, op.stream).stream.hasCapability(op.capability))


_DROPS = {"true": True, "false": False, "null": None}


def drop_behind(caller: Caller, op: SetDropBehind, places: Places) -> Any:
    """setDropBehind."""
    stream, kind, value = _of(places, op.stream).stream, java("java.lang.Boolean"), _DROPS[op.value]
    given = jpype.JObject(None, kind) if value is None else kind.valueOf(value)
    able = bool(stream.hasCapability("dropbehind"))
    return facts("drop behind", answer=answer_of(lambda: stream.setDropBehind(given)), capability=able)


def position(caller: Caller, op: WriterPosition, places: Places) -> Any:
    """getPos."""
    return facts("position", at=int(_of(places, op.stream).stream.getPos()))


# --- leases


def _leases(caller: Caller) -> Any:
    """The filesystem as one that recovers leases; None if it has none."""
    kind = java("LeaseRecoverable")
    return jpype.JObject(caller.filesystem, kind) if kind.class_.isInstance(caller.filesystem) else None


_NO_LEASES = wire.NotExpressible("the store's filesystem is not LeaseRecoverable")


def recover_lease(caller: Caller, op: RecoverLease, places: Places) -> Any:
    """recoverLease, until it is done."""
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


def is_file_closed(caller: Caller, op: IsFileClosed, places: Places) -> Any:
    """isFileClosed."""
    leases = _leases(caller)
    return _NO_LEASES if leases is None else bool(leases.isFileClosed(places.java(op.path)))


_CALLS: dict[type[Any], Any] = {
    OpenWriter: open_writer,
    Write: write,
    WriteWrongly: write_wrongly,
    Sync: sync,
    CloseWriter: close,
    AbortWriter: abort,
    WriterCapability: capability,
    SetDropBehind: drop_behind,
    WriterPosition: position,
    RecoverLease: recover_lease,
    IsFileClosed: is_file_closed,
}


def _on_streams(call: Any) -> Any:
    def perform(caller: Caller, op: Any, places: Places) -> Any:
        try:
            return call(caller, op, places)
        except NoStream as error:
            return wire.NotExpressible(str(error))

    return perform


HANDLERS: dict[tuple[type, str], Any] = {
    (kind, via): _on_streams(call) for kind, call in _CALLS.items() for via in ("", *kind.VIAS)
}
