"""What a client sees of a path: its status, its bytes and its entries in listings, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop import jvm
from fsconform.model.core.outcomes import facts
from fsconform.model.filesystem.input.scripts import told_error, told_pieces
from fsconform.model.filesystem.output.observe import Observe

if TYPE_CHECKING:
    from fsconform.adapters.hadoop.calls import Caller, Places

_int = jpype.JInt
BUFFER_BYTES = 1 << 16

_Found = TypeVar("_Found")


def answer_of(act: Callable[[], object]) -> str:
    """The answer of a call: done, or the error that it raised. Errors that say "try again" are raised."""
    from fsconform.adapters.hadoop.calls import asks_again

    try:
        act()
    except jvm.JavaError as error:
        if asks_again(error):
            raise
        return told_error(jvm.ancestry(error))
    return "done"


def tried(call: Callable[[], _Found]) -> tuple[str, _Found | None]:
    """The answer of a call, as of ``answer_of``, and what it returned."""
    found: list[_Found] = []
    answer = answer_of(lambda: found.append(call()))
    return answer, found[0] if found else None


def pieces(stream: Any) -> Iterator[bytes]:
    """What is left of a stream. Raises what Java raises."""
    buffer = jpype.JArray(jpype.JByte)(BUFFER_BYTES)
    while (count := int(stream.read(buffer, _int(0), _int(BUFFER_BYTES)))) >= 0:
        yield bytes(buffer[:count])


def _read(caller: Caller, path: Any) -> str:
    """The bytes of a file, as model.scripts tells them. Raises what Java raises."""
    stream = caller.base.open(path)
    try:
        return told_pieces(pieces(stream))
    finally:
        stream.close()


def _told_read(caller: Caller, path: Any) -> str:
    answer, read = tried(lambda: _read(caller, path))
    return answer if read is None else read


def _entry(found: Any, path: Any) -> Any:
    """The entry of a path among statuses."""
    for one in found:
        if one.getPath().equals(path):
            return one
    return None


def _iterated(iterator: Any) -> Iterator[Any]:
    while iterator.hasNext():
        yield iterator.next()


def _entries(call: Callable[[], Any], path: Any) -> list[Any]:
    """The entry of a path in a listing; nothing where it has none, or fails."""
    _, entry = tried(lambda: _entry(call(), path))
    return [] if entry is None else [entry]


def _disagrees(call: Callable[[], Any], path: Any, status: Any) -> tuple[bool, bool]:
    """Whether the entry in a listing differs from a status in length or kind, and in the time."""
    entries = _entries(call, path)
    if not entries or int(entries[0].getLen()) != int(status.getLen()) or not entries[0].isFile():
        return True, False
    return False, int(entries[0].getModificationTime()) != int(status.getModificationTime())


def _listings(fs: Any, parent: Any, path: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    yield "listStatus", lambda: fs.listStatus(parent)
    yield "listStatusIterator", lambda: _iterated(fs.listStatusIterator(parent))
    yield "listLocatedStatus", lambda: _iterated(fs.listLocatedStatus(parent))
    yield "listFiles", lambda: _iterated(fs.listFiles(parent, False))
    yield "listStatus of the file", lambda: fs.listStatus(path)


def observe(caller: Caller, op: Observe, places: Places) -> Any:
    """getFileStatus, open and read, and the listings."""
    fs, path = caller.base, places.java(op.path)
    status: Any
    told, status = tried(lambda: fs.getFileStatus(path))
    kind = "missing" if told.split(" ")[-1] == "FileNotFoundException" else told
    if status is not None:
        kind = "directory" if status.isDirectory() else "file"
    length = int(status.getLen()) if kind == "file" else -1
    read = _told_read(caller, path) if kind != "directory" else ""
    listed, disagree, untimely = -1, [], []
    if op.path and kind in ("file", "missing"):
        parent = places.java(op.path[:-1])
        entries = _entries(lambda: fs.listStatus(parent), path)
        listed = int(entries[0].getLen()) if entries else -1
        for name, call in _listings(fs, parent, path) if kind == "file" else ():
            other, late = _disagrees(call, path, status)
            disagree += [name] * other
            untimely += [name] * late
    return facts(
        "seen",
        status=kind,
        length=length,
        read=read,
        listed=listed,
        disagree=tuple(disagree),
        untimely=tuple(untimely),
    )


HANDLERS: dict[tuple[type, str], Any] = {(Observe, ""): observe}
