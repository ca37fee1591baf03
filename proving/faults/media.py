"""Faults that a failing medium shows: errors swallowed, bytes that are not checked, a store that stays down."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fsconform.engine.injection import Medium
from fsconform.proving.faults.base import seeded
from fsconform.proving.raced_store import RacedStore
from fsconform.proving.store import StoreError


@seeded(
    "full-close-swallows",
    "where there is no room writes are dropped, and close returns as if all were saved",
    clause="outputstream.saved",
)
class _Swallows(RacedStore):
    def spoilt(self, name: str, call: Callable[[], Any], fault: Medium) -> Any:
        if name == "write" and fault.fault == "full":
            return None
        return super().spoilt(name, call, fault)


@seeded(
    "full-loses-what-was-there",
    "a create that has no room cuts another file off before it is refused",
    clause="introduction.consistency.create",
)
class _LosesOthers(RacedStore):
    def spoilt(self, name: str, call: Callable[[], Any], fault: Medium) -> Any:
        if name == "create" and fault.fault == "full":
            for key, node in self.nodes.items():
                if node.data is not None and key.endswith("/k"):
                    node.data = node.data[:1]
        return super().spoilt(name, call, fault)


@seeded(
    "full-until-it-is-restarted",
    "a store that had no room once takes no files any more",
    clause="introduction.consistency.create",
)
class _StaysFull(RacedStore):
    def mended(self) -> None:
        """Only reads are well again."""

    def carried(self, name: str, call: Callable[[], Any]) -> Any:
        if self.medium is not None and not self.caller and name == "create" and self.lasting:
            return self.spoilt(name, call, self.medium)
        return super().carried(name, call)

    def spoil(self, fault: Medium) -> None:
        super().spoil(fault)
        self.lasting = fault.fault == "full"

    def reset(self) -> None:
        super().reset()
        self.medium = None

    lasting = False


@seeded(
    "read-only-says-done",
    "on a disk that takes no changes mkdirs, rename and delete do nothing and return true",
    clause="filesystem.mkdirs.post",
)
class _SaysDone(RacedStore):
    def spoilt(self, name: str, call: Callable[[], Any], fault: Medium) -> Any:
        if name in ("mkdirs", "rename", "delete") and fault.fault == "read-only":
            return True
        return super().spoilt(name, call, fault)


@seeded(
    "medium-error-at-run-time",
    "where the medium fails a RuntimeException is raised",
    clause="introduction.failures.no-runtime-exception",
)
class _RunTime(RacedStore):
    def spoilt(self, name: str, call: Callable[[], Any], fault: Medium) -> Any:
        try:
            return super().spoilt(name, call, fault)
        except StoreError as error:
            classes = tuple(f"java.lang.{kind}" for kind in ("RuntimeException", "Exception", "Throwable"))
            raise StoreError(classes, error.message) from error


class _Rotten(RacedStore):
    """A store in which bytes of the file ``a``, or ``d``, are otherwise while it is read."""

    def with_rotten(self, call: Callable[[], Any], fault: Medium) -> Any:
        """What a call gives meanwhile."""
        sound = {key: node.data for key, node in self.nodes.items() if key.endswith(("/a", "/d")) and node.data}
        for key, data in sound.items():
            place = fault.amount % len(data)
            self.nodes[key].data = data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :]
        try:
            return call()
        finally:
            for key, data in sound.items():
                self.nodes[key].data = data


@seeded(
    "flipped-bytes-read", "bytes are given to a reader that do not fit their checksums", clause="filesystem.open.post"
)
class _NotChecked(_Rotten):
    def spoilt(self, name: str, call: Callable[[], Any], fault: Medium) -> Any:
        if name == "open" and fault.is_flip:
            return self.with_rotten(call, fault)
        return super().spoilt(name, call, fault)


@seeded(
    "flipped-bytes-read-by-position",
    "reads of a part of a file do not look at its checksums",
    clause="fsdatainputstream.read-buffer.post.bytes",
)
class _NotCheckedByPosition(_Rotten):
    def spoilt(self, name: str, call: Callable[[], Any], fault: Medium) -> Any:
        if name in ("open to read", "read on") and fault.is_flip:  # a stream has the bytes that were there at its open
            return self.with_rotten(call, fault)
        return super().spoilt(name, call, fault)


@seeded(
    "flipped-bytes-end-a-read",
    "a read ends without an error before bytes that do not fit their checksums",
    clause="filesystem.open.post",
)
class _EndsEarly(RacedStore):
    def spoilt(self, name: str, call: Callable[[], Any], fault: Medium) -> Any:
        if name == "open" and fault.is_flip:
            data = bytes(call())
            return data[: fault.amount % len(data)] if data else data
        return super().spoilt(name, call, fault)
