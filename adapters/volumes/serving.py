"""The kernel's requests to a filesystem, and its answers: the protocol of FUSE over bytes. No I/O.

It is spoken here and not through a library, as the libraries' call by path, which loses what this is for: an inode
that is open and has no name, two names of one inode, the flags of each write. Numbers and layouts are those of the
kernel's ``linux/fuse.h``, version 7.31 or later.

Nothing is kept in the kernel's caches: entries and attributes are valid for no time, and files are opened for direct
I/O, so that each read and each write comes here. So a file can't be mapped shared (mmap gives ENODEV); private
mappings work, and so programs run. Locks (flock, fcntl) are the kernel's own: they hold between all processes of the
machine. What is not passed on by the kernel is sync(2) and syncfs(2): only servers for virtual machines get them.
"""

from __future__ import annotations

import errno
import os
import stat
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

from fsconform.adapters.errnos import fault
from fsconform.adapters.volumes.attributes import Kind, Status
from fsconform.adapters.volumes.contents import PAGE
from fsconform.adapters.volumes.durability import INODES, LONGEST_NAME, ROOT, Filesystem, Loss

LARGEST: Final = 1 << 20
"""Bytes of the largest write that the kernel sends in one."""
BUFFER: Final = LARGEST + PAGE
"""Bytes of the largest request."""

_MAJOR, _OLDEST, _NEWEST = 7, 31, 33
_HEADER, _ANSWER = struct.Struct("<IIQQIIIHH"), struct.Struct("<IiQ")
_INIT, _INIT_ANSWER = struct.Struct("<IIII"), struct.Struct("<IIIIHHIIHHI28x")
_ATTRIBUTES = struct.Struct("<QQQQQQIIIIIIIIII")
_ENTRY, _ATTRIBUTES_HEAD = struct.Struct("<QQQQII"), struct.Struct("<QII")
_SETATTR = struct.Struct("<IIQQQQQQIIIIIIII")
_IO, _WRITTEN = struct.Struct("<QQIIQII"), struct.Struct("<II")
_OPEN, _OPENED = struct.Struct("<II"), struct.Struct("<QII")
_CREATE, _MKNOD, _MKDIR = struct.Struct("<IIII"), struct.Struct("<IIII"), struct.Struct("<II")
_SPACE = struct.Struct("<QQQQQIIII24x")
_FSYNC, _RENAME2 = struct.Struct("<QII"), struct.Struct("<QII")
_ALLOCATE = struct.Struct("<QQQII")
_U64, _U32_PAIR = struct.Struct("<Q"), struct.Struct("<II")
_FORGET = struct.Struct("<QQ")
_DIRENT = struct.Struct("<QQII")

_MAX_PAGES, _HANDLE_KILLPRIV_V2, _BIG_WRITES = 1 << 22, 1 << 28, 1 << 5
_SET_MODE, _SET_UID, _SET_GID, _SET_SIZE, _SET_ATIME, _SET_MTIME = 1, 2, 4, 8, 16, 32
_ATIME_NOW, _MTIME_NOW, _KILL_BITS = 128, 256, 2048
_WRITE_KILL_BITS = 4
_DIRECT_IO = 1
_DATA_ONLY = 1
_KEEP_SIZE = 1
_NAMESPACES = (b"user.", b"trusted.", b"security.")
_CHANGING = os.O_WRONLY | os.O_RDWR
_EPOCH_BITS = 40
_NANO = 10**9


@dataclass(slots=True)
class _Handle:
    """An open file or directory, and the listing that is being read of it."""

    inode: int
    listing: list[tuple[bytes, int, Kind]] = field(default_factory=list)


class Server:
    """Answers for a filesystem. Each request holds a lock while it is answered, and so does who loses the power.

    Ids that the kernel has of files and of what is open mean nothing any more after a loss of power: ESTALE. Those of
    directories stay where the directory survived: who holds one open to look below it, and saw no loss, goes on.
    """

    def __init__(self, filesystem: Filesystem, clock: Callable[[], int]) -> None:
        self.filesystem, self.lock = filesystem, Lock()
        self._clock, self._epoch, self._last_handle = clock, 0, 0
        self._handles: dict[int, _Handle] = {}
        self._lookups: dict[int, int] = {}

    def lose(self, how: Callable[[Filesystem], Loss]) -> Loss:
        """Lose the power; nothing that is open stays so."""
        with self.lock:
            loss = how(self.filesystem)
            self._epoch += 1
            self._handles.clear()
            self._lookups.clear()
            return loss

    def answer(self, request: memoryview) -> tuple[bytes, bytes] | None:
        """The head and the rest of the answer to a request; None for one that gets no answer."""
        _, opcode, unique, node, uid, gid, *_ = _HEADER.unpack_from(request)
        body = request[_HEADER.size :]
        if opcode in _SILENT:
            with self.lock:
                _SILENT[opcode](self, node, body)
            return None
        try:
            call = _CALLS.get(opcode)
            if call is None:
                raise fault(errno.ENOSYS)
            with self.lock:
                told = call(self, _Request(node, uid, gid, body))
        except OSError as error:
            return _ANSWER.pack(_ANSWER.size, -(error.errno or errno.EIO), unique), b""
        return _ANSWER.pack(_ANSWER.size + len(told), 0, unique), told

    # Ids.

    def inode_of(self, node: int) -> int:
        """The inode that the kernel means. Raises ESTALE for a file of before a loss of power, and for what is lost."""
        if node == ROOT:
            return ROOT
        inode = node & ((1 << _EPOCH_BITS) - 1)
        if node >> _EPOCH_BITS != self._epoch and not self.filesystem.is_directory(inode):
            raise fault(errno.ESTALE)
        return inode

    def entry(self, inode: int) -> bytes:
        """Give the kernel an inode, which it holds from now on."""
        node = inode if inode == ROOT else self._epoch << _EPOCH_BITS | inode
        self._lookups[node] = self._lookups.get(node, 0) + 1
        self.filesystem.hold(inode)
        return _ENTRY.pack(node, 0, 0, 0, 0, 0) + _packed(self.filesystem.status(inode))

    def forget(self, node: int, count: int) -> None:
        """The kernel holds an inode so many times less."""
        left = self._lookups.get(node, 0) - count
        if left > 0:
            self._lookups[node] = left
        elif self._lookups.pop(node, None) is not None and node != ROOT:
            self.filesystem.release(self.inode_of(node))

    def open(self, inode: int) -> int:
        """A new id of what is open."""
        self._last_handle += 1
        self._handles[self._last_handle] = _Handle(inode)
        return self._last_handle

    def opened(self, handle: int) -> _Handle:
        """What is open. Raises ESTALE for what was before a loss of power."""
        found = self._handles.get(handle)
        if found is None:
            raise fault(errno.ESTALE)
        return found

    def close(self, handle: int) -> None:
        """It is open no more."""
        self._handles.pop(handle, None)

    def now(self) -> int:
        """Nanoseconds since the epoch."""
        return self._clock()


@dataclass(frozen=True, slots=True)
class _Request:
    node: int
    uid: int
    gid: int
    body: memoryview

    def names(self, skipped: int = 0) -> list[bytes]:
        """The names behind so many bytes, each ended by a zero."""
        return bytes(self.body[skipped:]).split(b"\0")[:-1]


def _packed(status: Status) -> bytes:
    had = status.attributes
    times = [divmod(one, _NANO) for one in (had.atime, had.mtime, had.ctime)]
    return _ATTRIBUTES.pack(
        *(status.inode, status.size, status.blocks),
        *(seconds & 0xFFFFFFFFFFFFFFFF for seconds, _ in times),
        *(nanos for _, nanos in times),
        *(status.kind.value | had.mode, status.links, had.uid, had.gid, 0, PAGE, 0),
    )


def _attributes(server: Server, inode: int) -> bytes:
    return _ATTRIBUTES_HEAD.pack(0, 0, 0) + _packed(server.filesystem.status(inode))


def _init(server: Server, request: _Request) -> bytes:
    major, minor, read_ahead, flags = _INIT.unpack_from(request.body)
    if major < _MAJOR or (major == _MAJOR and minor < _OLDEST):
        raise fault(errno.EPROTO)
    wanted = flags & (_MAX_PAGES | _HANDLE_KILLPRIV_V2 | _BIG_WRITES)
    minor = min(minor, _NEWEST) if major == _MAJOR else _NEWEST
    return _INIT_ANSWER.pack(_MAJOR, minor, read_ahead, wanted, 16, 12, LARGEST, 1, LARGEST // PAGE, 0, 0)


def _lookup(server: Server, request: _Request) -> bytes:
    inode = server.filesystem.lookup(server.inode_of(request.node), request.names()[0])
    return server.entry(inode)


def _getattr(server: Server, request: _Request) -> bytes:
    return _attributes(server, server.inode_of(request.node))


def _setattr(server: Server, request: _Request) -> bytes:
    found = _SETATTR.unpack_from(request.body)
    valid, _, _, size, _, atime, mtime, _, atime_nanos, mtime_nanos, _, mode, _, uid, gid, _ = found
    inode, disk = server.inode_of(request.node), server.filesystem
    if valid & _SET_SIZE:
        disk.truncate(inode, size)
        if valid & _MTIME_NOW:
            valid &= ~_SET_MTIME
    old = disk.status(inode).attributes.mode
    new_mode = mode if valid & _SET_MODE else _without_bits(old) if valid & _KILL_BITS else old
    now = server.now()
    new_atime = now if valid & _ATIME_NOW else _signed(atime) * _NANO + atime_nanos
    new_mtime = now if valid & _MTIME_NOW else _signed(mtime) * _NANO + mtime_nanos
    if valid & (_SET_MODE | _SET_UID | _SET_GID | _SET_ATIME | _SET_MTIME) or new_mode != old:
        disk.set_attributes(
            inode,
            mode=new_mode,
            uid=uid if valid & _SET_UID else None,
            gid=gid if valid & _SET_GID else None,
            atime=new_atime if valid & _SET_ATIME else None,
            mtime=new_mtime if valid & _SET_MTIME else None,
        )
    return _attributes(server, inode)


def _signed(seconds: int) -> int:
    return seconds - (1 << 64) if seconds >> 63 else seconds


def _without_bits(mode: int) -> int:
    """A mode as a write or a change of owner leaves it."""
    group = stat.S_ISGID if mode & stat.S_IXGRP else 0
    return mode & ~(stat.S_ISUID | group)


def _readlink(server: Server, request: _Request) -> bytes:
    return server.filesystem.target(server.inode_of(request.node))


def _made(server: Server, request: _Request, name: bytes, kind: Kind, mode: int, target: bytes = b"") -> bytes:
    directory = server.inode_of(request.node)
    inode = server.filesystem.make(directory, name, kind, mode, request.uid, request.gid, target)
    return server.entry(inode)


def _symlink(server: Server, request: _Request) -> bytes:
    name, target = request.names()
    if len(target) >= PAGE:
        raise fault(errno.ENAMETOOLONG)
    return _made(server, request, name, Kind.LINK, 0o777, target)


def _mknod(server: Server, request: _Request) -> bytes:
    mode, *_ = _MKNOD.unpack_from(request.body)
    kind = {stat.S_IFREG: Kind.FILE, 0: Kind.FILE, stat.S_IFSOCK: Kind.SOCKET}.get(stat.S_IFMT(mode))
    if kind is None:  # pipes and devices
        raise fault(errno.EPERM)
    return _made(server, request, request.names(_MKNOD.size)[0], kind, mode)


def _mkdir(server: Server, request: _Request) -> bytes:
    mode, _ = _MKDIR.unpack_from(request.body)
    return _made(server, request, request.names(_MKDIR.size)[0], Kind.DIRECTORY, mode)


def _create(server: Server, request: _Request) -> bytes:
    flags, mode, *_ = _CREATE.unpack_from(request.body)
    (name,) = request.names(_CREATE.size)
    directory, disk = server.inode_of(request.node), server.filesystem
    try:
        inode = disk.make(directory, name, Kind.FILE, mode, request.uid, request.gid)
    except FileExistsError:
        if flags & os.O_EXCL:
            raise
        inode = disk.lookup(directory, name)
        if flags & os.O_TRUNC:
            disk.truncate(inode, 0)
    return server.entry(inode) + _OPENED.pack(server.open(inode), _DIRECT_IO, 0)


def _unlink(server: Server, request: _Request) -> bytes:
    server.filesystem.unlink(server.inode_of(request.node), request.names()[0])
    return b""


def _rmdir(server: Server, request: _Request) -> bytes:
    server.filesystem.rmdir(server.inode_of(request.node), request.names()[0])
    return b""


def _rename(server: Server, request: _Request) -> bytes:
    (target,) = _U64.unpack_from(request.body)
    return _renamed(server, request, target, 0, _U64.size)


def _rename2(server: Server, request: _Request) -> bytes:
    target, flags, _ = _RENAME2.unpack_from(request.body)
    return _renamed(server, request, target, flags, _RENAME2.size)


def _renamed(server: Server, request: _Request, target: int, flags: int, skipped: int) -> bytes:
    name, new_name = request.names(skipped)
    server.filesystem.rename(server.inode_of(request.node), name, server.inode_of(target), new_name, flags)
    return b""


def _link(server: Server, request: _Request) -> bytes:
    (old,) = _U64.unpack_from(request.body)
    inode = server.inode_of(old)
    server.filesystem.link(inode, server.inode_of(request.node), request.names(_U64.size)[0])
    return server.entry(inode)


def _open(server: Server, request: _Request) -> bytes:
    flags, _ = _OPEN.unpack_from(request.body)
    inode = server.inode_of(request.node)
    if server.filesystem.read_only and flags & _CHANGING:
        raise fault(errno.EROFS)
    return _OPENED.pack(server.open(inode), _DIRECT_IO, 0)


def _opendir(server: Server, request: _Request) -> bytes:
    return _OPENED.pack(server.open(server.inode_of(request.node)), 0, 0)


def _release(server: Server, request: _Request) -> bytes:
    server.close(_U64.unpack_from(request.body)[0])
    return b""


def _read(server: Server, request: _Request) -> bytes:
    handle, offset, size, *_ = _IO.unpack_from(request.body)
    return server.filesystem.read(server.opened(handle).inode, offset, size)


def _write(server: Server, request: _Request) -> bytes:
    handle, offset, size, how, _, flags, _ = _IO.unpack_from(request.body)
    inode, disk = server.opened(handle).inode, server.filesystem
    data = bytes(request.body[_IO.size : _IO.size + size])
    if how & _WRITE_KILL_BITS:
        old = disk.status(inode).attributes.mode
        if _without_bits(old) != old:
            disk.set_attributes(inode, mode=_without_bits(old))
    return _WRITTEN.pack(disk.write(inode, offset, data, flags), 0)


def _fsync(server: Server, request: _Request) -> bytes:
    handle, flags, _ = _FSYNC.unpack_from(request.body)
    server.filesystem.sync_file(server.opened(handle).inode, data_only=bool(flags & _DATA_ONLY))
    return b""


def _fsyncdir(server: Server, request: _Request) -> bytes:
    handle, *_ = _FSYNC.unpack_from(request.body)
    server.filesystem.sync_directory(server.opened(handle).inode)
    return b""


def _syncfs(server: Server, request: _Request) -> bytes:
    server.filesystem.sync()
    return b""


def _readdir(server: Server, request: _Request) -> bytes:
    number, offset, size, *_ = _IO.unpack_from(request.body)
    handle = server.opened(number)
    if offset == 0:
        handle.listing = server.filesystem.entries_of(handle.inode)
    told = bytearray()
    for place in range(offset, len(handle.listing)):
        name, inode, kind = handle.listing[place]
        length = _DIRENT.size + (len(name) + 7) // 8 * 8
        if len(told) + length > size:
            break
        told += _DIRENT.pack(inode, place + 1, len(name), kind.value >> 12) + name
        told += bytes(-len(told) % 8)
    return bytes(told)


def _statfs(server: Server, request: _Request) -> bytes:
    capacity, free = server.filesystem.space()
    rest = free // PAGE
    inodes = max(0, INODES - server.filesystem.inodes())
    return _SPACE.pack(capacity // PAGE, rest, rest, INODES, inodes, PAGE, LONGEST_NAME, PAGE, 0)


def _setxattr(server: Server, request: _Request) -> bytes:
    size, flags = _U32_PAIR.unpack_from(request.body)
    name = bytes(request.body[_U32_PAIR.size :]).partition(b"\0")[0]
    at = _U32_PAIR.size + len(name) + 1
    value = bytes(request.body[at : at + size])
    server.filesystem.set_xattr(server.inode_of(request.node), _namespaced(name), value, flags)
    return b""


def _getxattr(server: Server, request: _Request) -> bytes:
    size, _ = _U32_PAIR.unpack_from(request.body)
    (name,) = request.names(_U32_PAIR.size)
    return _sized(server.filesystem.xattr(server.inode_of(request.node), _namespaced(name)), size)


def _listxattr(server: Server, request: _Request) -> bytes:
    size, _ = _U32_PAIR.unpack_from(request.body)
    names = server.filesystem.xattrs(server.inode_of(request.node))
    return _sized(b"".join(name + b"\0" for name in names), size)


def _removexattr(server: Server, request: _Request) -> bytes:
    server.filesystem.remove_xattr(server.inode_of(request.node), _namespaced(request.names()[0]))
    return b""


def _namespaced(name: bytes) -> bytes:
    """A name of an extended attribute. Raises EOPNOTSUPP for what the kernel would have to make sense of."""
    if not name.startswith(_NAMESPACES):
        raise fault(errno.EOPNOTSUPP)
    return name


def _sized(value: bytes, size: int) -> bytes:
    """A value, or its length where no room is offered. Raises ERANGE for too little room."""
    if size == 0:
        return _U32_PAIR.pack(len(value), 0)
    if len(value) > size:
        raise fault(errno.ERANGE)
    return value


def _allocate(server: Server, request: _Request) -> bytes:
    handle, offset, length, mode, _ = _ALLOCATE.unpack_from(request.body)
    if mode & ~_KEEP_SIZE:
        raise fault(errno.EOPNOTSUPP)
    server.filesystem.allocate(server.opened(handle).inode, offset, length, keep_size=bool(mode))
    return b""


def _forget(server: Server, node: int, body: memoryview) -> None:
    server.forget(node, _U64.unpack_from(body)[0])


def _forget_many(server: Server, node: int, body: memoryview) -> None:
    count, _ = _U32_PAIR.unpack_from(body)
    for number in range(count):
        server.forget(*_FORGET.unpack_from(body, _U32_PAIR.size + number * _FORGET.size))


_SILENT: dict[int, Callable[[Server, int, memoryview], None]] = {2: _forget, 42: _forget_many}
"""Requests that get no answer, by their numbers."""

_CALLS: dict[int, Callable[[Server, _Request], bytes]] = {
    1: _lookup,
    3: _getattr,
    4: _setattr,
    5: _readlink,
    6: _symlink,
    8: _mknod,
    9: _mkdir,
    10: _unlink,
    11: _rmdir,
    12: _rename,
    13: _link,
    14: _open,
    15: _read,
    16: _write,
    17: _statfs,
    18: _release,
    20: _fsync,
    21: _setxattr,
    22: _getxattr,
    23: _listxattr,
    24: _removexattr,
    26: _init,
    27: _opendir,
    28: _readdir,
    29: _release,
    30: _fsyncdir,
    35: _create,
    43: _allocate,
    45: _rename2,
    50: _syncfs,
}
"""Requests by their numbers. The kernel does by itself what is answered by ENOSYS: access, flush, lseek, locks, ..."""
