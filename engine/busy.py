"""The wall time in which at least one session is inside the store's calls: the union of their intervals."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Iterable

from fsconform.engine.protocol import Execution

Span = tuple[int, int]
"""From and to, in nanoseconds of the machine's monotonic clock, which all its processes share (CLOCK_MONOTONIC)."""

MOST_PENDING = 1 << 16
"""So many intervals are kept that a late one could still touch; beyond that the earlier half is closed."""


def spans(execution: Execution) -> tuple[Span, ...]:
    """When an execution was inside the store: in the calls of its steps, and in those that keep its directory."""
    return (*((event.invoked, event.returned) for event in execution.trace.events), *execution.housekeeping)


class BusyTime:
    """Adds up the union of intervals as they are told; each session's come in order, those of several in any order.

    What no interval to come can touch is counted and forgotten. For use by several threads.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counted = 0
        self._closed = 0
        """Before this moment nothing is counted any more: what comes late is left out, so the sum is never too high."""
        self._pending: list[Span] = []
        """Disjoint, in order."""
        self._heard: dict[int, int] = {}
        """For each session that is under way the moment up to which it has told all."""

    @property
    def nanoseconds(self) -> int:
        """The union's length so far."""
        with self._lock:
            return self._counted + sum(end - start for start, end in self._pending)

    def begin(self, session: int, now: int) -> None:
        """A session goes to work; all its intervals begin at ``now`` or later."""
        with self._lock:
            self._heard[session] = now

    def add(self, session: int, found: Iterable[Span]) -> None:
        """A session that is under way was inside the store in these intervals, and will tell of later ones only."""
        with self._lock:
            latest = self._heard[session]
            for start, end in found:
                self._merge(max(start, self._closed), end)
                latest = max(latest, end)
            self._heard[session] = latest
            self._close(min(self._heard.values()))
            if len(self._pending) > MOST_PENDING:
                self._close(self._pending[MOST_PENDING // 2][0])

    def end(self, session: int) -> None:
        """A session is idle: it holds nothing up."""
        with self._lock:
            self._heard.pop(session, None)

    def _merge(self, start: int, end: int) -> None:
        if end <= start:
            return
        pending = self._pending
        first = bisect_left(pending, start, key=lambda span: span[1])
        last = first
        while last < len(pending) and pending[last][0] <= end:
            last += 1
        if last > first:
            start, end = min(start, pending[first][0]), max(end, pending[last - 1][1])
        pending[first:last] = [(start, end)]

    def _close(self, moment: int) -> None:
        pending = self._pending
        count = 0
        while count < len(pending) and pending[count][1] <= moment:
            self._counted += pending[count][1] - pending[count][0]
            count += 1
        del pending[:count]
        if pending and pending[0][0] < moment:
            start, end = pending[0]
            self._counted += moment - start
            pending[0] = (moment, end)
        self._closed = max(self._closed, moment)
