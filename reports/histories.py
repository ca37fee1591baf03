"""What several clients saw at once, as the reports tell it: who made each call, when, and its place in an order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fsconform.records.results import Divergence, HistoryCall, HistoryRecord
from fsconform.reports import words

BEFORE, AFTERWARDS = "before", "afterwards"
NO_ORDER = "no order from here"
DIGITS = 6
"""Of a moment: seconds apart, and microseconds still differ."""
_MOST = 1e15
"""Microseconds: a time beyond is drawn there."""


@dataclass(frozen=True, slots=True)
class CallView:
    """One call, ``number`` counting from 1 over all calls of its history.

    ``stuck`` is true for a call that returned and has no place in the longest order. ``kind`` is marked, before,
    afterwards or plain.
    """

    number: int
    record: HistoryCall
    stuck: bool

    @property
    def invoked(self) -> float:
        """Microseconds, within bounds that can be drawn."""
        return min(max(self.record.invoked, -_MOST), _MOST)

    @property
    def returned(self) -> float | None:
        """As ``invoked``, and later than it; None for a call of which nobody heard the end."""
        if self.record.returned is None:
            return None
        return max(min(self.record.returned, _MOST), math.nextafter(self.invoked, math.inf))

    @property
    def part(self) -> str:
        """``before``, ``afterwards``, or empty for a call at once with others."""
        return self.record.part if self.record.part in (BEFORE, AFTERWARDS) else ""

    @property
    def kind(self) -> str:
        """What sets its row in a table off."""
        return "marked" if self.record.marked else self.part or "plain"

    @property
    def who(self) -> str:
        """The client, counted from 1 as in what is said to be observed."""
        return f"client {self.record.client + 1}"

    @property
    def begin(self) -> str:
        """When it was invoked."""
        return words.moment(self.record.invoked, DIGITS)

    @property
    def end(self) -> str:
        """When it returned."""
        return "no end heard" if self.record.returned is None else words.moment(self.record.returned, DIGITS)

    @property
    def place(self) -> str:
        """Its place in the longest order, in words."""
        if self.record.place is not None:
            return f"{self.record.place:,}"
        return "none" if self.stuck else "none needed"

    @property
    def told(self) -> str:
        """All of it on one line."""
        return (
            f"{self.who}{f', {self.part}' if self.part else ''}: {self.record.call} -> {self.record.observed}; "
            f"from {self.begin} to {self.end}; place in the order: {self.place}"
        )


def views(history: HistoryRecord) -> list[CallView]:
    """All calls: those before, those at once by the moment of their invocation, those afterwards."""
    calls = [CallView(0, one, one.place is None and one.returned is not None) for one in history.calls]
    order = (BEFORE, "", AFTERWARDS)
    calls.sort(key=lambda one: (order.index(one.part), one.invoked if not one.part else 0))
    return [CallView(number, one.record, one.stuck) for number, one in enumerate(calls, 1)]


def kept(calls: Sequence[CallView], at_most: int) -> list[CallView]:
    """So many of some calls, in order: the one that is blamed, and those around the point where no order exists."""
    first = without_order(calls)
    near = first.number if first is not None else 0
    nearest = sorted(calls, key=lambda one: (not one.record.marked, abs(one.number - near), one.number))
    return sorted(nearest[:at_most], key=lambda one: one.number)


def lanes_of(calls: Sequence[CallView]) -> dict[int, list[CallView]]:
    """The calls at once by client, in the order of their numbers."""
    lanes: dict[int, list[CallView]] = {one.record.client: [] for one in calls if not one.part}
    for one in calls:
        if not one.part:
            lanes[one.record.client].append(one)
    return dict(sorted(lanes.items()))


def without_order(calls: Sequence[CallView]) -> CallView | None:
    """The call by whose return no order exists: of those without a place the first that returned; None without one.

    It had to take effect before it returned, and nothing that was left could come next.
    """
    stuck = [one for one in calls if one.stuck]
    order = (BEFORE, "", AFTERWARDS)
    return min(stuck, key=lambda one: (order.index(one.part), one.returned or 0, one.number), default=None)


def confirmation(divergence: Divergence) -> tuple[str, bool]:
    """How often a divergence was shown again, in words, and whether that leaves it in doubt.

    A race hangs on the moment: that not every run shows it says nothing against it.
    """
    history = divergence.history
    if history is None:
        return words.confirmation(divergence.confirmed)
    if history.runs <= 0:
        return "not confirmed by a run", False
    said = f"seen in {history.shown:,} of {words.plural(history.runs, 'run')}"
    doubtful = history.shown <= 0 or divergence.confirmed.startswith("0/")
    return (f"{said}, and not confirmed" if doubtful and history.shown > 0 else said), doubtful


_MEDIA = {
    "full": "fill disk of {part} but for {amount:,} bytes",
    "read-only": "make disk of {part} read-only",
    "data": "flip byte {amount:,} of the data that {part} stored last",
    "checksums": "flip byte {amount:,} of the checksums that {part} stored last",
}
_DISKS = {"ordered": "ext4", "posix": "POSIX and no more"}


def heading(history: HistoryRecord) -> str:
    """What stands over a history: how many clients there were, and what they are."""
    within = [one for one in history.calls if one.part not in (BEFORE, AFTERWARDS)]
    killed = history.program.get("kill") is not None
    said = words.plural(len({one.client for one in (history.calls if killed else within)}), "client")
    said += f", {history.clients}" if history.clients else ""
    crash = history.program.get("crash")
    if crash is not None:
        return f"{said}; {crash['part']} is killed meanwhile, and started again"
    wire = history.program.get("wire")
    if wire is not None:
        times = f", and of {wire['times'] - 1} more" if wire["times"] > 1 else ""
        of = wire["request"] or "request"
        return f"{said}; on the link of client 2 to {wire['part']}: {wire['fault']} of {of} {wire['count']}{times}"
    medium = history.program.get("medium")
    if medium is not None:
        when = "meanwhile" if medium["delay"] else "before their calls"
        return f"{said}; {_MEDIA[medium['fault']].format(**medium)}, {when}, until they have returned"
    power = history.program.get("power")
    lost = ""
    if power is not None:
        when = "once all calls have returned" if power["returned"] else "meanwhile"
        kept = (
            f"{power['survives']} survives of what was not synced, on disks in the way of {_DISKS[power['discipline']]}"
        )
        lost = f"; drop power of {power['part']} {when}: {kept}"
    if not killed or not within:
        return f"{said}{lost}"
    last = max(within, key=lambda one: (one.client, one.invoked))
    moment = "in the last of its calls" if last.returned is None else "once the last of its calls had returned"
    return f"{said}; client {last.client + 1} is killed {moment}{lost}"


def summary(history: HistoryRecord) -> str:
    """A history in two sentences, for who can't see its picture."""
    calls = views(history)
    placed = sum(one.record.place is not None for one in calls)
    first = without_order(calls)
    said = (
        f"{heading(history)}: {words.plural(sum(not one.part for one in calls), 'call')} at once, "
        f"{sum(one.part == BEFORE for one in calls)} before, "
        f"{sum(one.part == AFTERWARDS for one in calls)} afterwards. "
        f"The longest order has {placed} of {len(calls)}"
    )
    if first is None:
        return f"{said}."
    when = "afterwards" if first.part == AFTERWARDS else f"from {first.end} on"
    return f"{said}; {when} no order exists."
