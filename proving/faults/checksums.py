"""Faults of files that are written without checksums, or read without verifying them."""

from __future__ import annotations

from fsconform.proving.faults.base import seeded
from fsconform.proving.faults.writers import writing
from fsconform.proving.full_store import FullStore
from fsconform.proving.outputs import Writer
from fsconform.proving.store import Behaviour

_UNCHECKED, _UNVERIFIED = "filesystem.setWriteChecksum.post", "filesystem.setVerifyChecksum.post"
_CHUNK = 512


@seeded("unchecked-stale-checksums", "a file's checksums outlive it and break what replaces it", clause=_UNCHECKED)
class _Stale(FullStore):
    def __init__(self, behaviour: Behaviour | None = None) -> None:
        self.stale: set[str] = set()
        super().__init__(behaviour)

    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        super().create(path, data, overwrite)
        self.stale.discard(path)

    def create_unchecked(self, path: str, data: bytes, overwrite: bool) -> None:
        there = self.locate(path)[1] in self.nodes
        super().create_unchecked(path, data, overwrite)
        if there:
            self.stale.add(path)

    def open(self, path: str) -> bytes:
        if path in self.stale:
            self.fail("IOException", f"the checksums of {path} are those of other bytes")
        return super().open(path)

    def open_unverified(self, path: str) -> bytes:
        return super().open(path)


@seeded("unchecked-cut", "without checksums only whole chunks are written", clause=_UNCHECKED)
class _Cut(FullStore):
    def create_unchecked(self, path: str, data: bytes, overwrite: bool) -> None:
        super().create_unchecked(path, data[: len(data) // _CHUNK * _CHUNK], overwrite)


@seeded("unverified-cut", "without verifying only whole chunks are read", clause=_UNVERIFIED)
class _ReadCut(FullStore):
    def open_unverified(self, path: str) -> bytes:
        data = super().open_unverified(path)
        return data[: len(data) // _CHUNK * _CHUNK]


@writing(
    "outputstream.sync.post.visible", "writer-unchecked-sync", "a stream without checksums saves nothing by a sync"
)
class _SyncsNothing(Writer):
    def sync(self) -> None:
        self.check_open()
        if not self.unchecked:
            super().sync()


@writing("outputstream.unchecked.sync", "writer-unchecked-untold", "a stream without checksums does not tell of hsync")
class _Untold(Writer):
    def has_capability(self, name: str) -> bool:
        return super().has_capability(name) and not (self.unchecked and name == "hsync")
