"""Faults of the tree: directories that come, stay or vanish wrongly, and paths that are file and directory at once."""

from __future__ import annotations

from fsconform.proving.faults.base import seeded
from fsconform.proving.full_store import FullStore
from fsconform.proving.store import FileStatus, Node, is_below, last_of, parent_of

DEEPEST = 8
"""Elements below the program's directory that the fault ``deep-path-fails`` allows."""


@seeded(
    "mkdirs-over-file",
    "mkdirs on a file says True and changes nothing",
    "HADOOP-17548",
    clause="filesystem.mkdirs.pre.not-a-file",
)
class _MkdirsOverFile(FullStore):
    def mkdirs(self, path: str) -> bool:
        node = self.nodes.get(self.locate(path)[1])
        return True if node is not None and node.data is not None else super().mkdirs(path)


@seeded("file-and-directory", "mkdirs on a file succeeds, and a listing then shows both", "hadoop-cos#156")
class _FileAndDirectory(FullStore):
    def reset(self) -> None:
        self.twins: set[Node] = set()

    def mkdirs(self, path: str) -> bool:
        node = self.nodes.get(self.locate(path)[1])
        if node is None or node.data is None:
            return super().mkdirs(path)
        self.twins.add(node)
        return True

    def children(self, name: str, key: str, node: Node) -> list[FileStatus]:
        entries = super().children(name, key, node)
        both = zip(entries, node.names, strict=True)
        twins = [entry.path for entry, child in both if self.nodes[f"{key}/{child}"] in self.twins]
        return entries + [FileStatus(path, True, 0, 0) for path in twins]


@seeded(
    "create-over-directory",
    "create over a directory replaces it and everything in it",
    "TACHYON-61",
    clause="filesystem.create.pre.not-a-directory",
)
class _CreateOverDirectory(FullStore):
    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        key = self.locate(path)[1]
        node = self.nodes.get(key)
        if node is not None and node.data is None and key != self.base:
            self.remove_subtree(key)
        super().create(path, data, overwrite)


@seeded(
    "create-below-file",
    "create below a file succeeds, as in a store of flat keys",
    clause="filesystem.create.pre.ancestors",
)
class _CreateBelowFile(FullStore):
    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        key = self.locate(path)[1]
        if key not in self.nodes and self.nearest(key).data is not None:
            self.nodes[key] = Node(self.stored(data))
        else:
            super().create(path, data, overwrite)


@seeded(
    "mkdirs-below-file", "mkdirs below a file says True and makes nothing", clause="filesystem.mkdirs.pre.ancestors"
)
class _MkdirsBelowFile(FullStore):
    def mkdirs(self, path: str) -> bool:
        key = self.locate(path)[1]
        if key not in self.nodes and self.nearest(key).data is not None:
            return True
        return super().mkdirs(path)


@seeded("create-needs-parent", "create fails where the parent directory is missing")
class _CreateNeedsParent(FullStore):
    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        if parent_of(self.locate(path)[1]) not in self.nodes:
            self.fail("FileNotFoundException", path)
        super().create(path, data, overwrite)


@seeded("ancestors-not-listed", "directories that mkdirs makes above the named one are missing in listings")
class _AncestorsNotListed(FullStore):
    def mkdirs(self, path: str) -> bool:
        before = set(self.nodes)
        made = super().mkdirs(path)
        key = parent_of(self.locate(path)[1])
        while key and key not in before:
            self.nodes[parent_of(key)].names.pop(last_of(key), None)
            key = parent_of(key)
        return made

    def subtree(self, key: str) -> list[str]:
        # What is not listed goes with its ancestors all the same.
        return sorted((each for each in self.nodes if each == key or is_below(each, key)), key=len)


@seeded("ancestors-not-made", "create makes no directories above the file, which can be read all the same")
class _AncestorsNotMade(FullStore):
    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        key = self.locate(path)[1]
        if parent_of(key) in self.nodes or self.nearest(key).data is not None or key in self.nodes:
            super().create(path, data, overwrite)
        else:
            self.nodes[key] = Node(self.stored(data))

    def attach(self, name: str, key: str, node: Node) -> None:
        super().attach(name, key, node)
        if node.data is None and not node.names:
            # A directory made later finds what lies below it.
            for child in self.nodes:
                if parent_of(child) == key and child != key:
                    node.names[last_of(child)] = last_of(child)


@seeded("implicit-parent-vanishes", "a directory that create made vanishes with its last child", "HDDS-2114")
class _ImplicitParent(FullStore):
    def reset(self) -> None:
        self.implicit: set[Node] = set()

    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        before = set(self.nodes)
        super().create(path, data, overwrite)
        key = parent_of(self.locate(path)[1])
        while key not in before:
            self.implicit.add(self.nodes[key])
            key = parent_of(key)

    def move(self, src_key: str, name: str, key: str) -> None:
        super().move(src_key, name, key)
        emptied = parent_of(src_key)
        while emptied not in ("", self.base) and not self.nodes[emptied].names and self.nodes[emptied] in self.implicit:
            self.remove_subtree(emptied)
            emptied = parent_of(emptied)


@seeded("delete-removes-empty-parent", "deleting the last file of a directory removes the directory too")
class _EmptyParent(FullStore):
    def delete(self, path: str, recursive: bool) -> bool:
        key = self.locate(path)[1]
        node = self.nodes.get(key)
        gone = super().delete(path, recursive)
        parent = parent_of(key)
        spared = parent in ("", self.base) or node is None or node.data is None
        if gone and not spared and not self.nodes[parent].names:
            self.remove_subtree(parent)
        return gone


@seeded("delete-leaves-directories", "a recursive delete leaves the directory and one subdirectory", "HDDS-7592")
class _LeavesDirectories(FullStore):
    def delete(self, path: str, recursive: bool) -> bool:
        name, key = self.locate(path)
        node = self.nodes.get(key)
        left = [child for child in node.names if self.nodes[f"{key}/{child}"].data is None] if node is not None else []
        gone = super().delete(path, recursive)
        if gone and left and key not in ("", self.base):
            self.make_directories(f"{name}/{left[0]}", f"{key}/{left[0]}")
        return gone


@seeded("delete-removes-siblings", "a recursive delete also removes siblings whose name begins alike", "HDDS-4543")
class _RemovesSiblings(FullStore):
    def delete(self, path: str, recursive: bool) -> bool:
        key = self.locate(path)[1]
        gone = super().delete(path, recursive)
        if gone and recursive and key not in ("", self.base):
            for child in list(self.nodes[parent_of(key)].names):
                if child.startswith(last_of(key)):
                    self.remove_subtree(f"{parent_of(key)}/{child}")
        return gone


@seeded(
    "delete-non-empty",
    "a delete that is not recursive removes a directory with children",
    "TACHYON-61",
    clause="filesystem.delete.pre.not-empty",
)
class _DeleteNonEmpty(FullStore):
    def delete(self, path: str, recursive: bool) -> bool:
        return super().delete(path, True)


@seeded(
    "delete-below-file",
    "deleting a path below a file deletes the file",
    clause="filesystem.delete.post.missing-unchanged",
)
class _DeleteBelowFile(FullStore):
    def delete(self, path: str, recursive: bool) -> bool:
        key = self.locate(path)[1]
        while key not in self.nodes:
            key = parent_of(key)
            if key in self.nodes and self.nodes[key].data is not None:
                self.remove_subtree(key)
                return True
        return super().delete(path, recursive)


@seeded("delete-removes-root", "a recursive delete of the root removes the root itself", root=True)
class _DeleteRoot(FullStore):
    def delete(self, path: str, recursive: bool) -> bool:
        gone = super().delete(path, recursive)
        self.rootless = gone and path == "/" and recursive
        return gone

    def reset(self) -> None:
        self.rootless = False

    def exists(self, path: str) -> bool:
        return not (path == "/" and self.rootless) and super().exists(path)

    def get_file_status(self, path: str) -> FileStatus:
        if path == "/" and self.rootless:
            self.fail("FileNotFoundException", path)
        return super().get_file_status(path)

    def list_status(self, path: str) -> list[FileStatus]:
        if path == "/" and self.rootless:
            self.fail("FileNotFoundException", path)
        return super().list_status(path)

    def attach(self, name: str, key: str, node: Node) -> None:
        super().attach(name, key, node)
        self.rootless = False


@seeded("deep-path-fails", f"nothing can be made more than {DEEPEST} elements deep")
class _Deep(FullStore):
    def make_directories(self, name: str, key: str) -> None:
        self.require_shallow(key)
        super().make_directories(name, key)

    def attach(self, name: str, key: str, node: Node) -> None:
        self.require_shallow(key)
        super().attach(name, key, node)

    def require_shallow(self, key: str) -> None:
        if key.count("/") - self.base.count("/") > DEEPEST:
            self.fail("IOException", f"too deep: {key}")


@seeded("status-below-file", "getFileStatus of a path below a file gives a file's status")
class _StatusBelowFile(FullStore):
    def get_file_status(self, path: str) -> FileStatus:
        name, key = self.locate(path)
        if key not in self.nodes and self.nearest(key).data is not None:
            return self.status(name, key, self.nearest(key))
        return super().get_file_status(path)


@seeded("exists-below-file-raises", "exists of a path below a file raises an error instead of saying False")
class _ExistsBelowFile(FullStore):
    def exists(self, path: str) -> bool:
        key = self.locate(path)[1]
        if key not in self.nodes and self.nearest(key).data is not None:
            self.fail("ParentNotDirectoryException", path)
        return super().exists(path)


@seeded("recreate-after-recursive-delete-resurrects", "mkdirs of a deleted directory brings its files back")
class _Resurrects(FullStore):
    def reset(self) -> None:
        self.deleted: dict[str, dict[str, bytes]] = {}

    def delete(self, path: str, recursive: bool) -> bool:
        key = self.locate(path)[1]
        node = self.nodes.get(key)
        files = {child: self.nodes[f"{key}/{child}"].data for child in node.names} if node is not None else {}
        gone = super().delete(path, recursive)
        self.deleted[key] = {child: data for child, data in files.items() if data is not None}
        return gone

    def mkdirs(self, path: str) -> bool:
        name, key = self.locate(path)
        new = key not in self.nodes
        made = super().mkdirs(path)
        if new:
            for child, data in self.deleted.pop(key, {}).items():
                self.attach(f"{name}/{child}", f"{key}/{child}", Node(data))
        return made
