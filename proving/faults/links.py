"""Faults that a client shows whose network fails: what it sends twice, answers by itself, swallows, or waits for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fsconform.engine.injection import ABORT
from fsconform.proving.faults.base import seeded
from fsconform.proving.raced_store import Hung, RacedStore
from fsconform.proving.store import FileStatus, StoreError


@seeded(
    "append-sent-twice",
    "an append whose answer was lost is sent once more, and the server adds the data again",
    clause="introduction.retries.order",
)
class _AppendsTwice(RacedStore):
    def sent(self, name: str, call: Callable[[], Any], fault: str) -> Any:
        if name == "append" and fault == "lose-reply":
            call()
            return call()
        return super().sent(name, call, fault)


@seeded(
    "abort-raises-a-failed-cleanup",
    "an abort whose cleanup fails raises what it failed by",
    clause="abortable.cleanup.failure-caught",
)
class _RaisesCleanup(RacedStore):
    def cleaned_up(self, call: Callable[[], Any], fault: str) -> Any:
        told = call()
        return {**told, "answer": "raised IOException"} if fault and told["answer"] == "done" else told


@seeded(
    "abort-hides-a-failed-cleanup",
    "the result of an abort has no exception, although its cleanup failed",
    clause="abortable.result.cleanup-exception",
)
class _HidesCleanup(RacedStore):
    def cleaned_up(self, call: Callable[[], Any], fault: str) -> Any:
        return call()


@seeded(
    "abort-cleans-up-again",
    "the cleanup of an abort that fails is tried again",
    clause="abortable.cleanup.no-retry",
)
class _CleansUpAgain(RacedStore):
    def cleaned_up(self, call: Callable[[], Any], fault: str) -> Any:
        return super().cleaned_up(call, self.due(ABORT) if fault else "")


@seeded(
    "rename-finds-its-own-success",
    "a rename whose answer was lost is sent once more, and fails as the source is gone",
    "HDFS-4849",
    clause="introduction.retries.order",
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


@seeded(
    "rename-fails-midway",
    "a rename of a directory that is cut off has moved some children, and listings still have them in the old place",
    "HADOOP-15183",
    clause="introduction.retries.order",
)
class _RenamesInPart(RacedStore):
    def __init__(self, *arguments: object, **named: object) -> None:
        self._left: dict[str, FileStatus] = {}
        self._is_cut_off = False
        super().__init__(*arguments, **named)  # type: ignore[arg-type]

    def reset(self) -> None:
        super().reset()
        self._left.clear()

    def rename(self, src: str, dst: str) -> bool:
        key = self.locate(src)[1]
        children = self.list_status(src) if self._is_cut_off and key in self.nodes else []
        files = [child for child in children if not child.is_dir and child.path != src]
        if not files:
            return super().rename(src, dst)
        self._left[key] = files[0]
        super().mkdirs(dst)
        return super().rename(files[0].path, dst)

    def sent(self, name: str, call: Callable[[], Any], fault: str) -> Any:
        if name != "rename" or fault != "reset":
            return super().sent(name, call, fault)
        self._is_cut_off = True
        try:
            call()
        finally:
            self._is_cut_off = False
        return super().sent(name, call, fault)

    def list_status(self, path: str) -> list[FileStatus]:
        found, left = super().list_status(path), self._left.get(self.locate(path)[1])
        return found if left is None or any(one.path == left.path for one in found) else [*found, left]


@seeded(
    "close-swallows-a-failed-upload",
    "close returns as if all were well where its upload failed",
    clause="outputstream.close.uploads",
)
class _Swallows(RacedStore):
    def sent(self, name: str, call: Callable[[], Any], fault: str) -> Any:
        if name == "close" and fault:
            return None
        return super().sent(name, call, fault)


@seeded(
    "read-short-after-reset",
    "a read whose connection is reset ends there, as if the file did",
    clause="filesystem.open.post",
)
class _ReadsShort(RacedStore):
    def sent(self, name: str, call: Callable[[], Any], fault: str) -> Any:
        if name == "open" and fault == "lose-reply":
            data = call()
            return data[: len(data) // 2] if isinstance(data, bytes) else data
        return super().sent(name, call, fault)


@seeded(
    "listing-empty-after-reset",
    "a listing whose connection is reset is empty, as if nothing were there",
    clause="introduction.consistency.all-clients",
)
class _ListsNothing(RacedStore):
    def sent(self, name: str, call: Callable[[], Any], fault: str) -> Any:
        if name == "listStatus" and fault == "lose-reply":
            call()
            return []
        return super().sent(name, call, fault)


@seeded(
    "waits-for-ever",
    "a call waits without end for an answer that does not come",
    clause="introduction.failures.complete",
)
class _Waits(RacedStore):
    def sent(self, name: str, call: Callable[[], Any], fault: str) -> Any:
        if fault == "half-open":
            raise Hung
        return super().sent(name, call, fault)


@seeded(
    "network-error-at-run-time",
    "where the network fails a RuntimeException is raised",
    clause="introduction.network.ioexception",
)
class _RunTime(RacedStore):
    def sent(self, name: str, call: Callable[[], Any], fault: str) -> Any:
        try:
            return super().sent(name, call, fault)
        except StoreError as error:
            if fault:
                classes = tuple(f"java.lang.{name}" for name in ("RuntimeException", "Exception", "Throwable"))
                raise StoreError(classes, error.message) from error
            raise
