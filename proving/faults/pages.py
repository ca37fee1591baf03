"""Faults of pages, of levels and of names that are taken again: the witnesses that are made in code show them."""

from __future__ import annotations

from fsconform.proving.faults.base import seeded
from fsconform.proving.full_store import FullStore
from fsconform.proving.keeping_store import Told
from fsconform.proving.store import FileStatus, Node

PAGE = 1000
LEVELS = 12


@seeded("rename-loses-beyond-a-page", "a directory that is renamed loses what comes after its first 1,000 entries")
class _RenameLoses(FullStore):
    def move(self, src_key: str, name: str, key: str) -> None:
        for lost in list(self.nodes[src_key].names)[PAGE:]:
            self.remove_subtree(f"{src_key}/{lost}")
        super().move(src_key, name, key)


@seeded("listing-of-full-pages-loses-the-last", "a listing of 1,000 entries, or of 2,000, leaves the last one out")
class _ListingLoses(FullStore):
    def children(self, name: str, key: str, node: Node) -> list[FileStatus]:
        found = super().children(name, key, node)
        return found[:-1] if found and len(found) % PAGE == 0 else found


@seeded("delete-keeps-beyond-a-page", "deleting a directory of more than 1,000 entries deletes the first 1,000 only")
class _DeleteKeeps(FullStore):
    def delete(self, path: str, recursive: bool) -> bool:
        key = self.locate(path)[1]
        node = self.nodes.get(key)
        if node is None or not recursive or len(node.names) <= PAGE:
            return super().delete(path, recursive)
        for gone in list(node.names)[:PAGE]:
            self.remove_subtree(f"{key}/{gone}")
        return True


@seeded("trash-loses-beyond-a-page", "a directory of more than 1,000 entries stays where it is, though trash took it")
class _TrashLoses(FullStore):
    def move_to_trash(self, path: str, enabled: bool) -> Told:
        node = self.nodes.get(self.locate(path)[1])
        if node is None or len(node.names) <= PAGE:
            return super().move_to_trash(path, enabled)
        before, key = dict(self.nodes), self.locate(path)[1]
        told = super().move_to_trash(path, enabled)
        if key not in self.nodes:
            self.attach(key, key, before[key])
            self.nodes |= {below: one for below, one in before.items() if below.startswith(f"{key}/")}
        return told


@seeded("walk-ends-at-twelve-levels", "a recursive listing leaves out what is more than twelve levels down")
class _WalkEnds(FullStore):
    def list_files(self, path: str, recursive: bool) -> list[FileStatus]:
        deepest = path.count("/") + LEVELS
        return [one for one in super().list_files(path, recursive) if one.path.count("/") <= deepest]


@seeded("copy-to-a-name-that-was-trashed", "a file copied to a name that was moved to trash begins with the old bytes")
class _CopyAfterTrash(FullStore):
    def reset(self) -> None:
        super().reset()
        self.trashed: dict[str, bytes] = {}

    def move_to_trash(self, path: str, enabled: bool) -> Told:
        key = self.locate(path)[1]
        node = self.nodes.get(key)
        if node is not None and node.data is not None:
            self.trashed[key] = node.data
        return super().move_to_trash(path, enabled)

    def copy_from_local(self, path: str, data: bytes, delete: bool, overwrite: bool) -> Told:
        old = self.trashed.get(self.locate(path)[1], b"")
        return super().copy_from_local(path, old + data, delete, overwrite)


@seeded("upload-to-a-name-that-was-renamed", "an upload to a name that a rename with options freed leaves nothing")
class _UploadAfterRename(FullStore):
    def reset(self) -> None:
        super().reset()
        self.freed: set[str] = set()

    def rename_with(self, src: str, dst: str, overwrite: bool) -> None:
        super().rename_with(src, dst, overwrite)
        self.freed.add(self.locate(src)[1])

    def upload(self, path: str, data: bytes, parts: int, ending: str) -> None:
        super().upload(path, data, parts, ending)
        key = self.locate(path)[1]
        if key in self.freed and key in self.nodes:
            self.remove_subtree(key)
