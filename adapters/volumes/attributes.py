"""What an inode has beside its content: of which kind it is, its attributes, and what ``stat`` says of it."""

from __future__ import annotations

import stat
from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """The kinds of inodes there are, by the bits that ``st_mode`` has of them."""

    FILE = stat.S_IFREG
    DIRECTORY = stat.S_IFDIR
    LINK = stat.S_IFLNK
    SOCKET = stat.S_IFSOCK
    """A name for a socket of this machine; no bytes of it are here."""


@dataclass(frozen=True, slots=True)
class Attributes:
    """Attributes of an inode; times in nanoseconds since the epoch."""

    mode: int
    """The permission bits with set-user-id, set-group-id and sticky: 0o7777 at most."""
    uid: int
    gid: int
    atime: int
    mtime: int
    ctime: int
    xattrs: tuple[tuple[bytes, bytes], ...] = ()
    """Extended attributes: names and values, in the order of names."""


@dataclass(frozen=True, slots=True)
class Status:
    """What ``stat`` says of an inode."""

    inode: int
    kind: Kind
    attributes: Attributes
    links: int
    size: int
    blocks: int
    """Blocks of 512 bytes."""
