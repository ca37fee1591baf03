"""Faults of the root, which only programs in the real root can show, and of what holds of every tree."""

from __future__ import annotations

from fsconform.proving.faults.base import seeded
from fsconform.proving.full_store import FullStore
from fsconform.proving.store import FileStatus, Node


@seeded(
    "root-deleted-when-empty-grows",
    "deleting an empty root leaves a directory for what was lost",
    clause="filesystem.delete.root.empty-unchanged",
    root=True,
)
class _Grows(FullStore):
    def delete(self, path: str, recursive: bool) -> bool:
        empty = path == "/" and not self.nodes[""].names
        gone = super().delete(path, recursive)
        if empty:
            self.mkdirs("/lost")
        return gone


@seeded(
    "root-with-children-deleted",
    "a delete of the root that is not recursive empties it",
    clause="filesystem.delete.root.not-empty",
    root=True,
)
class _ChildrenDeleted(FullStore):
    def delete(self, path: str, recursive: bool) -> bool:
        return super().delete(path, recursive or path == "/")


@seeded(
    "root-renamed",
    "a rename of the root says True and does nothing",
    clause="filesystem.rename.pre.not-root",
    root=True,
)
class _Renamed(FullStore):
    def rename(self, src: str, dst: str) -> bool:
        return src == "/" or super().rename(src, dst)


@seeded("root-missing", "the root is no directory while it is empty", clause="model.filesystem.root-exists", root=True)
class _Missing(FullStore):
    def list_status(self, path: str) -> list[FileStatus]:
        if path == "/" and not self.nodes[""].names:
            self.fail("FileNotFoundException", path)
        return super().list_status(path)


@seeded("tree-names-twice", "a listing has its first entry twice", clause="model.filesystem.no-duplicate-names")
class _Twice(FullStore):
    def children(self, name: str, key: str, node: Node) -> list[FileStatus]:
        entries = super().children(name, key, node)
        return entries[:1] + entries


@seeded(
    "tree-file-below-file",
    "a file is made below a file, whose listing shows it",
    clause="model.filesystem.parent-is-directory",
)
class _BelowFile(FullStore):
    def require_no_file_above(self, key: str, path: str) -> None:
        parent = self.nodes.get(key.rpartition("/")[0])
        if parent is None:
            super().require_no_file_above(key, path)

    def list_status(self, path: str) -> list[FileStatus]:
        name, key = self.locate(path)
        node = self.nodes.get(key)
        if node is not None and node.data is not None and node.names:
            return self.children(name, key, node)
        return super().list_status(path)


@seeded(
    "tree-file-and-directory",
    "mkdirs of a file makes it a directory that can be read",
    clause="model.filesystem.exclusivity",
)
class _Both(FullStore):
    def reset(self) -> None:
        self.both: set[str] = set()

    def mkdirs(self, path: str) -> bool:
        key = self.locate(path)[1]
        if not self.holds(path, True):
            return super().mkdirs(path)
        self.both.add(key)
        return True

    def status(self, name: str, key: str, node: Node) -> FileStatus:
        return FileStatus(name, True, 0, 0) if key in self.both else super().status(name, key, node)


@seeded(
    "tree-empty-directory-stays",
    "deleting an empty directory says True and does nothing",
    clause="filesystem.delete.post.empty-directory",
)
class _EmptyStays(FullStore):
    def delete(self, path: str, recursive: bool) -> bool:
        empty = self.holds(path, False) and not self.found(path).names
        return empty or super().delete(path, recursive)


@seeded(
    "tree-rename-into-misnames",
    "what is renamed into a directory has another name there",
    clause="filesystem.rename.post.into-directory",
)
class _Misnames(FullStore):
    def final_destination(
        self, source: Node, src_name: str, src_key: str, dst_name: str, dst_key: str
    ) -> tuple[str, str]:
        name, key = super().final_destination(source, src_name, src_key, dst_name, dst_key)
        return (name, key) if key == dst_key else (f"{name}_1", f"{key}_1")


@seeded(
    "tree-refused-create-empties",
    "a create that is refused as the file exists has emptied it",
    clause="filesystem.refused-changes-nothing",
)
class _RefusedEmpties(FullStore):
    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        if not overwrite and self.holds(path, True):
            self.found(path).data = b""
        super().create(path, data, overwrite)


@seeded("tree-append-to-directory", "append to a directory says nothing", clause="filesystem.append.pre.is-file")
class _AppendToDirectory(FullStore):
    def append(self, path: str, data: bytes) -> None:
        if not self.holds(path, False):
            super().append(path, data)
