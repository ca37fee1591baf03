"""Divergences by area: a row for each family of operations, a segment for each verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fsconform.records.results import StoreRecord
from fsconform.reports import words
from fsconform.reports.plots.scales import Box
from fsconform.reports.visible import short
from fsconform.reports.words import area_of

ROWS_AT_MOST = 40
_ROW = {True: 24.0, False: 17.0}
_UNIT = {True: 22.0, False: 13.0}
"""Width of one divergence, where there is room."""
_SIGN = {True: 11.0, False: 9.5}
"""Width from which on a segment carries its verdict's sign."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Divergences of one verdict. ``sign`` is empty where it has no room."""

    verdict: str
    count: int
    x: float
    width: float
    sign: str


@dataclass(frozen=True, slots=True)
class AreasRow:
    """One area, ``y`` its middle; the total stands at ``end``."""

    label: str
    name: str
    y: float
    segments: list[Segment]
    total: int
    end: float


@dataclass(frozen=True, slots=True)
class AreasPlot:
    """One store's divergences by area."""

    store: str
    description: str
    box: Box
    bar: float
    """Height of a bar."""
    rows: list[AreasRow]


def areas_plots(stores: Sequence[StoreRecord], wide: bool = False) -> list[AreasPlot]:
    """A plot for each store, all with the same rows and the same scale; none where no store departs."""
    counts = [_counts(store) for store in stores]
    totals = {area: sum(sum(own.get(area, {}).values()) for own in counts) for own in counts for area in own}
    worst = {area: min(words.rank(verdict) for own in counts for verdict in own.get(area, {})) for area in totals}
    names = sorted(totals, key=lambda area: (worst[area], -totals[area], area))[:ROWS_AT_MOST]
    if not names:
        return []
    most = max(sum(own.get(area, {}).values()) for own in counts for area in names)
    return [_plot(store.name, own, names, most, wide) for store, own in zip(stores, counts, strict=True)]


def _counts(store: StoreRecord) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for one in words.by_severity(store.divergences):
        inside = found.setdefault(area_of(one), {})
        inside[one.verdict] = inside.get(one.verdict, 0) + 1
    return found


def _plot(store: str, counts: dict[str, dict[str, int]], names: Sequence[str], most: int, wide: bool) -> AreasPlot:
    row, left, width = _ROW[wide], 104.0 if wide else 84.0, 440.0 if wide else 226.0
    box = Box(width, row * len(names) + 6, left, 3, width - 34, row * len(names) + 3)
    unit = min(_UNIT[wide], (box.right - box.left) / most)
    rows = []
    for number, name in enumerate(names):
        x, segments = box.left, []
        for verdict, count in counts.get(name, {}).items():
            wide_enough = unit * count - 1 >= _SIGN[wide]
            sign = words.SIGNS.get(verdict, "!") if wide_enough else ""
            segments.append(Segment(verdict, count, round(x, 1), round(max(unit * count - 1, 0.5), 1), sign))
            x += unit * count
        total = sum(counts.get(name, {}).values())
        label = short(name, int((left - 8) / (6.4 if wide else 6.0)))
        rows.append(AreasRow(label, name, box.top + row * (number + 0.5), segments, total, round(x + 4, 1)))
    told = [f"{name} {sum(counts[name].values())}" for name in names if name in counts]
    description = f"Divergences of {store} by area: {', '.join(told)}." if told else f"{store} shows no divergence."
    return AreasPlot(store, description, box, row - 5, rows)
