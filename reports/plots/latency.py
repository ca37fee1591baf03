"""Latency by operation: a bar from the median to the 99th percentile on a scale by powers of ten, and the longest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fsconform.records.results import Latency, StoreRecord
from fsconform.reports import words
from fsconform.reports.plots.scales import Box, Tick, axis_time, decades, logarithmic, powers
from fsconform.reports.visible import short

ROW = 22.0
SMALL_ROW = 16.0
PLOTS_AT_MOST = 60
ROWS_AT_MOST = 60


@dataclass(frozen=True, slots=True)
class LatencyRow:
    """One bar at the height ``y``: from ``p50`` over ``p90`` to ``p99``, and ``most`` for the longest call."""

    label: str
    name: str
    y: float
    p50: float
    p90: float
    p99: float
    most: float
    record: Latency


@dataclass(frozen=True, slots=True)
class LatencyPlot:
    """The bars of one store by operation, or of one operation by store."""

    title: str
    description: str
    box: Box
    rows: list[LatencyRow]
    ticks: list[Tick]


def latencies_of_store(store: StoreRecord) -> LatencyPlot | None:
    """One store's operations; None where no latency was recorded."""
    if not store.latencies:
        return None
    return _plot(f"Latency of {store.name}", list(store.latencies.items()), _range([store]), ROW, 440, 104)


def latencies_by_operation(stores: Sequence[StoreRecord]) -> list[LatencyPlot]:
    """A plot for each operation with a bar for each store that made the call, all with the same axis."""
    names = list(dict.fromkeys(name for store in stores for name in store.latencies))
    domain = _range(stores)
    return [
        _plot(
            name,
            [(store.name, store.latencies[name]) for store in stores if name in store.latencies],
            domain,
            SMALL_ROW,
            290,
            76,
        )
        for name in names[:PLOTS_AT_MOST]
    ]


def _range(stores: Sequence[StoreRecord]) -> tuple[float, float]:
    every = [value for store in stores for one in store.latencies.values() for value in (one.p50, one.max)]
    return decades(every)


def _plot(
    title: str, bars: Sequence[tuple[str, Latency]], domain: tuple[float, float], row: float, width: float, left: float
) -> LatencyPlot:
    bars = bars[:ROWS_AT_MOST]
    box = Box(width, 4 + row * len(bars) + 24, left, 4, width - 18, 4 + row * len(bars))
    across = logarithmic(*domain, box.left, box.right)
    rows = [
        LatencyRow(
            short(name, int((left - 8) / 6.2)),
            name,
            box.top + row * (number + 0.5),
            across(one.p50),
            across(one.p90),
            across(one.p99),
            across(one.max),
            one,
        )
        for number, (name, one) in enumerate(bars)
    ]
    slowest = max(bars, key=lambda bar: bar[1].p50)
    description = (
        f"Highest median: {slowest[0]} with {words.milliseconds(slowest[1].p50)} ms. "
        f"Longest call: {words.milliseconds(max(one.max for _, one in bars))} ms."
    )
    ticks = [Tick(across(value), axis_time(value)) for value in powers(*domain, 4 if width < 400 else 7)]
    return LatencyPlot(title, description, box, rows, ticks)
