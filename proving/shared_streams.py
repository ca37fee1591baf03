"""The full store's streams in the hands of several threads, and their closes that fail. Source: outputstream.md.

As there are no threads, what is done at the same time is done in turns.
"""

from __future__ import annotations

from fsconform.proving.keeping_store import KeepingStore, Told

_WRITES, _BYTES = 40, 1000
_QUOTA, _BEYOND = 2 << 20, 4 << 20
_ROOM, _PIECE = 1 << 15, 1 << 12


class SharedStreams(KeepingStore):
    """Calls that leave nothing behind; seeded faults override what they are made of."""

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

    def fill_up(self, path: str, synced: bool) -> Told:
        """What comes of writing into a directory until it has no space, and of what follows."""
        name = f"{path}/f"
        self.mkdirs(path)
        self.create(name, b"", False)
        saved = b""
        pieces = [bytes([1 + number]) * _PIECE for number in range(2 * _ROOM // _PIECE)]
        refused = next((each for each in pieces if not self.has_room(len(saved := saved + each))), None)
        taken = saved if refused is None else saved[: -len(refused)]
        kept = self.saved_when_full(taken, synced)
        self.create(name, kept, True)
        closed = "done" if self.closes_when_full() else "raised IOException"
        promised = len(taken) if synced or closed == "done" else 0
        deleted = self.delete(name, False)
        anew = "done" if self.is_freed() else "raised IOException"
        self.delete(path, True)
        return {
            "refused": "done" if refused is None else self.full_error(),
            "by": "" if refused is None else "write",
            "closed": closed,
            "again": "done",
            "later": self.after_full(),
            "acknowledged": promised > 0,
            "kept": kept[:promised] == taken[:promised] and len(kept) >= promised,
            "sound": saved.startswith(kept),
            "deleted": deleted,
            "anew": anew,
        }

    # --- inside; seeded faults override these

    def joined_writes(self, pieces: list[bytes]) -> bytes:
        """The file that several writes make."""
        return b"".join(pieces)

    def exceeds_quota(self) -> bool:
        """Whether more can be written than a quota allows."""
        return False

    def has_room(self, count: int) -> bool:
        """Whether a directory with little space holds so many bytes."""
        return count <= _ROOM

    def saved_when_full(self, taken: bytes, synced: bool) -> bytes:
        """What a file holds of the bytes of writes that returned, once the next one failed and it was closed."""
        return taken

    def closes_when_full(self) -> bool:
        """Whether the close of such a file succeeds."""
        return True

    def full_error(self) -> str:
        """What a write raises for which there is no space."""
        return "raised IOException"

    def after_full(self) -> str:
        """What a write comes to once such a stream was closed."""
        return "raised ClosedChannelException IOException"

    def is_freed(self) -> bool:
        """Whether there is space again once such a file was deleted."""
        return True

    def closed_again(self, saved: int, wanted: int) -> int:
        """The length of a file of which so much was saved, once its stream was closed again."""
        return saved
