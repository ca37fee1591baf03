"""The store in memory of which several clients make calls: one at a time, but for the gaps that seeded faults leave."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from fsconform.engine.injection import ABORT, Medium, Wire
from fsconform.model.filesystem.output.abort import AbortWriter
from fsconform.proving.full_store import FullStore
from fsconform.proving.store import ANCESTRY, Behaviour, StoreError

GAP_SECONDS = 0.0003
"""How long a gap in a call of a faulty store lasts: others have the store meanwhile."""


_NEVER = 1 << 63


CUTS = frozenset(("reset", "lose-reply", "half-open"))
"""The faults of a link that this store knows."""


_REFUSED = {
    "full": frozenset(("create", "append", "write", "sync", "mkdirs")),
    "read-only": frozenset(
        ("create", "append", "open to write", "write", "sync", "close", "mkdirs", "rename", "delete")
    ),
}
"""The calls that are refused by the fault of the medium."""


READING = frozenset(("open", "read on"))
"""The calls that give a file's bytes."""


class Hung(BaseException):
    """The call will never return."""


class Cut:
    """A fault of the link to the server, and whether it was met."""

    def __init__(self, fault: Wire) -> None:
        self.fault, self.met = fault, False
        self._left, self._times = fault.count, fault.times

    def due(self, name: str) -> str:
        """What is to happen to a request of this name; empty for nothing."""
        if self.fault.request not in ("", name):
            return ""
        self._left -= 1
        if self._left > 0 or (self._times < 1 and self.fault.fault != "half-open"):
            return ""
        self._times -= 1
        self.met = True
        return self.fault.fault


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
        self.cut: Cut | None = None
        self.medium: Medium | None = None
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

    def carried(self, name: str, call: Callable[[], Any]) -> Any:
        """What a call gives by the link to the server: each call is one request, and none is tried again."""
        if self.medium is not None and self.caller:
            return self.spoilt(name, call, self.medium)
        if name == AbortWriter.NAME:
            return self.cleaned_up(call, self.due(ABORT))
        return self.sent(name, call, self.due(name))

    def cleaned_up(self, call: Callable[[], Any], fault: str) -> Any:
        """What an abort gives: its success hangs on no request, and its cleanup is one that may fail."""
        told = call()
        return {**told, "cleanup": True} if fault and told["answer"] == "done" else told

    def due(self, name: str) -> str:
        """What is to happen to a client's request of this name; the first client goes by no link."""
        return self.cut.due(name) if self.cut is not None and self.caller else ""

    def sent(self, name: str, call: Callable[[], Any], fault: str) -> Any:
        """What a request gives to which a fault happens. Raises what a client raises that hears no answer."""
        if fault == "half-open":
            raise StoreError(ANCESTRY["IOException"], "the server did not answer in time")
        if fault == "reset":
            raise StoreError(ANCESTRY["IOException"], "connection reset")
        result = call()
        if fault == "lose-reply":
            raise StoreError(ANCESTRY["IOException"], "connection reset")
        return result

    def spoil(self, fault: Medium) -> None:
        """The medium fails from now on, for all clients but the first."""
        self.medium = fault

    def mended(self) -> None:
        """The medium is well again."""
        self.medium = None

    def spoilt(self, name: str, call: Callable[[], Any], fault: Medium) -> Any:
        """What a call gives on a medium that fails."""
        if name in READING and fault.is_flip:
            raise StoreError(ANCESTRY["IOException"], "checksum error")
        if name in _REFUSED.get(fault.fault, ()):
            raise StoreError(ANCESTRY["IOException"], "no space left on device, or none that takes changes")
        return call()

    def crash(self) -> None:
        """The server is killed and started again: calls that are in a gap fail. What it had saved is there."""
        self.starts += 1

    def save(self) -> None:
        """All that was done is saved, wherever it was so far."""

    def lose_power(self) -> None:
        """The server's machine loses its power, and gets it back. What it had saved is there."""
        self.crash()
