"""How coverage grew: clauses judged and situations met over the time of exploring."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fsconform.records.results import Point, StoreRecord
from fsconform.reports import words
from fsconform.reports.plots.scales import Box, Tick, axis_seconds, linear, steps, whole_steps

POINTS_AT_MOST = 100
WIDE = Box(440, 200, 40, 14, 396, 156)
SMALL = Box(226, 118, 30, 10, 190, 98)
MEASURES: tuple[tuple[str, Callable[[Point], int]], ...] = (
    ("Clauses judged", lambda point: point.clauses),
    ("Situations met", lambda point: point.situations),
)


@dataclass(frozen=True, slots=True)
class CoveragePanel:
    """One curve. ``line`` is the path of an SVG; the curve ends at ``x``, ``y`` with the value ``last``."""

    title: str
    description: str
    box: Box
    line: str
    x: float
    y: float
    last: str
    across: list[Tick]
    up: list[Tick]


@dataclass(frozen=True, slots=True)
class CoveragePlot:
    """The curves of one store and the points that they are drawn through."""

    store: str
    panels: list[CoveragePanel]
    points: list[Point]


def coverage_plots(stores: Sequence[StoreRecord], wide: bool = False) -> list[CoveragePlot]:
    """A plot for each store whose record tells how its coverage grew, all with the same axes."""
    told = [(store.name, _thin(store.coverage)) for store in stores if len(store.coverage) > 1]
    every = [point for _, points in told for point in points]
    longest = max((point.seconds for point in every), default=0.0)
    most = [max((measure(point) for point in every), default=0) for _, measure in MEASURES]
    return [
        CoveragePlot(
            name,
            [
                _panel(name, points, title, measure, longest, highest, wide)
                for (title, measure), highest in zip(MEASURES, most, strict=True)
            ],
            points,
        )
        for name, points in told
    ]


def _thin(points: Sequence[Point]) -> list[Point]:
    stride = -(-len(points) // POINTS_AT_MOST)
    kept = list(points[::stride])
    return kept if kept[-1] is points[-1] else [*kept, points[-1]]


def _panel(
    name: str,
    points: Sequence[Point],
    title: str,
    measure: Callable[[Point], int],
    longest: float,
    highest: int,
    wide: bool,
) -> CoveragePanel:
    box = WIDE if wide else SMALL
    across = linear(longest, box.left, box.right)
    up = linear(highest, box.bottom, box.top)
    line = " ".join(
        f"{'L' if number else 'M'}{across(point.seconds):g} {up(measure(point)):g}"
        for number, point in enumerate(points)
    )
    last = points[-1]
    half = next(point for point in points if 2 * measure(point) >= measure(last))
    operations = words.plural(last.operations, "operation")
    description = (
        f"{name}: {measure(last):,} after {words.duration(last.seconds)} and {operations}; "
        f"half of them after {words.duration(half.seconds)}."
    )
    return CoveragePanel(
        title,
        description,
        box,
        line,
        across(last.seconds),
        up(measure(last)),
        f"{measure(last):,}",
        [
            Tick(across(value), axis_seconds(value), _operations(points, value) if wide and value else "")
            for value in steps(longest, 4 if wide else 2)
        ],
        [Tick(up(value), f"{value:,.0f}") for value in whole_steps(highest, 4 if wide else 2)],
    )


def _operations(points: Sequence[Point], seconds: float) -> str:
    """The operations that were judged up to a time."""
    at = bisect.bisect_right(points, seconds, key=lambda point: point.seconds)
    return f"{points[max(at - 1, 0)].operations:,} ops"
