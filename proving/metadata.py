"""The full store's calls on what is kept of a path: permission, owner, times, replication, checksums, etags.

Sources: filesystem.md; introduction.md on authorization and timestamps; pathcapabilities.md; the Javadoc of FileSystem.
A store without permissions tells what introduction.md advises it to: the caller owns all, and setters do nothing.
"""

from __future__ import annotations

import hashlib

from fsconform.proving.acls import MASK
from fsconform.proving.keeping_store import (
    DIRECTORY_PERMISSION,
    FILE_PERMISSION,
    GROUP,
    REPLICATION,
    UMASK,
    USER,
    KeepingStore,
    Told,
)
from fsconform.proving.store import BLOCK_SIZE, FileStatus, Node

ALGORITHM = "SHA-256"

_BITS = {"r": 4, "w": 2, "x": 1}


class Metadata(KeepingStore):
    """What is kept of a path, and what the store says of itself."""

    def get_attributes(self, path: str) -> Told:
        """All that a status tells. Raises FileNotFoundException if there is nothing."""
        return self.attributes(self.get_file_status(path), self.found(path))

    def mkdirs_with(self, path: str, permission: int) -> bool:
        """As mkdirs; a directory that is made has the permission, less the umask, its new ancestors the usual one."""
        there = self.exists(path)
        made = self.mkdirs(path)
        if not there:
            self.permit(path, permission)
        return made

    def create_with(self, path: str, data: bytes, overwrite: bool, permission: int) -> None:
        """As create; the file has the permission, less the umask."""
        self.create(path, data, overwrite)
        self.permit(path, permission)

    def set_permission(self, path: str, permission: int) -> None:
        """Give a path exactly that permission. Raises FileNotFoundException if there is nothing."""
        kept = self.kept(self.found(path))
        if self.can.supports_unix_permissions:
            kept.permission = permission
            if MASK in kept.access:
                kept.access[MASK] = permission >> 3 & 7

    def set_owner(self, path: str, owner: str, group: str) -> None:
        """Give a path an owner, a group or both. Raises FileNotFoundException; IOException if neither is named."""
        kept = self.kept(self.found(path))
        if not owner and not group:
            self.fail("IOException", "neither an owner nor a group is named")
        if self.can.supports_unix_permissions:
            kept.owner, kept.group = owner or kept.owner, group or kept.group

    def set_times(self, path: str, modified: int, accessed: int) -> None:
        """Set the times that are not negative. Raises FileNotFoundException if there is nothing."""
        self.need(self.can.supports_settimes, "setTimes")
        kept = self.kept(self.found(path))
        if modified >= 0:
            kept.modified = modified
        if accessed >= 0:
            kept.accessed = accessed

    def set_replication(self, path: str, replication: int) -> bool:
        """Say how many copies of a file there are; False if it is none. IOException if there would be no copy."""
        if not self.can.supports_replication:
            return True
        node = self.nodes.get(self.locate(path)[1])
        if node is None or node.data is None:
            return False
        if replication < 1:
            self.fail("IOException", f"replication {replication}")
        self.kept(node).replication = replication
        return True

    def get_block_size(self, path: str) -> Told:
        """The block size in the path's status, and that one."""
        size = self.get_file_status(path).block_size
        return {"value": size, "status": size}

    def get_length(self, path: str) -> Told:
        """The length in the path's status."""
        return {"value": self.get_file_status(path).length}

    def get_replication(self, path: str) -> Told:
        """The number of copies of a file; 0 for a directory."""
        return {"value": self.kept(self.found(path)).replication}

    def get_default_block_size(self, path: str) -> Told:
        """The block size that new files get; of any path, be there something or not."""
        if self.via != "plain":
            self.locate(path)
        return {"value": BLOCK_SIZE}

    def get_default_replication(self, path: str) -> Told:
        """The number of copies that new files get."""
        if self.via != "plain":
            self.locate(path)
        return {"value": REPLICATION}

    def get_server_defaults(self, path: str) -> Told:
        """What files are made with where nothing else is said."""
        if self.via != "plain":
            self.locate(path)
        return {"blockSize": BLOCK_SIZE, "replication": REPLICATION, "bytesPerChecksum": 512, "fileBufferSize": 4096}

    def get_home_directory(self) -> Told:
        """What holds of /user/proving, the caller's home."""
        return {"absolute": True, "qualified": True, "ofThisStore": True}

    def working_directory(self, path: str, below: str) -> Told:
        """The status of a relative path while another working directory is set; that one need not exist."""
        self.locate(path)
        status = self.get_file_status(self.resolved(path, below[len(self.base) :]))
        return {
            "working": path,
            "path": status.path,
            "directory": status.is_dir,
            "length": status.length,
            "others": True,
        }

    def resolve_path(self, path: str) -> Told:
        """The path itself, as there are no links. Raises FileNotFoundException if there is nothing."""
        return {"path": self.get_file_status(path).path}

    def get_enclosing_root(self, path: str) -> Told | None:
        """What holds of the root, which encloses all paths, whether or not there is something. None stands for null."""
        self.locate(path)
        return {"directory": True, "above": True, "again": True}

    def access(self, path: str, mode: str) -> None:
        """Return if the permission of a path allows that to the caller. Raises AccessControlException if not."""
        node = self.found(path)
        kept, wanted = self.kept(node), sum(_BITS[letter] for letter in mode)
        shift = 6 if kept.owner == USER else 3 if kept.group == GROUP else 0
        if wanted & ~(self.permission_of(node) >> shift):
            self.fail("AccessControlException", f"{mode} of {path}")

    def get_file_checksum(self, path: str) -> Told | None:
        """A checksum of a file, or via length of its first half; None if the store has none."""
        if not self.can.supports_checksums:
            return None
        data = self.bytes_of(path)[1]
        return {
            "algorithm": ALGORITHM,
            "bytes": self.checksum(data[: len(data) // 2] if self.via == "length" else data),
        }

    def msync(self) -> None:
        """Nothing is ever stale here."""
        self.need(self.can.supports_msync, "msync")

    def has_path_capability(self, path: str, capability: str) -> bool:
        """True of what the store can do, by the names of CommonPathCapabilities and filesystem.md."""
        self.locate(path)
        return capability in self.capabilities()

    def get_etag(self, path: str) -> Told | None:
        """A file's etag, and what holds of it; None for a directory."""
        node = self.found(path)
        if node.data is None or not self.can.supports_etags:
            return None
        first, again = self.etag(node, node.data), self.etag(node, node.data)
        return {"value": first, "everywhere": True, "consistent": first == again, "serializable": True}

    # --- inside; seeded faults override these

    def attributes(self, status: FileStatus, node: Node) -> Told:
        """All that is told of a node with that status."""
        kept, able = self.kept(node), self.can.supports_unix_permissions
        return {
            "path": status.path,
            "directory": status.is_dir,
            "length": status.length,
            "replication": kept.replication,
            "blockSize": status.block_size,
            "modified": kept.modified,
            "accessed": kept.accessed,
            "permission": self.permission_of(node),
            "owner": kept.owner if able else USER,
            "group": kept.group if able else USER,
            "symlink": None,
            "encrypted": not able,
            "erasureCoded": False,
            "acl": bool(kept.access or kept.default),
            "snapshotEnabled": False,
            "user": USER,
        }

    def permission_of(self, node: Node) -> int:
        """The permission that is told of a node."""
        if self.can.supports_unix_permissions:
            return self.kept(node).permission
        return DIRECTORY_PERMISSION if node.data is None else FILE_PERMISSION

    def permit(self, path: str, permission: int) -> None:
        """Give a path that was just made its permission, less the umask."""
        node = self.nodes.get(self.locate(path)[1])
        if node is not None:
            self.kept(node).permission = permission & ~UMASK

    def resolved(self, working: str, relative: str) -> str:
        """The absolute path that a relative one, given with a slash in front, means below a working directory."""
        return working.rstrip("/") + relative or "/"

    def checksum(self, data: bytes) -> str:
        """The checksum of some bytes."""
        return hashlib.sha256(data).hexdigest()

    def etag(self, node: Node, data: bytes) -> str:
        """The etag of a file: it goes with the bytes, wherever they are moved."""
        return hashlib.sha1(data, usedforsecurity=False).hexdigest()

    def capabilities(self) -> frozenset[str]:
        """The names of all that the store can do."""
        can = self.can
        paths = {
            "acls": can.supports_acls,
            "append": can.supports_append,
            "checksums": can.supports_checksums,
            "concat": can.supports_concat,
            "pathhandles": can.supports_file_reference,
            "permissions": can.supports_unix_permissions,
            "storagepolicy": can.supports_storage_policies,
            "truncate": can.supports_truncate,
            "xattrs": can.supports_xattrs,
        }
        others = {
            "multipart.uploader": can.supports_multipartuploader,
            "etags.available": can.supports_etags,
            "etags.preserved.in.rename": can.supports_etags,
            "etags.consistent.across.rename": can.supports_etags,
            "bulk.delete": True,
            "lease.recoverable": True,
            "outputstream.abortable": can.delayed,
            "virtual.block.locations": not can.supports_block_locality,
        }
        named = {f"paths.{name}": able for name, able in paths.items()} | others
        return frozenset(f"fs.capability.{name}" for name, able in named.items() if able)
