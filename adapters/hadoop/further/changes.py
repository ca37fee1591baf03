"""Java calls for the operations that change the namespace or files beyond the core."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop import jvm, wire
from fsconform.adapters.hadoop.further import local, uploads
from fsconform.adapters.hadoop.further.ways import BUFFER, java, permission
from fsconform.model.core.outcomes import Value, facts
from fsconform.model.core.paths import show
from fsconform.model.filesystem.input.open_file import OpenFile, OpenInStages
from fsconform.model.filesystem.namespace.concat import Concat
from fsconform.model.filesystem.namespace.create_file import CreateFile, CreateNonRecursive
from fsconform.model.filesystem.namespace.delete_on_exit import DeleteOnExit
from fsconform.model.filesystem.namespace.rename_options import RenameWith
from fsconform.model.filesystem.namespace.truncate import Truncate
from fsconform.model.filesystem.protocols.abandoned_builders import LeaveBuilder
from fsconform.model.filesystem.protocols.path_handles import HANDLE_APPENDED, OpenByHandle
from fsconform.model.filesystem.transfer.bulk_delete import BulkDelete

if TYPE_CHECKING:
    from fsconform.adapters.hadoop.calls import Caller, Places

_MODE = 0o644
_WAIT_SECONDS = 20.0
"""So long may a store take to adjust the end of a file that was truncated."""
_POLL_SECONDS = 0.05
_UNSUPPORTED = "java.lang.UnsupportedOperationException"
_TICK_SECONDS = 0.05
"""More than the unit in which a store counts times of modification."""


def array(kind: str, *values: Any) -> Any:
    """A Java array."""
    return jpype.JArray(java(kind))(list(values))


def _flags(overwrite: bool) -> Any:
    flag, of = java("CreateFlag"), java("java.util.EnumSet").of
    return of(flag.CREATE, flag.OVERWRITE) if overwrite else of(flag.CREATE)


def _create_non_recursive(way: str) -> Any:
    def perform(caller: Caller, op: CreateNonRecursive, places: Places) -> wire.AnyOutcome:
        path, fs = places.java(op.path), caller.base
        replication, block = jpype.JShort(fs.getDefaultReplication(path)), fs.getDefaultBlockSize(path)
        how = permission(_MODE), _flags(op.overwrite), jpype.JInt(BUFFER), replication, block, None
        opened: dict[str, Callable[[], Any]] = {
            "": lambda: fs.createNonRecursive(path, op.overwrite, jpype.JInt(BUFFER), replication, block, None),
            "flags": lambda: fs.createNonRecursive(path, *how),
            "builder": lambda: fs.createFile(path).overwrite(op.overwrite).build(),
        }
        return caller.write(opened[way], op.content)

    return perform


def _concat(caller: Caller, op: Concat, places: Places) -> Value | wire.NotExpressible:
    if op.path in op.sources and _concat_never_ends(caller, op, places):
        return _ENDLESS
    target, sources = places.java(op.path), map(places.java, op.sources)
    caller.base.concat(target, array("Path", *sources))
    return None


_RAW = "org.apache.hadoop.fs.RawLocalFileSystem"
_ENDLESS = wire.NotExpressible("concat copies what it has saved of the target to its end, for ever, and fills the disk")


def _concat_never_ends(caller: Caller, op: Concat, places: Places) -> bool:
    """True if the raw local filesystem has saved something of a target by the time that it is read as a source."""
    if str(caller.base.getClass().getName()) != _RAW:
        return False
    held, saved = 0, False
    for source in op.sources:
        file = places.java(source)
        status = caller.base.getFileStatus(file) if caller.base.exists(file) else None
        if source == op.path:
            if saved:
                return status is None or not status.isDirectory()
            continue
        if status is None or not status.isFile():
            return False  # it is refused before
        size = int(status.getLen())
        saved = saved or size >= BUFFER or size > BUFFER - held
        held += size
    return False


def _truncate(way: str) -> Any:
    def perform(caller: Caller, op: Truncate, places: Places) -> Value:
        path = places.java(op.path)
        client = caller.context() if way else caller.base
        done = bool(client.truncate(path, jpype.JLong(op.length)))
        if not done:
            _wait_for_end(caller, path, op.length)
        return done

    return perform


def _wait_for_end(caller: Caller, path: Any, length: int) -> None:
    """Wait until a file's end is settled, as a caller is told to who was answered false.

    HDFS alone lets a caller ask for that; of other stores, such as WebHDFS, the length tells.
    """
    if hasattr(caller.filesystem, "isFileClosed"):

        def settled() -> bool:
            return bool(caller.filesystem.isFileClosed(path))
    else:

        def settled() -> bool:
            try:
                return int(caller.filesystem.getFileStatus(path).getLen()) == length
            except jvm.JavaError:
                return True  # not truncate's error: whoever asks for the file next will meet it

    end = time.monotonic() + _WAIT_SECONDS
    while time.monotonic() < end and not settled():
        time.sleep(_POLL_SECONDS)


@cache
def _rename_method() -> Any:
    of_path, of_options = java("Path").class_, array("Options$Rename").getClass()
    method = java("FileSystem").class_.getDeclaredMethod("rename", of_path, of_path, of_options)
    method.setAccessible(True)
    return method


def _invoke_rename(fs: Any, src: Any, dst: Any, options: Any) -> None:
    # FileSystem's own method is protected; calling it by reflection takes the store's override, if it has one.
    arguments = jpype.JArray(jpype.JObject)([src, dst, options])
    try:
        _rename_method().invoke(fs, arguments)
    except java("java.lang.reflect.InvocationTargetException") as error:
        raise error.getCause() from None


def renamed(fs: Any, src: Any, dst: Any, option: Any) -> None:
    """Rename with one option. Raises what Java raises."""
    _invoke_rename(fs, src, dst, array("Options$Rename", option))


def _rename(way: str) -> Any:
    def perform(caller: Caller, op: RenameWith, places: Places) -> Value:
        rename = java("Options$Rename")
        chosen = rename.OVERWRITE if op.overwrite else rename.NONE
        options = array("Options$Rename", *((rename.NONE, chosen, chosen) if way == "repeated" else (chosen,)))
        src, dst = places.java(op.src), places.java(op.dst)
        if way == "context":
            caller.context().rename(src, dst, options)
            return None
        _invoke_rename(caller.base, src, dst, options)
        return None

    return perform


def _delete_on_exit(way: str) -> Any:
    def perform(caller: Caller, op: DeleteOnExit, places: Places) -> Value:
        path = places.java(op.path)
        one = java("FileSystem").newInstance(caller.filesystem.getUri(), caller.filesystem.getConf())
        try:
            marked = bool(one.deleteOnExit(path))
            if way == "cancelled":
                one.cancelDeleteOnExit(path)
        finally:
            one.close()
        return marked

    return perform


def _with_options(builder: Any, op: CreateFile | OpenFile) -> Any:
    for option in op.must:
        key, _, value = option.partition("=")
        builder.must(key, jpype.JString(value))
    for option in op.opt:
        key, _, value = option.partition("=")
        builder.opt(key, jpype.JString(value))
    return builder


def _create_file(caller: Caller, op: CreateFile, places: Places) -> wire.AnyOutcome:
    path = places.java(op.path)

    def opened() -> Any:
        builder = caller.base.createFile(path)
        if not op.overwrite:
            builder.overwrite(False)
        if op.recursive:
            builder.recursive()
        return _with_options(builder, op).build()

    return caller.write(opened, op.content)


def _awaited(future: Any) -> Any:
    return java("org.apache.hadoop.util.functional.FutureIO").awaitFuture(future)


def _open_file(way: str) -> Any:
    def perform(caller: Caller, op: OpenFile, places: Places) -> wire.AnyOutcome:
        path = places.java(op.path)

        def opened() -> Any:
            builder = caller.base.openFile(path)
            if way == "status":
                builder.withFileStatus(caller.base.getFileStatus(path))
            return _awaited(_with_options(builder, op).build())

        return caller.read_stream(opened)

    return perform


def _leave_builder(caller: Caller, op: LeaveBuilder, places: Places) -> Value:
    path, fs = places.java(op.path), caller.base
    if op.kind == "create":
        builder = fs.createFile(path).overwrite(True).recursive()
    else:
        builder = fs.openFile(path) if op.kind == "open" else fs.appendFile(path)
    builder.must("fsconform.unknown", jpype.JString("1"))
    return None


def _open_in_stages(caller: Caller, op: OpenInStages, places: Places) -> Value:
    path, stage = places.java(op.path), "openFile"
    try:
        builder = caller.base.openFile(path)
        for option in op.must:
            key, _, value = option.partition("=")
            builder.must(key, jpype.JString(value))
        stage = "build"
        future = builder.build()
        stage = "get"
        stream = future.get()
        stage = "read"
        try:
            stream.read()
        finally:
            stream.close()
    except jvm.JavaError:
        return facts("stages", failed=stage)
    return facts("stages", failed="nothing")


def _open_handle(way: str) -> Any:
    def perform(caller: Caller, op: OpenByHandle, places: Places) -> wire.AnyOutcome:
        path, other, fs = places.java(op.path), places.java(op.other), caller.base
        status = fs.getFileStatus(path)
        options = getattr(java("Options$HandleOpt"), op.handle)()
        # Once to learn whether there is such a handle at all, so that nothing is changed for one that is not granted.
        fs.getPathHandle(status, options)
        problem = _change(caller, op, path, other)
        if problem:
            return wire.NotExpressible(problem)
        handle = fs.getPathHandle(status, options)
        if way == "bytes":
            handle = java("RawPathHandle")(handle.bytes())
        if way == "builder":
            return caller.read_stream(lambda: _awaited(fs.openFile(handle).build()))
        return caller.read_stream(lambda: fs.open(handle))

    return perform


def _change(caller: Caller, op: OpenByHandle, path: Any, other: Any) -> str:
    """Do to the file what is planned; why it can't be done, if so, nothing being changed then."""
    fs = caller.base
    if op.meanwhile != "nothing":
        time.sleep(_TICK_SECONDS)
    match op.meanwhile:
        case "append":
            try:
                caller.write(lambda: fs.append(path), HANDLE_APPENDED)
            except jvm.JavaError as error:
                classes = jvm.ancestry(error)
                if _UNSUPPORTED not in (*classes, *jvm.remote(error, classes)):
                    raise
                return "the file can't be appended to"
        case "rename":
            if op.path == op.other or fs.exists(other) or not fs.exists(other.getParent()):
                return "the file can't be moved there"
            if not fs.rename(path, other):
                return "the file was not moved"
        case "delete":
            fs.delete(path, False)
        case "replace":
            with_same = fs.open(path)
            data = with_same.readAllBytes()
            with_same.close()
            fs.delete(path, False)
            stream = fs.create(path, False)
            stream.write(data, 0, len(data))
            stream.close()
    return ""


def _bulk_delete(way: str) -> Any:
    def perform(caller: Caller, op: BulkDelete, places: Places) -> Value:
        base, fs = places.java(op.path), caller.base
        paths = java("java.util.ArrayList")()
        for path in op.paths:
            paths.add(places.java(path))
        if way == "wrapped":
            wrapped = java("org.apache.hadoop.io.wrappedio.WrappedIO")
            size, default = int(wrapped.bulkDelete_pageSize(fs, base)), False
            failed = wrapped.bulkDelete_delete(fs, base, paths)
        else:
            bulk = fs.createBulkDelete(base)
            try:
                size = int(bulk.pageSize())
                default = jvm.text(bulk.getClass().getName()) == "org.apache.hadoop.fs.impl.DefaultBulkDeleteOperation"
                failed = bulk.bulkDelete(paths)
            finally:
                bulk.close()
        names = tuple(show(places.elements(entry.getKey())) for entry in failed)
        capable = bool(fs.hasPathCapability(base, "fs.capability.bulk.delete"))
        return facts("bulk delete", pageSize=size, failed=names, capable=capable, default=default)

    return perform


HANDLERS: dict[tuple[type, str], Any] = {
    **local.HANDLERS,
    **uploads.HANDLERS,
    **{(CreateNonRecursive, way): _create_non_recursive(way) for way in ("", *CreateNonRecursive.VIAS)},
    (Concat, ""): _concat,
    **{(Truncate, way): _truncate(way) for way in ("", *Truncate.VIAS)},
    **{(RenameWith, way): _rename(way) for way in ("", *RenameWith.VIAS)},
    **{(DeleteOnExit, way): _delete_on_exit(way) for way in ("", *DeleteOnExit.VIAS)},
    (CreateFile, ""): _create_file,
    (LeaveBuilder, ""): _leave_builder,
    (OpenInStages, ""): _open_in_stages,
    **{(OpenFile, way): _open_file(way) for way in ("", *OpenFile.VIAS)},
    **{(OpenByHandle, way): _open_handle(way) for way in ("", *OpenByHandle.VIAS)},
    **{(BulkDelete, way): _bulk_delete(way) for way in ("", *BulkDelete.VIAS)},
}
