"""The full store's further calls that change the namespace or files' bytes.

Sources: filesystem.md, rename.md, bulkdelete.md, multipartuploader.md, openfile.md and the documents of both builders.
Local files are none: a copy gets their bytes, and tells whether they would be left.
"""

from __future__ import annotations

from typing import NoReturn

from fsconform.proving.keeping_store import KeepingStore, Told, joined
from fsconform.proving.store import BLOCK_SIZE, Node, StoreError, is_below, parent_of

PAGE = 100
"""Paths that one bulk delete takes; 1 where the store leaves it to plain deletes."""

LOCAL_FILE = "f"
LOCAL_TREE = "t"
"""The names of the simulated local file and directory, where the destination is a directory."""

READING = frozenset(
    f"fs.option.openfile.{name}"
    for name in ("buffer.size", "footer.cache", "length", "read.policy", "split.start", "split.end")
)
"""The options that every store knows when it opens a file; there are none for creating one."""

MISUSES = {
    "part 0": "IllegalArgumentException",
    "negative length": "IllegalArgumentException",
    "put after abort": "FileNotFoundException",
    "complete twice": "FileNotFoundException",
    "complete after abort": "FileNotFoundException",
    "abort twice": "FileNotFoundException",
    "abort after complete": "FileNotFoundException",
    "other path": "IllegalArgumentException",
    "number 0": "IllegalArgumentException",
    "duplicate": "IllegalArgumentException",
}
"""Manners in which an upload can be misused, and what refuses them."""

COMPLETED_FIRST = ("complete twice", "abort after complete", "repeated")


class Changes(KeepingStore):
    """Creating, moving, copying and deleting in other ways.

    ``appended`` is what is appended to a file after its status was taken for a path handle.
    """

    appended = b"x"

    def create_non_recursive(self, path: str, data: bytes, overwrite: bool) -> None:
        """As create, but FileNotFoundException if the parent is missing."""
        self.require_parent(path)
        self.create(path, data, overwrite)

    def concat(self, path: str, sources: list[str]) -> None:
        """Add the bytes of all sources to a file, in their order, and remove them.

        FileNotFoundException if one is no file; IllegalArgumentException for no source, one from another directory or
        one named twice.
        """
        self.need(self.can.supports_concat, "concat")
        node, data = self.bytes_of(path)
        self.check_sources(path, sources)
        pieces = [self.piece(source) for source in sources]
        if self.can.concat_of_whole_blocks_only:
            self.check_blocks([data, *pieces[:-1]])
        node.data = self.stored(self.chained(data, pieces))
        for source in sources:
            self.remove_subtree(self.locate(source)[1])
        self.touch(self.locate(path)[1])

    def truncate(self, path: str, length: int) -> bool:
        """Cut a file off after so many bytes; True, as it is done at once.

        FileNotFoundException if it is none; HadoopIllegalArgumentException if it has no such length.
        """
        self.need(self.can.supports_truncate, "truncate")
        node, data = self.bytes_of(path)
        if not 0 <= length <= len(data):
            self.fail("HadoopIllegalArgumentException", f"{path} has {len(data)} bytes, not {length}")
        node.data = self.stored(data[:length])
        self.touch(self.locate(path)[1])
        return True

    def rename_with(self, src: str, dst: str, overwrite: bool) -> None:
        """Move to exactly ``dst``; ``overwrite`` replaces a file by a file, an empty directory by a directory."""
        src_key, (name, key) = self.locate(src)[1], self.locate(dst)
        source, existing, parent = self.found(src), self.nodes.get(key), self.nodes.get(parent_of(key))
        if not src_key:
            self.fail("IOException", "the root can't be renamed")
        if key == src_key:
            self.fail("FileAlreadyExistsException", f"{dst} is the source")
        if is_below(key, src_key) or not key:
            self.fail("IOException", f"nothing can be renamed from {src} to {dst}")
        if parent is None:
            self.fail("FileNotFoundException", f"the parent of {dst}")
        if parent.data is not None:
            self.fail("ParentNotDirectoryException", dst)
        if existing is not None:
            self.check_replacing(source, existing, overwrite, dst)
            self.admit([key + old[len(src_key) :] for old in self.subtree(src_key)[1:]], src_key)
            self.remove_subtree(key)
        self.move(src_key, name, key)

    def delete_on_exit(self, path: str) -> bool:
        """Mark a path and delete it at the end, unless that was cancelled; False if there is nothing to mark."""
        there = self.exists(path)
        if there and self.via != "cancelled":
            self.delete(path, True)
        return there

    def copy_from_local(self, path: str, data: bytes, delete: bool, overwrite: bool) -> Told:
        """Make a file of a local one, below ``path`` if that is a directory. PathExistsException for one in its place.

        A directory in its place is refused also if ``overwrite``: FileAlreadyExistsException.
        """
        target = joined(path, LOCAL_FILE) if self.holds(path, False) else path
        if not overwrite and self.exists(target):
            self.fail("PathExistsException", target)
        self.create(target, data, True)
        return {"left": not delete}

    def copy_tree_from_local(self, path: str, data: bytes, delete: bool, overwrite: bool) -> Told:
        """Make a directory of a local one, below ``path`` if that is one.

        PathExistsException if ``path`` is a file, or if there is one of that name and not ``overwrite``;
        FileAlreadyExistsException for anything of another type in the way.
        """
        if self.holds(path, True):
            self.fail("PathExistsException", path)
        target = joined(path, LOCAL_TREE) if self.holds(path, False) else path
        if self.holds(target, True):
            self.fail("FileAlreadyExistsException", target)
        if not overwrite and self.exists(target):
            self.fail("PathExistsException", target)
        file, inner = joined(target, "f"), joined(target, "d")
        # All is looked at before anything is made, so that a refused copy leaves nothing half done.
        for way, wrong in ((file, False), (inner, True), (joined(inner, "g"), False)):
            if self.holds(way, wrong):
                self.fail("FileAlreadyExistsException", way)
        self.admit([self.locate(one)[1] for one in (file, joined(inner, "g"))])
        self.mkdirs(target)
        self.create(file, data, True)
        self.mkdirs(inner)
        self.create(joined(inner, "g"), b"", True)
        return {"left": not delete}

    def copy_missing_from_local(self, path: str, overwrite: bool) -> NoReturn:
        """Refused: there is nothing to copy."""
        self.locate(path)
        self.fail("FileNotFoundException", "the local file")

    def move_from_local(self, path: str, data: bytes) -> Told:
        """As copy_from_local with delete and overwrite."""
        return self.copy_from_local(path, data, True, True)

    def copy_to_local(self, path: str) -> bytes:
        """The bytes that a local copy would have. Raises FileNotFoundException if there is no file."""
        return self.open(path)

    def create_file(
        self, path: str, data: bytes, overwrite: bool, recursive: bool, must: tuple[str, ...], opt: tuple[str, ...]
    ) -> None:
        """Create by builder. IllegalArgumentException for an option that must be honoured: this store has none."""
        self.check_options(must, opt, frozenset())
        if not recursive:
            self.require_parent(path)
        self.create(path, data, overwrite)

    def open_file(self, path: str, must: tuple[str, ...], opt: tuple[str, ...]) -> bytes:
        """Open by builder, via status with the status there is now. All options are but hints, and make no difference.

        IllegalArgumentException for an unknown one that must be honoured.
        """
        if self.via == "status":
            self.get_file_status(path)
        self.check_options(must, opt, READING)
        return self.open(path)

    def open_by_handle(self, path: str, handle: str, meanwhile: str, other: str) -> bytes:
        """The bytes that a handle made of a status leads to, though there was a change between the two.

        InvalidPathHandleException if the handle does not tolerate the change; IOException for a directory;
        UnsupportedOperationException, and no change, if the store can't tell what the handle asks for.
        """
        node = self.found(path)
        before, key = node.data, self.locate(path)[1]
        by_content = handle in ("exact", "content")
        self.need(self.can.supports_file_reference, "path handles")
        self.need(self.can.supports_content_check or not by_content, f"{handle} path handles")
        if before is None:
            self.fail("IOException", f"{path} is a directory, of which there are no handles")
        self.change(path, meanwhile, other)
        moved = self.nodes.get(key) is not node
        lost = moved and all(each is not node for each in self.nodes.values())
        return self.opened(node, handle, lost, moved, node.data != before)

    def bulk_delete(self, path: str, paths: list[str]) -> Told:
        """Delete files and empty directories, and tell which of them could not be.

        IllegalArgumentException for too many paths, or for one that is not at or below ``path``.
        """
        page = PAGE if self.can.supports_bulk_delete else 1
        base = self.locate(path)[1]
        if len(paths) > page:
            self.fail("IllegalArgumentException", f"{len(paths)} paths, and a page has {page}")
        for one in paths:
            key = self.locate(one)[1]
            if key != base and not is_below(key, base):
                self.fail("IllegalArgumentException", f"{one} is not below {path}")
        return {
            "pageSize": page,
            "failed": tuple(one for one in paths if not self.removed(one)),
            "capable": self.offers_bulk_delete(),
            "default": not self.can.supports_bulk_delete,
        }

    def upload(self, path: str, data: bytes, parts: int, ending: str) -> None:
        """Put a file's bytes in parts, the last one first if ``reversed``; then make the file of them, or forget them.

        IOException for the root, PathIsDirectoryException for a directory, IllegalArgumentException for no parts.
        """
        self.need(self.can.supports_multipartuploader, "createMultipartUploader")
        self.start_upload(path)
        numbers = range(1, parts + 1)
        size = -(-len(data) // parts) if parts > 0 else 0
        put: dict[int, bytes] = {}
        for number in reversed(numbers) if ending == "reversed" else numbers:
            put[number] = data[(number - 1) * size : number * size]
        if ending != "abort":
            self.complete_upload(path, put)

    def misuse_upload(self, path: str, data: bytes, manner: str, other: str) -> None:
        """An upload in one part where something is done that may be refused; the file is there where it was completed.

        FileNotFoundException for an upload that is no more; IllegalArgumentException for wrong parts or a wrong path.
        """
        self.need(self.can.supports_multipartuploader, "createMultipartUploader")
        self.start_upload(path)
        if manner == "other path" and other == path:
            self.complete_upload(path, {1: data})
            return
        if manner in COMPLETED_FIRST:
            self.complete_upload(path, {1: data})
        if manner in MISUSES and not self.tolerates(manner):
            self.fail(MISUSES[manner], manner)
        if manner in ("other path", "number 0", "duplicate", "part 0"):
            self.complete_upload(other if manner == "other path" else path, {1: data})
        elif manner not in MISUSES:
            self.complete_upload(path, self.parts_in_map(data, manner))

    def leave_builder(self, path: str, kind: str) -> None:
        """Nothing: a builder does something only when it builds."""
        self.locate(path)

    def open_in_stages(self, path: str, must: tuple[str, ...]) -> Told:
        """Where opening by builder fails: options in build, what is no file in get."""
        try:
            self.locate(path)
        except StoreError:
            return {"failed": "openFile"}
        try:
            self.check_options(must, (), READING)
        except StoreError:
            return {"failed": self.stage_of_options()}
        return {"failed": "nothing" if self.holds(path, True) else self.stage_of_no_file()}

    # --- inside; seeded faults override these

    def require_parent(self, path: str) -> None:
        """Raise ParentNotDirectoryException if there is a file above, FileNotFoundException if there is no parent."""
        key = self.locate(path)[1]
        if not key:
            return
        self.require_no_file_above(key, path)
        if parent_of(key) not in self.nodes:
            self.fail("FileNotFoundException", f"the parent of {path}")

    def check_sources(self, path: str, sources: list[str]) -> None:
        """Raise IllegalArgumentException for sources that concat does not take."""
        keys = [self.locate(one)[1] for one in (path, *sources)]
        if not sources:
            self.fail("IllegalArgumentException", "there is no source")
        if any(parent_of(key) != parent_of(keys[0]) for key in keys):
            self.fail("IllegalArgumentException", f"a source is not in the directory of {path}")
        if len(set(keys)) < len(keys):
            self.fail("IllegalArgumentException", "a path is named twice")

    def piece(self, source: str) -> bytes:
        """The bytes of one source of concat. Raises FileNotFoundException if it is no file."""
        return self.bytes_of(source)[1]

    def check_blocks(self, pieces: list[bytes]) -> None:
        """Raise IllegalArgumentException for a piece that ends inside a block."""
        if any(len(piece) % BLOCK_SIZE for piece in pieces):
            self.fail("HadoopIllegalArgumentException", "a file ends inside a block")

    def chained(self, data: bytes, pieces: list[bytes]) -> bytes:
        """What concat makes of the target's bytes and the sources'."""
        return b"".join((data, *pieces))

    def check_replacing(self, source: Node, existing: Node, overwrite: bool, dst: str) -> None:
        """Raise what rename with options does if the source may not take the place of what exists."""
        if (source.data is None) is not (existing.data is None):
            self.fail("IOException", f"{dst} is of another type")
        if not overwrite:
            self.fail("FileAlreadyExistsException", dst)
        if existing.names:
            self.fail("IOException", f"{dst} is not empty")

    def holds(self, path: str, file: bool) -> bool:
        """True if there is a file, or else a directory."""
        node = self.nodes.get(self.locate(path)[1])
        return node is not None and (node.data is not None) is file

    def check_options(self, must: tuple[str, ...], opt: tuple[str, ...], known: frozenset[str]) -> None:
        """Raise IllegalArgumentException for an unknown key that must be honoured; a key's last setting decides."""
        optional = {text.partition("=")[0] for text in opt}
        for text in must:
            key = text.partition("=")[0]
            if key not in known and key not in optional:
                self.fail("IllegalArgumentException", f"unknown option {key!r}")

    def change(self, path: str, meanwhile: str, other: str) -> None:
        """What happens between the status and the handle made of it."""
        if meanwhile == "append":
            self.append(path, self.appended)
        elif meanwhile == "rename":
            if other != path and self.exists(other):  # into a directory it would be at a place that nobody named
                self.fail("IOException", f"{other} is there already")
            self.rename(path, other)
        elif meanwhile == "delete":
            self.delete(path, True)
        elif meanwhile == "replace":
            data = self.open(path)
            self.delete(path, True)
            self.create(path, data, False)

    def opened(self, node: Node, handle: str, lost: bool, moved: bool, changed: bool) -> bytes:
        """The bytes of what a handle was made of, if what happened to it is tolerated."""
        if lost or node.data is None:
            self.refuse_handle("it is gone")
        if moved and handle not in ("content", "reference"):
            self.refuse_handle("it was moved")
        if changed and handle not in ("path", "reference"):
            self.refuse_handle("it was changed")
        return node.data

    def refuse_handle(self, detail: str) -> NoReturn:
        """Raise InvalidPathHandleException."""
        self.fail("InvalidPathHandleException", detail)

    def offers_bulk_delete(self) -> bool:
        """What is said when asked whether there are bulk deletes; all stores have them."""
        return True

    def removed(self, path: str) -> bool:
        """Delete one path of a bulk delete; False if the store refuses."""
        node = self.nodes.get(self.locate(path)[1])
        if node is not None and node.names:
            return False
        self.delete(path, False)
        return True

    def start_upload(self, path: str) -> None:
        """Raise what starting an upload does."""
        if not self.locate(path)[1]:
            self.fail("IOException", "the root is no destination")
        if self.holds(path, False):
            self.fail("PathIsDirectoryException", path)

    def tolerates(self, manner: str) -> bool:
        """Whether an upload may be misused in that manner."""
        return False

    def parts_in_map(self, data: bytes, manner: str) -> dict[int, bytes]:
        """The parts that the file is made of; where one is omitted it was put, and is not in the map."""
        return {1: data}

    def stage_of_options(self) -> str:
        """Where an option that must be honoured is refused."""
        return "build"

    def stage_of_no_file(self) -> str:
        """Where what is no file is refused."""
        return "get"

    def complete_upload(self, path: str, parts: dict[int, bytes]) -> None:
        """Make the file of its parts, whatever file there was."""
        if not parts:
            self.fail("IllegalArgumentException", "there are no parts")
        self.create(path, b"".join(parts[number] for number in sorted(parts)), True)
