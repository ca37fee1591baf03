"""Faults that a client shows whose network fails: what it sends twice, answers by itself, swallows, or waits for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fsconform.proving.faults.base import seeded
from fsconform.proving.raced_store import Hung, RacedStore
from fsconform.proving.store import StoreError


@seeded("append-sent-twice", "an append whose answer was lost is sent once more, and the server adds the data again")
class _AppendsTwice(RacedStore):
    def sent(self, name: str, call: Callable[[], Any], fault: str) -> Any:
        if name == "append" and fault == "lose-reply":
            call()
            return call()
        return super().sent(name, call, fault)


@seeded(
    "rename-finds-its-own-success",
    "a rename whose answer was lost is sent once more, and fails as the source is gone",
    "HDFS-4849",
)
class _RenamesTwice(RacedStore):
    def sent(self, name: str, call: Callable[[], Any], fault: str) -> Any:
        if name == "rename" and fault == "lose-reply":
            call()
            try:
                return call()
            except StoreError:
                return False
        return super().sent(name, call, fault)


@seeded("close-swallows-a-failed-upload", "close returns as if all were well where its upload failed")
class _Swallows(RacedStore):
    def sent(self, name: str, call: Callable[[], Any], fault: str) -> Any:
        if name == "close" and fault:
            return None
        return super().sent(name, call, fault)


@seeded("read-short-after-reset", "a read whose connection is reset ends there, as if the file did")
class _ReadsShort(RacedStore):
    def sent(self, name: str, call: Callable[[], Any], fault: str) -> Any:
        if name == "open" and fault == "lose-reply":
            data = call()
            return data[: len(data) // 2] if isinstance(data, bytes) else data
        return super().sent(name, call, fault)


@seeded("waits-for-ever", "a call waits without end for an answer that does not come")
class _Waits(RacedStore):
    def sent(self, name: str, call: Callable[[], Any], fault: str) -> Any:
        if fault == "half-open":
            raise Hung
        return super().sent(name, call, fault)


@seeded("network-error-at-run-time", "where the network fails a RuntimeException is raised")
class _RunTime(RacedStore):
    def sent(self, name: str, call: Callable[[], Any], fault: str) -> Any:
        try:
            return super().sent(name, call, fault)
        except StoreError as error:
            if fault:
                classes = tuple(f"java.lang.{name}" for name in ("RuntimeException", "Exception", "Throwable"))
                raise StoreError(classes, error.message) from error
            raise
