"""A store without space, in Java.

HDFS is given a directory with a quota of space; another store is filled up only if it has little space to begin with.
"""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.fullness import MOST, ROOMY, Found, anew_size, facts_of, filling, piece, piece_size
from fsconform.adapters.hadoop import jvm, wire
from fsconform.adapters.hadoop.further.observing import answer_of, pieces, tried
from fsconform.adapters.hadoop.further.ways import java
from fsconform.model.core.outcomes import Facts
from fsconform.model.filesystem.output.full_disk import FillUp

if TYPE_CHECKING:
    from fsconform.adapters.hadoop.calls import Caller, Places

_QUOTA = 2 << 20
"""Bytes that a directory may hold: two blocks of the store hdfs."""

_ANEW_SECONDS, _PAUSE_SECONDS = 10.0, 0.1
_long = jpype.JLong


def fill_up(caller: Caller, op: FillUp, places: Places) -> Any:
    """Write until there is no space."""
    fs, directory = caller.base, places.java(op.path)
    if fs.exists(directory):
        return wire.NotExpressible("the path is taken")
    fs.mkdirs(directory)
    limited = False
    try:
        limited = _limit(fs, directory)
        room = _QUOTA if limited else int(fs.getStatus(directory).getRemaining())
        if room > MOST:
            return wire.Unknown(ROOMY.format(room=room))
        return _filled(fs, places.java((*op.path, "f")), places.java((*op.path, "g")), room, op.synced)
    finally:
        if limited:
            fs.setQuota(directory, _long(-1), _long(-1))
        fs.delete(directory, True)


def _limit(fs: Any, directory: Any) -> bool:
    """Give a directory a quota of space; false where it can have none."""
    try:
        fs.setQuota(directory, _long((1 << 63) - 1), _long(_QUOTA))
    except jvm.JavaError:
        return False
    return True


def _filled(fs: Any, file: Any, other: Any, room: int, synced: bool) -> Facts:
    found = Found()
    stream = jpype.JObject(fs.create(file, False), java("FSDataOutputStream"))
    try:
        syncs = synced and bool(stream.hasCapability("hsync"))
        for data in filling(room):
            array = jpype.JArray(jpype.JByte)(data)
            if not found.wrote(answer_of(lambda array=array: stream.write(array)), data):  # type: ignore[misc]
                break
            if syncs and not found.synced(answer_of(stream.hsync)):
                break
    finally:
        closed = answer_of(stream.close)
    found.closed(closed)
    again = answer_of(stream.close)
    later = answer_of(lambda: stream.write(jpype.JArray(jpype.JByte)(piece(0, piece_size(room)))))
    kept, sound = found.compared(_read(fs, file))
    deleted = bool(fs.delete(file, False)) and not fs.exists(file)
    return facts_of(found, again, later, kept, sound, deleted, _anew(fs, other, anew_size(room)))


def _read(fs: Any, path: Any) -> bytes | None:
    """What a file holds; None where it can't be read."""

    def call() -> bytes:
        stream = fs.open(path)
        try:
            return b"".join(pieces(stream))
        finally:
            stream.close()

    return tried(call)[1]


def _anew(fs: Any, path: Any, size: int) -> str:
    """What comes of writing a file once there is space again; a store may need a moment to see that there is."""
    until, data = time.monotonic() + _ANEW_SECONDS, piece(1, size)

    def write() -> None:
        stream = fs.create(path, True)
        try:
            stream.write(jpype.JArray(jpype.JByte)(data))
        except BaseException:
            with contextlib.suppress(jvm.JavaError):
                stream.close()
            raise
        stream.close()

    answer = answer_of(write)
    while answer != "done" and time.monotonic() < until:
        time.sleep(_PAUSE_SECONDS)
        answer = answer_of(write)
    return answer if answer != "done" or _read(fs, path) == data else "other bytes"


HANDLERS: dict[tuple[type, str], Any] = {(FillUp, ""): fill_up}
