"""What every part of the full store stands on: what it can do, its further errors, and what it keeps of each path.

store.py, which takes nothing from here, is the core: namespace and bytes. Like it this is written from the documents
alone, and takes nothing from the rest of the project. The clock is a counter, so that a program has the same times
whenever it runs, and each change a later one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import NoReturn

from fsconform.proving.store import (
    ANCESTRY,
    Behaviour,
    MemoryStore,
    Node,
    StoreError,
    is_below,
    parent_of,
)

USER = "proving"
GROUP = "provers"
UMASK = 0o022
FILE_PERMISSION = 0o666
DIRECTORY_PERMISSION = 0o777
REPLICATION = 1

EPOCH = 1_600_000_000_000
"""The time at which every program starts, in milliseconds since 1970."""

_IO = ANCESTRY["IOException"]
_THROWABLE = ANCESTRY["Exception"]
_ARGUMENT = ANCESTRY["InvalidPathException"][2:]
_PATH_EXISTS = ANCESTRY["PathIsNotEmptyDirectoryException"][1:]

FURTHER: dict[str, tuple[str, ...]] = {
    "PathExistsException": _PATH_EXISTS,
    "PathIsDirectoryException": ("org.apache.hadoop.fs.PathIsDirectoryException", *_PATH_EXISTS),
    "InvalidPathHandleException": ("org.apache.hadoop.fs.InvalidPathHandleException", *_IO),
    "AccessControlException": ("org.apache.hadoop.security.AccessControlException", *_IO),
    "IllegalArgumentException": _ARGUMENT,
    "HadoopIllegalArgumentException": ANCESTRY["InvalidPathException"][1:],
    "NoSuchElementException": ("java.util.NoSuchElementException", *_ARGUMENT[1:]),
    "NullPointerException": ("java.lang.NullPointerException", *_ARGUMENT[1:]),
}
"""The errors that the core has no need of, by short name."""

Told = dict[str, str | int | bool | tuple[str, ...] | None]
"""What a call says that is no status and no bytes: facts by name, paths in them as the store names them."""


@dataclass(frozen=True, slots=True)
class Abilities(Behaviour):
    """Behaviour of the full store: also which optional calls it has. One that is off is refused as unsupported.

    Where the documents have another way for a store that can't do it, it takes that: see ``supports_unix_permissions``,
    ``supports_replication``, ``supports_block_locality``, ``supports_bulk_delete``, ``supports_checksums`` and
    ``supports_etags`` where they are used. ``concat_of_whole_blocks_only`` is the restriction that HDFS has; a store
    that is ``delayed`` shows nothing of a stream until it is closed, as object stores do.
    """

    supports_concat: bool = True
    supports_truncate: bool = True
    supports_settimes: bool = True
    supports_unix_permissions: bool = True
    supports_replication: bool = True
    supports_file_reference: bool = True
    supports_content_check: bool = True
    supports_multipartuploader: bool = True
    supports_etags: bool = True
    supports_block_locality: bool = True
    supports_bulk_delete: bool = True
    supports_checksums: bool = True
    supports_xattrs: bool = True
    supports_acls: bool = True
    supports_storage_policies: bool = True
    supports_quotas: bool = True
    supports_msync: bool = True
    concat_of_whole_blocks_only: bool = False
    delayed: bool = False


@dataclass(slots=True)
class Kept:
    """What is kept of a path beside its place and its bytes; times in milliseconds since 1970.

    ``access`` holds the named entries of the access ACL with its mask, ``owning`` the permissions of the group's own
    entry there; ``default`` is the default ACL. Both go from (type, name) to permissions.
    """

    permission: int
    modified: int
    accessed: int
    replication: int
    owner: str = USER
    group: str = GROUP
    xattrs: dict[str, str] = field(default_factory=dict)
    access: dict[tuple[str, str], int] = field(default_factory=dict)
    owning: int = 0
    default: dict[tuple[str, str], int] = field(default_factory=dict)
    policy: str = ""
    quota: int = -1
    space_quota: int = -1


class KeepingStore(MemoryStore):
    """The core with what is kept of each path, and with what the further calls have in common."""

    def __init__(self, behaviour: Behaviour | None = None) -> None:
        self.can = given = able(behaviour or Abilities())
        self.clock = 0
        self.limited = False
        super().__init__(given)

    # --- the core's calls keep what is kept up to date

    def mkdirs(self, path: str) -> bool:
        """As in the core; IOException if a quota forbids it."""
        self.admit([self.locate(path)[1]])
        return super().mkdirs(path)

    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        """As in the core; a file that replaces another has nothing of what was kept of that one.

        IOException if a quota forbids it.
        """
        self.admit([self.locate(path)[1]])
        super().create(path, data, overwrite)
        node = self.nodes.get(self.locate(path)[1])
        if node is not None:
            node.kept = self.fresh(node)

    def append(self, path: str, data: bytes) -> None:
        """As in the core; the file is modified."""
        super().append(path, data)
        self.touch(self.locate(path)[1])

    def attach(self, name: str, key: str, node: Node) -> None:
        """As in the core; the parent is modified."""
        super().attach(name, key, node)
        if node.kept is None:
            node.kept = self.fresh(node)
        self.touch(parent_of(key))

    def remove_subtree(self, key: str) -> None:
        """As in the core; the parent is modified."""
        super().remove_subtree(key)
        self.touch(parent_of(key))

    def move(self, src_key: str, name: str, key: str) -> None:
        """As in the core; IOException if a quota forbids it."""
        self.admit([key, *(key + old[len(src_key) :] for old in self.subtree(src_key)[1:])], src_key)
        super().move(src_key, name, key)

    def fail(self, error: str, detail: str) -> NoReturn:
        """As in the core, with more errors to raise."""
        classes = FURTHER.get(error)
        if classes is None:
            super().fail(error, detail)
        if _IO[0] in classes and not self.behaviour.strict_exceptions:
            classes = _IO
        raise StoreError(classes, f"{error}: {detail}")

    # --- inside; seeded faults override these

    def tick(self) -> int:
        """The time, which goes on with every question."""
        self.clock += 1
        return EPOCH + self.clock

    def fresh(self, node: Node) -> Kept:
        """What is kept of a file or directory that has just been made."""
        now = self.tick()
        if node.data is None:
            return Kept(DIRECTORY_PERMISSION & ~UMASK, now, 0, 0)
        return Kept(FILE_PERMISSION & ~UMASK, now, now, REPLICATION)

    def kept(self, node: Node) -> Kept:
        """What is kept of a node."""
        if not isinstance(node.kept, Kept):
            node.kept = self.fresh(node)
        assert isinstance(node.kept, Kept)
        return node.kept

    def touch(self, key: str) -> None:
        """Note that what is at a key was modified now, if there is anything."""
        node = self.nodes.get(key)
        if node is not None:
            self.kept(node).modified = self.tick()

    def admit(self, keys: list[str], leaving: str | None = None) -> None:
        """Raise IOException if a quota does not let these keys be made, with those missing above them.

        ``leaving`` is a key from which as many go away.
        """
        if not self.limited:
            return
        new: set[str] = set()
        for key in keys:
            while key and key not in self.nodes and key not in new:
                new.add(key)
                key = parent_of(key)
        for top, node in self.nodes.items():
            limit = self.kept(node).quota
            if limit >= 0 and node.data is None and not (leaving is not None and is_below(leaving, top)):
                more = sum(is_below(key, top) for key in new)
                if more and more + sum(key == top or is_below(key, top) for key in self.nodes) > limit:
                    self.fail("IOException", f"the quota of {top or '/'} is {limit} names")

    def found(self, path: str) -> Node:
        """The node at a path. Raises FileNotFoundException if there is none."""
        node = self.nodes.get(self.locate(path)[1])
        if node is None:
            self.fail("FileNotFoundException", path)
        return node

    def bytes_of(self, path: str) -> tuple[Node, bytes]:
        """The node and the bytes of a file. Raises FileNotFoundException if there is none, or a directory."""
        node = self.found(path)
        if node.data is None:
            self.fail("FileNotFoundException", f"{path} is a directory")
        return node, node.data

    def need(self, able: bool, call: str) -> None:
        """Raise UnsupportedOperationException unless the store is able to do that."""
        if not able:
            self.fail("UnsupportedOperationException", call)


def able(behaviour: Behaviour, changed: Mapping[str, bool] | None = None) -> Abilities:
    """The behaviour with all abilities, and with the fields in ``changed`` as they are there."""
    given = {each.name: getattr(behaviour, each.name) for each in fields(behaviour)}
    return Abilities(**(given | dict(changed or {})))


def joined(directory: str, name: str) -> str:
    """The path of an entry of a directory."""
    return f"{directory.rstrip('/')}/{name}"


class Checksums(KeepingStore):
    """The calls; seeded faults override them."""

    def create_unchecked(self, path: str, data: bytes, overwrite: bool) -> None:
        """As create."""
        self.create(path, data, overwrite)

    def open_unverified(self, path: str) -> bytes:
        """As open."""
        return self.open(path)
