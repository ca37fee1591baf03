"""Hadoop's and Java's classes by name, and values of theirs that many calls take."""

from __future__ import annotations

from functools import cache
from typing import Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop.calls import Places
from fsconform.model.core.outcomes import Facts, facts
from fsconform.model.core.paths import show

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
def accept_all() -> Any:
    """A filter that accepts every path."""
    return jpype.JProxy("org.apache.hadoop.fs.PathFilter", dict={"accept": lambda path: True})


def create_flags(overwrite: bool) -> Any:
    """The flags of a create."""
    flag, of = java("CreateFlag"), java("java.util.EnumSet").of
    return of(flag.CREATE, flag.OVERWRITE) if overwrite else of(flag.CREATE)


MODE = 0o644
"""The permission of files that are made with one."""


def awaited(future: Any) -> Any:
    """What a future gives. Raises what Java raises."""
    return java("org.apache.hadoop.util.functional.FutureIO").awaitFuture(future)


def drained(iterator: Any) -> list[Any]:
    """All that a RemoteIterator gives."""
    found = []
    while iterator.hasNext():
        found.append(iterator.next())
    return found


def array(kind: str, *values: Any) -> Any:
    """A Java array."""
    return jpype.JArray(java(kind))(list(values))


def java_bytes(data: bytes) -> Any:
    """A Java array of bytes."""
    return jpype.JArray(jpype.JByte)(data)


def with_options(builder: Any, must: tuple[str, ...], opt: tuple[str, ...]) -> Any:
    """A builder with options, each of them ``key=value``."""
    for option in must:
        key, _, value = option.partition("=")
        builder.must(key, jpype.JString(value))
    for option in opt:
        key, _, value = option.partition("=")
        builder.opt(key, jpype.JString(value))
    return builder


def path_facts(found: Any, places: Places) -> Facts | None:
    """What a call that gives a path gave."""
    return None if found is None else facts("path", path=show(places.elements(found)))
