"""Faults that break one clause each: null for an answer, calls and options taken for what they are not, stale times."""

from __future__ import annotations

from fsconform.proving.faults.base import seeded
from fsconform.proving.full_store import FullStore
from fsconform.proving.keeping_store import Told
from fsconform.proving.store import FileStatus, Node


@seeded(
    "null-for-no-entries", "a listing in which nothing passes is null", clause="filesystem.listStatus.post.not-null"
)
class _NoEntries(FullStore):
    def list_filtered(self, path: str, prefix: str) -> list[FileStatus] | None:
        return super().list_filtered(path, prefix) or None


@seeded("null-enclosing-root", "what is missing has null for a root", clause="filesystem.getEnclosingRoot.post.default")
class _EnclosingRoot(FullStore):
    def get_enclosing_root(self, path: str) -> Told | None:
        return super().get_enclosing_root(path) if self.exists(path) else None


@seeded("null-storage-policy", "a file without a policy of its own has null", clause="filesystem.getStoragePolicy.post")
class _Policy(FullStore):
    def get_storage_policy(self, path: str) -> Told | None:
        told = super().get_storage_policy(path)
        return told if self.stored_by(path).policy else None


@seeded(
    "located-filter-refused",
    "a located listing takes no filter",
    clause="filesystem.listLocatedStatus.mandatory",
)
class _FilterRefused(FullStore):
    def list_filtered(self, path: str, prefix: str) -> list[FileStatus] | None:
        self.need(self.via != "located", "listLocatedStatus with a filter")
        return super().list_filtered(path, prefix)


@seeded(
    "concat-of-directory",
    "concat takes a directory for a file of the same block size, and of no bytes",
    clause="filesystem.concat.pre.block-size",
)
class _OfDirectory(FullStore):
    def piece(self, source: str) -> bytes:
        return b"" if self.holds(source, False) else super().piece(source)


@seeded(
    "truncate-done-too-early",
    "truncate is true though the file takes no bytes yet",
    clause="filesystem.truncate.post.result",
)
class _TooEarly(FullStore):
    def reset(self) -> None:
        self.adjusted: set[Node] = set()

    def truncate(self, path: str, length: int) -> bool:
        done = super().truncate(path, length)
        self.adjusted.add(self.found(path))
        return done

    def append(self, path: str, data: bytes) -> None:
        if self.nodes.get(self.locate(path)[1]) in self.adjusted:
            self.fail("IOException", f"the end of {path} is being adjusted")
        super().append(path, data)


@seeded("msync-forgets", "after msync a replica answers that knows no files", clause="filesystem.msync.post")
class _Forgets(FullStore):
    def reset(self) -> None:
        self.behind = False

    def msync(self) -> None:
        super().msync()
        self.behind = True

    def get_file_status(self, path: str) -> FileStatus:
        if self.behind and self.holds(path, True):
            self.fail("FileNotFoundException", path)
        return super().get_file_status(path)


@seeded(
    "overwrite-keeps-time",
    "a file that is overwritten has the time of before",
    clause="introduction.timestamps.hdfs.write",
)
class _OverwriteKeeps(FullStore):
    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        node = self.nodes.get(self.locate(path)[1])
        before = self.kept(node).modified if node is not None else None
        super().create(path, data, overwrite)
        if before is not None:
            self.kept(self.found(path)).modified = before


@seeded("concat-keeps-time", "concat leaves the time", clause="introduction.timestamps.hdfs.rare-changes")
class _ConcatKeeps(FullStore):
    def concat(self, path: str, sources: list[str]) -> None:
        node = self.nodes.get(self.locate(path)[1])
        before = self.kept(node).modified if node is not None else 0
        super().concat(path, sources)
        self.kept(self.found(path)).modified = before


@seeded("rename-none-overwrites", "NONE is taken for OVERWRITE", clause="rename.rename3.options.none")
class _NoneOverwrites(FullStore):
    def rename_with(self, src: str, dst: str, overwrite: bool) -> None:
        super().rename_with(src, dst, True)


@seeded("rename-options-once", "a repeated option is refused", clause="rename.rename3.options.any-order")
class _Once(FullStore):
    def rename_with(self, src: str, dst: str, overwrite: bool) -> None:
        if self.via == "repeated":
            self.fail("IllegalArgumentException", "an option is repeated")
        super().rename_with(src, dst, overwrite)
