"""Faults of answers: the store is right, what it says is not."""

from __future__ import annotations

from fsconform.proving.faults.base import seeded
from fsconform.proving.full_store import FullStore
from fsconform.proving.store import ANCESTRY, FileStatus, Node, StoreError

BLOCK = 4096
"""Bytes to whose multiples the fault ``length-in-blocks`` rounds."""


@seeded("mkdirs-existing-false", "mkdirs on a directory that is there says False")
class _MkdirsFalse(FullStore):
    def mkdirs(self, path: str) -> bool:
        there = self.locate(path)[1] in self.nodes
        return super().mkdirs(path) and not there


@seeded("delete-missing-true", "deleting a missing path says True")
class _DeleteTrue(FullStore):
    def delete(self, path: str, recursive: bool) -> bool:
        super().delete(path, recursive)
        return True


@seeded(
    "delete-missing-raises",
    "deleting a missing path raises FileNotFoundException",
    clause="filesystem.delete.post.missing-returns",
)
class _DeleteRaises(FullStore):
    def delete(self, path: str, recursive: bool) -> bool:
        if self.locate(path)[1] not in self.nodes:
            self.fail("FileNotFoundException", path)
        return super().delete(path, recursive)


@seeded(
    "delete-file-false", "deleting a file says False, though the file is gone", clause="filesystem.delete.post.file"
)
class _DeleteFalse(FullStore):
    def delete(self, path: str, recursive: bool) -> bool:
        node = self.nodes.get(self.locate(path)[1])
        return super().delete(path, recursive) and (node is None or node.data is None)


@seeded("missing-raises-superclass", "getFileStatus of a missing path raises java.lang.Exception itself")
class _Superclass(FullStore):
    def get_file_status(self, path: str) -> FileStatus:
        if self.locate(path)[1] not in self.nodes:
            raise StoreError(ANCESTRY["Exception"], f"no such path: {path}")
        return super().get_file_status(path)


@seeded("missing-raises-runtime-error", "open of a missing file raises UnsupportedOperationException")
class _Runtime(FullStore):
    def open(self, path: str) -> bytes:
        if self.locate(path)[1] not in self.nodes:
            self.fail("UnsupportedOperationException", path)
        return super().open(path)


@seeded(
    "open-missing-empty",
    "opening a missing file reads no bytes instead of raising",
    clause="filesystem.open.pre.is-file",
)
class _OpenMissing(FullStore):
    def open(self, path: str) -> bytes:
        return super().open(path) if self.locate(path)[1] in self.nodes else b""


@seeded("open-directory-empty", "opening a directory reads no bytes instead of raising", "TACHYON-61")
class _OpenDirectory(FullStore):
    def open(self, path: str) -> bytes:
        node = self.nodes.get(self.locate(path)[1])
        return b"" if node is not None and node.data is None else super().open(path)


@seeded("root-status-fails", "getFileStatus of the root, or of a program's directory, fails", "HADOOP-18826")
class _RootStatus(FullStore):
    def get_file_status(self, path: str) -> FileStatus:
        if self.locate(path)[1] == self.base:
            self.fail("FileNotFoundException", path)
        return super().get_file_status(path)


@seeded(
    "directory-length-4096",
    "directories have a length of 4096 bytes, as those of local filesystems",
    clause="filesystem.getFileStatus.post.directory",
)
class _DirectoryLength(FullStore):
    def status(self, name: str, key: str, node: Node) -> FileStatus:
        status = super().status(name, key, node)
        return FileStatus(status.path, True, 4096, status.block_size) if status.is_dir else status


@seeded("zero-block-size", "files that hold bytes have a block size of 0", clause="filesystem.getFileStatus.post.file")
class _BlockSize(FullStore):
    def status(self, name: str, key: str, node: Node) -> FileStatus:
        status = super().status(name, key, node)
        return FileStatus(status.path, status.is_dir, status.length, 0) if status.length else status


@seeded("length-in-blocks", f"getFileStatus rounds lengths above {BLOCK} bytes down to a multiple of it")
class _LengthInBlocks(FullStore):
    def get_file_status(self, path: str) -> FileStatus:
        status = super().get_file_status(path)
        whole = status.length - status.length % BLOCK if status.length > BLOCK else status.length
        return FileStatus(status.path, status.is_dir, whole, status.block_size)


@seeded("exists-directory-false", "exists says False of a directory")
class _ExistsDirectory(FullStore):
    def exists(self, path: str) -> bool:
        node = self.nodes.get(self.locate(path)[1])
        return node is not None and node.data is not None


@seeded(
    "colon-accepted",
    "a name with a colon is accepted, although the specification forbids it",
    clause="model.paths.valid-elements",
)
class _Colon(FullStore):
    def locate(self, path: str) -> tuple[str, str]:
        name, _ = super().locate(path.replace(":", ""))
        return (path, path) if name else (name, name)


@seeded("dots-resolved", "the elements . and .. are resolved instead of being refused")
class _Dots(FullStore):
    def locate(self, path: str) -> tuple[str, str]:
        prefix = self.base + "/"
        if "/." not in path or not path.startswith(prefix):
            return super().locate(path)
        kept: list[str] = []
        for element in path[len(prefix) :].split("/"):
            if element == "..":
                # As in POSIX the top is its own parent; nothing may leave the program's directory.
                kept[-1:] = []
            elif element != ".":
                kept.append(element)
        return super().locate(prefix + "/".join(kept) if kept else self.base or "/")
