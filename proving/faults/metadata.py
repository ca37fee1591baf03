"""Faults of what is kept of a path: permission, owner, times, replication, block size."""

from __future__ import annotations

from fsconform.proving.faults.base import seeded
from fsconform.proving.full_store import FullStore
from fsconform.proving.keeping_store import Kept, Told
from fsconform.proving.store import BLOCK_SIZE, FileStatus, Node


@seeded("acl-flag-never-set", "a status never tells of an ACL", clause="filesystem.getFileStatus.post.acl")
class _AclFlag(FullStore):
    def attributes(self, status: FileStatus, node: Node) -> Told:
        return {**super().attributes(status, node), "acl": False}


@seeded("acl-flag-always-set", "every status tells of an ACL", clause="filesystem.getFileStatus.post.acl")
class _AclFlagAlways(FullStore):
    def attributes(self, status: FileStatus, node: Node) -> Told:
        return {**super().attributes(status, node), "acl": True}


@seeded("encrypted-everywhere", "every path is told to be encrypted", clause="filesystem.getFileStatus.post.encrypted")
class _Encrypted(FullStore):
    def attributes(self, status: FileStatus, node: Node) -> Told:
        return {**super().attributes(status, node), "encrypted": True}


@seeded(
    "erasure-coded-files", "files are told to be erasure coded", clause="filesystem.getFileStatus.post.erasure-coded"
)
class _ErasureCoded(FullStore):
    def attributes(self, status: FileStatus, node: Node) -> Told:
        return {**super().attributes(status, node), "erasureCoded": not status.is_dir}


@seeded("attributes-no-block-size", "files are told to have no blocks", clause="filesystem.getFileStatus.post.file")
class _NoBlockSize(FullStore):
    def attributes(self, status: FileStatus, node: Node) -> Told:
        return {**super().attributes(status, node), "blockSize": 0}


@seeded(
    "create-permission-ignored", "a permission at creation is ignored", clause="fsdataoutputstreambuilder.permission"
)
class _PermissionIgnored(FullStore):
    def create_with(self, path: str, data: bytes, overwrite: bool, permission: int) -> None:
        self.create(path, data, overwrite)


@seeded("create-permission-for-all", "a created file is writable by all", clause="fsdataoutputstreambuilder.permission")
class _PermissionForAll(FullStore):
    def create_with(self, path: str, data: bytes, overwrite: bool, permission: int) -> None:
        super().create_with(path, data, overwrite, permission)
        self.kept(self.found(path)).permission |= 0o222


@seeded("set-permission-ignored", "setPermission does nothing")
class _SetPermission(FullStore):
    def set_permission(self, path: str, permission: int) -> None:
        self.found(path)


@seeded("set-permission-of-missing", "setPermission of nothing is silent", clause="introduction.failures.exceptions")
class _SetPermissionMissing(FullStore):
    def set_permission(self, path: str, permission: int) -> None:
        if self.exists(path):
            super().set_permission(path, permission)


@seeded("set-owner-ignored", "setOwner does nothing")
class _SetOwner(FullStore):
    def set_owner(self, path: str, owner: str, group: str) -> None:
        self.found(path)


@seeded("set-owner-clears-group", "setOwner without a group takes the group away")
class _ClearsGroup(FullStore):
    def set_owner(self, path: str, owner: str, group: str) -> None:
        super().set_owner(path, owner, group)
        self.kept(self.found(path)).group = group


@seeded("set-owner-of-missing", "setOwner of nothing is silent", clause="introduction.failures.exceptions")
class _SetOwnerMissing(FullStore):
    def set_owner(self, path: str, owner: str, group: str) -> None:
        if self.exists(path):
            super().set_owner(path, owner, group)


@seeded("set-times-ignored", "setTimes does nothing", clause="introduction.timestamps.hdfs.set-times")
class _TimesIgnored(FullStore):
    def set_times(self, path: str, modified: int, accessed: int) -> None:
        self.found(path)


@seeded("set-times-swapped", "setTimes mixes the times up", clause="introduction.timestamps.hdfs.set-times")
class _TimesSwapped(FullStore):
    def set_times(self, path: str, modified: int, accessed: int) -> None:
        super().set_times(path, accessed, modified)


@seeded("set-times-minus-one", "setTimes takes -1 for a time", clause="introduction.timestamps.hdfs.set-times")
class _TimesMinus(FullStore):
    def set_times(self, path: str, modified: int, accessed: int) -> None:
        super().set_times(path, max(modified, 0), max(accessed, 0))


@seeded("set-times-of-missing", "setTimes of a missing file is silent", clause="introduction.failures.exceptions")
class _TimesMissing(FullStore):
    def set_times(self, path: str, modified: int, accessed: int) -> None:
        if self.exists(path):
            super().set_times(path, modified, accessed)


@seeded("rename-sets-times", "a renamed file is modified", clause="introduction.timestamps.hdfs.rename")
class _RenameSets(FullStore):
    def move(self, src_key: str, name: str, key: str) -> None:
        super().move(src_key, name, key)
        self.touch(key)


@seeded(
    "rename-into-directory-loses-owner",
    "what is renamed into a directory that is there has a new file's permission, owner and group",
    clause="filesystem.rename.post.attributes",
)
class _RenameLoses(FullStore):
    def reset(self) -> None:
        self.into = False

    def rename(self, src: str, dst: str) -> bool:
        self.into = self.nodes.get(self.locate(dst)[1]) is not None
        return super().rename(src, dst)

    def move(self, src_key: str, name: str, key: str) -> None:
        super().move(src_key, name, key)
        if self.into:
            self.into = False
            kept, fresh = self.kept(self.nodes[key]), self.fresh(self.nodes[key])
            kept.permission, kept.owner, kept.group = fresh.permission, fresh.owner, fresh.group


@seeded("append-keeps-time", "append leaves the modification time", clause="introduction.timestamps.hdfs.append")
class _AppendKeeps(FullStore):
    def append(self, path: str, data: bytes) -> None:
        node = self.nodes.get(self.locate(path)[1])
        before = self.kept(node).modified if node is not None else 0
        super().append(path, data)
        self.kept(self.found(path)).modified = before


@seeded(
    "truncate-keeps-time", "truncate leaves the modification time", clause="introduction.timestamps.hdfs.rare-changes"
)
class _TruncateKeeps(FullStore):
    def truncate(self, path: str, length: int) -> bool:
        node = self.nodes.get(self.locate(path)[1])
        before = self.kept(node).modified if node is not None else 0
        done = super().truncate(path, length)
        self.kept(self.found(path)).modified = before
        return done


@seeded("never-accessed-is-negative", "times never set read as -1", clause="introduction.timestamps.hdfs.unset")
class _NeverAccessed(FullStore):
    def attributes(self, status: FileStatus, node: Node) -> Told:
        told = super().attributes(status, node)
        return {**told, "accessed": told["accessed"] or -1}


@seeded("set-replication-of-missing", "setReplication of a missing file is true")
class _ReplicationMissing(FullStore):
    def set_replication(self, path: str, replication: int) -> bool:
        return super().set_replication(path, replication) or not self.exists(path)


@seeded("set-replication-of-directory", "setReplication of a directory is true")
class _ReplicationDirectory(FullStore):
    def set_replication(self, path: str, replication: int) -> bool:
        return super().set_replication(path, replication) or self.holds(path, False)


@seeded("set-replication-ignored", "setReplication is true and does nothing")
class _ReplicationIgnored(FullStore):
    def set_replication(self, path: str, replication: int) -> bool:
        return self.holds(path, True)


@seeded("block-size-of-missing", "a missing file has a block size", clause="filesystem.getBlockSize.pre.exists")
class _BlockSizeMissing(FullStore):
    def get_block_size(self, path: str) -> Told:
        return super().get_block_size(path) if self.exists(path) else {"value": BLOCK_SIZE, "status": BLOCK_SIZE}


@seeded("block-size-other", "getBlockSize is another than the status's", clause="filesystem.getBlockSize.post")
class _BlockSizeOther(FullStore):
    def get_block_size(self, path: str) -> Told:
        told = super().get_block_size(path)
        return {**told, "value": self.get_file_status(path).block_size // 2}


@seeded("block-size-zero", "the block size of a file is 0", clause="filesystem.getBlockSize.post.positive")
class _BlockSizeZero(FullStore):
    def get_block_size(self, path: str) -> Told:
        return {**super().get_block_size(path), "value": 0}


@seeded("default-block-size-zero", "the default block size is 0", clause="filesystem.getDefaultBlockSize.post")
class _DefaultZero(FullStore):
    def get_default_block_size(self, path: str) -> Told:
        return {"value": 0}


@seeded(
    "default-block-size-negative",
    "a path's default block size is -1",
    clause="filesystem.getDefaultBlockSize.path.post",
)
class _DefaultNegative(FullStore):
    def get_default_block_size(self, path: str) -> Told:
        return {"value": -1} if not self.via else super().get_default_block_size(path)


@seeded(
    "default-block-size-of-missing",
    "a missing path has no default block size",
    clause="filesystem.getDefaultBlockSize.path.missing",
)
class _DefaultMissing(FullStore):
    def get_default_block_size(self, path: str) -> Told:
        self.found(path)
        return super().get_default_block_size(path)


@seeded("get-length-of-missing", "getLength of a missing file is 0", clause="filesystem.getFileStatus.pre.exists")
class _LengthMissing(FullStore):
    def get_length(self, path: str) -> Told:
        return super().get_length(path) if self.exists(path) else {"value": 0}


@seeded(
    "overwritten-keeps-permission",
    "a file that replaces another has its permission",
    clause="fsdataoutputstreambuilder.permission",
)
class _KeepsPermission(FullStore):
    def create_with(self, path: str, data: bytes, overwrite: bool, permission: int) -> None:
        node = self.nodes.get(self.locate(path)[1])
        before = node.kept if node is not None and node.data is not None else None
        super().create_with(path, data, overwrite, permission)
        if isinstance(before, Kept):
            self.kept(self.found(path)).permission = before.permission


@seeded("permission-and-owner-ignored", "setPermission and setOwner do nothing")
class _PermissionAndOwnerIgnored(FullStore):
    def set_permission(self, path: str, permission: int) -> None:
        self.found(path)

    def set_owner(self, path: str, owner: str, group: str) -> None:
        self.found(path)
        if not owner and not group:
            self.fail("IOException", "neither an owner nor a group is named")
