"""A POSIX filesystem in memory that knows what is durable: what is there now, and what a loss of power leaves. Pure.

It stands below stores whose promises of durability are judged. What is durable follows one of two disciplines:

``posix``
    what the standard promises and no more. fsync of a file makes its data, its size and its attributes durable,
    fdatasync its data and its size; neither its name. fsync of a directory makes the changes of its entries durable,
    with what they hang on: that the directory itself was made, and what was done to the same names before. A rename is
    one step.
``ordered``
    what a journalling filesystem in ordered mode (ext4 as it is mounted by default) does: whatever is synced, all
    changes of names, of attributes and all truncations up to then are durable, in their order. Data still have to be
    synced, but a size that a write made never survives without its data.

A write by a descriptor of O_SYNC or O_DSYNC is durable when it returns: its pages, and the size; with O_SYNC the
attributes too. O_DIRECT alone makes nothing durable: the bytes may be in the cache of the device. Times of access
are not kept (noatime). Whoever may do what is for the kernel to say.

Methods raise OSError with the number that the call would have given. One caller at a time: it holds a lock.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from random import Random

from fsconform.adapters.errnos import fault
from fsconform.adapters.volumes.attributes import Attributes, Kind, Status
from fsconform.adapters.volumes.contents import PAGE, Contents
from fsconform.adapters.volumes.journal import Entry, Journal, Step

ROOT = 1
"""The inode of the top directory."""
LONGEST_NAME = 255
"""Bytes."""
LONGEST_VALUE = 65536
"""Bytes of an extended attribute."""
CAPACITY = 1 << 36
"""Bytes of space, as a volume of 64 GiB has it; only what is written takes memory."""
INODES = 1 << 24
"""How many inodes a volume tells to have; more are taken."""

RENAME_NOREPLACE, RENAME_EXCHANGE = 1, 2


class Discipline(StrEnum):
    """What makes what durable: see the module."""

    POSIX = "posix"
    ORDERED = "ordered"


@dataclass(slots=True)
class Node:
    """An inode: as it is, and (``kept_*``) as a loss of power leaves it. It goes when nothing needs it."""

    inode: int
    kind: Kind
    attributes: Attributes
    kept_attributes: Attributes
    parent: int = 0
    """The directory in which a directory is."""
    target: bytes = b""
    contents: Contents = field(default_factory=Contents)
    entries: dict[bytes, int] = field(default_factory=dict)
    kept_entries: dict[bytes, int] = field(default_factory=dict)
    names: int = 0
    kept_names: int = 0
    pending_names: int = 0
    """Steps of the journal that speak of it."""
    held: bool = False
    """Whether a descriptor, or the kernel, may still ask for it."""
    directories: int = 0
    """How many of the entries are directories."""
    counted: bool = True
    """Whether its pages take space: what has no name and is not held takes none, though its end be pending."""

    @property
    def is_directory(self) -> bool:
        """Whether it is one."""
        return self.kind is Kind.DIRECTORY


@dataclass(frozen=True, slots=True)
class PendingFile:
    """What of a file would be lost: ranges (offset and length) of bytes that were written, and the sizes."""

    paths: tuple[bytes, ...]
    """Its names now; none if it was deleted and is open."""
    ranges: tuple[tuple[int, int], ...]
    size: int
    durable_size: int


@dataclass(frozen=True, slots=True)
class Pending:
    """What would be lost: of files, and steps of the journal in words."""

    files: tuple[PendingFile, ...]
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Loss:
    """What a loss of power did: how many files had something pending, which steps were lost, which write is torn."""

    files: int
    lost: tuple[str, ...]
    survived: tuple[str, ...]
    torn: bytes = b""
    """The path of the file whose last write survived in part; none if no write that could be torn was pending."""
    sectors: tuple[int, ...] = ()
    """The offsets in it of the sectors that survived."""


@dataclass(slots=True)
class Statistics:
    """How often what was called since the volume was made."""

    fsync: int = 0
    fdatasync: int = 0
    fsyncdir: int = 0
    writes: int = 0
    synced_writes: int = 0
    """Of the writes those with O_SYNC or O_DSYNC."""
    bytes_written: int = 0
    truncations: int = 0
    name_changes: int = 0
    losses: int = 0


class Filesystem:
    """The filesystem. ``clock`` gives nanoseconds since the epoch."""

    def __init__(
        self,
        discipline: Discipline,
        clock: Callable[[], int],
        uid: int = 0,
        gid: int = 0,
        capacity: int = CAPACITY,
    ) -> None:
        self.discipline, self.capacity, self.read_only = discipline, capacity, False
        self.statistics = Statistics()
        self._clock, self._moment, self._last_inode, self._used = clock, 0, ROOT, 0
        self._journal = Journal()
        self._dirty: dict[int, None] = {}
        now = clock()
        top = Attributes(0o755, uid, gid, now, now, now)
        self._nodes = {ROOT: Node(ROOT, Kind.DIRECTORY, top, top, ROOT, names=1, kept_names=1)}

    # What is there.

    def status(self, inode: int) -> Status:
        """What ``stat`` says. Raises ESTALE where there is no such inode, as all methods do."""
        node = self._node(inode)
        if node.is_directory:
            links = 2 + node.directories if node.names else 0
            return Status(inode, node.kind, node.attributes, links, PAGE, PAGE // 512)
        if node.kind is Kind.FILE:
            blocks = len(node.contents.pages) * (PAGE // 512)
            return Status(inode, node.kind, node.attributes, node.names, node.contents.size, blocks)
        return Status(inode, node.kind, node.attributes, node.names, len(node.target), 0)

    def lookup(self, directory: int, name: bytes) -> int:
        """The inode of an entry. Raises ENOENT, ENOTDIR, ENAMETOOLONG."""
        found = self._entries(directory, name).get(name, 0)
        if not found:
            raise fault(errno.ENOENT)
        return found

    def entries_of(self, directory: int) -> list[tuple[bytes, int, Kind]]:
        """The entries of a directory, ``.`` and ``..`` first. Raises ENOTDIR."""
        node = self._directory(directory)
        found = [(b".", directory, Kind.DIRECTORY), (b"..", node.parent, Kind.DIRECTORY)]
        return found + [(name, inode, self._nodes[inode].kind) for name, inode in node.entries.items()]

    def target(self, inode: int) -> bytes:
        """Where a symbolic link leads. Raises EINVAL."""
        node = self._node(inode)
        if node.kind is not Kind.LINK:
            raise fault(errno.EINVAL)
        return node.target

    def read(self, inode: int, offset: int, length: int) -> bytes:
        """Bytes of a file. Raises EISDIR, EINVAL."""
        return self._file(inode).contents.read(offset, length)

    def space(self) -> tuple[int, int]:
        """Bytes of capacity, and how many of them are free."""
        return self.capacity, max(0, self.capacity - self._used * PAGE)

    def is_directory(self, inode: int) -> bool:
        """Whether it is that of a directory; inodes are never given anew."""
        return inode in self._nodes and self._nodes[inode].is_directory

    def inodes(self) -> int:
        """How many inodes there are."""
        return len(self._nodes)

    # Names.

    def make(self, directory: int, name: bytes, kind: Kind, mode: int, uid: int, gid: int, target: bytes = b"") -> int:
        """Make a file, a directory, a symbolic link to ``target`` or a socket's name; its inode.

        In a directory with set-group-id the group is the directory's. Raises EEXIST, ENOENT, ENOSPC, EROFS, ...
        """
        entries = self._entries(directory, name)
        if name in entries or name in (b".", b".."):
            raise fault(errno.EEXIST)
        parent = self._takes_entries(directory)
        if parent.attributes.mode & stat.S_ISGID:
            gid = parent.attributes.gid
            mode |= stat.S_ISGID if kind is Kind.DIRECTORY else 0
        if self.space()[1] < PAGE:
            raise fault(errno.ENOSPC)
        now = self._clock()
        attributes = Attributes(mode & 0o7777, uid, gid, now, now, now)
        self._last_inode += 1
        inode = self._last_inode
        self._nodes[inode] = Node(inode, kind, attributes, attributes, target=target)
        call = {Kind.FILE: "create", Kind.DIRECTORY: "mkdir", Kind.LINK: "symlink"}.get(kind, "mknod")
        made = inode if kind is Kind.DIRECTORY else 0
        self._change(call, (Entry(directory, name, 0, inode),), made=made)
        return inode

    def link(self, inode: int, directory: int, name: bytes) -> None:
        """Give an inode another name. Raises EEXIST, EPERM for a directory, ENOENT for what has no name any more."""
        node = self._node(inode)
        if name in self._entries(directory, name) or name in (b".", b".."):
            raise fault(errno.EEXIST)
        if node.is_directory:
            raise fault(errno.EPERM)
        if not node.names:
            raise fault(errno.ENOENT)
        self._takes_entries(directory)
        self._touch(node, ctime=True)
        self._change("link", (Entry(directory, name, 0, inode),))

    def unlink(self, directory: int, name: bytes) -> None:
        """Take away a name that is no directory's. Raises ENOENT, EISDIR, EROFS."""
        inode = self.lookup(directory, name)
        node = self._nodes[inode]
        if node.is_directory:
            raise fault(errno.EISDIR)
        self._takes_entries(directory)
        self._touch(node, ctime=True)
        self._change("unlink", (Entry(directory, name, inode, 0),))

    def rmdir(self, directory: int, name: bytes) -> None:
        """Take away an empty directory. Raises ENOENT, ENOTDIR, ENOTEMPTY, EINVAL, EROFS."""
        if name in (b".", b".."):
            raise fault(errno.EINVAL if name == b"." else errno.ENOTEMPTY)
        inode = self.lookup(directory, name)
        node = self._nodes[inode]
        if not node.is_directory:
            raise fault(errno.ENOTDIR)
        if node.entries:
            raise fault(errno.ENOTEMPTY)
        self._takes_entries(directory)
        self._change("rmdir", (Entry(directory, name, inode, 0),), gone=inode)

    def rename(self, source: int, name: bytes, target: int, new_name: bytes, flags: int = 0) -> None:
        """Rename, in one step, over what is there if it may be; ``flags`` as of renameat2.

        Raises ENOENT, EEXIST, EISDIR, ENOTDIR, ENOTEMPTY, EINVAL for a directory into itself, EROFS.
        """
        if flags & ~(RENAME_NOREPLACE | RENAME_EXCHANGE) or flags == RENAME_NOREPLACE | RENAME_EXCHANGE:
            raise fault(errno.EINVAL)
        if {name, new_name} & {b".", b".."}:
            raise fault(errno.EBUSY)
        inode = self.lookup(source, name)
        other = self._entries(target, new_name).get(new_name, 0)
        node = self._nodes[inode]
        if flags & RENAME_NOREPLACE and other:
            raise fault(errno.EEXIST)
        if flags & RENAME_EXCHANGE and not other:
            raise fault(errno.ENOENT)
        if node.is_directory and self._is_below(target, inode):
            raise fault(errno.EINVAL)
        if other and self._nodes[other].is_directory and self._is_below(source, other):
            raise fault(errno.EINVAL if flags & RENAME_EXCHANGE else errno.ENOTEMPTY)
        replaced = self._nodes[other] if other and not flags & RENAME_EXCHANGE else None
        if replaced is not None and replaced is not node:
            if node.is_directory and not replaced.is_directory:
                raise fault(errno.ENOTDIR)
            if replaced.is_directory and not node.is_directory:
                raise fault(errno.EISDIR)
            if replaced.entries:
                raise fault(errno.ENOTEMPTY)
        self._takes_entries(source)
        self._takes_entries(target)
        if other == inode:
            return
        self._touch(node, ctime=True)
        if other:
            self._touch(self._nodes[other], ctime=True)
        back = other if flags & RENAME_EXCHANGE else 0
        entries = (Entry(source, name, inode, back), Entry(target, new_name, other, inode))
        moved = source != target and (node.is_directory or (back != 0 and self._nodes[back].is_directory))
        gone = other if replaced is not None and replaced.is_directory else 0
        self._change("exchange" if back else "rename", entries, gone=gone, moved=moved)

    # Data.

    def write(self, inode: int, offset: int, data: bytes, flags: int = 0) -> int:
        """Write bytes; how many were. ``flags`` are those of the descriptor: with O_SYNC or O_DSYNC they are durable.

        Raises ENOSPC where not one has room, EROFS, EFBIG.
        """
        node = self._file(inode)
        self._changeable(inode)
        if not data:
            return 0
        if offset + len(data) > (1 << 63) - 1:
            raise fault(errno.EFBIG)
        data = self._fitting(node.contents, offset, data)
        before = len(node.contents.pages)
        node.contents.write(self._next(), offset, data)
        self._grown(node, before)
        self._dirty[inode] = None
        self._touch(node, mtime=True, ctime=True)
        self.statistics.writes += 1
        self.statistics.bytes_written += len(data)
        if flags & (os.O_SYNC | os.O_DSYNC):
            self.statistics.synced_writes += 1
            node.contents.sync_range(offset, len(data))
            if flags & os.O_SYNC == os.O_SYNC:
                self._keep_attributes(node)
            self._committed_beside(node)
        return len(data)

    def truncate(self, inode: int, size: int) -> None:
        """Set the size. Raises EISDIR, EINVAL, EROFS."""
        node = self._file(inode)
        self._changeable(inode)
        if size < 0:
            raise fault(errno.EINVAL)
        before = len(node.contents.pages)
        if size != node.contents.size:
            node.contents.truncate(self._next(), size)
            self._dirty[inode] = None
        self._grown(node, before)
        self._touch(node, mtime=True, ctime=True)
        self.statistics.truncations += 1

    def allocate(self, inode: int, offset: int, length: int, keep_size: bool) -> None:
        """See that there is room for a range; the file grows to its end, unless it is to keep its size.

        Nothing is reserved. Raises ENOSPC, EINVAL, EROFS.
        """
        node = self._file(inode)
        self._changeable(inode)
        if offset < 0 or length <= 0:
            raise fault(errno.EINVAL)
        if length > self.space()[1]:
            raise fault(errno.ENOSPC)
        if not keep_size and offset + length > node.contents.size:
            self.truncate(inode, offset + length)

    # Attributes.

    def set_attributes(
        self,
        inode: int,
        *,
        mode: int | None = None,
        uid: int | None = None,
        gid: int | None = None,
        atime: int | None = None,
        mtime: int | None = None,
    ) -> None:
        """Change attributes; times in nanoseconds since the epoch. Raises EROFS."""
        node = self._changeable(inode)
        old = node.attributes
        changed = replace(
            old,
            mode=old.mode if mode is None else mode & 0o7777,
            uid=old.uid if uid is None else uid,
            gid=old.gid if gid is None else gid,
            atime=old.atime if atime is None else atime,
            mtime=old.mtime if mtime is None else mtime,
        )
        self._set(node, changed, "setattr")

    def set_xattr(self, inode: int, name: bytes, value: bytes, flags: int = 0) -> None:
        """Set an extended attribute. Raises EEXIST with XATTR_CREATE, ENODATA with XATTR_REPLACE, ERANGE, E2BIG."""
        node = self._changeable(inode)
        there = dict(node.attributes.xattrs)
        if not 0 < len(name) <= LONGEST_NAME:
            raise fault(errno.ERANGE)
        if len(value) > LONGEST_VALUE:
            raise fault(errno.E2BIG)
        if flags & os.XATTR_CREATE and name in there:
            raise fault(errno.EEXIST)
        if flags & os.XATTR_REPLACE and name not in there:
            raise fault(errno.ENODATA)
        there[name] = value
        self._set(node, replace(node.attributes, xattrs=tuple(sorted(there.items()))), "setxattr")

    def xattr(self, inode: int, name: bytes) -> bytes:
        """An extended attribute. Raises ENODATA."""
        found = dict(self._node(inode).attributes.xattrs).get(name)
        if found is None:
            raise fault(errno.ENODATA)
        return found

    def xattrs(self, inode: int) -> tuple[bytes, ...]:
        """The names of the extended attributes."""
        return tuple(name for name, _ in self._node(inode).attributes.xattrs)

    def remove_xattr(self, inode: int, name: bytes) -> None:
        """Take an extended attribute away. Raises ENODATA, EROFS."""
        node = self._changeable(inode)
        self.xattr(inode, name)
        left = tuple(one for one in node.attributes.xattrs if one[0] != name)
        self._set(node, replace(node.attributes, xattrs=left), "removexattr")

    # Durability.

    def sync_file(self, inode: int, data_only: bool = False) -> None:
        """What fsync of a file does, or fdatasync. Raises EROFS where something is pending on a read-only medium."""
        node = self._node(inode)
        if data_only:
            self.statistics.fdatasync += 1
        else:
            self.statistics.fsync += 1
        if self.read_only and node.contents.pending:
            raise fault(errno.EROFS)
        node.contents.sync()
        self._dirty.pop(inode, None)
        if not data_only:
            self._keep_attributes(node)
        self._committed_beside(node)

    def sync_directory(self, inode: int) -> None:
        """What fsync of a directory does. Raises EROFS where something is pending on a read-only medium, ENOTDIR."""
        node = self._directory(inode)
        self.statistics.fsyncdir += 1
        changes = self._journal.of_directory(inode)
        if self.read_only and changes:
            raise fault(errno.EROFS)
        if self.discipline is Discipline.POSIX:
            self._commit(self._journal.with_needs(changes))
        self._keep_attributes(node)
        self._committed_beside(node)

    def sync(self) -> None:
        """All is durable from now on."""
        for inode in self._dirty:
            self._nodes[inode].contents.sync()
        self._dirty.clear()
        self._commit(list(self._journal.steps))
        for node in self._nodes.values():
            node.kept_attributes = node.attributes

    def pending(self) -> Pending:
        """What would be lost if the power was lost now."""
        paths = self._paths()
        files = [
            PendingFile(paths.get(inode, ()), contents.ranges(), contents.size, contents.kept_size)
            for inode, contents in ((one, self._nodes[one].contents) for one in sorted(self._dirty))
            if contents.pending
        ]
        return Pending(tuple(files), self._told(self._journal.steps.values(), paths))

    def lose_all(self) -> Loss:
        """The power is lost: nothing that is pending survives. All inodes but those with durable names are gone."""
        return self._lose((), lambda contents: contents.lose_all())

    def lose_some(self, seed: int) -> Loss:
        """The power is lost: a part of what is pending survives, which the seed decides."""
        return self._lose_by_chance(Random(seed), tear=False)

    def tear(self, seed: int) -> Loss:
        """As :meth:`lose_some`, and of one file the last write survives in part, where there is one of two sectors."""
        return self._lose_by_chance(Random(seed), tear=True)

    def flip(self, inode: int, offset: int, mask: int = 0xFF) -> None:
        """A byte of a file rots on the medium. Raises EISDIR, EINVAL where it has no such byte."""
        node = self._file(inode)
        if not 0 <= offset < node.contents.size:
            raise fault(errno.EINVAL)
        before = len(node.contents.pages)
        node.contents.flip(offset, mask)
        self._grown(node, before)

    def find(self, path: bytes) -> int:
        """The inode at a path from the top, no link followed. Raises ENOENT, ENOTDIR."""
        inode = ROOT
        for name in path.split(b"/"):
            if name:
                inode = self.lookup(inode, name)
        return inode

    def hold(self, inode: int) -> None:
        """Keep an inode, named or not, until it is released."""
        node = self._node(inode)
        node.held = True
        if not node.counted:
            node.counted = True
            self._used += len(node.contents.pages)

    def release(self, inode: int) -> None:
        """Nobody asks for an inode any more; it goes if it has no name."""
        if inode in self._nodes:
            self._nodes[inode].held = False
            self._collect(inode)

    # Inside.

    def _next(self) -> int:
        self._moment += 1
        return self._moment

    def _node(self, inode: int) -> Node:
        found = self._nodes.get(inode)
        if found is None:
            raise fault(errno.ESTALE)
        return found

    def _directory(self, inode: int) -> Node:
        node = self._node(inode)
        if not node.is_directory:
            raise fault(errno.ENOTDIR)
        return node

    def _file(self, inode: int) -> Node:
        node = self._node(inode)
        if node.kind is not Kind.FILE:
            raise fault(errno.EISDIR if node.is_directory else errno.EINVAL)
        return node

    def _entries(self, directory: int, name: bytes) -> dict[bytes, int]:
        node = self._directory(directory)
        if len(name) > LONGEST_NAME:
            raise fault(errno.ENAMETOOLONG)
        return node.entries

    def _changeable(self, inode: int) -> Node:
        """The node, if the medium can be written."""
        node = self._node(inode)
        if self.read_only:
            raise fault(errno.EROFS)
        return node

    def _takes_entries(self, directory: int) -> Node:
        """The directory, if the medium can be written and if it has not been deleted."""
        node = self._changeable(directory)
        if not node.names:
            raise fault(errno.ENOENT)
        return node

    def _is_below(self, directory: int, ancestor: int) -> bool:
        while directory not in (ancestor, ROOT):
            directory = self._nodes[directory].parent
        return directory == ancestor

    def _fitting(self, contents: Contents, offset: int, data: bytes) -> bytes:
        """As much of the data as there is room for. Raises ENOSPC if that is nothing."""
        free = self.space()[1] // PAGE
        if not data or len(data) // PAGE + 2 <= free:
            return data
        for page in range(offset // PAGE, (offset + len(data) - 1) // PAGE + 1):
            free -= page not in contents.pages
            if free < 0:
                room = page * PAGE - offset
                if room <= 0:
                    raise fault(errno.ENOSPC)
                return data[:room]
        return data

    def _grown(self, node: Node, before: int) -> None:
        if node.counted:
            self._used += len(node.contents.pages) - before

    def _touch(self, node: Node, mtime: bool = False, ctime: bool = False) -> None:
        now, old = self._clock(), node.attributes
        node.attributes = replace(old, mtime=now if mtime else old.mtime, ctime=now if ctime else old.ctime)

    def _set(self, node: Node, attributes: Attributes, call: str) -> None:
        node.attributes = replace(attributes, ctime=self._clock())
        self._journal.note_attributes(self._next(), call, node.inode, node.attributes)
        node.pending_names += 1

    def _change(
        self, call: str, entries: tuple[Entry, ...], *, made: int = 0, gone: int = 0, moved: bool = False
    ) -> None:
        self._journal.note(self._next(), call, entries, made=made, gone=gone, moved=moved)
        self.statistics.name_changes += 1
        for entry in entries:
            self._nodes[entry.directory].pending_names += 1
            for inode in {entry.before, entry.after} - {0}:
                self._nodes[inode].pending_names += 1
        for entry in entries:
            directory = self._nodes[entry.directory]
            _put(directory.entries, entry)
            self._touch(directory, mtime=True, ctime=True)
            if entry.before:
                self._nodes[entry.before].names -= 1
                directory.directories -= self._nodes[entry.before].is_directory
            if entry.after:
                self._nodes[entry.after].names += 1
                self._nodes[entry.after].parent = entry.directory
                directory.directories += self._nodes[entry.after].is_directory
        for entry in entries:
            self._collect(entry.before)

    def _commit(self, moments: Iterable[int]) -> list[Step]:
        """Make steps durable; they hang on no others."""
        taken = self._journal.take(moments)
        for step in taken:
            self._apply(step)
        for step in taken:
            for entry in step.entries:
                for inode in (entry.before, entry.after, entry.directory):
                    self._collect(inode)
            self._collect(step.inode)
        return taken

    def _apply(self, step: Step) -> None:
        if step.attributes is not None:
            node = self._nodes[step.inode]
            node.kept_attributes = step.attributes
            node.pending_names -= 1
        for entry in step.entries:
            directory = self._nodes[entry.directory]
            if directory.kept_entries.get(entry.name, 0) != entry.before:
                raise AssertionError(f"{step} does not follow on what is durable")
            _put(directory.kept_entries, entry)
            now = directory.attributes
            directory.kept_attributes = replace(directory.kept_attributes, mtime=now.mtime, ctime=now.ctime)
            directory.pending_names -= 1
            for inode in {entry.before, entry.after} - {0}:
                self._nodes[inode].pending_names -= 1
            if entry.before:
                self._nodes[entry.before].kept_names -= 1
            if entry.after:
                self._nodes[entry.after].kept_names += 1

    def _keep_attributes(self, node: Node) -> None:
        """The attributes of an inode are durable from now on."""
        steps = self._journal.of_attributes(node.inode)
        if steps:
            self._commit(steps)
        node.kept_attributes = node.attributes

    def _committed_beside(self, node: Node) -> None:
        """What becomes durable with whatever is synced."""
        if self.discipline is Discipline.ORDERED:
            self._commit(list(self._journal.steps))
            for inode in list(self._dirty):
                contents = self._nodes[inode].contents
                contents.settle(self._moment)
                if not contents.pending:
                    del self._dirty[inode]
        elif not node.contents.pending:
            self._dirty.pop(node.inode, None)

    def _lose_by_chance(self, dice: Random, tear: bool) -> Loss:
        ordered = self.discipline is Discipline.ORDERED
        if ordered:
            truncations = {
                one.moment for inode in self._dirty for one in self._nodes[inode].contents.resizes if one.truncation
            }
            ends = [0, *sorted(self._journal.steps.keys() | truncations)]
            committed = dice.choice(ends)
            chosen = [one for one in self._journal.steps if one <= committed]
        else:
            committed, chosen = self._moment, []
            share, taken = dice.choice((0.3, 0.6, 0.9)), set[int]()
            for moment, step in self._journal.steps.items():
                needs = step.hangs_on & self._journal.steps.keys()
                if needs <= taken and dice.random() < share:
                    taken.add(moment)
                    chosen.append(moment)
        torn: list[tuple[int, tuple[int, ...]]] = []

        def lose(contents: Contents) -> None:
            if torn_inode and contents is self._nodes[torn_inode].contents:
                torn.append((torn_inode, contents.tear(dice, ordered)))
            else:
                contents.lose_some(dice, ordered, committed)

        kept = self._kept_after(chosen) if tear else set()
        candidates = [
            one for one in sorted(self._dirty) if one in kept and self._nodes[one].contents.tearable(ordered, committed)
        ]
        torn_inode = dice.choice(candidates) if candidates else 0
        loss = self._lose(chosen, lose)
        if torn:
            return replace(loss, torn=self._paths().get(torn[0][0], (b"",))[0], sectors=torn[0][1])
        return loss

    def _kept_after(self, chosen: Iterable[int]) -> set[int]:
        """The inodes that have a name if these steps survive."""
        kept = {inode: dict(node.kept_entries) for inode, node in self._nodes.items() if node.is_directory}
        for moment in chosen:
            for entry in self._journal.steps[moment].entries:
                _put(kept[entry.directory], entry)
        found, left = {ROOT}, [ROOT]
        while left:
            for inode in kept.get(left.pop(), {}).values():
                if inode not in found:
                    found.add(inode)
                    left.append(inode)
        return found

    def _lose(self, chosen: Iterable[int], lose: Callable[[Contents], None]) -> Loss:
        """The power is lost; the ``chosen`` steps survive, and of the contents what ``lose`` leaves."""
        paths = self._paths()
        files = sum(self._nodes[one].contents.pending for one in self._dirty)
        survived = self._told(self._commit(sorted(chosen)), paths)
        lost = self._told(self._journal.steps.values(), paths)
        for inode in sorted(self._dirty):
            lose(self._nodes[inode].contents)
        self._dirty.clear()
        self._journal.forget()
        self._only_what_is_durable()
        self.statistics.losses += 1
        return Loss(files, lost, survived)

    def _only_what_is_durable(self) -> None:
        top = self._nodes[ROOT]
        found, left = {ROOT: top}, [top]
        for node in self._nodes.values():
            node.names = node.kept_names = node.pending_names = 0
            node.held = False
        top.names = top.kept_names = 1
        while left:
            directory = left.pop()
            directory.entries = dict(directory.kept_entries)
            directory.directories = sum(self._nodes[one].is_directory for one in directory.entries.values())
            for inode in directory.entries.values():
                node = self._nodes[inode]
                node.names = node.kept_names = node.names + 1
                node.parent = directory.inode
                if inode not in found:
                    found[inode] = node
                    if node.is_directory:
                        left.append(node)
        self._nodes = found
        self._used = 0
        for node in found.values():
            node.attributes, node.counted = node.kept_attributes, True
            self._used += len(node.contents.pages)

    def _collect(self, inode: int) -> None:
        """Let an inode go that has no name, durable or not, and that nobody asks for; its space before that."""
        node = self._nodes.get(inode)
        if node is None or node.names or node.held:
            return
        if node.counted:
            node.counted = False
            self._used -= len(node.contents.pages)
        if not (node.kept_names or node.pending_names):
            del self._nodes[inode]
            self._dirty.pop(inode, None)

    def _paths(self) -> dict[int, tuple[bytes, ...]]:
        """The names of each inode, from the top."""
        found: dict[int, tuple[bytes, ...]] = {ROOT: (b"/",)}
        left = [(ROOT, b"")]
        while left:
            directory, prefix = left.pop()
            for name, inode in self._nodes[directory].entries.items():
                path = prefix + b"/" + name
                found[inode] = (*found.get(inode, ()), path)
                if self._nodes[inode].is_directory:
                    left.append((inode, path))
        return found

    def _told(self, steps: Iterable[Step], paths: dict[int, tuple[bytes, ...]]) -> tuple[str, ...]:
        """Steps in words: the call and the paths, as they are now, of the entries that it changed."""
        told = []
        for step in steps:
            places = [
                paths.get(entry.directory, (b"(deleted)",))[0].rstrip(b"/") + b"/" + entry.name
                for entry in step.entries
            ] or [paths.get(step.inode, (b"(deleted)",))[0]]
            told.append(" ".join((step.call, *(os.fsdecode(place) for place in places))))
        return tuple(told)


def _put(entries: dict[bytes, int], entry: Entry) -> None:
    if entry.after:
        entries[entry.name] = entry.after
    else:
        entries.pop(entry.name, None)
