"""Histories: the picture, the table beside it, the drawing in a terminal, and how often a race was seen."""

from __future__ import annotations

import io
import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import lxml.html
import pytest
from lxml import etree
from rich.console import Console

from fsconform.records.results import Divergence, HistoryCall, HistoryRecord, Results
from fsconform.reports import histories, history_text, html, text
from fsconform.reports.caps import CAPS, ONE_AT_MOST, PAGE_AT_MOST
from fsconform.reports.junit import junit_xml
from fsconform.reports.plots import history as drawn
from fsconform.reports.plots.history import Bar, HistoryPlot, history_plot
from fsconform.reports.plots.scales import spread
from fsconform.reports.visible import visible

Element = Any
"""An element of lxml: its stubs say little of what XPath gives."""


def words_of(element: Element) -> str:
    """The text of an element with single spaces."""
    return " ".join(element.text_content().split())


def at_once(client: int, call: str, invoked: float, returned: float | None, place: int | None = None) -> HistoryCall:
    """A call in a lane."""
    return HistoryCall(client, call, "succeeded", "at once", invoked, returned, place=place)


HALF_DONE = HistoryRecord(
    {},
    [
        HistoryCall(0, "mkdirs(/a)", "returned true", "before", -900.0, -800.0, place=1),
        HistoryCall(0, "create(/a/f)", "succeeded", "before", -700.0, -600.0, place=2),
        HistoryCall(0, "rename(/a, /d)", "returned true", "at once", 0.0, 1_250_000.0, marked=True, place=4),
        HistoryCall(1, "getFileStatus(/d/f)", "raised FileNotFoundException", "at once", 41.0, 66.0, place=3),
        HistoryCall(1, "getFileStatus(/d/f)", "returned /d/f", "at once", 640_000.0, 640_210.0, place=5),
        HistoryCall(1, "getFileStatus(/a/f)", "returned /a/f", "at once", 640_300.0, 640_400.0),
        HistoryCall(2, "delete(/e)", "unknown: the client was killed", "at once", 300.0, None),
        HistoryCall(3, "listStatus(/)", "returned []", "at once", 640_350.0, 1_250_100.0),
        HistoryCall(0, "open(/d/f)", "returned 3 bytes", "afterwards", 2e6, 2.1e6),
    ],
    3,
    200,
    "threads of one process",
)
"""A rename that was seen half done, with a call of which nobody heard the end."""


def plot_of(history: HistoryRecord) -> HistoryPlot:
    """The picture of all calls."""
    return history_plot(history, histories.views(history), CAPS[0])


def bar_of(plot: HistoryPlot, call: str) -> Bar:
    """The bar of the first call that begins with a text."""
    return next(bar for bar in plot.bars if f": {call}" in bar.title)


@pytest.fixture
def race(example: Results) -> Divergence:
    """The race of the example."""
    (found,) = [one for store in example.stores for one in store.divergences if one.history is not None]
    return found


def alone(example: Results, *divergences: Divergence) -> Results:
    """Results with one store, which shows some divergences."""
    store = example.stores[0]
    return replace(example, stores=[replace(store, divergences=list(divergences), verdicts={})])


def article(results: Results) -> Element:
    """The first divergence on the only store's page."""
    page: Element = lxml.html.document_fromstring(html.pages(results)["rawlocal.html"])
    return page.xpath("//article[@data-step]")[0]


@pytest.mark.parametrize("times", [[0.0, 1.0, 2.0, 1e9], [5.0], [0.0, 1e-3], [-1e15, 0.0, 1e15], [1.0, 1.0, 3.0]])
def test_moments_keep_their_order_and_a_distance(times: Sequence[float]) -> None:
    at = spread(times, 10, 500, 20)
    places = [at[time] for time in sorted(set(times))]
    assert places[0] == 10 and places[-1] <= 500 + 1e-6
    assert all(later - earlier >= 20 - 1e-6 for earlier, later in itertools.pairwise(places))


def test_moments_are_to_scale_where_there_is_room() -> None:
    assert spread([0, 25, 100], 0, 400, 20) == {0: 0, 25: 100, 100: 400}
    # The short one is widened, what is left is shared in proportion.
    assert spread([0, 1, 100, 200], 0, 420, 20) == pytest.approx({0: 0, 1: 20, 100: 20 + 400 * 99 / 199, 200: 420})
    assert spread(range(100), 0, 50, 2)[99] == 198, "too many reach beyond the end"


def test_bars_overlap_as_the_calls_did() -> None:
    """Calls of microseconds beside one of seconds: each can be seen, and none touches what it did not."""
    plot = plot_of(HALF_DONE)
    rename = bar_of(plot, "rename")
    looks = [bar for bar in plot.bars if ": getFileStatus" in bar.title]
    assert all(bar.width >= drawn.LEAST for bar in [rename, *looks])
    for look in looks:
        assert rename.x < look.x and look.x + look.width < rename.x + rename.width
    assert all(one.x + one.width < other.x for one, other in itertools.pairwise(looks))
    assert {bar.y for bar in looks} != {rename.y} and len({bar.y for bar in looks}) == 1
    assert [lane.name for lane in plot.lanes] == ["client 1", "client 2", "client 3", "client 4"]
    assert [heading.text for heading in plot.headings] == ["before", "at once", "afterwards"]


def test_call_without_an_end_is_open() -> None:
    plot = plot_of(HALF_DONE)
    bar = bar_of(plot, "delete")
    assert bar.open and bar.x + bar.width == plot.box.right and bar.kind == "unplaced"
    assert [one.open for one in plot.bars].count(True) == 1
    assert bar.outline == f"M{bar.x + bar.width:g} {bar.y:g}H{bar.x:g}V{bar.y + bar.height:g}H{bar.x + bar.width:g}"
    assert "to no end heard; place in the order: none needed" in bar.title
    one = plot_of(replace(HALF_DONE, calls=[at_once(0, "x()", 0, None)]))
    assert one.bars[0].width >= drawn.LEAST and one.cut is None


def test_places_and_blame_can_be_told_without_colour() -> None:
    plot = plot_of(HALF_DONE)
    assert [bar.place for bar in plot.bars] == ["4", "3", "5", "–", "–", "–", "1", "2", "–"]  # noqa: RUF001
    rename = bar_of(plot, "rename")
    assert rename.kind == "marked" and rename.label == "◀ rename(/a, /d)"
    assert bar_of(plot, "getFileStatus(/a").kind == "unplaced"
    assert sum(bar.label.startswith("◀") for bar in plot.bars) == 1


def test_no_order_exists_from_the_first_return_without_a_place_on() -> None:
    """It had to take effect before; a call of which nobody heard the end need not have."""
    plot = plot_of(HALF_DONE)
    look = bar_of(plot, "getFileStatus(/a")
    assert plot.cut == pytest.approx(look.x + look.width, abs=0.1)
    assert "from 640.4 ms on no order exists" in plot.description
    assert "The longest order has 5 of 9" in plot.description

    placed = [replace(one, place=one.place or 9) for one in HALF_DONE.calls]
    late = plot_of(replace(HALF_DONE, calls=[*placed[:-1], HALF_DONE.calls[-1]]))
    assert late.cut is not None and late.box.right < late.cut < bar_of(late, "open").x
    assert "afterwards no order exists" in late.description
    ordered = [replace(one, place=None) if one.returned is None else one for one in placed]
    assert plot_of(replace(HALF_DONE, calls=ordered)).cut is None
    early = plot_of(replace(HALF_DONE, calls=[replace(HALF_DONE.calls[0], place=None), *placed[1:]]))
    assert early.cut is not None and early.cut < early.box.left


def test_odd_times_can_be_drawn() -> None:
    """A record may hold what no run writes."""
    for invoked, returned in ((0.0, 0.0), (9.0, -9.0), (-1e300, 1e300), (1e300, None), (1e300, 1e300)):
        history = replace(HALF_DONE, calls=[at_once(-5, "x()", invoked, returned), at_once(1 << 70, "y()", 3, 4)])
        plot = plot_of(history)
        assert all(math.isfinite(number) for bar in plot.bars for number in (bar.x, bar.width, bar.label_x))
        assert all(bar.width >= drawn.LEAST - 0.1 for bar in plot.bars)
        assert len(history_text.drawing(history)) >= 2
    empty = plot_of(replace(HALF_DONE, calls=HALF_DONE.calls[:1]))
    assert empty.lanes == [] and len(empty.bars) == 1


def test_page_has_picture_and_table(example: Results, race: Divergence) -> None:
    """In the place of the sequence table."""
    shown = article(alone(example, replace(race, history=HALF_DONE)))
    assert "Minimal program" not in words_of(shown)
    (picture,) = shown.xpath(".//section[@class='history']//svg")
    assert picture.getparent().get("class") == "scroll" and picture.getparent().get("tabindex") == "0"
    assert picture.get("role") == "img"
    labels = [picture.get_element_by_id(one) for one in picture.get("aria-labelledby").split()]
    assert [one.tag for one in labels] == ["title", "desc"]
    assert words_of(labels[1]).startswith("4 clients, threads of one process: 6 calls at once, 2 before, 1 afterwards.")
    bars = picture.xpath(".//g")
    assert len(bars) == 9 and all(len(bar.xpath("./title")) == 1 for bar in bars)
    told = {words_of(bar.xpath("./title")[0]) for bar in bars}
    assert (
        "client 2: getFileStatus(/d/f) -> raised FileNotFoundException; from 41 µs to 66 µs; place in the order: 3"
    ) in told
    assert [line.get("class") for line in picture.iter("line")].count("no-order") == 1
    (table,) = shown.xpath(".//section[@class='history']//table")
    cells = [[words_of(cell) for cell in row] for row in table.iter("tr")]
    assert cells[0] == ["Place", "Client", "Call", "Observed", "From", "To"]
    assert cells[1] == ["1", "client 1 before", "mkdirs(/a)", "returned true", "-900 µs", "-800 µs"]
    assert cells[3] == ["4", "client 1", "rename(/a, /d) ◀ diverges", "returned true", "0", "1.25 s"]
    assert cells[5][0] == "none needed" and cells[5][5] == "no end heard"
    assert cells[9] == ["none", "client 1 afterwards", "open(/d/f)", "returned 3 bytes", "2 s", "2.1 s"]
    assert [row.get("class") for row in table.iter("tr")][1:4] == ["before", "before", "marked"]


def test_history_without_calls_leaves_the_program(example: Results, race: Divergence) -> None:
    shown = article(alone(example, replace(race, history=replace(HALF_DONE, calls=[]))))
    assert not shown.xpath(".//section[@class='history']") and "Minimal program" in words_of(shown)


@pytest.mark.parametrize(
    ("shown", "runs", "confirmed", "says", "doubt"),
    [
        (17, 200, "17/200", "seen in 17 of 200 runs", False),
        (200, 200, "200/200", "seen in 200 of 200 runs", False),
        (3, 200, "0/200", "seen in 3 of 200 runs, and not confirmed", True),
        (0, 200, "0/200", "seen in 0 of 200 runs", True),
        (0, 0, "", "not confirmed by a run", False),
        (1, 1, "1/1", "seen in 1 of 1 run", False),
    ],
)
def test_a_race_is_not_flaky_because_not_every_run_shows_it(
    example: Results, race: Divergence, shown: int, runs: int, confirmed: str, says: str, doubt: bool
) -> None:
    one = replace(race, confirmed=confirmed, history=replace(HALF_DONE, shown=shown, runs=runs))
    assert histories.confirmation(one) == (says, doubt)
    line = words_of(article(alone(example, one)).xpath("./p[@class='line']")[0])
    assert line.startswith(f"flaky: {says} ·" if doubt else f"{says} ·") and "replays" not in line


def test_lead_of_the_index_tells_who_calls(example: Results, race: Divergence) -> None:
    index: Element = lxml.html.document_fromstring(html.pages(alone(example, race))["index.html"])
    lead = index.get_element_by_id("lead")
    assert [words_of(step).split(":")[0] for step in lead.iter("li")] == [
        "client 1",
        "client 1",
        "client 2",
        "client 1",
    ]
    assert "seen in 17 of 200 runs" in words_of(lead)


def long_history(calls: int, name: str) -> HistoryRecord:
    """A history of five clients; the one that is blamed stands near the end, and no order exists behind it."""
    rows = [
        replace(
            at_once(number % 5, f"create(/{name}/{number})", 40.0 * number, 40.0 * number + 90, number + 1),
            marked=number == calls - 20,
            place=None if number > calls - 20 else number + 1,
            observed=f"raised X: {name}",
        )
        for number in range(calls)
    ]
    return HistoryRecord({"name": name}, rows, 1, 200, name)


@pytest.mark.parametrize("name", ["file", "<&\u202e\"'>" * 40, "\u202ea" * 2000, "n" * 255, "&" * 100_000])
def test_many_calls_are_cut_with_words(example: Results, race: Divergence, name: str) -> None:
    """The one that is blamed and the point without an order stay; the page stays small."""
    one = replace(race, history=long_history(500, name))
    results = alone(example, *(replace(one, signature=f"{number}") for number in range(120)))
    assert all(len(page.encode()) <= PAGE_AT_MOST for page in html.pages(results).values())
    shown = article(results)
    assert len(lxml.html.tostring(shown)) < 2 * ONE_AT_MOST
    bars, rows = shown.xpath(".//g"), shown.xpath(".//section[@class='history']//tbody/tr")
    assert len(bars) == len(rows) - 1 <= CAPS[0].steps
    assert f"{500 - len(bars)} calls not drawn." in words_of(shown)
    assert words_of(rows[-1]) == f"{500 - len(bars)} calls not shown"
    assert len(shown.xpath(".//tr[@class='marked']")) == 1
    assert len(shown.xpath(".//g[@class='call marked']")) == 1 and shown.xpath(".//line[@class='no-order']")


def test_calls_beside_the_lanes_are_cut_too() -> None:
    before = [HistoryCall(0, f"mkdirs(/{number})", "returned true", "before", -9, -8, place=1) for number in range(50)]
    plot = plot_of(replace(HALF_DONE, calls=[*before, *HALF_DONE.calls[2:]]))
    assert plot.left_out == 50 - drawn.SIDE_AT_MOST
    assert plot.box.height >= 20 * drawn.SIDE_AT_MOST


def test_hostile_calls_stay_text(example: Results, race: Divergence, attacks: Sequence[str]) -> None:
    """In titles, labels and cells, each alone and with all its places."""
    for attack in attacks:
        calls = [replace(one, call=attack, observed=attack) for one in HALF_DONE.calls]
        shown = article(alone(example, replace(race, history=replace(HALF_DONE, calls=calls, clients=attack))))
        (picture,) = shown.xpath(".//section[@class='history']//svg")
        tags = {inside.tag for inside in picture.iter()}
        assert tags == {"svg", "title", "desc", "g", "line", "rect", "path", "text"}
        used = {name for inside in picture.iter() for name in inside.attrib}
        assert not [name for name in used if name.startswith(("on", "href", "xlink", "style"))]
        titles = [bar.xpath("./title")[0].text_content() for bar in picture.iter("g")]
        assert len(titles) == 9 and all(visible(attack) in title for title in titles)
        assert all(title.isprintable() for title in titles)
        assert visible(attack).rstrip() in shown.text_content()


def test_drawing_in_a_terminal() -> None:
    assert history_text.drawing(HALF_DONE) == [
        "  client 1    [======================================3=======================================]",
        "  client 2       [4=]                               [6=]  [==7==]",
        "  client 3             [====================================5=====================================>",
        "  client 4                                                   [================8=================]",
        "                                                                ! no order from here",
    ]
    assert history_text.legend(HALF_DONE) == [
        "    1  client 1 before: mkdirs(/a) -> returned true",
        "    2  client 1 before: create(/a/f) -> succeeded",
        "  > 3  client 1: rename(/a, /d) -> returned true",
        "    4  client 2: getFileStatus(/d/f) -> raised FileNotFoundException",
        "    5  client 3: delete(/e) -> unknown: the client was killed (no end heard)",
        "    6  client 2: getFileStatus(/d/f) -> returned /d/f",
        "    7  client 2: getFileStatus(/a/f) -> returned /a/f",
        "    8  client 4: listStatus(/) -> returned []",
        "    9  client 1 afterwards: open(/d/f) -> returned 3 bytes",
        "    longest order: 1, 2, 4, 3, 6; no place for 7, 8, 9",
    ]


def test_drawing_shows_which_calls_overlap() -> None:
    """Column by column: a call that returned before another began ends left of it."""
    calls = [
        at_once(number % 3, "x()", start, start + 50, number + 1) for number, start in enumerate((0, 60, 100, 111))
    ]
    lines = history_text.drawing(replace(HALF_DONE, calls=calls))
    spans = {}
    for line in lines:
        for number in "1234":
            at = line.find(number, 12)
            if at >= 0:
                spans[int(number)] = line.rindex("[", 0, at), line.index("]", at)
    assert spans[1][1] < spans[2][0] < spans[3][0] < spans[2][1] < spans[4][0] < spans[3][1] < spans[4][1]
    assert not any("!" in line for line in lines)


@pytest.mark.parametrize("name", ["f", "Größe 大", "n" * 500, "\u202ee\u0301\x1b[2J", "[bold]x[/bold]"])
@pytest.mark.parametrize("calls", [3, 9, 10, 40, 1200])
def test_drawing_is_narrow_and_plain(calls: int, name: str) -> None:
    history = long_history(calls, name)
    history = replace(history, calls=[*history.calls, at_once(1 << 80, name, 7, None)])
    lines = history_text.drawing(history) + history_text.legend(history)
    assert all(len(line) <= history_text.WIDTH and line.isascii() and line.isprintable() for line in lines)
    assert sum(line.startswith(history_text.MARKED) for line in lines) == (calls >= 20)
    assert any("! no order from here" in line or "no order from here !" in line for line in lines)
    if calls > 100:
        assert any(line.strip().endswith("calls not drawn") for line in lines)
        assert f"    and {calls + 1 - history_text.LISTED:,} calls more" in lines


def printed(results: Results) -> str:
    """What the summary prints."""
    file = io.StringIO()
    text.summary(results, Console(file=file, width=120))
    return file.getvalue()


def test_summary_draws_the_history(example: Results, race: Divergence) -> None:
    out = printed(alone(example, replace(race, history=HALF_DONE)))
    drawing = "\n".join(history_text.drawing(HALF_DONE) + history_text.legend(HALF_DONE))
    assert f"\n  race      seen in 3 of 200 runs\n{drawing}\n  expected  " in out
    assert "flaky" not in out and "of 200 replays" not in out
    doubtful = printed(alone(example, replace(race, confirmed="0/200", history=HALF_DONE)))
    assert "\n  race      seen in 3 of 200 runs, and not confirmed\n" in doubtful


def test_junit_tells_counts_and_calls(example: Results, race: Divergence) -> None:
    long = replace(HALF_DONE, calls=[replace(HALF_DONE.calls[2], call="c" * 300), *HALF_DONE.calls[3:]])
    root = etree.fromstring(junit_xml(alone(example, replace(race, history=long))))
    failure = root.find(".//failure")
    assert failure is not None
    assert failure.get("message") == f"violation: {race.signature}, seen in 3 of 200 runs"
    told = failure.text or ""
    assert "\nseen in 3 of 200 runs\nhistory:\n  client 1    [" in told
    assert f"\n  > 1  client 1: {'c' * 300} -> returned true\n" in told, "a call is not cut"
    assert "of 200 replays" not in told and f"\nreproduce: {race.reproducer}\n" in told
    two = [race, replace(race, signature="other", history=HALF_DONE)]
    messages = [one.get("message") for one in etree.fromstring(junit_xml(alone(example, *two))).iter("failure")]
    assert messages == [f"violation: {race.signature}, seen in 17 of 200 runs (and 1 more)"]
