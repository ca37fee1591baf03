"""Faults of memory: what a store or one of its clients remembers from before is told as if it were true now."""

from __future__ import annotations

from fsconform.proving.faults.base import seeded
from fsconform.proving.full_store import FullStore
from fsconform.proving.store import FileStatus, Node, StoreError


class _Misses(FullStore):
    """Remembers for each client the paths it asked for in vain."""

    def reset(self) -> None:
        self.misses: set[tuple[int, str]] = set()

    def exists(self, path: str) -> bool:
        found = super().exists(path)
        if not found:
            self.misses.add((self.caller, self.locate(path)[1]))
        return found

    def get_file_status(self, path: str) -> FileStatus:
        try:
            return super().get_file_status(path)
        except StoreError:
            self.misses.add((self.caller, self.locate(path)[1]))
            raise


@seeded("cached-404", "a client that once found a path missing cannot open the file made there", "HADOOP-16490")
class _Cached404(_Misses):
    def open(self, path: str) -> bytes:
        if (self.caller, self.locate(path)[1]) in self.misses:
            self.fail("FileNotFoundException", path)
        return super().open(path)


@seeded("create-after-miss-fails", "create fails if the same client saw the path missing", "hadoop-connectors#315")
class _CreateAfterMiss(_Misses):
    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        miss = (self.caller, self.locate(path)[1])
        if miss in self.misses:
            self.misses.remove(miss)
            self.fail("FileNotFoundException", path)
        super().create(path, data, overwrite)


@seeded("stale-status-after-recreate", "getFileStatus of a file made where one was deleted gives the old length")
class _StaleStatus(FullStore):
    def reset(self) -> None:
        self.lengths: dict[str, int] = {}

    def delete(self, path: str, recursive: bool) -> bool:
        key = self.locate(path)[1]
        node = self.nodes.get(key)
        if node is not None and node.data is not None:
            self.lengths[key] = len(node.data)
        return super().delete(path, recursive)

    def get_file_status(self, path: str) -> FileStatus:
        now = super().get_file_status(path)
        old = self.lengths.get(self.locate(path)[1])
        return now if now.is_dir or old is None else FileStatus(now.path, False, old, now.block_size)


@seeded("stale-length-in-listing", "a listing gives the length a file had before it was appended to")
class _StaleListing(FullStore):
    def reset(self) -> None:
        self.lengths: dict[Node, int] = {}

    def append(self, path: str, data: bytes) -> None:
        node = self.nodes.get(self.locate(path)[1])
        before = len(node.data) if node is not None and node.data is not None else 0
        super().append(path, data)
        if node is not None:
            self.lengths[node] = before

    def children(self, name: str, key: str, node: Node) -> list[FileStatus]:
        found = []
        for status, compared in zip(super().children(name, key, node), node.names, strict=True):
            length = self.lengths.get(self.nodes[f"{key}/{compared}"], status.length)
            found.append(FileStatus(status.path, status.is_dir, length, status.block_size))
        return found


@seeded("listing-cached", "a client that listed a directory gets the same listing ever after")
class _ListingCached(FullStore):
    def reset(self) -> None:
        self.listings: dict[tuple[int, str], list[FileStatus]] = {}

    def children(self, name: str, key: str, node: Node) -> list[FileStatus]:
        return self.listings.setdefault((self.caller, key), super().children(name, key, node))


@seeded("stale-read-by-other-client", "a client that has read a file reads the same bytes after another overwrote it")
class _StaleRead(FullStore):
    def reset(self) -> None:
        self.read: dict[tuple[int, str], bytes] = {}

    def open(self, path: str) -> bytes:
        return self.read.setdefault((self.caller, self.locate(path)[1]), super().open(path))

    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        super().create(path, data, overwrite)
        self.read.pop((self.caller, self.locate(path)[1]), None)

    def append(self, path: str, data: bytes) -> None:
        super().append(path, data)
        self.read.pop((self.caller, self.locate(path)[1]), None)


@seeded("deleted-still-listed", "a deleted file stays in the listing of its directory")
class _StillListed(FullStore):
    def reset(self) -> None:
        self.ghosts: dict[str, FileStatus] = {}

    def delete(self, path: str, recursive: bool) -> bool:
        name, key = self.locate(path)
        node = self.nodes.get(key)
        if node is not None and node.data is not None:
            self.ghosts[key] = self.status(name, key, node)
        return super().delete(path, recursive)

    def children(self, name: str, key: str, node: Node) -> list[FileStatus]:
        prefix = key + "/"
        ghosts = [
            status
            for gone, status in self.ghosts.items()
            if gone not in self.nodes and gone.rpartition("/")[0] + "/" == prefix
        ]
        return super().children(name, key, node) + ghosts


@seeded("recreate-refused", "create with overwrite=false at the path of a deleted file says that it exists")
class _RecreateRefused(FullStore):
    def reset(self) -> None:
        self.deleted: set[str] = set()

    def delete(self, path: str, recursive: bool) -> bool:
        key = self.locate(path)[1]
        gone = super().delete(path, recursive)
        if gone:
            self.deleted.add(key)
        return gone

    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        key = self.locate(path)[1]
        if not overwrite and key in self.deleted and key not in self.nodes:
            self.fail("FileAlreadyExistsException", path)
        super().create(path, data, overwrite)


@seeded("rename-back-loses", "what is renamed to a path from which something was renamed away is lost")
class _RenameBack(FullStore):
    def reset(self) -> None:
        self.left: set[str] = set()

    def move(self, src_key: str, name: str, key: str) -> None:
        super().move(src_key, name, key)
        if key in self.left:
            self.remove_subtree(key)
        self.left.add(src_key)
