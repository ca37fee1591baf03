"""The store in memory of which several clients make calls: one at a time, but for the gaps that seeded faults leave."""

from __future__ import annotations

import threading
import time

from fsconform.proving.full_store import FullStore
from fsconform.proving.store import ANCESTRY, Behaviour, StoreError

GAP_SECONDS = 0.0003
"""How long a gap in a call of a faulty store lasts: others have the store meanwhile."""


_NEVER = 1 << 63


class Killed(BaseException):
    """The client that makes the call is no more: what it did so far stays as it is."""


class RacedStore(FullStore):
    """A store of which several clients make calls, one at a time. Faults override its calls and leave gaps in them.

    A client dies in a gap, once the clock is beyond what ``deaths`` has for it, in nanoseconds.
    """

    def __init__(self, behaviour: Behaviour | None = None) -> None:
        super().__init__(behaviour)
        self.busy = threading.Lock()
        self.deaths: dict[int, int] = {}
        self.starts = 0
        """How often its server was started again."""

    def gap(self) -> None:
        """Let others in for a moment, in the middle of a call."""
        caller, via, starts = self.caller, self.via, self.starts
        self.busy.release()
        try:
            time.sleep(GAP_SECONDS)
        finally:
            self.busy.acquire()
            self.caller, self.via = caller, via
        if time.monotonic_ns() > self.deaths.get(caller, _NEVER):
            raise Killed
        if starts != self.starts:
            raise StoreError(ANCESTRY["IOException"], "the server went away in the middle of the call")

    def crash(self) -> None:
        """The server is killed and started again: calls that are in a gap fail. What it had saved is there."""
        self.starts += 1

    def save(self) -> None:
        """All that was done is saved, wherever it was so far."""

    def lose_power(self) -> None:
        """The server's machine loses its power, and gets it back. What it had saved is there."""
        self.crash()
