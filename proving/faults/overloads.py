"""Faults of one way in: an overload, a builder or FileContext does otherwise than the plain call."""

from __future__ import annotations

from fsconform.proving.faults.base import seeded
from fsconform.proving.full_store import FullStore
from fsconform.proving.store import FileStatus, Node, last_of, parent_of


@seeded(
    "builder-never-overwrites",
    "create through the builder says that the file exists though it may overwrite",
    clause="filesystem.createFile.overwrites",
)
class _NeverOverwrites(FullStore):
    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        super().create(path, data, overwrite and self.via != "builder")


@seeded(
    "builder-overwrite-appends",
    "create through the builder adds to the file that it should replace",
    clause="fsdataoutputstreambuilder.overwrite",
)
class _OverwriteAppends(FullStore):
    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        node = self.nodes.get(self.locate(path)[1])
        before = node.data if node is not None and self.via == "builder" else None
        super().create(path, (before or b"") + data, overwrite)


@seeded(
    "flags-keep-the-tail",
    "create with flags over a longer file leaves what that held further on",
    clause="filesystem.create.post.overwrite",
)
class _KeepTheTail(FullStore):
    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        node = self.nodes.get(self.locate(path)[1])
        before = node.data if node is not None and self.via == "flags" else None
        super().create(path, data + (before or b"")[len(data) :], overwrite)


@seeded(
    "progress-always-overwrites",
    "create with progress replaces a file though it may not",
    clause="filesystem.create.pre.no-overwrite",
)
class _AlwaysOverwrites(FullStore):
    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        super().create(path, data, overwrite or self.via in ("progress", "buffer and progress"))


@seeded(
    "static-create-needs-parent", "the static create does not make missing ancestors", clause="filesystem.create.post"
)
class _StaticNeedsParent(FullStore):
    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        if self.via == "static":
            self.require_parent(path)
        super().create(path, data, overwrite)


@seeded(
    "context-create-over-directory",
    "create through FileContext replaces an empty directory",
    clause="filesystem.create.pre.not-a-directory",
)
class _ContextOverDirectory(FullStore):
    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        key = self.locate(path)[1]
        node = self.nodes.get(key)
        empty = node is not None and node.data is None and not node.names
        if self.via == "context" and empty and key not in ("", self.base):
            self.remove_subtree(key)
        super().create(path, data, overwrite)


@seeded("builder-append-replaces", "append through the builder replaces", clause="fsdataoutputstreambuilder.append")
class _AppendReplaces(FullStore):
    def append(self, path: str, data: bytes) -> None:
        super().append(path, data)
        if self.via == "builder":
            self.found(path).data = data


@seeded(
    "builder-append-creates",
    "append through the builder makes a file that is missing",
    clause="filesystem.appendFile.build",
)
class _AppendCreates(FullStore):
    def append(self, path: str, data: bytes) -> None:
        if self.via == "builder" and not self.exists(path):
            self.create(path, data, False)
        else:
            super().append(path, data)


@seeded("builder-opens-directories", "the builder opens a directory as an empty file", clause="openfile.path.chain")
class _OpensDirectories(FullStore):
    def open(self, path: str) -> bytes:
        return b"" if self.via == "builder" and self.holds(path, False) else super().open(path)


@seeded(
    "builder-with-status-is-stale",
    "opening with a status gives the bytes that were read that way the first time",
    clause="fsdatainputstreambuilder.status-hint",
)
class _StaleByStatus(FullStore):
    def reset(self) -> None:
        self.first: dict[str, bytes] = {}

    def open(self, path: str) -> bytes:
        data = super().open(path)
        if self.via in ("builder and status", "status"):
            return self.first.setdefault(self.locate(path)[1], data)
        return data


@seeded(
    "builder-with-length-cuts",
    "a file opened with its length lacks the last byte",
    clause="fsdatainputstreambuilder.length.minimum",
)
class _LengthCuts(FullStore):
    def open(self, path: str) -> bytes:
        data = super().open(path)
        return data[:-1] if self.via == "builder and length" else data


@seeded(
    "mkdirs-with-permission-needs-parent",
    "mkdirs with a permission makes no missing ancestors",
    clause="filesystem.mkdirs.post",
)
class _MkdirsNeedsParent(FullStore):
    def mkdirs(self, path: str) -> bool:
        if self.via == "permission" and not self.exists(path):
            self.require_parent(path)
        return super().mkdirs(path)

    def mkdirs_with(self, path: str, permission: int) -> bool:
        self.via = "permission"
        return super().mkdirs_with(path, permission)


@seeded(
    "context-mkdirs-refuses-existing",
    "mkdirs through FileContext says that a directory exists",
    clause="filesystem.mkdirs.post.existing",
)
class _MkdirsExisting(FullStore):
    def mkdirs(self, path: str) -> bool:
        if self.via == "context" and self.exists(path):
            self.fail("FileAlreadyExistsException", path)
        return super().mkdirs(path)


@seeded(
    "delete-by-path-not-recursive",
    "delete of a path alone refuses a directory with children",
    clause="filesystem.delete.post.recursive",
)
class _DeleteByPath(FullStore):
    def delete(self, path: str, recursive: bool) -> bool:
        return super().delete(path, recursive and self.via != "path")


@seeded(
    "link-status-of-missing",
    "getFileLinkStatus of a missing path tells of an empty file",
    clause="filesystem.getFileStatus.pre.exists",
)
class _LinkStatus(FullStore):
    def get_file_status(self, path: str) -> FileStatus:
        name, key = self.locate(path)
        if self.via == "link" and key not in self.nodes:
            return FileStatus(name, False, 0, 1)
        return super().get_file_status(path)


@seeded("context-exists-raises", "exists of FileContext raises for a missing path", clause="filesystem.exists")
class _ContextExists(FullStore):
    def exists(self, path: str) -> bool:
        there = super().exists(path)
        if not there and self.via == "context":
            self.fail("FileNotFoundException", path)
        return there


@seeded(
    "iterator-lacks-the-last",
    "listStatusIterator ends before the last entry",
    clause="filesystem.listStatusIterator.post",
)
class _LacksTheLast(FullStore):
    def list_status(self, path: str) -> list[FileStatus]:
        entries = super().list_status(path)
        return entries[:-1] if self.via == "iterator" else entries


@seeded(
    "iterator-of-missing-is-empty",
    "listStatusIterator of a missing path gives nothing and raises nothing",
    clause="filesystem.listStatusIterator.pre.exists",
)
class _MissingIterator(FullStore):
    def list_status(self, path: str) -> list[FileStatus]:
        return [] if self.via == "iterator" and not self.exists(path) else super().list_status(path)


@seeded("located-lacks-directories", "listLocatedStatus gives files only", clause="filesystem.listLocatedStatus.post")
class _LacksDirectories(FullStore):
    def list_status(self, path: str) -> list[FileStatus]:
        entries = super().list_status(path)
        return [entry for entry in entries if not entry.is_dir] if self.via == "located" else entries


@seeded(
    "located-of-missing-is-empty",
    "listLocatedStatus of a missing path gives nothing and raises nothing",
    clause="filesystem.listLocatedStatus.pre.exists",
)
class _MissingLocated(FullStore):
    def list_status(self, path: str) -> list[FileStatus]:
        return [] if self.via == "located" and not self.exists(path) else super().list_status(path)


@seeded("array-lacks-files", "listStatus of an array gives nothing of a file", clause="filesystem.listStatus.many.post")
class _ArrayLacksFiles(FullStore):
    def list_status(self, path: str) -> list[FileStatus]:
        entries = super().list_status(path)
        return [] if self.via.startswith("array") and self.holds(path, True) else entries


@seeded(
    "filter-hides-empty-files",
    "listStatus with a filter that accepts all lacks empty files",
    clause="filesystem.listStatus.default-filter",
)
class _HidesEmpty(FullStore):
    def list_status(self, path: str) -> list[FileStatus]:
        entries = super().list_status(path)
        return [entry for entry in entries if entry.is_dir or entry.length] if self.via == "filter" else entries


@seeded(
    "context-rename-leaves-checksums",
    "a rename through FileContext leaves the file with the checksums behind",
    "HADOOP-16255",
    clause="rename.rename3.post.file",
)
class _LeavesChecksums(FullStore):
    def rename_with(self, src: str, dst: str, overwrite: bool) -> None:
        name, key = self.locate(src)
        super().rename_with(src, dst, overwrite)
        if self.via == "context" and key not in self.nodes:
            left = [f"{parent_of(one)}/.{last_of(one)}.crc" for one in (name, key)]
            self.attach(left[0], left[1], Node(b"crc"))
