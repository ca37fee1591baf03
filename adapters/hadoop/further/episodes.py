"""Java calls that are told of by what they do to each other: etags, times and handles seen twice, calls to nowhere."""

from __future__ import annotations

import socket
import time
from typing import TYPE_CHECKING, Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop import jvm, wire
from fsconform.adapters.hadoop.further.local import without_local
from fsconform.adapters.hadoop.further.ways import java
from fsconform.model.core.outcomes import facts
from fsconform.model.core.paths import is_ancestor
from fsconform.model.filesystem.metadata.rename_and_access_times import ReadTimed, RenameTimed
from fsconform.model.filesystem.protocols.path_handles import OpenForeignHandle
from fsconform.model.filesystem.protocols.unreachable_store import CallNowhere
from fsconform.model.filesystem.status.etags import CompareEtags
from fsconform.model.filesystem.transfer.local_copies import CopyWithin

if TYPE_CHECKING:
    from fsconform.adapters.hadoop.calls import Caller, Places

_TICK_SECONDS = 0.02
"""After so long what is done has another time, where times are in milliseconds."""
_MINUTES = 60_000
_LONG_NAME = 100
"""Characters of names by which a path is soon too long."""

_NOWHERE: dict[str, dict[str, str]] = {
    "hdfs": {"ipc.client.connect.max.retries": "0", "ipc.client.connect.max.retries.on.timeouts": "0"},
    "s3a": {"fs.s3a.attempts.maximum": "1", "fs.s3a.retry.limit": "0", "fs.s3a.establish.timeout": "5s"},
}
"""By scheme, what a client is told so that it soon gives up a store that does not answer."""


def _etags(caller: Caller, op: CompareEtags, places: Places) -> Any:
    path, fs, source = places.java(op.path), caller.base, java("EtagSource")
    found = []
    for content in (op.content, op.other):
        caller.write(lambda: fs.create(path, True), content)
        status = fs.getFileStatus(path)
        if not isinstance(status, source):
            caller.write(lambda: fs.create(path, True), op.other)
            return None
        found.append(jvm.text(status.getEtag()))
    return facts("etags", first=found[0], second=found[1])


def _foreign(caller: Caller, op: OpenForeignHandle, places: Places) -> Any:
    known = java("java.nio.ByteBuffer").wrap(jpype.JArray(jpype.JByte)([1, 2, 3]))
    handle = jpype.JProxy("org.apache.hadoop.fs.PathHandle", dict={"bytes": lambda: known})
    return caller.read_stream(lambda: caller.base.open(handle))


def _may_not_end(caller: Caller, op: CopyWithin, source: Any) -> bool:
    """True where a store that does the copy makes one directory in another until the path is too long, slowly."""
    fs = caller.base
    if not fs.exists(source) or not fs.getFileStatus(source).isDirectory():
        return False
    if op.src == op.dst or is_ancestor(op.src, op.dst):
        return min(len(one[-1]) if one else 0 for one in (op.src, op.dst)) < _LONG_NAME
    return any(one.isDirectory() for one in fs.listStatus(source))


def _copy(caller: Caller, op: CopyWithin, places: Places) -> Any:
    scheme = jvm.text(caller.filesystem.getUri().getScheme())
    if scheme != "file":
        return wire.NotExpressible(f"{scheme}: is not the local disk")
    if op.src != op.dst and not is_ancestor(op.src, op.dst) and not is_ancestor(op.dst, op.src):
        return wire.NotExpressible("neither path is below the other")
    trouble = without_local(caller)
    if trouble:
        return trouble
    source = places.java(op.src)
    if _may_not_end(caller, op, source):
        return wire.NotExpressible("a copy of a directory into itself might not end in time")
    caller.base.copyFromLocalFile(False, op.overwrite, source, places.java(op.dst))
    return None


def _modified(status: Any) -> int:
    return int(status.getModificationTime())


def _rename(caller: Caller, op: RenameTimed, places: Places) -> Any:
    path, fs = places.java(op.path), caller.base
    file = fs.getFileStatus(path)
    if file.isDirectory():
        return None
    parent = path.getParent()
    aside = java("Path")(parent, "fsconform-aside")
    try:
        fs.mkdirs(aside)
        place = java("Path")(aside, "f")
        before = [fs.getFileStatus(one) for one in (parent, aside)]
        time.sleep(_TICK_SECONDS)
        if not fs.rename(path, place):
            return wire.NotExpressible("the file was not moved")
        moved = fs.getFileStatus(place)
        after = [fs.getFileStatus(one) for one in (parent, aside)]
        fs.rename(place, path)
    finally:
        fs.delete(aside, True)
    seen = [file, moved, *before, *after]
    return facts(
        "times",
        kept=_modified(moved) == _modified(file),
        directories=all(_modified(then) > _modified(once) for once, then in zip(before, after, strict=True)),
        least=min(min(_modified(one), int(one.getAccessTime())) for one in seen),
    )


def _read(caller: Caller, op: ReadTimed, places: Places) -> Any:
    path, fs = places.java(op.path), caller.base
    if fs.getFileStatus(path).isDirectory():
        return None
    moved = []
    for minutes in (30, 120):
        then = int(time.time() * 1000) - minutes * _MINUTES
        fs.setTimes(path, jpype.JLong(-1), jpype.JLong(then))
        before = int(fs.getFileStatus(path).getAccessTime())
        caller.read(path)
        moved.append(int(fs.getFileStatus(path).getAccessTime()) > before)
    return facts("access", soon=moved[0], late=moved[1])


def _nowhere(caller: Caller, op: CallNowhere, places: Places) -> Any:
    uri, scheme = caller.filesystem.getUri(), jvm.text(caller.filesystem.getUri().getScheme())
    settings = _NOWHERE.get(scheme)
    if settings is None:
        return wire.NotExpressible(f"{scheme}: has no address that is known to be changed")
    configuration = java("org.apache.hadoop.conf.Configuration")(caller.filesystem.getConf())
    for name, value in settings.items():
        configuration.set(name, value)
    # A port that is taken, and on which nobody listens.
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        if scheme == "s3a":
            configuration.set("fs.s3a.endpoint", f"http://127.0.0.1:{port}")
            configuration.set(f"fs.s3a.bucket.{jvm.text(uri.getHost())}.endpoint", f"http://127.0.0.1:{port}")
        else:
            uri = java("java.net.URI")(f"{scheme}://127.0.0.1:{port}")
        try:
            fs = java("FileSystem").newInstance(uri, configuration)
            try:
                fs.getFileStatus(java("Path")(uri.toString() + "/fsconform"))
            finally:
                fs.close()
        except jvm.JavaError as error:
            return facts("nowhere", error=True, io="java.io.IOException" in jvm.ancestry(error))
    return facts("nowhere", error=False, io=False)


HANDLERS: dict[tuple[type, str], Any] = {
    (CompareEtags, ""): _etags,
    (OpenForeignHandle, ""): _foreign,
    (CopyWithin, ""): _copy,
    (RenameTimed, ""): _rename,
    (ReadTimed, ""): _read,
    (CallNowhere, ""): _nowhere,
}
