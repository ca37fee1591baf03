"""A place without space: write takes a part of the bytes or raises ENOSPC, and fsync and close may raise it.

A descriptor that was closed is not asked again: it may be another's by then.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from fsconform.adapters.errnos import raised
from fsconform.adapters.folders.trees import placed
from fsconform.adapters.fullness import MOST, ROOMY, Found, anew_size, facts_of, filling, piece
from fsconform.adapters.posix import calls
from fsconform.adapters.posix.calls import CannotName, name_of
from fsconform.model.core.outcomes import Value
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.output.full_disk import NOT_ASKED, FillUp
from fsconform.model.filesystem.stream_scripts import told_error


class Roomy(Exception):
    """The place has so much space that it is not filled up."""


def _answer(act: Callable[[], object]) -> str:
    try:
        act()
    except OSError as error:
        return told_error(raised(error, False, "").classes)
    return "done"


def _written(file: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(file, left) :]


def fill_up(base: int, operation: FillUp) -> Value:
    """Write until there is no space."""
    space = os.fstatvfs(base)
    room = space.f_bavail * space.f_frsize
    if room > MOST:
        raise Roomy(ROOMY.format(room=room))
    if _is_there(base, operation.path):
        raise CannotName("the path is taken")
    calls.mkdirs(base, Mkdirs(operation.path))
    try:
        return _filled(base, operation, room)
    finally:
        calls.delete(base, Delete(operation.path, True))


def _is_there(base: int, path: Path) -> bool:
    try:
        with placed(base, name_of(path)) as (parent, last):
            os.stat(last, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _filled(base: int, operation: FillUp, room: int) -> Value:
    path, found = (*operation.path, "f"), Found()
    file = calls.opened_to_create(base, Create(path, (), False))
    try:
        for data in filling(room):
            if not found.wrote(_answer(lambda data=data: _written(file, data)), data):  # type: ignore[misc]
                break
            if operation.synced and not found.synced(_answer(lambda: os.fsync(file))):
                break
    finally:
        closed = _answer(lambda: os.close(file))
    found.closed(closed)
    kept, sound = found.compared(_read(base, path))
    deleted = calls.delete(base, Delete(path, False)) and not _is_there(base, path)
    anew = _anew(base, (*operation.path, "g"), anew_size(room))
    return facts_of(found, NOT_ASKED, NOT_ASKED, kept, sound, deleted, anew)


def _read(base: int, path: Path) -> bytes | None:
    with suppress(OSError):
        return _whole(base, path)
    return None


def _whole(base: int, path: Path) -> bytes:
    with placed(base, name_of(path)) as (parent, last):
        file = os.open(last, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=parent)
    with open(file, "rb") as found:
        return found.read()


def _anew(base: int, path: Path, size: int) -> str:
    data = piece(1, size)

    def write() -> None:
        file = calls.opened_to_create(base, Create(path, (), True))
        try:
            _written(file, data)
        finally:
            os.close(file)

    answer = _answer(write)
    return answer if answer != "done" or _read(base, path) == data else "other bytes"


CALLS: dict[type, Callable[[int, Any], Value]] = {FillUp: fill_up}
