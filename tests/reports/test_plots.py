"""Plots: the geometry of each, and what the pages say beside them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import lxml.html
import pytest

from fsconform.records.results import Latency, Point, Results
from fsconform.reports import html
from fsconform.reports.plots import scales
from fsconform.reports.plots.areas import areas_plots
from fsconform.reports.plots.coverage import POINTS_AT_MOST, coverage_plots
from fsconform.reports.plots.latency import latencies_by_operation, latencies_of_store

Element = Any
"""An element of lxml: its stubs say little of what XPath gives."""


def parsed(results: Results) -> dict[str, Element]:
    """All pages as trees."""
    return {name: lxml.html.document_fromstring(text) for name, text in html.pages(results).items()}


@pytest.mark.parametrize(
    ("most", "about", "expected"),
    [
        (46, 2, [0, 20, 40]),
        (500, 2, [0, 200, 400]),
        (23.4, 4, [0, 5, 10, 15, 20]),
        (1, 4, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (0, 4, [0]),
    ],
)
def test_steps_are_round(most: float, about: int, expected: list[float]) -> None:
    assert scales.steps(most, about) == pytest.approx(expected)


def test_counts_have_whole_steps() -> None:
    assert scales.whole_steps(1, 3) == [0, 1]
    assert scales.whole_steps(0, 3) == [0]


def test_powers_of_ten_hold_all_values() -> None:
    assert scales.decades([3.0, 420.0]) == (1.0, 1000.0)
    assert scales.decades([0.0]) == (1.0, 10.0)
    assert scales.decades([10.0]) == (10.0, 100.0)
    across = scales.logarithmic(1, 1000, 0, 300)
    assert [across(value) for value in (1, 10, 100, 1000, 0, 9999)] == [0, 100, 200, 300, 0, 300]
    assert scales.powers(1, 1e6, 4) == pytest.approx([1, 100, 10_000, 1_000_000])


@pytest.mark.parametrize(
    ("microseconds", "says"), [(1, "1 µs"), (1000, "1 ms"), (1e5, "100 ms"), (1e6, "1 s"), (0.1, "100 ns")]
)
def test_latencies_have_units(microseconds: float, says: str) -> None:
    assert scales.axis_time(microseconds) == says


def test_coverage_grows_from_the_corner(example: Results) -> None:
    """All stores have the same axes, so the one that saw most ends highest."""
    plots = coverage_plots(example.stores)
    assert [plot.store for plot in plots] == [store.name for store in example.stores]
    for store, plot in zip(example.stores, plots, strict=True):
        clauses, situations = plot.panels
        assert clauses.line.startswith(f"M{clauses.box.left:g} {clauses.box.bottom:g} L")
        assert clauses.line.count("L") == len(store.coverage) - 1
        assert clauses.last == f"{store.coverage[-1].clauses:,}"
        assert situations.last == f"{store.coverage[-1].situations:,}"
        assert f"{store.name}: {clauses.last} after " in clauses.description
    longest = max(example.stores, key=lambda store: store.seconds)
    ends = {plot.store: plot.panels[0].x for plot in plots}
    assert ends[longest.name] == plots[0].panels[0].box.right == max(ends.values())


def test_operations_stand_below_the_time(example: Results) -> None:
    (plot,) = coverage_plots([example.stores[0]], wide=True)
    ticks = plot.panels[0].across
    assert ticks[0].below == "" and all(tick.below.endswith(" ops") for tick in ticks[1:])
    counts = [int(tick.below.split()[0].replace(",", "")) for tick in ticks[1:]]
    assert counts == sorted(counts) and 0 < counts[-1] <= example.stores[0].operations


def test_long_coverage_is_thinned_and_keeps_its_end(example: Results) -> None:
    points = [Point(float(number), number, number, number, 0) for number in range(1234)]
    (plot,) = coverage_plots([replace(example.stores[0], coverage=points)])
    assert len(plot.points) <= POINTS_AT_MOST + 1 and plot.points[-1] is points[-1]
    assert coverage_plots([replace(example.stores[0], coverage=points[:1])]) == []


def test_latency_bars_are_in_order(example: Results) -> None:
    plot = latencies_of_store(example.stores[0])
    assert plot is not None
    assert [row.name for row in plot.rows] == list(example.stores[0].latencies)
    for row in plot.rows:
        assert plot.box.left <= row.p50 <= row.p90 <= row.p99 <= row.most <= plot.box.right
    assert latencies_of_store(replace(example.stores[0], latencies={})) is None


def test_stores_are_compared_by_operation_on_one_axis(example: Results) -> None:
    """A store that never made the call has no bar."""
    one = replace(example.stores[2], latencies={"open": Latency(1, 1.0, 10.0, 100.0, 1000.0)})
    plots = latencies_by_operation([*example.stores[:2], one])
    by_title = {plot.title: plot for plot in plots}
    assert [row.name for row in by_title["open"].rows] == ["rawlocal", "file", "hdfs"]
    assert [row.name for row in by_title["rename"].rows] == ["rawlocal", "file"]
    assert len({tuple(tick.at for tick in plot.ticks) for plot in plots}) == 1


def test_areas_hold_every_divergence(example: Results) -> None:
    plots = areas_plots(example.stores)
    assert len({tuple(row.name for row in plot.rows) for plot in plots}) == 1, "the rows are not the same"
    for store, plot in zip(example.stores, plots, strict=True):
        verdicts = [one.verdict for one in store.divergences]
        drawn = dict.fromkeys(verdicts, 0)
        for row in plot.rows:
            assert row.total == sum(segment.count for segment in row.segments)
            for segment in row.segments:
                drawn[segment.verdict] += segment.count
                assert segment.sign, "there is room for the sign"
        assert drawn == {verdict: verdicts.count(verdict) for verdict in verdicts}
    assert areas_plots([replace(store, divergences=[]) for store in example.stores]) == []


def test_hundreds_of_divergences_fit(example: Results) -> None:
    one = example.stores[0].divergences[0]
    many = [replace(one, signature=f"s {number}") for number in range(800)]
    (plot,) = areas_plots([replace(example.stores[0], divergences=[*many, replace(one, verdict="declared")])])
    (row,) = plot.rows
    assert row.total == 801 and row.end < plot.box.width
    assert [segment.sign for segment in row.segments][1] == "", "a sign that has no room"


def test_every_plot_is_told_in_words(example: Results) -> None:
    """A title and a description for who can't see it, and the same data in a table."""
    for name, page in parsed(example).items():
        plots = page.xpath("//svg")
        costs = 3 + 2 if name == "file.html" else 0
        histories = 1 if name == "rawlocal.html" else 0
        assert len(plots) == (4 + costs + histories if name != "index.html" else 6 + 9 + 3)
        for plot in plots:
            assert plot.get("role") == "img"
            labels = [page.get_element_by_id(one) for one in plot.get("aria-labelledby").split()]
            assert [one.tag for one in labels] == ["title", "desc"] and all(one.text for one in labels)
        tables = page.xpath("//details[@class='data']//table")
        watched = 1 if name == "rawlocal.html" else 0
        assert len(tables) == 3 + bool(costs) + watched, name
    store = example.stores[1]
    coverage, latency, by_area, costs = parsed(example)["file.html"].xpath("//details[@class='data']//tbody")
    assert len(costs) == sum(len(curve.points) for curve in store.costs)
    assert len(coverage) == len(store.coverage) and len(latency) == len(store.latencies)
    assert sum(int(row[-1].text) for row in by_area) == len(store.divergences)
    last = store.coverage[-1]
    assert [cell.text for cell in coverage[-1]][2:] == [
        f"{one:,}" for one in (last.operations, last.clauses, last.situations, last.signatures)
    ]
