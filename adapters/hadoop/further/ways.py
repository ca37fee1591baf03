"""The other ways into the store for the operations of the core: overloads, builders, FileContext."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop import wire
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.predicates import Exists

if TYPE_CHECKING:
    from fsconform.adapters.hadoop.calls import Caller, Places

BUFFER = 4096
"""Bytes of the buffers that are asked for."""


@cache
def java(name: str) -> Any:
    """A class of Hadoop's, or of Java's, by its name below org.apache.hadoop.fs, or in full."""
    return jpype.JClass(name if name.startswith(("java.", "org.")) else f"org.apache.hadoop.fs.{name}")


@cache
def permission(mode: int) -> Any:
    """An FsPermission."""
    return java("permission.FsPermission")(jpype.JShort(mode))


@cache
def _no_progress() -> Any:
    return jpype.JProxy("org.apache.hadoop.util.Progressable", dict={"progress": lambda: None})


@cache
def accept_all() -> Any:
    """A filter that accepts every path."""
    return jpype.JProxy("org.apache.hadoop.fs.PathFilter", dict={"accept": lambda path: True})


def _flags(overwrite: bool) -> Any:
    flag = java("CreateFlag")
    of = java("java.util.EnumSet").of
    return of(flag.CREATE, flag.OVERWRITE) if overwrite else of(flag.CREATE)


_MODE = 0o644


_int, _short = jpype.JInt, jpype.JShort


def _sized(fs: Any, path: Any, overwrite: bool, *more: Any) -> Any:
    replication, size = _short(fs.getDefaultReplication(path)), fs.getDefaultBlockSize(path)
    return fs.create(path, overwrite, _int(BUFFER), replication, size, *more)


def _permitted(fs: Any, path: Any, how: Any) -> Any:
    replication, size = _short(fs.getDefaultReplication(path)), fs.getDefaultBlockSize(path)
    return fs.create(path, permission(_MODE), how, _int(BUFFER), replication, size, None)


_CREATORS: dict[str, Callable[[Any, Any, bool], Any]] = {
    "path": lambda fs, path, overwrite: fs.create(path),
    "progress": lambda fs, path, overwrite: fs.create(path, _no_progress()),
    "replication": lambda fs, path, overwrite: fs.create(path, _short(fs.getDefaultReplication(path))),
    "replication and progress": lambda fs, path, overwrite: fs.create(
        path, _short(fs.getDefaultReplication(path)), _no_progress()
    ),
    "buffer": lambda fs, path, overwrite: fs.create(path, overwrite, _int(BUFFER)),
    "buffer and progress": lambda fs, path, overwrite: fs.create(path, overwrite, _int(BUFFER), _no_progress()),
    "block size": _sized,
    "block size and progress": lambda fs, path, overwrite: _sized(fs, path, overwrite, _no_progress()),
    "permission": _permitted,
    "flags": lambda fs, path, overwrite: _permitted(fs, path, _flags(overwrite)),
    "static": lambda fs, path, overwrite: java("FileSystem").create(fs, path, permission(_MODE)),
    "builder": lambda fs, path, overwrite: fs.createFile(path).overwrite(overwrite).recursive().build(),
}
"""Each way to create: from the FileSystem, the path and overwrite to a stream."""

OVERWRITING = frozenset(("path", "progress", "replication", "replication and progress", "static"))
"""The ways to create that always overwrite."""


def _create(way: str) -> Any:
    def perform(caller: Caller, op: Create, places: Places) -> wire.AnyOutcome:
        if way in OVERWRITING and not op.overwrite:
            return wire.NotExpressible(f"create via {way} always overwrites")
        path = places.java(op.path)
        return caller.write(lambda: _CREATORS[way](caller.base, path, op.overwrite), op.content)

    return perform


def _create_in_context(caller: Caller, op: Create, places: Places) -> wire.AnyOutcome:
    path, context = places.java(op.path), caller.context()
    options = jpype.JArray(java("Options$CreateOpts"))([java("Options$CreateOpts").createParent()])
    return caller.write(lambda: context.create(path, _flags(op.overwrite), options), op.content)


def _append(way: str) -> Any:
    def perform(caller: Caller, op: Append, places: Places) -> wire.AnyOutcome:
        path, fs = places.java(op.path), caller.base
        streams: dict[str, Callable[[], Any]] = {
            "buffer": lambda: fs.append(path, _int(BUFFER)),
            "progress": lambda: fs.append(path, _int(BUFFER), _no_progress()),
            "builder": lambda: fs.appendFile(path).build(),
            "context": lambda: caller.context().create(
                path,
                java("java.util.EnumSet").of(java("CreateFlag").APPEND),
                jpype.JArray(java("Options$CreateOpts"))([]),
            ),
        }
        return caller.write(streams[way], op.content)

    return perform


def _open(way: str) -> Any:
    def perform(caller: Caller, op: Open, places: Places) -> wire.AnyOutcome:
        path, fs = places.java(op.path), caller.base
        streams: dict[str, Callable[[], Any]] = {
            "buffer": lambda: fs.open(path, _int(BUFFER)),
            "builder": lambda: _built(fs.openFile(path).build()),
            "builder and status": lambda: _built(fs.openFile(path).withFileStatus(fs.getFileStatus(path)).build()),
            "builder and length": lambda: _built(
                fs.openFile(path).opt("fs.option.openfile.length", str(fs.getFileStatus(path).getLen())).build()
            ),
            "context": lambda: caller.context().open(path),
        }
        return caller.read_stream(streams[way])

    return perform


def _built(future: Any) -> Any:
    return java("org.apache.hadoop.util.functional.FutureIO").awaitFuture(future)


def _mkdirs(way: str) -> Any:
    def perform(caller: Caller, op: Mkdirs, places: Places) -> wire.AnyOutcome:
        path = places.java(op.path)
        if way == "context":
            caller.context().mkdir(path, permission(0o755), True)
            return wire.Plain(True)
        if way == "static":
            return wire.Plain(bool(java("FileSystem").mkdirs(caller.base, path, permission(0o755))))
        return wire.Plain(bool(caller.base.mkdirs(path, permission(0o755))))

    return perform


def _delete(way: str) -> Any:
    def perform(caller: Caller, op: Delete, places: Places) -> wire.AnyOutcome:
        path = places.java(op.path)
        if way == "context":
            return wire.Plain(bool(caller.context().delete(path, op.recursive)))
        if not op.recursive:
            return wire.NotExpressible("delete(path) is recursive")
        return wire.Plain(bool(caller.base.delete(path)))

    return perform


def _status(way: str) -> Any:
    def perform(caller: Caller, op: GetFileStatus, places: Places) -> wire.AnyOutcome:
        path = places.java(op.path)
        found = caller.base.getFileLinkStatus(path) if way == "link" else caller.context().getFileStatus(path)
        return caller.statused(found, places, path, op.path)

    return perform


def _exists(caller: Caller, op: Exists, places: Places) -> wire.AnyOutcome:
    return wire.Plain(bool(caller.context().util().exists(places.java(op.path))))


def _list(way: str) -> Any:
    def perform(caller: Caller, op: ListStatus, places: Places) -> wire.AnyOutcome:
        path, fs = places.java(op.path), caller.base
        match way:
            case "filter":
                return caller.listed(fs.listStatus(path, accept_all()), places)
            case "array":
                return caller.listed(fs.listStatus(path_array(path)), places)
            case "array and filter":
                return caller.listed(fs.listStatus(path_array(path), accept_all()), places)
            case "iterator":
                return caller.listed(drained(fs.listStatusIterator(path)), places)
            case "located":
                return caller.listed(drained(fs.listLocatedStatus(path)), places)
            case _:
                return caller.listed(drained(caller.context().listStatus(path)), places)

    return perform


def path_array(*paths: Any) -> Any:
    """An array of Java paths."""
    return jpype.JArray(java("Path"))(list(paths))


def drained(iterator: Any) -> list[Any]:
    """All that a RemoteIterator gives."""
    found = []
    while iterator.hasNext():
        found.append(iterator.next())
    return found


HANDLERS: dict[tuple[type, str], Any] = {
    **{(Create, way): _create(way) for way in Create.VIAS if way != "context"},
    (Create, "context"): _create_in_context,
    **{(Append, way): _append(way) for way in Append.VIAS},
    **{(Open, way): _open(way) for way in Open.VIAS},
    **{(Mkdirs, way): _mkdirs(way) for way in Mkdirs.VIAS},
    **{(Delete, way): _delete(way) for way in Delete.VIAS},
    **{(GetFileStatus, way): _status(way) for way in GetFileStatus.VIAS},
    (Exists, "context"): _exists,
    **{(ListStatus, way): _list(way) for way in ListStatus.VIAS},
}
