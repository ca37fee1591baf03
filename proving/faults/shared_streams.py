"""Faults of streams in the hands of several threads, and of closes that fail."""

from __future__ import annotations

from fsconform.proving.faults.base import seeded
from fsconform.proving.full_store import FullStore


@seeded("threads-lose-a-write", "of two writes at once one is lost", clause="outputstream.thread-safe")
class _LosesAWrite(FullStore):
    def joined_writes(self, pieces: list[bytes]) -> bytes:
        return super().joined_writes(pieces[:-1])


@seeded("threads-tear-a-write", "two writes at once are mixed up", clause="outputstream.thread-safe")
class _TearsAWrite(FullStore):
    def joined_writes(self, pieces: list[bytes]) -> bytes:
        data = super().joined_writes(pieces)
        return data[:500] + data[1000:1500] + data[500:1000] + data[1500:]


@seeded("close-tries-again", "a close after one that failed writes the data", clause="outputstream.close.no-retry")
class _TriesAgain(FullStore):
    def closed_again(self, saved: int, wanted: int) -> int:
        return wanted


# --- a store without space


@seeded("full-hidden", "a store without space takes all, and saves what it has room for", clause="outputstream.saved")
class _Hidden(FullStore):
    def has_room(self, count: int) -> bool:
        return True

    def saved_when_full(self, taken: bytes, synced: bool) -> bytes:
        return taken[: len(taken) // 2]


@seeded("full-loses-synced", "what hsync saved is lost when the store is full", clause="outputstream.sync.post.visible")
class _LosesSynced(FullStore):
    def closes_when_full(self) -> bool:
        return False

    def saved_when_full(self, taken: bytes, synced: bool) -> bytes:
        return taken[:-1]


@seeded("full-gap", "the file of a full store has a gap", clause="outputstream.saved")
class _Gap(FullStore):
    def closes_when_full(self) -> bool:
        return False

    def saved_when_full(self, taken: bytes, synced: bool) -> bytes:
        return taken if synced else taken[:4096] + bytes(len(taken) - 4096)


@seeded(
    "full-stays-open",
    "a stream can be written to whose close failed for want of space",
    clause="outputstream.write.pre.open",
)
class _StaysOpen(FullStore):
    def after_full(self) -> str:
        return "done"


@seeded("full-for-ever", "deletion frees no space", clause="filesystem.create.post")
class _ForEver(FullStore):
    def is_freed(self) -> bool:
        return False


@seeded("full-error", "a store without space raises an error that is no IOException", clause="outputstream.write.limit")
class _OtherError(FullStore):
    def full_error(self) -> str:
        return "raised Error"
