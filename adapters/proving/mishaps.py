"""The whole store's streams in the hands of several threads, and their closes that fail. Source: outputstream.md.

As there are no threads, what is done at the same time is done in turns.
"""

from __future__ import annotations

from fsconform.adapters.proving.kept import KeepingStore, Told

_WRITES, _BYTES = 40, 1000
_QUOTA, _BEYOND = 2 << 20, 4 << 20


class Mishaps(KeepingStore):
    """Episodes that leave nothing behind; seeded faults override what they are made of."""

    def write_together(self, path: str, beside: str) -> Told:
        """What becomes of a file that two write in turns, or one while another syncs or closes."""
        pieces = [bytes([thread, 16 + number]) * (_BYTES // 2) for number in range(_WRITES) for thread in (1, 2)]
        if beside != "write":
            pieces = pieces[::2]
        self.create(path, self.joined_writes(pieces), False)
        data = self.open(path)
        self.delete(path, False)
        whole = sum(data.count(piece) == 1 for piece in pieces)
        return {"answer": "done", "writes": len(pieces), "whole": whole, "length": len(data) // _BYTES}

    def close_beyond_quota(self, path: str) -> Told:
        """What a close tells that can't save all, and the one after it."""
        self.need(self.can.supports_quotas, "quotas")
        room = _BEYOND if self.exceeds_quota() else _QUOTA
        refused = "done" if room == _BEYOND else "raised IOException"
        before = min(room, _BEYOND)
        after = self.closed_again(before, _BEYOND)
        return {"refused": refused, "again": "done", "before": before, "after": after}

    # --- inside; seeded faults override these

    def joined_writes(self, pieces: list[bytes]) -> bytes:
        """The file that several writes make."""
        return b"".join(pieces)

    def exceeds_quota(self) -> bool:
        """Whether more can be written than a quota allows."""
        return False

    def closed_again(self, saved: int, wanted: int) -> int:
        """The length of a file of which so much was saved, once its stream was closed again."""
        return saved
