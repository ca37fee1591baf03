"""Faults that only several clients at once can show: calls that others come between, caches, news that is late."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from fsconform.proving.faults.base import seeded
from fsconform.proving.raced_store import RacedStore
from fsconform.proving.store import FileStatus, Node, StoreError, last_of, parent_of

LATE_SECONDS = 0.02
"""How long another client does not see a change."""

_T = TypeVar("_T")


@seeded(
    "create-checks-then-acts",
    "create without overwrite looks first, and then writes whatever is there by then",
    clause="introduction.atomicity.create",
)
class _ChecksThenCreates(RacedStore):
    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        key = self.locate(path)[1]
        if overwrite or key in self.nodes:
            return super().create(path, data, overwrite)
        self.gap()
        return super().create(path, data, True)


@seeded(
    "rename-onto-what-came-meanwhile",
    "a rename looks for its destination first, and replaces what came meanwhile",
    clause="filesystem.rename.atomic",
)
class _RenamesOver(RacedStore):
    def move(self, src_key: str, name: str, key: str) -> None:
        self.gap()
        if src_key not in self.nodes:
            return
        if key in self.nodes:
            self.remove_subtree(key)
        if parent_of(key) in self.nodes:
            super().move(src_key, name, key)


@seeded(
    "rename-copies-and-deletes",
    "a file is renamed by a copy, and the source is deleted then",
    "S3A",
    clause="filesystem.rename.atomic",
)
class _CopiesAndDeletes(RacedStore):
    def move(self, src_key: str, name: str, key: str) -> None:
        node = self.nodes[src_key]
        if node.data is None:
            return super().move(src_key, name, key)
        self.attach(name, key, Node(node.data))
        self.gap()
        if src_key in self.nodes:
            self.remove_subtree(src_key)
        return None


@seeded(
    "rename-child-by-child",
    "a directory is renamed by moving one child after another",
    "WASB",
    clause="filesystem.rename.atomic",
)
class _ChildByChild(RacedStore):
    def move(self, src_key: str, name: str, key: str) -> None:
        node = self.nodes[src_key]
        if node.data is not None or not node.names:
            return super().move(src_key, name, key)
        self.attach(name, key, Node())
        for child in sorted(node.names):
            self.gap()
            if f"{src_key}/{child}" in self.nodes and key in self.nodes:
                super().move(f"{src_key}/{child}", f"{name}/{child}", f"{key}/{child}")
        if src_key in self.nodes:
            self.remove_subtree(src_key)
        return None


@seeded(
    "rename-shows-neither-name",
    "a rename takes the source away before it puts it at the destination",
    clause="filesystem.rename.atomic",
)
class _NeitherName(RacedStore):
    def move(self, src_key: str, name: str, key: str) -> None:
        held = [(old, self.nodes[old]) for old in self.subtree(src_key)]
        self.remove_subtree(src_key)
        self.gap()
        if key in self.nodes or parent_of(key) not in self.nodes:
            return
        for old, node in held:
            self.nodes[key + old[len(src_key) :]] = node
        self.attach(name, key, held[0][1])


@seeded(
    "overwrite-deletes-first",
    "a file that is overwritten is missing until the new one is there",
    "FTPFileSystem",
    clause="introduction.atomicity.create",
)
class _DeletesFirst(RacedStore):
    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        key = self.locate(path)[1]
        node = self.nodes.get(key)
        if overwrite and node is not None and node.data is not None:
            self.remove_subtree(key)
            self.gap()
        super().create(path, data, overwrite)


@seeded(
    "overwrite-comes-again",
    "a create with overwrite is made again, and comes after what another client wrote since it returned",
    "HADOOP-17215",
    clause="filesystem.append.post",
)
class _OverwriteAgain(RacedStore):
    def __init__(self, *arguments: object, **named: object) -> None:
        self._again: dict[str, tuple[int, bytes]] = {}
        super().__init__(*arguments, **named)  # type: ignore[arg-type]

    def reset(self) -> None:
        super().reset()
        self._again.clear()

    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        super().create(path, data, overwrite)
        if overwrite:
            self._again[self.locate(path)[1]] = self.caller, data

    def append(self, path: str, data: bytes) -> None:
        super().append(path, data)
        caller, earlier = self._again.pop(self.locate(path)[1], (self.caller, b""))
        if caller != self.caller:
            super().create(path, earlier, True)


@seeded(
    "mkdirs-fails-beside-mkdirs",
    "mkdirs says that it failed where another client was quicker",
    "HADOOP-12860",
    clause="filesystem.mkdirs.atomic",
)
class _FailsBeside(RacedStore):
    def mkdirs(self, path: str) -> bool:
        key = self.locate(path)[1]
        if key in self.nodes or not self.base or key == self.base:
            return super().mkdirs(path)
        self.gap()
        if key in self.nodes:
            return False
        return super().mkdirs(path)


@seeded(
    "file-with-children",
    "create looks first, and makes a file of what has become a directory meanwhile",
    "HADOOP-15079",
    clause="introduction.atomicity.create",
)
class _FileWithChildren(RacedStore):
    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        key = self.locate(path)[1]
        if key in self.nodes:
            return super().create(path, data, overwrite)
        self.gap()
        node = self.nodes.get(key)
        if node is None or node.data is not None:
            return super().create(path, data, overwrite)
        node.data = self.stored(data)
        return None


@seeded(
    "delete-leaves-orphans",
    "a recursive delete takes away what it had listed, and the directory, but nothing newer",
    clause="filesystem.mkdirs.atomic",
)
class _Orphans(RacedStore):
    def delete(self, path: str, recursive: bool) -> bool:
        key = self.locate(path)[1]
        node = self.nodes.get(key)
        if not recursive or not key or node is None or not node.names:
            return super().delete(path, recursive)
        doomed = self.subtree(key)
        self.gap()
        if key not in self.nodes:
            return True
        self.nodes[parent_of(key)].names.pop(last_of(key), None)
        for one in doomed:
            self.nodes.pop(one, None)
        return True

    def attach(self, name: str, key: str, node: Node) -> None:
        if parent_of(key) in self.nodes:
            super().attach(name, key, node)


@seeded(
    "append-lost",
    "an append reads the file, and then writes it with what is new, whoever appended meanwhile",
    clause="outputstream.concurrent.writers",
)
class _LostAppend(RacedStore):
    def append(self, path: str, data: bytes) -> None:
        key = self.locate(path)[1]
        node = self.nodes.get(key)
        if node is None or node.data is None or not self.behaviour.supports_append:
            return super().append(path, data)
        held = node.data
        self.gap()
        node.data = self.stored(held + data)
        return None


class _Cached(RacedStore):
    """A store whose clients each remember answers, and forget what they change themselves alone."""

    def __init__(self, *arguments: object, **named: object) -> None:
        self._remembered: dict[tuple[int, str], object] = {}
        super().__init__(*arguments, **named)  # type: ignore[arg-type]

    def reset(self) -> None:
        super().reset()
        self._remembered.clear()

    def cached(self, path: str, ask: Callable[[], _T]) -> _T:
        """The first answer that this client had."""
        key = (self.caller, path)
        if key not in self._remembered:
            self._remembered[key] = ask()
        return self._remembered[key]  # type: ignore[return-value]

    def forget(self) -> None:
        """Forget what this client knows."""
        for key in [one for one in self._remembered if one[0] == self.caller]:
            del self._remembered[key]

    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        self.forget()
        super().create(path, data, overwrite)

    def delete(self, path: str, recursive: bool) -> bool:
        self.forget()
        return super().delete(path, recursive)

    def rename(self, src: str, dst: str) -> bool:
        self.forget()
        return super().rename(src, dst)

    def mkdirs(self, path: str) -> bool:
        self.forget()
        return super().mkdirs(path)


@seeded(
    "status-cached-by-client",
    "a client gives the status of a path that it had before, whatever others did",
    clause="introduction.consistency.delete",
)
class _StatusCached(_Cached):
    def get_file_status(self, path: str) -> FileStatus:
        return self.cached(path, lambda: super(_StatusCached, self).get_file_status(path))


@seeded(
    "absence-cached-by-client",
    "a client that found a path missing says so again, whatever others did",
    clause="filesystem.mkdirs.post",
)
class _AbsenceCached(_Cached):
    def get_file_status(self, path: str) -> FileStatus:
        if self.caller and isinstance(self._remembered.get((self.caller, path)), StoreError):
            raise self._remembered[self.caller, path]  # type: ignore[misc]
        try:
            return super().get_file_status(path)
        except StoreError as error:
            self._remembered[self.caller, path] = error
            raise


@seeded(
    "listing-cached-by-client",
    "a client gives the listing of a directory that it had before, whatever others did",
    clause="introduction.consistency.create",
)
class _ListingCached(_Cached):
    def list_status(self, path: str) -> list[FileStatus]:
        return self.cached(f"listing {path}", lambda: super(_ListingCached, self).list_status(path))


class Late(RacedStore):
    """A store in which others hear of changes late. ``news`` has by key who knows one, and until when nobody else."""

    def __init__(self, *arguments: object, **named: object) -> None:
        self.news: dict[str, tuple[int, float]] = {}
        super().__init__(*arguments, **named)  # type: ignore[arg-type]

    def reset(self) -> None:
        super().reset()
        self.news = {}

    def is_news(self, key: str) -> bool:
        """Whether the present caller does not know yet of what happened at a key."""
        known = self.news.get(key)
        return known is not None and known[0] != self.caller and time.monotonic() < known[1]

    def tell(self, key: str) -> None:
        """The present caller knows of a change; others will."""
        self.news[key] = (self.caller, time.monotonic() + LATE_SECONDS)


@seeded(
    "close-publishes-later",
    "other clients see a file some time after its stream was closed",
    "S3 before 2020",
    clause="introduction.consistency.create",
)
class _PublishesLater(Late):
    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        key = self.locate(path)[1]
        is_new = key not in self.nodes
        super().create(path, data, overwrite)
        if is_new:
            self.tell(key)

    def get_file_status(self, path: str) -> FileStatus:
        if self.is_news(self.locate(path)[1]):
            self.fail("FileNotFoundException", path)
        return super().get_file_status(path)

    def open(self, path: str) -> bytes:
        if self.is_news(self.locate(path)[1]):
            self.fail("FileNotFoundException", path)
        return super().open(path)


@seeded(
    "delete-seen-late",
    "a file that was deleted is still there for other clients, for some time",
    "S3 before 2020",
    clause="introduction.consistency.delete",
)
class _SeenLate(Late):
    def __init__(self, *arguments: object, **named: object) -> None:
        self._gone: dict[str, Node] = {}
        super().__init__(*arguments, **named)

    def delete(self, path: str, recursive: bool) -> bool:
        key = self.locate(path)[1]
        node = self.nodes.get(key)
        done = super().delete(path, recursive)
        if node is not None and node.data is not None and done:
            self._gone[key] = node
            self.tell(key)
        return done

    def get_file_status(self, path: str) -> FileStatus:
        name, key = self.locate(path)
        if key not in self.nodes and key in self._gone and self.is_news(key):
            return self.status(name, key, self._gone[key])
        return super().get_file_status(path)


@seeded(
    "rename-seen-late",
    "other clients find a renamed file under its old name too, for some time",
    "S3 before 2020",
    clause="introduction.consistency.rename",
)
class _RenameSeenLate(Late):
    def __init__(self, *arguments: object, **named: object) -> None:
        self._moved: dict[str, Node] = {}
        super().__init__(*arguments, **named)

    def rename(self, src: str, dst: str) -> bool:
        key = self.locate(src)[1]
        node = self.nodes.get(key)
        done = super().rename(src, dst)
        if node is not None and node.data is not None and done and key not in self.nodes:
            self._moved[key] = node
            self.tell(key)
        return done

    def get_file_status(self, path: str) -> FileStatus:
        name, key = self.locate(path)
        if key not in self.nodes and key in self._moved and self.is_news(key):
            return self.status(name, key, self._moved[key])
        return super().get_file_status(path)


@seeded(
    "parent-vanishes-with-its-last-child",
    "a directory goes away with its last child, and is made again",
    "HADOOP-16721",
    clause="filesystem.rename.atomic",
)
class _ParentVanishes(RacedStore):
    def delete(self, path: str, recursive: bool) -> bool:
        name, key = self.locate(path)
        done = super().delete(path, recursive)
        parent = parent_of(key)
        node = self.nodes.get(parent)
        if not done or key in self.nodes or node is None or node.names or parent in ("", self.base):
            return done
        self.remove_subtree(parent)
        self.gap()
        if parent not in self.nodes and parent_of(parent) in self.nodes:
            self.attach(parent_of(name), parent, node)
        return done


@seeded(
    "rename-with-options-deletes-first",
    "a rename with options deletes what it replaces, and renames then",
    "FileSystem",
    clause="rename.rename3.atomic",
)
class _DeletesThenRenames(RacedStore):
    def rename_with(self, src: str, dst: str, overwrite: bool) -> None:
        node, key = self.nodes.get(self.locate(src)[1]), self.locate(dst)[1]
        there = self.nodes.get(key)
        if overwrite and node is not None and node.data is not None and there is not None and there.data is not None:
            self.remove_subtree(key)
            self.gap()
        super().rename_with(src, dst, overwrite)
