"""Which class declares the method that a call of a FileSystem, or of a stream, ends in: its own, or one of Hadoop's."""

from __future__ import annotations

from typing import Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop.jvm import JavaError, text

_FS = "org.apache.hadoop.fs."
METHODS: dict[str, tuple[str, ...]] = {
    "rename with options": ("rename", f"{_FS}Path", f"{_FS}Path", f"[L{_FS}Options$Rename;"),
    "copyFromLocalFile": ("copyFromLocalFile", "boolean", "boolean", f"{_FS}Path", f"{_FS}Path"),
    "globStatus": ("globStatus", f"{_FS}Path", f"{_FS}PathFilter"),
    "bulkDelete": ("createBulkDelete", f"{_FS}Path"),
}
"""The methods that are asked for: under what name, and their own names with the types of their parameters."""

_POSITIONED = f"{_FS}PositionedReadable"
OF_STREAMS: dict[str, tuple[str, ...]] = {
    "readVectored": ("readVectored", "java.util.List", "java.util.function.IntFunction"),
}
"""As METHODS, of the stream that reads a file; one that no class declares is the default of PositionedReadable."""


def methods(filesystem: Any) -> dict[str, str]:
    """The declaring class of each method in METHODS, by the name it is asked for; without those that there are not."""
    found = {}
    for name, (method, *types) in METHODS.items():
        declaring = _declaring(filesystem.getClass(), method, types)
        if declaring:
            found[name] = declaring
    return found


def of_streams(filesystem: Any, path: str) -> dict[str, str]:
    """The declaring class of each method in OF_STREAMS, as the file at a path is read; without any if it can't be."""
    try:
        stream = filesystem.open(jpype.JClass(f"{_FS}Path")(path))
    except JavaError:
        return {}
    try:
        inner = _innermost(stream)
        if not isinstance(inner, jpype.JClass(_POSITIONED)):
            return {}
        return {
            name: _declaring(inner.getClass(), method, types) or _POSITIONED
            for name, (method, *types) in OF_STREAMS.items()
        }
    finally:
        stream.close()


def _innermost(stream: Any) -> Any:
    """The stream that all FSDataInputStreams around it hand their calls to."""
    data = jpype.JClass(f"{_FS}FSDataInputStream")
    while isinstance(stream, data):
        stream = jpype.JObject(stream, data).getWrappedStream()
    return stream


def _declaring(kind: Any, method: str, types: list[str]) -> str:
    """The nearest class, from ``kind`` upwards, that declares a method, protected ones too; empty if none does."""
    loader = kind.getClassLoader()
    try:
        wanted = [_class(one, loader) for one in types]
    except jpype.JException:
        return ""
    while kind is not None:
        for one in kind.getDeclaredMethods():
            if text(one.getName()) == method and list(one.getParameterTypes()) == wanted and not one.isBridge():
                return text(kind.getName())
        kind = kind.getSuperclass()
    return ""


def _class(name: str, loader: Any) -> Any:
    if name == "boolean":
        return jpype.java.lang.Boolean.TYPE
    return jpype.JClass("java.lang.Class").forName(name, False, loader)
