"""Faults that several calls together show: etags, times and handles seen twice, calls that nobody answers."""

from __future__ import annotations

from fsconform.proving.faults.base import seeded
from fsconform.proving.full_store import FullStore
from fsconform.proving.keeping_store import Kept, Told
from fsconform.proving.store import Node

_COPY = "filesystem.copyFromLocalFile.pre"
_TIMES = "introduction.timestamps.hdfs"


@seeded("etag-of-path", "a path has the same etag whatever is written to it", clause="filesystem.etagSource.contents")
class _EtagOfPath(FullStore):
    def etag(self, node: Node, data: bytes) -> str:
        return next(key for key, each in self.nodes.items() if each is node) or "/"


@seeded(
    "unable-foreign-handle-misnamed",
    "a store without path handles fails otherwise when one is opened",
    clause="filesystem.openHandle.unsupported",
    abilities={"supports_file_reference": False, "supports_content_check": False},
    declared={"supports-file-reference": False, "supports-content-check": False},
)
class _ForeignMisnamed(FullStore):
    def open_foreign_handle(self) -> None:
        self.refuse_handle("there are no handles")


@seeded(
    "handle-resolves-to-replacement",
    "a handle that asks for one content opens another file with the same bytes",
    clause="filesystem.openHandle.pre.guaranteed",
)
class _Replacement(FullStore):
    def open_by_handle(self, path: str, handle: str, meanwhile: str, other: str) -> bytes:
        if meanwhile != "replace" or handle not in ("content", "exact"):
            return super().open_by_handle(path, handle, meanwhile, other)
        self.change(path, meanwhile, other)
        return self.open(path)


@seeded("copy-onto-itself", "a copy of a file to itself empties it", clause=f"{_COPY}.different")
class _OntoItself(FullStore):
    def same_path(self, path: str) -> None:
        self.create(path, b"", True)


@seeded("copy-below-itself", "a copy of a directory below itself is made", clause=f"{_COPY}.not-nested")
class _BelowItself(FullStore):
    def nested_paths(self, src: str, dst: str) -> None:
        if not self.exists(dst):
            self.mkdirs(dst)


@seeded("rename-keeps-directory-times", "a rename leaves the directories' times", clause=f"{_TIMES}.rename")
class _DirectoryTimes(FullStore):
    def rename(self, src: str, dst: str) -> bool:
        before = {key: self.kept(node).modified for key, node in self.nodes.items() if node.data is None}
        done = super().rename(src, dst)
        for key, time in before.items():
            if key in self.nodes:
                self.kept(self.nodes[key]).modified = time
        return done


@seeded("access-time-always", "each read is noted", clause=f"{_TIMES}.access-time")
class _Always(FullStore):
    def read_at(self, kept: Kept, now: int) -> None:
        kept.accessed = now


@seeded("access-time-never", "no read is noted", clause=f"{_TIMES}.access-time")
class _Never(FullStore):
    def read_at(self, kept: Kept, now: int) -> None:
        pass


@seeded(
    "nowhere-is-runtime", "a store that does not answer is an illegal state", clause="introduction.network.ioexception"
)
class _NowhereRuntime(FullStore):
    def unanswered(self) -> None:
        self.fail("IllegalArgumentException", "nobody answers")


@seeded("nowhere-is-empty", "a store that does not answer is an empty one", clause="introduction.network.ioexception")
class _NowhereEmpty(FullStore):
    def call_nowhere(self) -> Told:
        return {"error": False, "io": False}
