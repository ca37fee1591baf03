"""A history as a picture: a lane for each client, time to the right, a bar for each call from invoked to returned.

Beside the lanes, not to scale, stand the calls before and afterwards. Short times are widened, so that calls of
microseconds can be seen beside calls of seconds, and which calls overlap stays as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fsconform.records.results import HistoryRecord
from fsconform.reports import histories, words
from fsconform.reports.caps import Caps
from fsconform.reports.histories import AFTERWARDS, BEFORE, CallView
from fsconform.reports.plots.scales import Box, Tick, spread
from fsconform.reports.visible import short

SIDE_AT_MOST = 12
"""Calls before, or afterwards, that are drawn."""
LEAST = 22.0
"""Between two moments."""
_NAMES, _LANES, _SIDE = 66.0, 420.0, 178.0
_TOP, _LANE, _BAR, _LINE = 34.0, 44.0, 20.0, 20.0
_LETTER = 6.3
_LETTERS = int((_SIDE - 46) / _LETTER)
_WORDS = 112.0
"""Room of what is said where no order exists."""
_TICKS = 68.0
"""Room of one label of the axis."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A call as a rectangle, open to the right where nobody heard its end.

    ``place`` stands inside; ``label`` is as much of the call as there is room for, at ``label_x`` and ``label_y``.
    ``kind`` is plain, marked, unplaced or both of these.
    """

    kind: str
    x: float
    y: float
    width: float
    height: float
    open: bool
    place: str
    label: str
    label_x: float
    label_y: float
    title: str

    @property
    def outline(self) -> str:
        """The outline of an open one as a path."""
        right, bottom = round(self.x + self.width, 1), self.y + self.height
        return f"M{right:g} {self.y:g}H{self.x:g}V{bottom:g}H{right:g}"


@dataclass(frozen=True, slots=True)
class Lane:
    """A client: its name and the middle of its bars."""

    name: str
    y: float


@dataclass(frozen=True, slots=True)
class Heading:
    """The name of a part of the picture."""

    text: str
    x: float


@dataclass(frozen=True, slots=True)
class HistoryPlot:
    """The picture of a history. At ``cut`` no order exists, None where one does; ``cut_left`` if its words stand left.

    ``rules`` are the borders of the parts. The calls that are not drawn are ``left_out``.
    """

    description: str
    box: Box
    lanes: list[Lane]
    bars: list[Bar]
    headings: list[Heading]
    rules: list[float]
    ticks: list[Tick]
    cut: float | None
    cut_left: bool
    left_out: int


def history_plot(history: HistoryRecord, shown: Sequence[CallView], caps: Caps) -> HistoryPlot:
    """The picture of some calls of a history, all of them if there are not too many."""
    sides = [histories.kept([one for one in shown if one.part == part], SIDE_AT_MOST) for part in (BEFORE, AFTERWARDS)]
    lanes = histories.lanes_of(shown)
    within = [one for lane in lanes.values() for one in lane]
    before, afterwards = map(_side_width, sides)
    left = _NAMES + before
    pending = any(one.returned is None for one in within)
    moments = [moment for one in within for moment in (one.invoked, one.returned) if moment is not None]
    across = spread(moments, left, left + _LANES - LEAST * pending, LEAST)
    # One that has no end, and is alone, has no other moment to reach to.
    right = max([left + _LANES, *(at + LEAST * pending for at in across.values())])
    rows = [_TOP + _LANE * number for number in range(len(lanes))]
    bottom = max([_TOP + _LANE * max(len(lanes), 1), *(_TOP + _LINE * len(side) + 4 for side in sides)])
    bars = [
        bar for lane, top in zip(lanes.values(), rows, strict=True) for bar in _bars(lane, top, across, right, caps)
    ]
    after = right + 14
    for side, x in zip(sides, (_NAMES, after), strict=True):
        bars += [_line(one, x, _TOP + 2 + _LINE * number, caps) for number, one in enumerate(side)]
    cut = _cut(shown, across, left, right)
    width = right + 14 + max(afterwards, 0 if cut is None or cut < right else _WORDS)
    headings = [
        *([Heading("before", _NAMES)] if sides[0] else ()),
        Heading("at once", left),
        *([Heading("afterwards", after)] if sides[1] else ()),
    ]
    drawn = len(within) + sum(map(len, sides))
    return HistoryPlot(
        histories.summary(history),
        Box(round(width, 1), bottom + 26, left, _TOP, right, bottom),
        [
            Lane(short(lane[0].who, 10), top + _LANE - _BAR / 2 - 6)
            for lane, top in zip(lanes.values(), rows, strict=True)
        ],
        bars,
        headings,
        [*([left - 8] if sides[0] else ()), *([right + 7] if sides[1] else ())],
        _ticks(across),
        cut,
        cut is not None and cut + _WORDS > width,
        len(history.calls) - drawn,
    )


def _bars(lane: Sequence[CallView], top: float, across: dict[float, float], right: float, caps: Caps) -> list[Bar]:
    """The bars of one lane; a label reaches up to the next bar."""
    starts = [across[one.invoked] for one in lane]
    bars = []
    for one, x, after in zip(lane, starts, [*starts[1:], right + 10], strict=True):
        end = right if one.returned is None else across[one.returned]
        label = _label(one, int((after - x - 4) / _LETTER))
        y = top + _LANE - _BAR - 6
        bars.append(_bar(one, x, y, end - x, _BAR, label, x, y - 4, caps))
    return bars


def _side_width(side: Sequence[CallView]) -> float:
    """The room that the calls beside the lanes take."""
    return min(max((29 + _LETTER * len(_label(one, _LETTERS)) + 22 for one in side), default=0), _SIDE)


def _line(one: CallView, x: float, y: float, caps: Caps) -> Bar:
    """A call beside the lanes: a small box, and the call."""
    return _bar(one, x, y, 24, 15, _label(one, _LETTERS), x + 29, y + 11, caps)


def _bar(
    one: CallView,
    x: float,
    y: float,
    width: float,
    height: float,
    label: str,
    label_x: float,
    label_y: float,
    caps: Caps,
) -> Bar:
    placed = one.record.place is not None
    kind = " ".join(name for name, on in (("marked", one.record.marked), ("unplaced", not placed)) if on) or "plain"
    is_open = one.record.returned is None
    place = short(f"{one.record.place}", 4) if placed else "\N{EN DASH}"
    title = short(one.told, 2 * caps.text)
    return Bar(kind, x, y, max(round(width, 1), 4), height, is_open, place, label, label_x, label_y, title)


def _label(one: CallView, letters: int) -> str:
    """As much of a call as there is room for; the one that is blamed has a sign in front."""
    letters -= 2 * one.record.marked
    return ("◀ " if one.record.marked else "") + short(one.record.call, letters) if letters > 3 else ""


def _cut(calls: Sequence[CallView], across: dict[float, float], left: float, right: float) -> float | None:
    """Where no order exists: at the return of a call at once, or at the border of what comes before or afterwards."""
    first = histories.without_order(calls)
    if first is None:
        return None
    if first.part:
        return right + 7 if first.part == AFTERWARDS else left - 8
    return across[first.returned] if first.returned is not None else right


def _ticks(across: dict[float, float]) -> list[Tick]:
    """Times along the axis, as many as have room: the first, the last, then those between."""
    ticks: list[Tick] = []
    moments = list(across.items())
    for time, at in [*moments[:1], *moments[-1:], *moments[1:-1]]:
        if all(abs(at - tick.at) >= _TICKS for tick in ticks):
            ticks.append(Tick(at, words.moment(time, histories.DIGITS)))
    return sorted(ticks, key=lambda tick: tick.at)
