"""Faults of streams that only several clients at once, or several threads of one, can show."""

from __future__ import annotations

from collections.abc import Callable

from fsconform.proving.faults.base import seeded
from fsconform.proving.faults.races import Late
from fsconform.proving.keeping_store import Told
from fsconform.proving.outputs import Writer
from fsconform.proving.raced_store import RacedStore
from fsconform.proving.streams import Stream


class _Gapped(Stream):
    """A stream in whose reads other threads come between."""

    def __init__(self, data: bytes, gap: Callable[[], None]) -> None:
        super().__init__(data)
        self.gap = gap


class _SharedPlace(_Gapped):
    place = 0

    def take(self, start: int, buffer: bytearray, offset: int, size: int) -> int:
        self.place = start
        self.gap()
        return super().take(self.place, buffer, offset, size)


@seeded(
    "positioned-reads-swapped",
    "positioned reads of two threads on one stream have one place to read from",
    clause="fsdatainputstream.positioned.thread-safe",
)
class _Swapped(RacedStore):
    def stream_of(self, path: str) -> Stream:
        return _SharedPlace(self.bytes_of(path)[1], self.gap)


class _SeeksAway(_Gapped):
    def take(self, start: int, buffer: bytearray, offset: int, size: int) -> int:
        before, self.pos = self.pos, start
        self.gap()
        try:
            return super().take(start, buffer, offset, size)
        finally:
            self.pos = before


@seeded(
    "positioned-read-moves-others",
    "a positioned read seeks, and goes back: other threads read from there",
    clause="fsdatainputstream.positioned.isolated",
)
class _MovesOthers(RacedStore):
    def stream_of(self, path: str) -> Stream:
        return _SeeksAway(self.bytes_of(path)[1], self.gap)


class _LateBytes(Late):
    """A store in which others still read for some time what a file held before. ``before`` has that by key."""

    def __init__(self, *arguments: object, **named: object) -> None:
        self.before: dict[str, bytes] = {}
        super().__init__(*arguments, **named)

    def reset(self) -> None:
        super().reset()
        self.before = {}

    def saves_late(self, stream: str, save: Callable[[], Told | None]) -> Told | None:
        """Have a stream save what it holds; others hear of that later."""
        key = self.writers[stream].key
        node = self.nodes.get(key)
        held = node.data if node is not None else None
        told = save()
        if held is not None and node is not None and held != node.data:
            self.before[key] = held
            self.tell(key)
        return told

    def open(self, path: str) -> bytes:
        key = self.locate(path)[1]
        if key in self.nodes and key in self.before and self.is_news(key):
            return self.before[key]
        return super().open(path)


@seeded(
    "hflush-seen-late",
    "what hflush saved is read by others some time later only",
    clause="outputstream.sync.post.visible",
)
class _FlushedLate(_LateBytes):
    def sync(self, stream: str, call: str) -> Told:
        told = self.saves_late(stream, lambda: super(_FlushedLate, self).sync(stream, call))
        assert told is not None
        return told

    def close_writer(self, stream: str) -> Told | None:
        self.before.clear()
        return super().close_writer(stream)


@seeded(
    "stream-closed-seen-late",
    "what close saved is read by others some time later only",
    "S3 before 2020",
    clause="introduction.consistency.create",
)
class _ClosedLate(_LateBytes):
    def close_writer(self, stream: str) -> Told | None:
        return self.saves_late(stream, lambda: super(_ClosedLate, self).close_writer(stream))


class _OwnCopy(Writer):
    """A stream that saves all that it found, with what is new."""

    whole = b""

    def begin(self, mode: str) -> None:
        super().begin(mode)
        self.whole = self.node.data if self.node is not None and self.node.data is not None else b""

    def put(self, piece: bytes) -> None:
        self.whole += piece
        if self.node is not None and self.node.data is not None:
            self.node.data = self.whole
        super().put(b"")


@seeded(
    "stream-writes-torn",
    "what a thread writes has in its midst what others write through the stream meanwhile",
    clause="outputstream.thread-safe",
)
class _Torn(RacedStore):
    def write(self, stream: str, data: bytes) -> None:
        super().write(stream, data[: len(data) // 2])
        self.gap()
        super().write(stream, data[len(data) // 2 :])


@seeded(
    "stream-append-lost",
    "append looks for other writers first; of two at once each saves what it found and its own",
    clause="outputstream.concurrent.writers",
)
class _LostAppend(RacedStore):
    writer_kind = _OwnCopy

    def append(self, path: str, data: bytes) -> None:
        super().append(path, data)
        self.gap()


@seeded(
    "stream-writers-not-excluded",
    "a file can be opened to append to it while another stream writes it",
    clause="outputstream.concurrent.writers",
)
class _NotExcluded(RacedStore):
    def check_writers(self, key: str) -> None:
        """Nobody is refused."""
