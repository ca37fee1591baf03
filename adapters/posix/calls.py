"""Operations as POSIX calls, relative to the open directory in which a program plays.

Each is the call that POSIX has for it. Where POSIX has none (parents made on the way, a whole tree deleted, a rename
into a directory) it is what the specification asks for, in several calls. All raise OSError as the calls do, and
CannotName.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any, TypeVar

from fsconform.adapters.errnos import fault
from fsconform.adapters.folders.trees import STEP, Elements, clear, placed, scanned
from fsconform.adapters.streams import Inexpressible
from fsconform.model.core import content as contents
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Data, Status, Value
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.predicates import Exists

_READ = 1 << 16
"""Bytes that are read at a time."""

_TRIES = 20
"""How often parents are made that another client deletes at the same time."""

_Made = TypeVar("_Made")


class CannotName(Inexpressible):
    """No string of POSIX names the path."""


@lru_cache(maxsize=1 << 12)
def name_of(path: Path) -> Elements:
    """The strings for a path, one for each element. Raises CannotName."""
    for element in path:
        if "/" in element:
            raise CannotName(f"the element {element!r} holds a slash, which separates elements")
        if "\0" in element:
            raise CannotName(f"the element {element!r} holds a NUL, which ends a string")
        if element in ("", ".", ".."):
            raise CannotName(f"POSIX takes the element {element!r} for another directory than one of that name")
    try:
        return tuple(element.encode() for element in path)
    except UnicodeEncodeError as error:
        raise CannotName(f"a name has no UTF-8 form: {error.reason}") from error


def mkdirs(base: int, operation: Mkdirs) -> bool:
    """mkdir, and mkdir of the parents that are missing."""
    _made(base, name_of(operation.path), _mkdir)
    return True


def create(base: int, operation: Create) -> None:
    """open with O_CREAT, also after mkdir of the parents that are missing; write; close."""
    _write(opened_to_create(base, operation), operation.content)


def opened_to_create(base: int, operation: Create) -> int:
    """The descriptor of a new file, or of one that was emptied."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | (os.O_TRUNC if operation.overwrite else os.O_EXCL)
    return _made(base, name_of(operation.path), lambda parent, last: os.open(last, flags, 0o666, dir_fd=parent))


def append(base: int, operation: Append) -> None:
    """open with O_APPEND, write, close."""
    _write(opened_to_append(base, operation), operation.content)


def opened_to_append(base: int, operation: Append) -> int:
    """The descriptor of a file at whose end is written."""
    with placed(base, name_of(operation.path)) as (parent, last):
        return os.open(last, os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW, dir_fd=parent)


def read(base: int, operation: Open) -> Data:
    """open, read to the end, close."""
    with placed(base, name_of(operation.path)) as (parent, last):
        file = os.open(last, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=parent)
    try:
        length, digest = 0, hashlib.sha256()
        while piece := os.read(file, _READ):
            length += len(piece)
            digest.update(piece)
    finally:
        os.close(file)
    return Data(length, digest.hexdigest())


def delete(base: int, operation: Delete) -> bool:
    """unlink or rmdir; before a recursive one, all that is below. The root is emptied and stays.

    What another client takes away meanwhile is gone: false, or true where something was deleted before.
    """
    name = name_of(operation.path)
    is_begun = False
    try:
        is_directory = stat.S_ISDIR(_stat(base, name).st_mode)
        if is_directory and operation.recursive:
            clear(base, name)
            is_begun = True
        if not name:
            if os.listdir(base):
                raise fault(errno.ENOTEMPTY)
            return True
        with placed(base, name) as (parent, last):
            (os.rmdir if is_directory else os.unlink)(last, dir_fd=parent)
    except (FileNotFoundError, NotADirectoryError):
        return is_begun
    return True


_TRIES = 8
"""How often a rename finds out what the destination is, while other clients make it another."""


def rename(base: int, operation: Rename) -> bool:
    """rename; below the destination if that is a directory which rename does not replace."""
    source, destination = name_of(operation.src), name_of(operation.dst)
    if not _there(base, source):
        raise fault(errno.ENOENT)
    below = (*destination, *source[-1:])
    for _ in range(_TRIES):
        try:
            _move(base, source, destination or below)
            return True
        except OSError as error:
            if error.errno not in (errno.EISDIR, errno.ENOTEMPTY):
                raise
        try:
            _move(base, source, below)
            return True
        except FileNotFoundError:
            # Another client may have taken the directory away between the two calls: then it is none to rename into.
            if not destination or _there(base, destination) or not _there(base, source):
                raise
    raise fault(errno.ENOENT)


def get_file_status(base: int, operation: GetFileStatus) -> Status:
    """stat."""
    return _status(operation.path, _stat(base, name_of(operation.path)))


def exists(base: int, operation: Exists) -> bool:
    """stat: false if it finds nothing."""
    return _there(base, name_of(operation.path))


def list_status(base: int, operation: ListStatus) -> tuple[Status, ...]:
    """stat of a file; of a directory readdir, and stat of each entry."""
    path, name = operation.path, name_of(operation.path)
    found = _stat(base, name)
    if not stat.S_ISDIR(found.st_mode):
        return (_status(path, found),)
    listed = []
    with scanned(base, name) as entries:
        for entry in entries:
            with suppress(FileNotFoundError):  # it went away after it was read
                child = os.fsencode(entry.name).decode("utf-8", "replace")
                listed.append(_status((*path, child), entry.stat(follow_symlinks=False)))
    return tuple(listed)


CALLS: dict[type, Callable[[int, Any], Value]] = {
    Mkdirs: mkdirs,
    Create: create,
    Append: append,
    Open: read,
    Delete: delete,
    Rename: rename,
    GetFileStatus: get_file_status,
    Exists: exists,
    ListStatus: list_status,
}


def makes(operation: Operation) -> bool:
    """True of operations that make a path exist: see errors.MAKING."""
    if isinstance(operation, OpenWriter):
        return operation.mode != "append"
    return isinstance(operation, Mkdirs | Create | Rename)


def _stat(base: int, name: Elements) -> os.stat_result:
    with placed(base, name) as (parent, last):
        return os.stat(last, dir_fd=parent, follow_symlinks=False)


def _there(base: int, name: Elements) -> bool:
    try:
        _stat(base, name)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _status(path: Path, found: os.stat_result) -> Status:
    is_directory = stat.S_ISDIR(found.st_mode)
    # POSIX leaves the size of a directory unspecified, so the specification's 0 is as true as any.
    return Status(path, is_directory, 0 if is_directory else found.st_size, found.st_blksize)


def _move(base: int, source: Elements, destination: Elements) -> None:
    """Rename what is there. A directory is not put onto a file: rename says the same of that and of a file above it."""
    try:
        with placed(base, source) as (src_dir, src), placed(base, destination) as (dst_dir, dst):
            os.rename(src, dst, src_dir_fd=src_dir, dst_dir_fd=dst_dir)
    except NotADirectoryError as error:
        if _there(base, destination):
            raise fault(errno.EEXIST) from error
        raise


def _mkdir(parent: int, name: bytes) -> None:
    """Make a directory, or find it there."""
    try:
        os.mkdir(name, dir_fd=parent)
    except FileExistsError:
        if not stat.S_ISDIR(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode):
            raise


def _made(base: int, name: Elements, make: Callable[[int, bytes], _Made]) -> _Made:
    """What ``make`` gives in the parent of a path; the parents are made, and made again if another client deletes them.

    Raises FileNotFoundError if that happens too often, and what ``make`` raises.
    """
    for tries_left in reversed(range(_TRIES)):
        with suppress(FileNotFoundError), placed(base, name) as (parent, last):
            return make(parent, last)
        try:
            with _parents(base, name) as parent:
                return make(parent, name[-1])
        except FileNotFoundError:
            if not tries_left:
                raise
    raise AssertionError("the last try returns or raises")


@contextmanager
def _parents(base: int, name: Elements) -> Iterator[int]:
    """Make the missing parents of a path and open the last; take them away again if what they are made for fails."""
    made: list[Elements] = []
    parent = base
    try:
        for depth, element in enumerate(name[:-1], 1):
            with suppress(FileExistsError):  # if it is a file, the next call says so
                os.mkdir(element, dir_fd=parent)
                made.append(name[:depth])
            parent, left = os.open(element, STEP, dir_fd=parent), parent
            if left != base:
                os.close(left)
        yield parent
    except OSError:
        for directory in reversed(made):
            with suppress(OSError), placed(base, directory) as (above, last):
                os.rmdir(last, dir_fd=above)
        raise
    finally:
        if parent != base:
            os.close(parent)


def _write(file: int, content: contents.Content) -> None:
    """Write everything and close."""
    try:
        for piece in contents.chunks(content):
            left = memoryview(piece)
            while left:
                left = left[os.write(file, left) :]
    finally:
        os.close(file)
