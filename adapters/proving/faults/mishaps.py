"""Faults of streams in the hands of several threads, and of closes that fail."""

from __future__ import annotations

from fsconform.adapters.proving.faults.base import seeded
from fsconform.adapters.proving.whole import WholeStore


@seeded("threads-lose-a-write", "of two writes at once one is lost", clause="outputstream.thread-safe")
class _LosesAWrite(WholeStore):
    def joined_writes(self, pieces: list[bytes]) -> bytes:
        return super().joined_writes(pieces[:-1])


@seeded("threads-tear-a-write", "two writes at once are mixed up", clause="outputstream.thread-safe")
class _TearsAWrite(WholeStore):
    def joined_writes(self, pieces: list[bytes]) -> bytes:
        data = super().joined_writes(pieces)
        return data[:500] + data[1000:1500] + data[500:1000] + data[1500:]


@seeded("close-tries-again", "a close after one that failed writes the data", clause="outputstream.close.no-retry")
class _TriesAgain(WholeStore):
    def closed_again(self, saved: int, wanted: int) -> int:
        return wanted
