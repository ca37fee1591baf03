"""Calls that move much at once: copies from and to the local disk, uploads in parts, bulk deletes."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters import temporary
from fsconform.adapters.hadoop import jvm, wire
from fsconform.adapters.hadoop.calls import Caller, Outcome, Places, handles
from fsconform.adapters.hadoop.handlers.classes import awaited, java, java_bytes
from fsconform.adapters.streams import Inexpressible
from fsconform.model.core import content as contents
from fsconform.model.core.outcomes import Value, facts
from fsconform.model.core.paths import is_ancestor, show
from fsconform.model.filesystem.transfer.abort_uploads import AbortUploads
from fsconform.model.filesystem.transfer.bulk_delete import BulkDelete
from fsconform.model.filesystem.transfer.local_copies import (
    LOCAL_FILE,
    LOCAL_TREE,
    CopyFromLocal,
    CopyMissingFromLocal,
    CopyToLocal,
    CopyTreeFromLocal,
    CopyWithin,
    MoveFromLocal,
)
from fsconform.model.filesystem.transfer.uploads import FIRST_UPLOAD, MisuseUpload, Upload


@handles(BulkDelete)
def bulk_delete(caller: Caller, op: BulkDelete, places: Places) -> Value:
    base, fs = places.java(op.path), caller.base
    paths = java("java.util.ArrayList")()
    for path in op.paths:
        paths.add(places.java(path))
    if op.via == "wrapped":
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


@contextlib.contextmanager
def _local_folder() -> Iterator[Path]:
    made = str(temporary.folder("copy"))
    try:
        yield Path(made)
    finally:
        shutil.rmtree(made)


def _java_path(path: Path) -> Any:
    # The URI of a directory ends in a slash: with one Hadoop's Path would have no name.
    return java("Path")(java("java.net.URI")(str(java("java.io.File")(str(path)).toURI()).rstrip("/")))


def _write_local(path: Path, content: contents.Content) -> None:
    with path.open("wb") as file:
        for piece in contents.chunks(content):
            file.write(piece)


def _need_local(caller: Caller) -> None:
    """Raise Inexpressible where FileSystem finds the store itself under the scheme of the local disk."""
    try:
        java("FileSystem").getLocal(caller.filesystem.getConf())
    except java("java.lang.ClassCastException"):
        raise Inexpressible("the store's configuration puts it in the place of Hadoop's LocalFileSystem") from None


@handles(CopyFromLocal)
def copy_from_local(caller: Caller, op: CopyFromLocal, places: Places) -> Value:
    _need_local(caller)
    target = places.java(op.path)
    with _local_folder() as folder:
        file = folder / LOCAL_FILE
        _write_local(file, op.content)
        caller.base.copyFromLocalFile(op.delete, op.overwrite, _java_path(file), target)
        return facts("copied", left=file.exists())


@handles(MoveFromLocal)
def move_from_local(caller: Caller, op: MoveFromLocal, places: Places) -> Value:
    _need_local(caller)
    target = places.java(op.path)
    with _local_folder() as folder:
        file = folder / LOCAL_FILE
        _write_local(file, op.content)
        caller.base.moveFromLocalFile(_java_path(file), target)
        return facts("copied", left=file.exists())


@handles(CopyTreeFromLocal)
def copy_tree_from_local(caller: Caller, op: CopyTreeFromLocal, places: Places) -> Value:
    _need_local(caller)
    target = places.java(op.path)
    with _local_folder() as folder:
        tree = folder / LOCAL_TREE
        (tree / "d").mkdir(parents=True)
        _write_local(tree / "f", op.content)
        _write_local(tree / "d" / "g", contents.EMPTY)
        caller.base.copyFromLocalFile(op.delete, op.overwrite, _java_path(tree), target)
        return facts("copied", left=tree.exists())


@handles(CopyMissingFromLocal)
def copy_missing_from_local(caller: Caller, op: CopyMissingFromLocal, places: Places) -> Value:
    _need_local(caller)
    target = places.java(op.path)
    with _local_folder() as folder:
        caller.base.copyFromLocalFile(False, op.overwrite, _java_path(folder / LOCAL_FILE), target)
    return None


@handles(CopyToLocal)
def copy_to_local(caller: Caller, op: CopyToLocal, places: Places) -> wire.AnyOutcome:
    _need_local(caller)
    source = places.java(op.path)
    with _local_folder() as folder:
        file = folder / LOCAL_FILE
        caller.base.copyToLocalFile(source, _java_path(file))
        if file.is_dir():
            return wire.NotExpressible("a directory was copied, and the outcome of this call is the bytes of a file")
        return caller.read_stream(lambda: java("java.io.FileInputStream")(str(file)))


@cache
def _tells_last() -> bool:
    methods = java("MultipartUploader").class_.getMethods()
    return any(str(one.getName()) == "putPart" and one.getParameterCount() == 6 for one in methods)


def parts_of(content: contents.Content, parts: int) -> list[bytes]:
    """A content in so many parts of the same length, but for the last, which holds the rest."""
    data = b"".join(contents.chunks(content))
    size = len(data) // max(parts, 1)
    cuts = [data[size * number : size * (number + 1)] for number in range(parts - 1)]
    return [*cuts, data[size * (parts - 1) :]] if parts else []


@handles(Upload)
def upload(caller: Caller, op: Upload, places: Places) -> Outcome:
    path = places.java(op.path)
    if not op.path and places.base:
        # Uploaders of some stores put the parts beside their destination.
        return wire.NotExpressible("the parts could lie outside of the program's directory")
    uploader = caller.base.createMultipartUploader(path.getParent() or path).build()
    try:
        handle = awaited(uploader.startUpload(path))
        try:
            _finish_upload(uploader, op, path, handle)
        except jvm.JavaError:
            # An upload that is left open would hide in the store, and cost whoever owns it.
            _abort_quietly(uploader, handle, path)
            raise
    finally:
        uploader.close()
    return None


def _finish_upload(uploader: Any, op: Upload, path: Any, handle: Any) -> None:
    put = java("java.util.TreeMap")()
    numbered = list(enumerate(parts_of(op.content, op.parts), start=1))
    for number, piece in reversed(numbered) if op.ending == "reversed" else numbered:
        stream = java("java.io.ByteArrayInputStream")(java_bytes(piece))
        # Later releases want to be told which part is the last.
        last = (number == op.parts,) if _tells_last() else ()
        part = uploader.putPart(handle, number, *last, path, stream, jpype.JLong(len(piece)))
        put.put(jpype.JInt(number), awaited(part))
    awaited(uploader.abort(handle, path) if op.ending == "abort" else uploader.complete(handle, path, put))


def _abort_quietly(uploader: Any, handle: Any, path: Any) -> None:
    try:
        awaited(uploader.abort(handle, path))
    except jvm.JavaError:
        return


def _put_part(uploader: Any, handle: Any, number: int, path: Any, data: bytes, length: int | None = None) -> Any:
    stream = java("java.io.ByteArrayInputStream")(java_bytes(data))
    last = (True,) if _tells_last() else ()
    size = jpype.JLong(len(data) if length is None else length)
    return awaited(uploader.putPart(handle, number, *last, path, stream, size))


def _part_map(**parts: Any) -> Any:
    made = java("java.util.TreeMap")()
    for number, part in parts.items():
        made.put(jpype.JInt(int(number[1:])), part)
    return made


@handles(MisuseUpload)
def misuse_upload(caller: Caller, op: MisuseUpload, places: Places) -> Outcome:
    path, other = places.java(op.path), places.java(op.other)
    if not op.path:
        return wire.NotExpressible("the root has no place for a file")
    data = b"".join(contents.chunks(op.content))
    uploader = caller.base.createMultipartUploader(path.getParent()).build()
    second = caller.base.createMultipartUploader(path.getParent()).build()
    try:
        handle = awaited(uploader.startUpload(path))
        try:
            _MISUSES[op.manner](uploader, second, handle, path, other, data)
        except jvm.JavaError:
            _abort_quietly(uploader, handle, path)
            raise
    finally:
        uploader.close()
        second.close()
    return None


@handles(AbortUploads)
def abort_uploads(caller: Caller, op: AbortUploads, places: Places) -> Outcome:
    path = places.java(op.path)
    if not op.path and not places.base:
        return wire.NotExpressible("uploads of other programs could be aborted")
    uploader = caller.base.createMultipartUploader(path).build()
    try:
        return facts("number", value=int(awaited(uploader.abortUploadsUnderPath(path))))
    finally:
        uploader.close()


def _completed(uploader: Any, handle: Any, path: Any, data: bytes) -> Any:
    parts = _part_map(_1=_put_part(uploader, handle, 1, path, data))
    awaited(uploader.complete(handle, path, parts))
    return parts


def _aborted(uploader: Any, handle: Any, path: Any, data: bytes) -> Any:
    parts = _part_map(_1=_put_part(uploader, handle, 1, path, data))
    awaited(uploader.abort(handle, path))
    return parts


def _complete_twice(up: Any, _second: Any, handle: Any, path: Any, _other: Any, data: bytes) -> None:
    parts = _completed(up, handle, path, data)
    awaited(up.complete(handle, path, parts))


def _complete_after_abort(up: Any, _second: Any, handle: Any, path: Any, _other: Any, data: bytes) -> None:
    parts = _aborted(up, handle, path, data)
    awaited(up.complete(handle, path, parts))


def _put_after_abort(up: Any, _second: Any, handle: Any, path: Any, _other: Any, data: bytes) -> None:
    _aborted(up, handle, path, data)
    _put_part(up, handle, 2, path, data)


def _abort_twice(up: Any, _second: Any, handle: Any, path: Any, _other: Any, data: bytes) -> None:
    _aborted(up, handle, path, data)
    awaited(up.abort(handle, path))


def _abort_after_complete(up: Any, _second: Any, handle: Any, path: Any, _other: Any, data: bytes) -> None:
    _completed(up, handle, path, data)
    awaited(up.abort(handle, path))


def _other_path(up: Any, _second: Any, handle: Any, path: Any, other: Any, data: bytes) -> None:
    awaited(up.complete(handle, other, _part_map(_1=_put_part(up, handle, 1, path, data))))


def _number_0(up: Any, _second: Any, handle: Any, path: Any, _other: Any, data: bytes) -> None:
    awaited(up.complete(handle, path, _part_map(_0=_put_part(up, handle, 1, path, data))))


def _duplicate(up: Any, _second: Any, handle: Any, path: Any, _other: Any, data: bytes) -> None:
    part = _put_part(up, handle, 1, path, data)
    awaited(up.complete(handle, path, _part_map(_1=part, _2=part)))


def _omitted(up: Any, _second: Any, handle: Any, path: Any, _other: Any, data: bytes) -> None:
    _put_part(up, handle, 1, path, b"left out")
    awaited(up.complete(handle, path, _part_map(_2=_put_part(up, handle, 2, path, data))))


def _repeated(up: Any, _second: Any, handle: Any, path: Any, _other: Any, data: bytes) -> None:
    _completed(up, handle, path, FIRST_UPLOAD)
    _completed(up, awaited(up.startUpload(path)), path, data)


def _other_uploader(_up: Any, second: Any, handle: Any, path: Any, _other: Any, data: bytes) -> None:
    again = java("BBUploadHandle").from_(handle.bytes())
    part = java("BBPartHandle").from_(_put_part(second, again, 1, path, data).bytes())
    awaited(second.complete(again, path, _part_map(_1=part)))


_MISUSES: dict[str, Callable[[Any, Any, Any, Any, Any, bytes], Any]] = {
    "part 0": lambda up, second, handle, path, other, data: _put_part(up, handle, 0, path, data),
    "negative length": lambda up, second, handle, path, other, data: _put_part(up, handle, 1, path, data, -1),
    "put after abort": _put_after_abort,
    "complete twice": _complete_twice,
    "complete after abort": _complete_after_abort,
    "abort twice": _abort_twice,
    "abort after complete": _abort_after_complete,
    "other path": _other_path,
    "number 0": _number_0,
    "duplicate": _duplicate,
    "omitted": _omitted,
    "repeated": _repeated,
    "other uploader": _other_uploader,
}
_LONG_NAME = 100
"""Characters of names by which a path is soon too long."""


def _may_not_end(caller: Caller, op: CopyWithin, source: Any) -> bool:
    """True where a store that does the copy makes one directory in another until the path is too long, slowly."""
    fs = caller.base
    if not fs.exists(source) or not fs.getFileStatus(source).isDirectory():
        return False
    if op.src == op.dst or is_ancestor(op.src, op.dst):
        return min(len(one[-1]) if one else 0 for one in (op.src, op.dst)) < _LONG_NAME
    return any(one.isDirectory() for one in fs.listStatus(source))


@handles(CopyWithin)
def copy_within(caller: Caller, op: CopyWithin, places: Places) -> Outcome:
    scheme = jvm.text(caller.filesystem.getUri().getScheme())
    if scheme != "file":
        return wire.NotExpressible(f"{scheme}: is not the local disk")
    if op.src != op.dst and not is_ancestor(op.src, op.dst) and not is_ancestor(op.dst, op.src):
        return wire.NotExpressible("neither path is below the other")
    _need_local(caller)
    source = places.java(op.src)
    if _may_not_end(caller, op, source):
        return wire.NotExpressible("a copy of a directory into itself might not end in time")
    caller.base.copyFromLocalFile(False, op.overwrite, source, places.java(op.dst))
    return None
