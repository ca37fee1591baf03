"""Java calls for uploads in parts."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop import jvm, wire
from fsconform.adapters.hadoop.further.ways import java
from fsconform.model import content as contents
from fsconform.model.operations import changes as ops
from fsconform.model.outcomes import Value

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


def _upload(caller: Caller, op: ops.Upload, places: Places) -> wire.AnyOutcome | Value:
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


def _finish(uploader: Any, op: ops.Upload, path: Any, handle: Any) -> None:
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


HANDLERS: dict[tuple[type, str], Any] = {(ops.Upload, ""): _upload}
