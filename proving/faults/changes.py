"""Faults of concat, truncate, rename with options and bulk deletes."""

from __future__ import annotations

from fsconform.proving.faults.base import seeded
from fsconform.proving.full_store import FullStore
from fsconform.proving.keeping_store import Told
from fsconform.proving.store import Node, is_below


@seeded("concat-keeps-sources", "concat leaves its sources", clause="filesystem.concat.post")
class _KeepsSources(FullStore):
    def concat(self, path: str, sources: list[str]) -> None:
        before = [self.nodes.get(self.locate(one)[1]) for one in sources]
        super().concat(path, sources)
        for one, node in zip(sources, before, strict=True):
            if node is not None:
                self.attach(*self.locate(one), node)


@seeded("concat-backwards", "concat takes its sources from the last to the first", clause="filesystem.concat.post")
class _Backwards(FullStore):
    def chained(self, data: bytes, pieces: list[bytes]) -> bytes:
        return super().chained(data, pieces[::-1])


@seeded("concat-drops-target", "concat drops the bytes of the target", clause="filesystem.concat.post")
class _DropsTarget(FullStore):
    def chained(self, data: bytes, pieces: list[bytes]) -> bytes:
        return super().chained(b"", pieces)


@seeded("concat-target-last", "concat puts the target's bytes behind the sources'", clause="filesystem.concat.post")
class _TargetLast(FullStore):
    def chained(self, data: bytes, pieces: list[bytes]) -> bytes:
        return b"".join((*pieces, data))


@seeded("concat-creates-target", "concat makes a missing target", clause="filesystem.concat.pre.exists")
class _CreatesTarget(FullStore):
    def concat(self, path: str, sources: list[str]) -> None:
        key = self.locate(path)[1]
        if key not in self.nodes and sources and all(self.holds(one, True) for one in sources):
            self.create(path, b"", False)
        super().concat(path, sources)


@seeded("concat-of-nothing", "concat of no sources is silent", clause="filesystem.concat.pre.sources")
class _OfNothing(FullStore):
    def concat(self, path: str, sources: list[str]) -> None:
        if sources:
            super().concat(path, sources)
        else:
            self.bytes_of(path)


@seeded(
    "concat-from-elsewhere", "concat takes sources of other directories", clause="filesystem.concat.pre.same-directory"
)
class _FromElsewhere(FullStore):
    def check_sources(self, path: str, sources: list[str]) -> None:
        keys = [self.locate(one)[1] for one in (path, *sources)]
        if len(keys) < 2 or len(set(keys)) < len(keys):
            super().check_sources(path, sources)


@seeded(
    "concat-with-itself", "concat takes the target as a source, and loses it", clause="filesystem.concat.pre.distinct"
)
class _WithItself(FullStore):
    def check_sources(self, path: str, sources: list[str]) -> None:
        super().check_sources(path, [one for one in sources if one != path] or sources[:-1] or [f"{path}-"])


@seeded(
    "truncate-pads", "truncate fills the file up with zeros to its old length", clause="filesystem.truncate.post.length"
)
class _Pads(FullStore):
    def truncate(self, path: str, length: int) -> bool:
        before = len(self.nodes[self.locate(path)[1]].data or b"") if self.exists(path) else 0
        done = super().truncate(path, length)
        node, data = self.bytes_of(path)
        node.data = data.ljust(before, b"\0")
        return done


@seeded("truncate-keeps-end", "truncate keeps the end of the file", clause="filesystem.truncate.post.length")
class _KeepsEnd(FullStore):
    def truncate(self, path: str, length: int) -> bool:
        before = self.bytes_of(path)[1]
        done = super().truncate(path, length)
        self.found(path).data = before[len(before) - length :]
        return done


@seeded("truncate-one-more", "truncate leaves a byte too many", clause="filesystem.truncate.post.length")
class _OneMore(FullStore):
    def truncate(self, path: str, length: int) -> bool:
        size = len(self.bytes_of(path)[1])
        return super().truncate(path, length + 1 if 0 <= length < size else length)


@seeded("truncate-extends", "truncate makes a file longer", clause="filesystem.truncate.pre.length")
class _Extends(FullStore):
    def truncate(self, path: str, length: int) -> bool:
        node, data = self.bytes_of(path)
        if length > len(data):
            node.data = data.ljust(length, b"\0")
        return super().truncate(path, length)


@seeded("truncate-beyond-ignored", "truncate beyond the end is silent", clause="filesystem.truncate.pre.length")
class _BeyondIgnored(FullStore):
    def truncate(self, path: str, length: int) -> bool:
        return super().truncate(path, min(length, len(self.bytes_of(path)[1])))


@seeded("truncate-negative", "truncate to a negative length empties the file", clause="filesystem.truncate.pre.length")
class _Negative(FullStore):
    def truncate(self, path: str, length: int) -> bool:
        return super().truncate(path, max(length, 0))


@seeded("truncate-creates", "truncate of a missing file makes it", clause="filesystem.truncate.pre.exists")
class _Creates(FullStore):
    def truncate(self, path: str, length: int) -> bool:
        if not self.exists(path):
            self.create(path, bytes(max(length, 0)), False)
        return super().truncate(path, length)


@seeded("truncate-directory", "truncate of a directory is silent", clause="filesystem.truncate.pre.not-a-directory")
class _Directory(FullStore):
    def truncate(self, path: str, length: int) -> bool:
        return self.holds(path, False) or super().truncate(path, length)


@seeded("rename-with-goes-below", "rename with options goes below a directory", clause="rename.rename3.destination")
class _GoesBelow(FullStore):
    def rename_with(self, src: str, dst: str, overwrite: bool) -> None:
        if self.holds(dst, False) and dst != src and src != "/":
            dst = f"{dst.rstrip('/')}/{src.rpartition('/')[2]}"
        super().rename_with(src, dst, overwrite)


@seeded("rename-with-silent", "rename with options of nothing is silent", clause="rename.rename3.pre.source-exists")
class _Silent(FullStore):
    def rename_with(self, src: str, dst: str, overwrite: bool) -> None:
        if self.exists(src):
            super().rename_with(src, dst, overwrite)


@seeded("rename-with-refusal-unsaid", "a refused rename with options is silent", clause="rename.rename3.raises")
class _Unsaid(FullStore):
    def check_replacing(self, source: Node, existing: Node, overwrite: bool, dst: str) -> None:
        if overwrite or source.data is None:
            super().check_replacing(source, existing, overwrite, dst)

    def rename_with(self, src: str, dst: str, overwrite: bool) -> None:
        both = self.holds(src, True) and self.holds(dst, True) and self.locate(src) != self.locate(dst)
        if overwrite or not both:
            super().rename_with(src, dst, overwrite)


@seeded("rename-with-to-itself", "rename with options to itself is silent", clause="rename.rename3.pre.not-itself")
class _ToItself(FullStore):
    def rename_with(self, src: str, dst: str, overwrite: bool) -> None:
        if self.locate(src)[1] != self.locate(dst)[1] or not self.exists(src):
            super().rename_with(src, dst, overwrite)


@seeded(
    "rename-with-below-itself",
    "rename with options below itself loses all",
    clause="rename.rename3.pre.not-below-itself",
)
class _BelowItself(FullStore):
    def rename_with(self, src: str, dst: str, overwrite: bool) -> None:
        key = self.locate(src)[1]
        if is_below(self.locate(dst)[1], key) and key in self.nodes and key not in ("", self.base):
            self.remove_subtree(key)
        else:
            super().rename_with(src, dst, overwrite)


@seeded("rename-with-of-root", "rename with options of the root is silent", clause="rename.rename3.pre.not-root")
class _OfRoot(FullStore):
    def rename_with(self, src: str, dst: str, overwrite: bool) -> None:
        if self.locate(src)[1] != self.base or self.locate(dst)[1] == self.base:
            super().rename_with(src, dst, overwrite)


@seeded(
    "rename-with-to-root", "rename with options to the root is silent", clause="rename.rename3.pre.destination-not-root"
)
class _ToRoot(FullStore):
    def rename_with(self, src: str, dst: str, overwrite: bool) -> None:
        if self.locate(dst)[1] != self.base or not self.exists(src) or self.locate(src)[1] == self.base:
            super().rename_with(src, dst, overwrite)


@seeded("rename-with-makes-parents", "rename with options makes parents", clause="rename.rename3.pre.parent-exists")
class _MakesParents(FullStore):
    def rename_with(self, src: str, dst: str, overwrite: bool) -> None:
        (name, key), src_key = self.locate(dst), self.locate(src)[1]
        if src_key in self.nodes and key != src_key and not is_below(key, src_key) and key:
            top = self.nearest(key)
            if top.data is None:
                self.make_directories(name.rpartition("/")[0], key.rpartition("/")[0])
        super().rename_with(src, dst, overwrite)


@seeded(
    "rename-with-below-file",
    "rename with options below a file is silent and loses the source",
    clause="rename.rename3.pre.parent-is-directory",
)
class _BelowFile(FullStore):
    def rename_with(self, src: str, dst: str, overwrite: bool) -> None:
        parent = self.nodes.get(self.locate(dst)[1].rpartition("/")[0])
        src_key = self.locate(src)[1]
        free = src_key not in ("", self.base) and src_key in self.nodes
        if parent is not None and parent.data is not None and free:
            self.remove_subtree(src_key)
        else:
            super().rename_with(src, dst, overwrite)


@seeded("rename-with-changes-type", "OVERWRITE puts a file for a directory", clause="rename.rename3.pre.same-type")
class _ChangesType(FullStore):
    def check_replacing(self, source: Node, existing: Node, overwrite: bool, dst: str) -> None:
        if not overwrite or (source.data is None) is (existing.data is None) or existing.names:
            super().check_replacing(source, existing, overwrite, dst)


@seeded(
    "rename-with-always-overwrites",
    "a file is replaced without OVERWRITE",
    clause="rename.rename3.pre.no-file-at-destination",
)
class _AlwaysOverwrites(FullStore):
    def check_replacing(self, source: Node, existing: Node, overwrite: bool, dst: str) -> None:
        super().check_replacing(source, existing, overwrite or existing.data is not None, dst)


@seeded(
    "rename-with-replaces-directory",
    "an empty directory is replaced without OVERWRITE",
    clause="rename.rename3.pre.no-directory-at-destination",
)
class _ReplacesDirectory(FullStore):
    def check_replacing(self, source: Node, existing: Node, overwrite: bool, dst: str) -> None:
        super().check_replacing(source, existing, overwrite or existing.data is None, dst)


@seeded(
    "rename-with-replaces-tree",
    "OVERWRITE replaces a directory that is not empty",
    clause="rename.rename3.pre.empty-directory",
)
class _ReplacesTree(FullStore):
    def check_replacing(self, source: Node, existing: Node, overwrite: bool, dst: str) -> None:
        inside = any(self.nodes[key] is source for key in self.subtree(self.locate(dst)[1]))
        if inside or not (overwrite and source.data is None and existing.data is None):
            super().check_replacing(source, existing, overwrite, dst)


@seeded("rename-with-never-overwrites", "OVERWRITE is ignored", clause="rename.rename3.post.overwrite")
class _NeverOverwrites(FullStore):
    def rename_with(self, src: str, dst: str, overwrite: bool) -> None:
        super().rename_with(src, dst, False)


@seeded("rename-with-copies", "rename with options leaves a file where it was", clause="rename.rename3.post.file")
class _Copies(FullStore):
    def rename_with(self, src: str, dst: str, overwrite: bool) -> None:
        node = self.nodes.get(self.locate(src)[1])
        super().rename_with(src, dst, overwrite)
        if node is not None and node.data is not None:
            self.create(src, node.data, True)


@seeded(
    "rename-with-loses-children",
    "rename with options loses a directory's children",
    clause="rename.rename3.post.directory",
)
class _LosesChildren(FullStore):
    def rename_with(self, src: str, dst: str, overwrite: bool) -> None:
        super().rename_with(src, dst, overwrite)
        key = self.locate(dst)[1]
        for child in list(self.nodes[key].names):
            self.remove_subtree(f"{key}/{child}")


@seeded("bulk-delete-any-number", "a bulk delete takes more than a page", clause="bulkdelete.pre.page-size")
class _AnyNumber(FullStore):
    def bulk_delete(self, path: str, paths: list[str]) -> Told:
        told = super().bulk_delete(path, paths[:1])
        failed = tuple(one for one in paths if not self.removed(one))
        return {**told, "failed": failed, "pageSize": 1}


@seeded(
    "bulk-delete-outside", "a bulk delete takes paths that are not below its base", clause="bulkdelete.pre.base-path"
)
class _Outside(FullStore):
    def bulk_delete(self, path: str, paths: list[str]) -> Told:
        return super().bulk_delete("/", paths)


@seeded("bulk-delete-lacks-last", "a bulk delete leaves the last path", clause="bulkdelete.post.files-removed")
class _LacksLast(FullStore):
    def bulk_delete(self, path: str, paths: list[str]) -> Told:
        told = super().bulk_delete(path, paths[:-1])
        return told


@seeded(
    "bulk-delete-siblings", "a bulk delete removes files whose names begin so", clause="bulkdelete.post.files-removed"
)
class _Siblings(FullStore):
    def removed(self, path: str) -> bool:
        key = self.locate(path)[1]
        done = super().removed(path)
        for other in [one for one in self.nodes if one.startswith(key) and self.nodes[one].data is not None]:
            self.remove_subtree(other)
        return done


@seeded("bulk-delete-missing-fails", "a missing path is a failure of a bulk delete", clause="bulkdelete.post.missing")
class _MissingFails(FullStore):
    def removed(self, path: str) -> bool:
        return self.exists(path) and super().removed(path)


@seeded(
    "bulk-delete-failure-unsaid",
    "a bulk delete can delete no files that hold bytes, and tells no failures",
    clause="bulkdelete.post.failures",
)
class _FailureUnsaid(FullStore):
    def bulk_delete(self, path: str, paths: list[str]) -> Told:
        return {**super().bulk_delete(path, paths), "failed": ()}

    def removed(self, path: str) -> bool:
        return not (self.exists(path) and self.found(path).data) and super().removed(path)


@seeded("bulk-delete-unsupported", "bulk deletes are refused", clause="bulkdelete.available")
class _BulkUnsupported(FullStore):
    def bulk_delete(self, path: str, paths: list[str]) -> Told:
        self.fail("UnsupportedOperationException", "createBulkDelete")
