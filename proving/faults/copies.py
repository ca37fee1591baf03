"""Faults of copies from and to local files, of path handles, uploads in parts and deletes on exit."""

from __future__ import annotations

from fsconform.proving.changes import LOCAL_FILE, LOCAL_TREE
from fsconform.proving.faults.base import seeded
from fsconform.proving.full_store import FullStore
from fsconform.proving.keeping_store import Told, joined
from fsconform.proving.store import Node


@seeded(
    "copy-always-overwrites", "a copy from local replaces a file", clause="filesystem.copyFromLocalFile.pre.overwrite"
)
class _CopyOverwrites(FullStore):
    def copy_from_local(self, path: str, data: bytes, delete: bool, overwrite: bool) -> Told:
        return super().copy_from_local(path, data, delete, True)


@seeded(
    "copy-never-overwrites", "a copy from local replaces nothing", clause="filesystem.copyFromLocalFile.post.replaces"
)
class _CopyNever(FullStore):
    def copy_from_local(self, path: str, data: bytes, delete: bool, overwrite: bool) -> Told:
        return super().copy_from_local(path, data, delete, False)


@seeded(
    "copy-keeps-source", "a copy that deletes leaves the local file", clause="filesystem.copyFromLocalFile.post.source"
)
class _CopyKeeps(FullStore):
    def copy_from_local(self, path: str, data: bytes, delete: bool, overwrite: bool) -> Told:
        return super().copy_from_local(path, data, False, overwrite)


@seeded("copy-deletes-source", "a copy deletes the local file", clause="filesystem.copyFromLocalFile.post.source")
class _CopyDeletes(FullStore):
    def copy_from_local(self, path: str, data: bytes, delete: bool, overwrite: bool) -> Told:
        return super().copy_from_local(path, data, True, overwrite)


@seeded("copy-loses-bytes", "a copy from local has no bytes", clause="filesystem.copyFromLocalFile.post.file")
class _CopyLoses(FullStore):
    def copy_from_local(self, path: str, data: bytes, delete: bool, overwrite: bool) -> Told:
        return super().copy_from_local(path, b"", delete, overwrite)


@seeded(
    "copy-not-below",
    "a copy into a directory is refused",
    clause="filesystem.copyFromLocalFile.post.file-into-directory",
)
class _CopyNotBelow(FullStore):
    def copy_from_local(self, path: str, data: bytes, delete: bool, overwrite: bool) -> Told:
        if self.holds(path, False):
            self.fail("FileAlreadyExistsException", path)
        return super().copy_from_local(path, data, delete, overwrite)


@seeded(
    "copy-renames-below",
    "a copy into a directory has another name",
    clause="filesystem.copyFromLocalFile.post.file-into-directory",
)
class _CopyRenames(FullStore):
    def copy_from_local(self, path: str, data: bytes, delete: bool, overwrite: bool) -> Told:
        if self.holds(path, False) and not self.exists(joined(path, LOCAL_FILE)):
            path = joined(path, f"{LOCAL_FILE}.copying")
        return super().copy_from_local(path, data, delete, overwrite)


@seeded(
    "copy-of-nothing",
    "a copy of a missing local file is empty",
    clause="filesystem.copyFromLocalFile.pre.source-exists",
)
class _CopyNothing(FullStore):
    def copy_missing_from_local(self, path: str, overwrite: bool) -> None:  # type: ignore[override]
        self.copy_from_local(path, b"", False, overwrite)


@seeded(
    "move-keeps-source", "a move from local leaves the local file", clause="filesystem.copyFromLocalFile.post.source"
)
class _MoveKeeps(FullStore):
    def move_from_local(self, path: str, data: bytes) -> Told:
        return {**super().move_from_local(path, data), "left": True}


@seeded(
    "copy-tree-onto-file",
    "a copied directory replaces a file",
    clause="filesystem.copyFromLocalFile.pre.directory-onto-file",
)
class _TreeOntoFile(FullStore):
    def copy_tree_from_local(self, path: str, data: bytes, delete: bool, overwrite: bool) -> Told:
        if self.holds(path, True):
            self.delete(path, False)
        return super().copy_tree_from_local(path, data, delete, overwrite)


@seeded(
    "copy-tree-onto-file-below",
    "a copied directory replaces a file of its name",
    clause="filesystem.copyFromLocalFile.pre.directory-onto-file-below",
)
class _TreeOntoFileBelow(FullStore):
    def copy_tree_from_local(self, path: str, data: bytes, delete: bool, overwrite: bool) -> Told:
        below = joined(path, LOCAL_TREE)
        if self.holds(path, False) and self.holds(below, True):
            self.delete(below, False)
        return super().copy_tree_from_local(path, data, delete, overwrite)


@seeded(
    "copy-tree-always-merges",
    "a copied directory is merged without overwrite",
    clause="filesystem.copyFromLocalFile.pre.overwrite-below",
)
class _TreeMerges(FullStore):
    def copy_tree_from_local(self, path: str, data: bytes, delete: bool, overwrite: bool) -> Told:
        return super().copy_tree_from_local(path, data, delete, True)


@seeded(
    "copy-tree-flat",
    "a copied directory lacks its subdirectory",
    clause="filesystem.copyFromLocalFile.post.directory",
)
class _TreeFlat(FullStore):
    def copy_tree_from_local(self, path: str, data: bytes, delete: bool, overwrite: bool) -> Told:
        there = self.holds(path, False)
        told = super().copy_tree_from_local(path, data, delete, overwrite)
        self.delete(joined(joined(path, LOCAL_TREE) if there else path, "d"), True)
        return told


@seeded("copy-tree-keeps-source", "a directory that is moved stays", clause="filesystem.copyFromLocalFile.post.source")
class _TreeKeeps(FullStore):
    def copy_tree_from_local(self, path: str, data: bytes, delete: bool, overwrite: bool) -> Told:
        return super().copy_tree_from_local(path, data, False, overwrite)


@seeded("copy-to-local-short", "a local copy lacks the last byte", clause="filesystem.open.post")
class _ToLocalShort(FullStore):
    def copy_to_local(self, path: str) -> bytes:
        return super().copy_to_local(path)[:-1]


@seeded("exit-deletes-nothing", "what is marked to be deleted on exit stays")
class _ExitNothing(FullStore):
    def delete_on_exit(self, path: str) -> bool:
        return self.exists(path)


@seeded("exit-not-recursive", "a directory marked to be deleted on exit stays if it is not empty")
class _ExitFlat(FullStore):
    def delete_on_exit(self, path: str) -> bool:
        node = self.nodes.get(self.locate(path)[1])
        return node is not None and (bool(node.names) or super().delete_on_exit(path))


@seeded("exit-not-cancelled", "what was cancelled is deleted on exit")
class _ExitCancelled(FullStore):
    def delete_on_exit(self, path: str) -> bool:
        self.via = ""
        return super().delete_on_exit(path)


@seeded(
    "handle-tolerates-move", "an exact handle opens a moved file", clause="filesystem.getPathHandle.options.default"
)
class _ToleratesMove(FullStore):
    def opened(self, node: Node, handle: str, lost: bool, moved: bool, changed: bool) -> bytes:
        return super().opened(node, handle, lost, moved and handle != "exact", changed)


@seeded(
    "handle-tolerates-change", "an exact handle opens a changed file", clause="filesystem.getPathHandle.options.default"
)
class _ToleratesChange(FullStore):
    def opened(self, node: Node, handle: str, lost: bool, moved: bool, changed: bool) -> bytes:
        return super().opened(node, handle, lost, moved, changed and handle != "exact")


@seeded(
    "content-handle-not-moved",
    "a content handle opens no moved file",
    clause="filesystem.getPathHandle.options.relaxed",
)
class _ContentNotMoved(FullStore):
    def opened(self, node: Node, handle: str, lost: bool, moved: bool, changed: bool) -> bytes:
        return super().opened(node, "exact" if handle == "content" else handle, lost, moved, changed)


@seeded(
    "content-handle-changed", "a content handle opens a changed file", clause="filesystem.getPathHandle.options.relaxed"
)
class _ContentChanged(FullStore):
    def opened(self, node: Node, handle: str, lost: bool, moved: bool, changed: bool) -> bytes:
        return super().opened(node, handle, lost, moved, changed and handle != "content")


@seeded(
    "path-handle-unchanged", "a path handle opens no changed file", clause="filesystem.getPathHandle.options.relaxed"
)
class _PathUnchanged(FullStore):
    def opened(self, node: Node, handle: str, lost: bool, moved: bool, changed: bool) -> bytes:
        return super().opened(node, "exact" if handle == "path" else handle, lost, moved, changed)


@seeded(
    "reference-handle-loses", "a reference opens no moved file", clause="filesystem.getPathHandle.options.reference"
)
class _ReferenceLoses(FullStore):
    def opened(self, node: Node, handle: str, lost: bool, moved: bool, changed: bool) -> bytes:
        return super().opened(node, handle, lost or (moved and handle == "reference"), moved, changed)


@seeded("handle-opens-deleted", "a handle opens a deleted file", clause="filesystem.openHandle.pre.exists")
class _OpensDeleted(FullStore):
    def opened(self, node: Node, handle: str, lost: bool, moved: bool, changed: bool) -> bytes:
        return super().opened(node, handle, False, moved and not lost, changed)


@seeded("handle-lost-unspecific", "a lost file's handle is no such file", clause="filesystem.openHandle.pre.exists")
class _LostUnspecific(FullStore):
    def opened(self, node: Node, handle: str, lost: bool, moved: bool, changed: bool) -> bytes:
        if lost:
            self.fail("FileNotFoundException", "the file of a handle")
        return super().opened(node, handle, lost, moved, changed)


@seeded(
    "path-handle-of-replaced",
    "a path handle opens what replaced the file",
    clause="filesystem.getPathHandle.options.path",
)
class _OfReplaced(FullStore):
    def open_by_handle(self, path: str, handle: str, meanwhile: str, other: str) -> bytes:
        data = self.found(path).data
        if meanwhile == "replace" and handle == "path" and data is not None:
            self.change(path, meanwhile, other)
            return data
        return super().open_by_handle(path, handle, meanwhile, other)


@seeded(
    "handle-of-directory", "a directory's handle opens as empty", clause="filesystem.openHandle.pre.not-a-directory"
)
class _HandleDirectory(FullStore):
    def open_by_handle(self, path: str, handle: str, meanwhile: str, other: str) -> bytes:
        if self.holds(path, False) and meanwhile == "nothing":
            return b""
        return super().open_by_handle(path, handle, meanwhile, other)


@seeded("handle-opens-snapshot", "a handle gives the bytes of its status", clause="filesystem.getPathHandle.post")
class _HandleSnapshot(FullStore):
    def open_by_handle(self, path: str, handle: str, meanwhile: str, other: str) -> bytes:
        before = self.found(path).data
        super().open_by_handle(path, handle, meanwhile, other)
        assert before is not None
        return before
