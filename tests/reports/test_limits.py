"""Limits and what calls cost: on the store's page, a link on the index, a table in the terminal."""

from __future__ import annotations

import io
import itertools
from dataclasses import replace
from typing import Any

import lxml.html
from rich.console import Console

from fsconform.records.results import Cost, CostCurve, Results
from fsconform.reports import html
from fsconform.reports.plots.costs import costs_plot, requests_of
from fsconform.reports.text import summary
from fsconform.reports.words import gate


def page_of(results: Results, name: str) -> Any:
    """One page as a tree; lxml's stubs say little of what XPath gives."""
    return lxml.html.document_fromstring(html.pages(results)[name])


def test_the_page_has_a_row_for_each_limit(example: Results) -> None:
    store = example.stores[1]
    page = page_of(example, "file.html")
    rows = page.xpath("//table[@class='limits']/tbody/tr")
    assert [row[0].text for row in rows] == [one.dimension for one in store.limits]
    assert [row[0][0].text for row in rows] == [one.unit for one in store.limits]
    assert [row[1].text for row in rows] == [f"{one.accepted:,}" for one in store.limits]
    assert [row[2].text_content() for row in rows][-2:] == ["none up to there"] * 2
    assert "as many as a path may have" in rows[1].text_content()
    assert page.xpath("//nav//a[@href='#limits']") and page.xpath("//nav//a[@href='#costs']")
    assert "Left out: cost curves: the time was up" in page.get_element_by_id("costs").getparent().text_content()


def test_the_index_has_a_link_and_no_more(example: Results) -> None:
    index = page_of(example, "index.html")
    (line,) = index.xpath("//p[@class='surveyed']")
    assert [link.get("href") for link in line.xpath("a")] == ["file.html#limits"]
    assert not index.xpath("//table[@class='limits']")


def test_without_a_survey_there_is_nothing(example: Results) -> None:
    bare = replace(example, stores=[replace(store, limits=[], costs=[], survey_notes=[]) for store in example.stores])
    for name in html.pages(bare):
        page = page_of(bare, name)
        assert not page.xpath("//*[@id='limits' or @id='costs' or @class='surveyed']")


def test_curves_share_their_scales(example: Results) -> None:
    """Both scales go by powers: four times the entries are as far apart everywhere."""
    plot = costs_plot(example.stores[1])
    assert plot is not None and len(plot.times) == 3 and len(plot.requests) == 2
    for panels in (plot.times, plot.requests):
        assert len({(tuple(one.across), tuple(one.up)) for one in panels}) == 1
    ticks = [tick.at for tick in plot.times[0].across]
    assert [tick.label for tick in plot.times[0].across] == ["1", "4", "16", "64", "256", "1,024"]
    apart = [round(right - left) for left, right in itertools.pairwise(ticks)]
    assert len(set(apart)) == 1 and ticks[-1] == plot.times[0].box.right
    listing, _, deleting = plot.times
    assert listing.line.count("L") == 5 and listing.last == "11.6 ms" and deleting.y < listing.y
    assert "with 1 in it to 11.6 ms with 1,024 in it." in listing.description
    assert [one.last for one in plot.requests] == ["4", "2,052"]


def test_requests_that_were_not_counted_have_no_curve(example: Results) -> None:
    bare = CostCurve("listStatus", [Cost(1, 3.0, 5), Cost(2, 4.0, 5)])
    plot = costs_plot(replace(example.stores[0], costs=[bare, CostCurve("rename", [])]))
    assert plot is not None and len(plot.times) == 1 and plot.requests == []
    assert costs_plot(example.stores[0]) is None and requests_of(bare.points[0]) == 0


def test_one_size_and_odd_numbers_can_be_drawn(example: Results) -> None:
    """A record may hold what no run writes."""
    for point in (Cost(1, 0.0, 1), Cost(0, -1.0, 0, {"get": -2}), Cost(1 << 40, 1e12, 1, {"get": 1 << 40})):
        store = replace(example.stores[0], costs=[CostCurve("x", [point])])
        assert "cost-time-1" in html.pages(replace(example, stores=[store]))["rawlocal.html"]


def test_the_terminal_has_the_limits(example: Results) -> None:
    buffer = io.StringIO()
    summary(example, Console(file=buffer, width=200))
    lines = buffer.getvalue().splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("limits of file"))
    told = [" ".join(line.split()) for line in lines[at : at + 6]]
    assert told[1].startswith("name of a file 250 251 bytes create raised FileNotFoundException")
    assert told[3] == "length of a file 67,108,864 none bytes"
    assert told[4] == "entries of a directory 4,096 none files the time was up"
    assert told[5] == "file: left out: cost curves: the time was up before 2,048 entries"
    assert not any("limits of hdfs" in line for line in lines)


def test_limits_fail_no_gate(example: Results) -> None:
    store = replace(example.stores[0], divergences=[], verdicts={}, problems=[], waiver_problems=[])
    with_limits = replace(store, limits=example.stores[1].limits, survey_notes=["lost"])
    assert gate(store).state == gate(with_limits).state == "passes"
