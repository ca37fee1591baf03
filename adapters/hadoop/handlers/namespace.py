"""Calls that change the namespace: create, append, mkdirs, rename, delete, and their kin."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop import jvm, wire
from fsconform.adapters.hadoop.calls import Caller, Outcome, Places, handles
from fsconform.adapters.hadoop.handlers.checksum_switches import NO_CHECKSUMS, keeps_checksums, switched
from fsconform.adapters.hadoop.handlers.classes import (
    BUFFER,
    MODE,
    array,
    create_flags,
    java,
    path_facts,
    permission,
    with_options,
)
from fsconform.model.core.outcomes import Value
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.concat import Concat
from fsconform.model.filesystem.namespace.create import Create, CreateUnchecked, CreateWith
from fsconform.model.filesystem.namespace.create_file import CreateFile, CreateNonRecursive
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.delete_on_exit import DeleteOnExit
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs, MkdirsWith
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.namespace.rename_options import RenameWith
from fsconform.model.filesystem.namespace.symlinks import CreateSymlink, GetLinkTarget, SupportsSymlinks
from fsconform.model.filesystem.namespace.truncate import Truncate


@cache
def _no_progress() -> Any:
    return jpype.JProxy("org.apache.hadoop.util.Progressable", dict={"progress": lambda: None})


_int, _short = jpype.JInt, jpype.JShort


def _sized(fs: Any, path: Any, overwrite: bool, *more: Any) -> Any:
    replication, size = _short(fs.getDefaultReplication(path)), fs.getDefaultBlockSize(path)
    return fs.create(path, overwrite, _int(BUFFER), replication, size, *more)


def _permitted(fs: Any, path: Any, how: Any) -> Any:
    replication, size = _short(fs.getDefaultReplication(path)), fs.getDefaultBlockSize(path)
    return fs.create(path, permission(MODE), how, _int(BUFFER), replication, size, None)


_CREATORS: dict[str, Callable[[Any, Any, bool], Any]] = {
    "": lambda fs, path, overwrite: fs.create(path, overwrite),
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
    "flags": lambda fs, path, overwrite: _permitted(fs, path, create_flags(overwrite)),
    "static": lambda fs, path, overwrite: java("FileSystem").create(fs, path, permission(MODE)),
    "builder": lambda fs, path, overwrite: fs.createFile(path).overwrite(overwrite).recursive().build(),
}
"""Each way of a FileSystem to create: from it, the path and overwrite to a stream."""
OVERWRITING = frozenset(("path", "progress", "replication", "replication and progress", "static"))
"""The ways to create that always overwrite."""


@handles(Create)
def create(caller: Caller, op: Create, places: Places) -> wire.AnyOutcome:
    if op.via in OVERWRITING and not op.overwrite:
        return wire.NotExpressible(f"create via {op.via} always overwrites")
    path = places.java(op.path)
    if op.via == "context":
        context = caller.context()
        options = array("Options$CreateOpts", java("Options$CreateOpts").createParent())
        return caller.write(lambda: context.create(path, create_flags(op.overwrite), options), op.content)
    return caller.write(lambda: _CREATORS[op.via](caller.base, path, op.overwrite), op.content)


@handles(Append)
def append(caller: Caller, op: Append, places: Places) -> wire.AnyOutcome:
    path, fs = places.java(op.path), caller.base
    streams: dict[str, Callable[[], Any]] = {
        "": lambda: fs.append(path),
        "buffer": lambda: fs.append(path, _int(BUFFER)),
        "progress": lambda: fs.append(path, _int(BUFFER), _no_progress()),
        "builder": lambda: fs.appendFile(path).build(),
        "context": lambda: caller.context().create(
            path,
            java("java.util.EnumSet").of(java("CreateFlag").APPEND),
            array("Options$CreateOpts"),
        ),
    }
    return caller.write(streams[op.via], op.content)


@handles(Mkdirs)
def mkdirs(caller: Caller, op: Mkdirs, places: Places) -> Value:
    path = places.java(op.path)
    match op.via:
        case "":
            return bool(caller.base.mkdirs(path))
        case "context":
            caller.context().mkdir(path, permission(0o755), True)
            return True
        case "static":
            return bool(java("FileSystem").mkdirs(caller.base, path, permission(0o755)))
        case _:
            return bool(caller.base.mkdirs(path, permission(0o755)))


@handles(Delete)
def delete(caller: Caller, op: Delete, places: Places) -> Outcome:
    path = places.java(op.path)
    if op.via == "context":
        return bool(caller.context().delete(path, op.recursive))
    if not op.via:
        return bool(caller.base.delete(path, op.recursive))
    if not op.recursive:
        return wire.NotExpressible("delete(path) is recursive")
    return bool(caller.base.delete(path))


@handles(Rename)
def rename(caller: Caller, op: Rename, places: Places) -> Value:
    return bool(caller.base.rename(places.java(op.src), places.java(op.dst)))


@handles(MkdirsWith)
def mkdirs_with(caller: Caller, op: MkdirsWith, places: Places) -> Value:
    return bool(caller.base.mkdirs(places.java(op.path), permission(op.permission)))


@handles(CreateWith)
def create_with(caller: Caller, op: CreateWith, places: Places) -> wire.AnyOutcome:
    path, fs = places.java(op.path), caller.base
    replicas, block = jpype.JShort(fs.getDefaultReplication(path)), fs.getDefaultBlockSize(path)
    mode, buffer = permission(op.permission), jpype.JInt(BUFFER)
    return caller.write(lambda: fs.create(path, mode, op.overwrite, buffer, replicas, block, None), op.content)


@handles(CreateSymlink)
def create_symlink(caller: Caller, op: CreateSymlink, places: Places) -> Value:
    caller.base.createSymlink(places.java(op.target), places.java(op.link), True)
    return None


@handles(GetLinkTarget)
def get_link_target(caller: Caller, op: GetLinkTarget, places: Places) -> Value:
    return path_facts(caller.base.getLinkTarget(places.java(op.path)), places)


@handles(SupportsSymlinks)
def supports_symlinks(caller: Caller, op: SupportsSymlinks, places: Places) -> Value:
    return bool(caller.base.supportsSymlinks())


_WAIT_SECONDS = 20.0
"""So long may a store take to adjust the end of a file that was truncated."""
_POLL_SECONDS = 0.05


@handles(CreateNonRecursive)
def create_non_recursive(caller: Caller, op: CreateNonRecursive, places: Places) -> wire.AnyOutcome:
    path, fs = places.java(op.path), caller.base
    replication, block = jpype.JShort(fs.getDefaultReplication(path)), fs.getDefaultBlockSize(path)
    how = permission(MODE), create_flags(op.overwrite), jpype.JInt(BUFFER), replication, block, None
    opened: dict[str, Callable[[], Any]] = {
        "": lambda: fs.createNonRecursive(path, op.overwrite, jpype.JInt(BUFFER), replication, block, None),
        "flags": lambda: fs.createNonRecursive(path, *how),
        "builder": lambda: fs.createFile(path).overwrite(op.overwrite).build(),
    }
    return caller.write(opened[op.via], op.content)


@handles(Concat)
def concat(caller: Caller, op: Concat, places: Places) -> Outcome:
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


@handles(Truncate)
def truncate(caller: Caller, op: Truncate, places: Places) -> Value:
    path = places.java(op.path)
    client = caller.context() if op.via else caller.base
    done = bool(client.truncate(path, jpype.JLong(op.length)))
    if not done:
        _wait_for_end(caller, path, op.length)
    return done


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


@handles(RenameWith)
def rename_with(caller: Caller, op: RenameWith, places: Places) -> Value:
    rename = java("Options$Rename")
    chosen = rename.OVERWRITE if op.overwrite else rename.NONE
    options = array("Options$Rename", *((rename.NONE, chosen, chosen) if op.via == "repeated" else (chosen,)))
    src, dst = places.java(op.src), places.java(op.dst)
    if op.via == "context":
        caller.context().rename(src, dst, options)
        return None
    _invoke_rename(caller.base, src, dst, options)
    return None


@handles(DeleteOnExit)
def delete_on_exit(caller: Caller, op: DeleteOnExit, places: Places) -> Value:
    path = places.java(op.path)
    one = java("FileSystem").newInstance(caller.filesystem.getUri(), caller.filesystem.getConf())
    try:
        marked = bool(one.deleteOnExit(path))
        if op.via == "cancelled":
            one.cancelDeleteOnExit(path)
    finally:
        one.close()
    return marked


@handles(CreateFile)
def create_file(caller: Caller, op: CreateFile, places: Places) -> wire.AnyOutcome:
    path = places.java(op.path)

    def opened() -> Any:
        builder = caller.base.createFile(path)
        if not op.overwrite:
            builder.overwrite(False)
        if op.recursive:
            builder.recursive()
        return with_options(builder, op.must, op.opt).build()

    return caller.write(opened, op.content)


@handles(CreateUnchecked)
def create_unchecked(caller: Caller, op: CreateUnchecked, places: Places) -> wire.AnyOutcome:
    path = places.java(op.path)
    if not keeps_checksums(caller):
        return NO_CHECKSUMS
    with switched(caller.base.setWriteChecksum):
        return caller.write(lambda: caller.base.create(path, op.overwrite), op.content)
