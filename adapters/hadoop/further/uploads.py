"""Java calls for uploads in parts."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop import jvm, wire
from fsconform.adapters.hadoop.further.ways import java
from fsconform.model.core import content as contents
from fsconform.model.core.outcomes import Value
from fsconform.model.filesystem.transfer.uploads import FIRST_UPLOAD, MisuseUpload, Upload

if TYPE_CHECKING:
    from fsconform.adapters.hadoop.calls import Caller, Places


def _awaited(future: Any) -> Any:
    return java("org.apache.hadoop.util.functional.FutureIO").awaitFuture(future)


@cache
def _tells_last() -> bool:
    methods = java("MultipartUploader").class_.getMethods()
    return any(str(one.getName()) == "putPart" and one.getParameterCount() == 6 for one in methods)


def pieces(content: contents.Content, parts: int) -> list[bytes]:
    """A content in so many parts of the same length, but for the last, which holds the rest."""
    data = b"".join(contents.chunks(content))
    size = len(data) // max(parts, 1)
    cuts = [data[size * number : size * (number + 1)] for number in range(parts - 1)]
    return [*cuts, data[size * (parts - 1) :]] if parts else []


def _upload(caller: Caller, op: Upload, places: Places) -> wire.AnyOutcome | Value:
    path = places.java(op.path)
    if not op.path and places.base:
        # Uploaders of some stores put the parts beside their destination.
        return wire.NotExpressible("the parts could lie outside of the program's directory")
    uploader = caller.base.createMultipartUploader(path.getParent() or path).build()
    try:
        handle = _awaited(uploader.startUpload(path))
        try:
            _finish(uploader, op, path, handle)
        except jvm.JavaError:
            # An upload that is left open would hide in the store, and cost whoever owns it.
            _abort_quietly(uploader, handle, path)
            raise
    finally:
        uploader.close()
    return None


def _finish(uploader: Any, op: Upload, path: Any, handle: Any) -> None:
    put = java("java.util.TreeMap")()
    numbered = list(enumerate(pieces(op.content, op.parts), start=1))
    for number, piece in reversed(numbered) if op.ending == "reversed" else numbered:
        stream = java("java.io.ByteArrayInputStream")(jpype.JArray(jpype.JByte)(piece))
        # Later releases want to be told which part is the last.
        last = (number == op.parts,) if _tells_last() else ()
        part = uploader.putPart(handle, number, *last, path, stream, jpype.JLong(len(piece)))
        put.put(jpype.JInt(number), _awaited(part))
    _awaited(uploader.abort(handle, path) if op.ending == "abort" else uploader.complete(handle, path, put))


def _abort_quietly(uploader: Any, handle: Any, path: Any) -> None:
    try:
        _awaited(uploader.abort(handle, path))
    except jvm.JavaError:
        return


def _put(uploader: Any, handle: Any, number: int, path: Any, data: bytes, length: int | None = None) -> Any:
    stream = java("java.io.ByteArrayInputStream")(jpype.JArray(jpype.JByte)(data))
    last = (True,) if _tells_last() else ()
    size = jpype.JLong(len(data) if length is None else length)
    return _awaited(uploader.putPart(handle, number, *last, path, stream, size))


def _map(**parts: Any) -> Any:
    made = java("java.util.TreeMap")()
    for number, part in parts.items():
        made.put(jpype.JInt(int(number[1:])), part)
    return made


def _misuse(caller: Caller, op: MisuseUpload, places: Places) -> wire.AnyOutcome | Value:
    path, other = places.java(op.path), places.java(op.other)
    if not op.path:
        return wire.NotExpressible("the root has no place for a file")
    data = b"".join(contents.chunks(op.content))
    uploader = caller.base.createMultipartUploader(path.getParent()).build()
    second = caller.base.createMultipartUploader(path.getParent()).build()
    try:
        handle = _awaited(uploader.startUpload(path))
        try:
            _MISUSES[op.manner](uploader, second, handle, path, other, data)
        except jvm.JavaError:
            _abort_quietly(uploader, handle, path)
            raise
    finally:
        uploader.close()
        second.close()
    return None


def _completed(uploader: Any, handle: Any, path: Any, data: bytes) -> Any:
    parts = _map(_1=_put(uploader, handle, 1, path, data))
    _awaited(uploader.complete(handle, path, parts))
    return parts


def _aborted(uploader: Any, handle: Any, path: Any, data: bytes) -> Any:
    parts = _map(_1=_put(uploader, handle, 1, path, data))
    _awaited(uploader.abort(handle, path))
    return parts


def _complete_twice(up: Any, _second: Any, handle: Any, path: Any, _other: Any, data: bytes) -> None:
    parts = _completed(up, handle, path, data)
    _awaited(up.complete(handle, path, parts))


def _complete_after_abort(up: Any, _second: Any, handle: Any, path: Any, _other: Any, data: bytes) -> None:
    parts = _aborted(up, handle, path, data)
    _awaited(up.complete(handle, path, parts))


def _put_after_abort(up: Any, _second: Any, handle: Any, path: Any, _other: Any, data: bytes) -> None:
    _aborted(up, handle, path, data)
    _put(up, handle, 2, path, data)


def _abort_twice(up: Any, _second: Any, handle: Any, path: Any, _other: Any, data: bytes) -> None:
    _aborted(up, handle, path, data)
    _awaited(up.abort(handle, path))


def _abort_after_complete(up: Any, _second: Any, handle: Any, path: Any, _other: Any, data: bytes) -> None:
    _completed(up, handle, path, data)
    _awaited(up.abort(handle, path))


def _other_path(up: Any, _second: Any, handle: Any, path: Any, other: Any, data: bytes) -> None:
    _awaited(up.complete(handle, other, _map(_1=_put(up, handle, 1, path, data))))


def _number_0(up: Any, _second: Any, handle: Any, path: Any, _other: Any, data: bytes) -> None:
    _awaited(up.complete(handle, path, _map(_0=_put(up, handle, 1, path, data))))


def _duplicate(up: Any, _second: Any, handle: Any, path: Any, _other: Any, data: bytes) -> None:
    part = _put(up, handle, 1, path, data)
    _awaited(up.complete(handle, path, _map(_1=part, _2=part)))


def _omitted(up: Any, _second: Any, handle: Any, path: Any, _other: Any, data: bytes) -> None:
    _put(up, handle, 1, path, b"left out")
    _awaited(up.complete(handle, path, _map(_2=_put(up, handle, 2, path, data))))


def _repeated(up: Any, _second: Any, handle: Any, path: Any, _other: Any, data: bytes) -> None:
    _completed(up, handle, path, FIRST_UPLOAD)
    _completed(up, _awaited(up.startUpload(path)), path, data)


def _other_uploader(_up: Any, second: Any, handle: Any, path: Any, _other: Any, data: bytes) -> None:
    again = java("BBUploadHandle").from_(handle.bytes())
    part = java("BBPartHandle").from_(_put(second, again, 1, path, data).bytes())
    _awaited(second.complete(again, path, _map(_1=part)))


_MISUSES: dict[str, Callable[[Any, Any, Any, Any, Any, bytes], Any]] = {
    "part 0": lambda up, second, handle, path, other, data: _put(up, handle, 0, path, data),
    "negative length": lambda up, second, handle, path, other, data: _put(up, handle, 1, path, data, -1),
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


HANDLERS: dict[tuple[type, str], Any] = {(Upload, ""): _upload, (MisuseUpload, ""): _misuse}
