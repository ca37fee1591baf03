"""How a store is filled up, for every adapter: what is written, what was promised of it, and what is told in the end.

No more is ever written than twice the space that a store has to begin with and 2 MiB, and nothing where that is a lot.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from fsconform.model.core.outcomes import Facts, facts

MOST = 16 << 20
"""Bytes of space: a store that has more is not filled up."""

ROOMY = "the store has {room} bytes of space: the suite disk-full wants a place of its own that is small"


def filling(room: int) -> Iterator[bytes]:
    """What is written, one after another, to fill a store of this space, and some more than it can hold."""
    size = piece_size(room)
    return (piece(number, size) for number in range(2 * (room + MOST // 16) // size))


def piece_size(room: int) -> int:
    """Bytes of each write, so that a store of this space takes some dozens."""
    return min(1 << 16, max(1 << 10, room // 24))


def anew_size(room: int) -> int:
    """Bytes of a file for which a store of this space has room."""
    return min(1 << 14, room // 8)


def piece(number: int, size: int) -> bytes:
    """The bytes of a write: none like those of another."""
    return (number * 2654435761 % (1 << 32)).to_bytes(4, "big") * (size // 4)


@dataclass(slots=True)
class Found:
    """What came of the writes: ``sent`` are the bytes of all calls, ``taken`` how many of those that returned."""

    sent: bytearray = field(default_factory=bytearray)
    taken: int = 0
    saved: int = 0
    acknowledged: bool = False
    refused: str = "done"
    by: str = ""
    close: str = ""

    def wrote(self, answer: str, data: bytes) -> bool:
        """Note the answer of a write; false if it failed."""
        self.sent += data
        if answer == "done":
            self.taken = len(self.sent)
        return self._went(answer, "write")

    def synced(self, answer: str) -> bool:
        """Note the answer of hsync; false if it failed."""
        if answer == "done":
            self.saved, self.acknowledged = self.taken, True
        return self._went(answer, "hsync")

    def closed(self, answer: str) -> None:
        """Note the answer of the first close: one that returns promises all bytes of the writes that returned."""
        self.close = answer
        if answer == "done":
            self.saved, self.acknowledged = self.taken, True
        if self.refused == "done":
            self._went(answer, "close")

    def compared(self, data: bytes | None) -> tuple[bool, bool]:
        """Whether all that was promised can be read, and whether what can be read begins what was written."""
        if data is None:
            return not self.saved, True
        sound = len(data) <= len(self.sent) and self.sent[: len(data)] == data
        return sound and len(data) >= self.saved, sound

    def _went(self, answer: str, call: str) -> bool:
        if answer != "done":
            self.refused, self.by = answer, call
        return answer == "done"


def facts_of(found: Found, again: str, later: str, kept: bool, sound: bool, deleted: bool, anew: str) -> Facts:
    """The facts ``full``: see model.operations.mishaps.FillUp."""
    return facts(
        "full",
        refused=found.refused,
        by=found.by,
        closed=found.close,
        again=again,
        later=later,
        acknowledged=found.acknowledged,
        kept=kept,
        sound=sound,
        deleted=deleted,
        anew=anew,
    )
