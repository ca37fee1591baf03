"""Faults of clients that make a call again: its answer was lost, or came too late, and the call had been done.

There is no network in memory. Answers are lost of what takes long: moving a tree, making the directories above a file.
"""

from __future__ import annotations

from fsconform.proving.faults.base import seeded
from fsconform.proving.full_store import FullStore
from fsconform.proving.store import parent_of

_LARGE = 3
"""So many entries are a tree whose move or removal takes long."""


class _Trees(FullStore):
    def is_large(self, path: str) -> bool:
        """Whether what is done to a path takes long."""
        key = self.locate(path)[1]
        return key in self.nodes and len(self.subtree(key)) >= _LARGE


@seeded(
    "rename-comes-again",
    "a rename of a tree whose answer was lost is made again, and says that the source is missing",
    "HADOOP-18012",
    clause="filesystem.rename.post.directory",
)
class _RenameAgain(_Trees):
    def rename(self, src: str, dst: str) -> bool:
        large, key = self.is_large(src), self.locate(src)[1]
        done = super().rename(src, dst)
        return super().rename(src, dst) if large and key not in self.nodes else done


@seeded(
    "server-error-says-false",
    "a rename or a deletion of a tree that meets an error of the server says False, and has done nothing",
    "hadoop-connectors#85",
    clause="filesystem.delete.post.recursive",
)
class _ErrorSaysFalse(_Trees):
    def rename(self, src: str, dst: str) -> bool:
        return not self.is_large(src) and super().rename(src, dst)

    def delete(self, path: str, recursive: bool) -> bool:
        if recursive and self.is_large(path) and self.locate(path)[1] not in ("", self.base):
            return False
        return super().delete(path, recursive)


@seeded(
    "truncate-comes-again",
    "a truncate whose answer was lost is made again after an append, and takes the appended bytes away",
    "HDFS-16322",
    clause="filesystem.truncate.post.length",
)
class _TruncateAgain(FullStore):
    def __init__(self, *arguments: object, **named: object) -> None:
        self._cut: dict[str, int] = {}
        super().__init__(*arguments, **named)  # type: ignore[arg-type]

    def truncate(self, path: str, length: int) -> bool:
        done = super().truncate(path, length)
        self._cut[self.locate(path)[1]] = length
        return done

    def append(self, path: str, data: bytes) -> None:
        super().append(path, data)
        length = self._cut.pop(self.locate(path)[1], None)
        if length is not None and data:
            self.found(path).data = (self.found(path).data or b"")[:length]


@seeded(
    "create-comes-again",
    "a create that makes the directories above is made again, and says that the file exists",
    "HDFS-4849",
    clause="filesystem.create.post",
)
class _CreateAgain(FullStore):
    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        makes = parent_of(self.locate(path)[1]) not in self.nodes
        super().create(path, data, overwrite)
        if makes and not overwrite:
            super().create(path, data, overwrite)
