"""Faults of rename."""

from __future__ import annotations

from fsconform.proving.faults.base import seeded
from fsconform.proving.full_store import FullStore
from fsconform.proving.store import Node, is_below, last_of, parent_of


@seeded("rename-into-taken-name", "a rename into a directory that has that name replaces what is there", "HDDS-4435")
class _TakenName(FullStore):
    def may_replace(self, source: Node, existing: Node, named: bool) -> bool:
        return not named or super().may_replace(source, existing, named)


@seeded(
    "rename-loses-grandchildren",
    "a directory's rename moves its children and loses all below",
    "HADOOP-15183",
    clause="filesystem.rename.post.directory",
)
class _Grandchildren(FullStore):
    def move(self, src_key: str, name: str, key: str) -> None:
        for child in self.nodes[src_key].names:
            for grandchild in list(self.nodes[f"{src_key}/{child}"].names):
                self.remove_subtree(f"{src_key}/{child}/{grandchild}")
        super().move(src_key, name, key)


@seeded("rename-moves-siblings", "a rename also moves siblings whose name begins like the source's", "HDDS-4543")
class _MovesSiblings(FullStore):
    def move(self, src_key: str, name: str, key: str) -> None:
        super().move(src_key, name, key)
        above = parent_of(src_key)
        for child in list(self.nodes[above].names):
            sibling = f"{above}/{child}"
            rest = child[len(last_of(src_key)) :]
            free = rest and key + rest not in self.nodes and not is_below(key, sibling) and sibling != key
            if free and child.startswith(last_of(src_key)):
                super().move(sibling, name + rest, key + rest)


@seeded(
    "rename-to-self-deletes", "renaming a file to itself deletes it", clause="filesystem.rename.post.file-to-itself"
)
class _ToSelf(FullStore):
    def rename(self, src: str, dst: str) -> bool:
        key = self.locate(src)[1]
        node = self.nodes.get(key)
        done = super().rename(src, dst)
        if node is not None and node.data is not None and key == self.locate(dst)[1]:
            self.remove_subtree(key)
        return done


@seeded(
    "rename-below-itself",
    "renaming a directory below itself says True and loses it",
    clause="filesystem.rename.pre.not-below-itself",
)
class _BelowItself(FullStore):
    def rename(self, src: str, dst: str) -> bool:
        key = self.locate(src)[1]
        node = self.nodes.get(key)
        if node is not None and node.data is None and is_below(self.locate(dst)[1], key) and key not in ("", self.base):
            self.remove_subtree(key)
            return True
        return super().rename(src, dst)


@seeded(
    "rename-overwrites-file",
    "renaming a file onto another file replaces that one without a word",
    clause="filesystem.rename.pre.no-file-at-destination",
)
class _OverwritesFile(FullStore):
    def may_replace(self, source: Node, existing: Node, named: bool) -> bool:
        both_files = source.data is not None and existing.data is not None
        return both_files or super().may_replace(source, existing, named)


@seeded("rename-directory-over-file", "renaming a directory onto a file replaces the file")
class _DirectoryOverFile(FullStore):
    def may_replace(self, source: Node, existing: Node, named: bool) -> bool:
        return (source.data is None and existing.data is not None) or super().may_replace(source, existing, named)


@seeded(
    "rename-replaces-directory",
    "renaming a file onto a directory replaces the directory and what is in it",
    clause="filesystem.rename.onto-directory",
)
class _ReplacesDirectory(FullStore):
    def final_destination(
        self, source: Node, src_name: str, src_key: str, dst_name: str, dst_key: str
    ) -> tuple[str, str]:
        if source.data is not None and dst_key not in ("", self.base) and not is_below(src_key, dst_key):
            return dst_name, dst_key
        return super().final_destination(source, src_name, src_key, dst_name, dst_key)


@seeded(
    "rename-to-missing-parent-loses",
    "a rename to below a missing directory says True and loses the source",
    clause="filesystem.rename.pre.parent-exists",
)
class _MissingParent(FullStore):
    def rename(self, src: str, dst: str) -> bool:
        src_key, dst_key = self.locate(src)[1], self.locate(dst)[1]
        lost = src_key in self.nodes and parent_of(dst_key) not in self.nodes and not is_below(dst_key, src_key)
        if lost and src_key not in ("", self.base) and self.nearest(dst_key).data is None:
            self.remove_subtree(src_key)
            return True
        return super().rename(src, dst)


@seeded(
    "rename-below-file",
    "a rename to below a file says True and leaves the source where it was",
    clause="filesystem.rename.pre.parent-not-a-file",
)
class _BelowFile(FullStore):
    def rename(self, src: str, dst: str) -> bool:
        src_key, dst_key = self.locate(src)[1], self.locate(dst)[1]
        if src_key in self.nodes and dst_key not in self.nodes and not is_below(dst_key, src_key):
            return self.nearest(dst_key).data is not None or super().rename(src, dst)
        return super().rename(src, dst)


@seeded("rename-copies", "a rename keeps the source: both are there", clause="filesystem.rename.post.file")
class _Copies(FullStore):
    def move(self, src_key: str, name: str, key: str) -> None:
        src_name = parent_of(src_key) + "/" + self.nodes[parent_of(src_key)].names[last_of(src_key)]
        kept = {old[len(src_key) :]: self.nodes[old] for old in self.subtree(src_key)}
        super().move(src_key, name, key)
        for rest, node in kept.items():
            copy = Node(node.data)
            copy.names.update(node.names)
            self.nodes[src_key + rest] = copy
        self.attach(src_name, src_key, self.nodes[src_key])


@seeded("rename-missing-source-false", "renaming a missing source says False instead of raising", "HADOOP-16721")
class _MissingFalse(FullStore):
    def rename(self, src: str, dst: str) -> bool:
        self.locate(dst)
        return super().rename(src, dst) if self.locate(src)[1] in self.nodes else False


@seeded(
    "rename-missing-source-true",
    "renaming a missing source says True and changes nothing",
    clause="filesystem.rename.pre.source-exists",
)
class _MissingTrue(FullStore):
    def rename(self, src: str, dst: str) -> bool:
        self.locate(dst)
        return super().rename(src, dst) if self.locate(src)[1] in self.nodes else True


@seeded("rename-loses-empty-directory", "renaming an empty directory removes it and makes nothing")
class _EmptyDirectory(FullStore):
    def move(self, src_key: str, name: str, key: str) -> None:
        source = self.nodes[src_key]
        if source.data is None and not source.names:
            self.remove_subtree(src_key)
        else:
            super().move(src_key, name, key)


@seeded("rename-loses-content", "a renamed file is empty at its new place if a file was there before")
class _LosesContent(FullStore):
    def reset(self) -> None:
        self.used: set[str] = set()

    def attach(self, name: str, key: str, node: Node) -> None:
        super().attach(name, key, node)
        self.used.add(key)

    def move(self, src_key: str, name: str, key: str) -> None:
        used = key in self.used
        super().move(src_key, name, key)
        if used and self.nodes[key].data is not None:
            self.nodes[key].data = b""


@seeded("rename-says-false", "a rename that moved its source says False")
class _SaysFalse(FullStore):
    def reset(self) -> None:
        self.moved = False

    def move(self, src_key: str, name: str, key: str) -> None:
        super().move(src_key, name, key)
        self.moved = True

    def rename(self, src: str, dst: str) -> bool:
        self.moved = False
        return super().rename(src, dst) and not self.moved


@seeded("rename-refused-by-prefix", "a rename to a sibling whose name the source's begins is refused as below it")
class _DescendantByPrefix(FullStore):
    def rename(self, src: str, dst: str) -> bool:
        src_key, dst_key = self.locate(src)[1], self.locate(dst)[1]
        if src_key in self.nodes and dst_key != src_key and dst_key.startswith(src_key):
            return self.refuse_rename(f"{dst} is below {src}")
        return super().rename(src, dst)
