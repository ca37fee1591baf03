"""What calls cost against the entries of a directory: a curve for each operation, both scales by powers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fsconform.records.results import Cost, CostCurve, StoreRecord
from fsconform.reports import words
from fsconform.reports.plots.coverage import CoveragePanel
from fsconform.reports.plots.scales import Box, Tick, axis_time, decades, logarithmic, powers

BOX = Box(290, 150, 50, 10, 228, 118)
CURVES_AT_MOST = 12


@dataclass(frozen=True, slots=True)
class CostsPlot:
    """One store's curves, all times on one scale and all requests on another; ``requests`` where they were counted."""

    times: list[CoveragePanel]
    requests: list[CoveragePanel]
    curves: list[CostCurve]


def requests_of(cost: Cost) -> int:
    """All requests of one call."""
    return sum(cost.requests.values())


def costs_plot(store: StoreRecord) -> CostsPlot | None:
    """The plot of a store; None where nothing was measured."""
    curves = [curve for curve in store.costs if curve.points][:CURVES_AT_MOST]
    if not curves:
        return None
    counted = [curve for curve in curves if any(requests_of(one) for one in curve.points)]
    return CostsPlot(
        _panels(curves, "time", lambda one: one.microseconds, _time, axis_time),
        _panels(counted, "requests", requests_of, _count, lambda value: f"{value:,.0f}"),
        curves,
    )


def _panels(
    curves: Sequence[CostCurve],
    what: str,
    value: Callable[[Cost], float],
    told: Callable[[float], str],
    on_axis: Callable[[float], str],
) -> list[CoveragePanel]:
    every = [value(one) for curve in curves for one in curve.points]
    most = max((one.entries for curve in curves for one in curve.points), default=1)
    up = decades(every)
    return [_panel(curve, what, value, told, on_axis, max(most, 2), up) for curve in curves]


def _panel(
    curve: CostCurve,
    what: str,
    value: Callable[[Cost], float],
    told: Callable[[float], str],
    on_axis: Callable[[float], str],
    most: int,
    domain: tuple[float, float],
) -> CoveragePanel:
    across = logarithmic(1, most, BOX.left, BOX.right)
    up = logarithmic(*domain, BOX.bottom, BOX.top)
    points = curve.points
    first, last = points[0], points[-1]
    line = " ".join(
        f"{'L' if number else 'M'}{across(one.entries):g} {up(value(one)):g}" for number, one in enumerate(points)
    )
    ends = (f"{told(value(one))} with {one.entries:,} in it" for one in (first, last))
    description = f"From {' to '.join(ends)}."
    return CoveragePanel(
        f"{curve.operation}: {what}",
        description,
        BOX,
        line,
        across(last.entries),
        up(value(last)),
        told(value(last)),
        [Tick(across(size), f"{size:,}") for size in _sizes(most)],
        [Tick(up(one), on_axis(one)) for one in powers(*domain, 4)],
    )


def _sizes(most: int) -> list[int]:
    """Powers of four up to the most entries; every second one if there are too many."""
    sizes = [4**power for power in range(int(math.log2(most) / 2 + 1e-9) + 1)]
    return sizes[:: max(1, math.ceil(len(sizes) / 6))]


def _time(microseconds: float) -> str:
    return f"{words.milliseconds(microseconds)} ms"


def _count(number: float) -> str:
    return f"{number:,.0f}"
