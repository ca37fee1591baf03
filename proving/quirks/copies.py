"""Twins of what Hadoop's own copying of trees does, and their shadows, made for a store each."""

from __future__ import annotations

from fsconform.proving.full_store import FullStore
from fsconform.proving.keeping_store import Told, joined
from fsconform.proving.quirks.base import shadow, twin


class TooDeep(FullStore):
    """The directory of a tree goes below the one that has its place; nothing is done where something is in the way."""

    def copy_tree_from_local(self, path: str, data: bytes, delete: bool, overwrite: bool) -> Told:
        tree = joined(path, "t")
        inner = joined(tree, "d")
        if not overwrite or not all(self.holds(one, False) for one in (path, tree, inner)):
            return super().copy_tree_from_local(path, data, delete, overwrite)
        below = joined(inner, "d")
        last = joined(below, "g")
        if self.holds(joined(tree, "f"), False) or self.holds(joined(inner, "g"), False) or self.holds(below, True):
            self.fail("FileAlreadyExistsException", path)
        last = joined(last, "g") if self.holds(last, False) else last
        if self.holds(last, False):
            self.fail("FileAlreadyExistsException", path)
        self.create(joined(tree, "f"), self.file(tree, data), True)
        self.mkdirs(below)
        self.create(last, b"", True)
        self.beside(inner)
        return {"left": not delete}

    def file(self, tree: str, data: bytes) -> bytes:
        """The bytes of the tree's file."""
        return data

    def beside(self, inner: str) -> None:
        """What a shadow does beside it."""


class _KeepsOldBytes(TooDeep):
    def file(self, tree: str, data: bytes) -> bytes:
        path = joined(tree, "f")
        return self.open(path) if self.exists(path) else data


class _Removes(TooDeep):
    def beside(self, inner: str) -> None:
        for shown in list(self.nodes[self.locate(inner)[1]].names):
            if self.holds(joined(inner, shown), True):
                self.delete(joined(inner, shown), False)


def copying(store: str) -> None:
    """The twin and shadows of what FileSystem.copyFromLocalFile does."""
    quirk = f"{store}/copies-a-tree-too-deep"
    twin(quirk)(TooDeep)
    shadow(quirk, f"{store}-copy-of-a-tree-keeps-old-bytes", "the file keeps the bytes that it had")(_KeepsOldBytes)
    shadow(quirk, f"{store}-copy-of-a-tree-removes-what-was-there", "the directory's own files are deleted")(_Removes)


copying("hadoop")
