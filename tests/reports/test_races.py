"""The matrix of races: on the store's page, in a line on the index and in the terminal."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import lxml.html
import pytest
from rich.console import Console

from fsconform.records.results import RACE_OUTCOMES, RacePair, RacesRecord, Results, StaleRecord
from fsconform.reports import html, races, text
from fsconform.reports.caps import PAGE_AT_MOST
from fsconform.reports.visible import divergence_id, visible

Element = Any
"""An element of lxml: its stubs say little of what XPath gives."""


def words_of(element: Element) -> str:
    """The text of an element with single spaces."""
    return " ".join(element.text_content().split())


def page_of(results: Results, name: str) -> Element:
    """One page as a tree."""
    return lxml.html.document_fromstring(html.pages(results)[name])


def section(results: Results) -> Element:
    """The section of the races of the first store."""
    (found,) = page_of(results, "rawlocal.html").xpath("//section[@aria-labelledby='races']")
    return found


def told(table: Element) -> list[list[str]]:
    """The texts of a table's cells."""
    return [[words_of(cell) for cell in row] for row in table.iter("tr")]


def raced(example: Results, record: RacesRecord | None) -> Results:
    """The example, with other races of its first store."""
    return replace(example, stores=[replace(example.stores[0], races=record), *example.stores[1:]])


@pytest.fixture
def record(example: Results) -> RacesRecord:
    """The races of the example."""
    found = example.stores[0].races
    assert found is not None
    return found


def test_matrix_has_a_cell_for_each_pair(example: Results, record: RacesRecord) -> None:
    """What changes beside one another, and beside what only stands second; a pair that was not planned is empty."""
    among, beside = section(example).xpath(".//table[@class='races']")
    rows = told(among)
    assert rows[0] == ["At once", "create", "mkdirs", "delete all", "rename away"]
    assert rows[1] == [
        *("create", "✗ both won violation 29/36 overlaps in 29 of 36 programs"),
        *(f"✓ atomic conforms {number}/36 overlaps in {number} of 36 programs" for number in (31, 28, 27)),
    ]
    assert rows[3] == [
        *("delete all", "", "", "✓ atomic conforms 31/36 overlaps in 31 of 36 programs"),
        "= half-done declared 30/36 overlaps in 30 of 36 programs",
    ]
    assert told(beside)[0] == ["At once", "read", "list root"]
    assert [row[0] for row in told(beside)[1:]] == [row[0] for row in rows[1:]]
    filled = [cell for table in (among, beside) for cell in table.xpath(".//td") if words_of(cell)]
    assert len(filled) == len(record.pairs)
    assert {cell.get("title") for cell in among.xpath(".//td") if words_of(cell)} >= {"29 overlaps in 36 programs"}


def test_streams_have_tables_of_their_own(example: Results, record: RacesRecord) -> None:
    """Though their lanes may be called as single calls are."""
    streams = [
        RacePair("close", "read", 4, 3, "stale", "violation", group="streams of several clients"),
        RacePair("close", "create", 4, 3, "atomic", "conforms", group="streams of several clients"),
        RacePair("write", "write", 4, 3, "lost update", "violation", group="threads that share streams"),
    ]
    found = section(raced(example, replace(record, pairs=[*record.pairs, *streams])))
    tables = found.xpath(".//table[@class='races']")
    assert [words_of(one.find("caption")) for one in tables] == [
        "The calls of the rows among themselves",
        "The calls of the rows beside others",
        "Streams of several clients: what the rows do beside others",
        "Threads that share streams: what the rows do among themselves",
    ]
    assert [told(one) for one in tables[:2]] == [told(one) for one in section(example).xpath(".//table")[:2]]
    assert told(tables[2])[0] == ["At once", "read", "create"] and told(tables[3])[0] == ["At once", "write"]
    assert "not shown" not in words_of(found)


def test_what_never_met_is_no_pass(example: Results) -> None:
    """Whatever its verdict: no sign of one, no colour, no link."""
    cells = {words_of(cell): cell for cell in section(example).xpath(".//td")}
    for says in ("never met", "not judged"):
        assert not cells[f"· {says} 0/36 overlaps in 0 of 36 programs"].xpath(".//a | .//*[contains(@class, 'v-')]")


def test_cells_link_to_what_shows_them(example: Results, record: RacesRecord) -> None:
    """To the divergences on the page; where it has none of them to the list, where there is none to nothing."""
    (race,) = [one for one in example.stores[0].divergences if one.history is not None]
    page = page_of(example, "rawlocal.html")
    (link,) = page.xpath("//table[@class='races']//a/@href")
    assert link == f"#{divergence_id(race.operation, race.signature)}" and link[1:] in page.xpath("//@id")

    first = record.pairs[0]
    known = [one.signature for one in example.stores[0].divergences]
    for signatures, links, more in (
        ([*known[:2], "gone"], 2, 1),
        (known, races.LINKS_AT_MOST, len(known) - races.LINKS_AT_MOST),
        (["gone", "too"], 1, 1),
        ([], 0, 0),
    ):
        results = raced(example, replace(record, pairs=[replace(first, signatures=signatures)]))
        (cell,) = section(results).xpath(".//table[@class='races']//td")
        assert len(cell.xpath(".//a")) == links
        assert (f"+{more} more" in words_of(cell)) is bool(more)
        ids = page_of(results, "rawlocal.html").xpath("//@id")
        assert all(href[1:] in ids for href in cell.xpath(".//a/@href"))


def test_every_outcome_has_its_words(example: Results, record: RacesRecord) -> None:
    """In the cell and in the key, which explains those that occur and no other."""
    pairs = [RacePair("a", outcome, 3, 2, outcome, "violation") for outcome in RACE_OUTCOMES]
    found = section(raced(example, replace(record, pairs=pairs)))
    heads = [words_of(one) for one in found.xpath(".//dl//dt")]
    assert heads == [races.OUTCOMES[outcome][0] for outcome in RACE_OUTCOMES]
    for says, cell in zip(heads, found.xpath(".//table[@class='races']//td[@title]"), strict=True):
        assert f" {says} " in words_of(cell)
    assert len({meaning for _, meaning in races.OUTCOMES.values()}) == len(RACE_OUTCOMES)
    few = section(example).xpath(".//dl//dt")
    assert [words_of(one) for one in few] == ["never met", "not judged", "atomic", "half-done", "both won"]


def test_head_and_notes(example: Results, record: RacesRecord) -> None:
    found = section(example)
    assert words_of(found.xpath("./p")[0]) == (
        "684 of 720 planned programs, with 1,980 calls at once, in 41.3 s; in 490 of them calls of two clients "
        "overlapped; the clients were processes."
    )
    assert [words_of(one) for one in found.xpath("./p[@class='muted']")] == [f"Left out: {one}" for one in record.notes]
    whole = replace(record, programs=720, clients="")
    assert races.head(whole).startswith("720 programs, with ") and "clients were" not in races.head(whole)
    page = page_of(example, "rawlocal.html")
    assert page.xpath("//nav[@class='side']//a[@href='#races']")


def test_freshness_tells_how_long(example: Results, record: RacesRecord) -> None:
    """What stayed unseen first and in sight, the longest first; the rest folded."""
    (race,) = [one for one in example.stores[0].divergences if one.history is not None]
    rows = [
        StaleRecord("create", "read", 12, 0, 0.0, "conforms"),
        StaleRecord("delete", "list", 12, 2, 31.25, "violation", [race.signature]),
        StaleRecord("rename", "list", 12, 5, 1200.0, "violation"),
        StaleRecord("append", "read", 0, 0, 0.0, "conforms"),
    ]
    found = section(raced(example, replace(record, freshness=rows)))
    late, fresh = found.xpath(".//table[@class='narrow']")
    assert told(late)[1:] == [
        ["rename", "list", "12", "5", "1.2 s", "✗ violation"],
        ["delete", "list", "12", "2", "31.2 ms", "✗ violation"],
    ]
    assert len(late.xpath(".//a")) == 1
    assert fresh.getparent().getparent().tag == "details" and fresh.getparent().getparent().get("open") is None
    assert told(fresh)[1:] == [
        ["create", "read", "12", "0", "–", "✓ conforms"],  # noqa: RUF001
        ["append", "read", "0", "0", "–", "not judged"],  # noqa: RUF001
    ]
    assert "stayed unseen" not in words_of(section(raced(example, replace(record, freshness=[]))))


def test_without_races_there_is_nothing(example: Results) -> None:
    bare = raced(example, None)
    for name in html.pages(bare):
        page = page_of(bare, name)
        assert not page.xpath("//*[@id='races'] | //a[contains(@href, '#races')]")


def test_races_without_pairs_say_so(example: Results) -> None:
    """Nothing was made at once: that is told, and is no pass."""
    empty = RacesRecord(0, 0, 0, 0, 0.0, "")
    found = section(raced(example, empty))
    assert "No pair of calls was made at once." in words_of(found) and not found.xpath(".//table")
    assert races.line(empty) == "0 programs, 0 overlaps"


def test_line_counts_the_worst_first(record: RacesRecord) -> None:
    assert races.line(record) == (
        "684 of 720 programs, 490 overlaps, 1 pair both won (violation), 3 pairs seen half-done (declared), "
        "1 pair not judged, 1 pair never met, 12 pairs atomic"
    )
    pairs = [
        RacePair("a", "b", 3, 2, "stale", "violation"),
        RacePair("a", "c", 3, 2, "seen half-done", "declared"),
        RacePair("a", "d", 3, 2, "seen half-done", "declared-false"),
        RacePair("a", "e", 3, 2, "seen half-done", "declared"),
    ]
    late = [
        StaleRecord("a", "b", 9, 1, 40.0, "violation"),
        StaleRecord("a", "c", 9, 1, 0.25, "declared"),
        StaleRecord("a", "d", 9, 0, 0.0, "conforms"),
    ]
    assert races.line(RacesRecord(9, 9, 18, 1, 1.0, "", pairs, late)) == (
        "9 programs, 1 overlap, 1 pair stale (violation), 1 pair seen half-done (declared-false), "
        "2 pairs seen half-done (declared), 2 changes seen late, up to 40 ms (violation)"
    )


def test_index_and_terminal_have_the_line(example: Results, record: RacesRecord) -> None:
    index = page_of(example, "index.html")
    (item,) = [one for one in index.xpath("//ul[@class='notes']/li") if "races:" in words_of(one)]
    assert words_of(item) == f"rawlocal races: {races.line(record)}"
    assert item.find("a").get("href") == "rawlocal.html#races"
    file = io.StringIO()
    text.summary(example, Console(file=file, width=120))
    lines = file.getvalue().splitlines()
    assert f"rawlocal: races: {races.line(record)}" in lines
    assert [one for one in lines if "races: left out" in one] == [
        f"rawlocal: races: left out: {note}" for note in record.notes
    ]
    assert not [one for one in lines if one.startswith(("file: races", "hdfs: races"))]


@pytest.mark.parametrize("name", ["x", "<&\u202e\"'>" * 40, "\u202ea" * 2000])
def test_endless_races_are_cut_with_words(example: Results, record: RacesRecord, name: str) -> None:
    pairs = [
        RacePair(f"{first}{name}", f"{second}{name}", 1, 1, "atomic", "violation", [name])
        for first in range(60)
        for second in range(70)
    ]
    fresh = [StaleRecord(name, f"{number}{name}", 1, 1, 2.0, "violation", [name]) for number in range(1000)]
    results = raced(example, replace(record, pairs=pairs, freshness=fresh, notes=[name] * 1000))
    assert all(len(page.encode()) <= PAGE_AT_MOST for page in html.pages(results).values())
    found = section(results)
    cells = sum(bool(words_of(cell)) for cell in found.xpath(".//table[@class='races']//td"))
    assert cells == races.ROWS_AT_MOST * (races.COLUMNS_AT_MOST + 10)
    said = words_of(found)
    assert f"{60 * 70 - cells:,} pairs not shown." in said
    assert f"{1000 - races.STALE_AT_MOST} more are not shown." in said
    assert f"{1000 - races.NOTES_AT_MOST} notes not shown." in said


def test_hostile_names_stay_text(example: Results, record: RacesRecord, attacks: tuple[str, ...]) -> None:
    """Of calls, changes, looks, clients and notes; an outcome that there is none of is shown as it is."""
    for attack in attacks:
        # No reader of records lets such an outcome in.
        outcome: Any = attack
        pair = replace(record.pairs[0], first=attack, second=attack, outcome=outcome)
        fresh = [StaleRecord(attack, attack, 1, 1, 1.0, "violation", [attack])]
        results = raced(
            example, replace(record, clients=attack, pairs=[pair], freshness=fresh, notes=[attack], programs=1)
        )
        found = section(results)
        assert found.text_content().count(visible(attack).rstrip()[:30]) >= 7
        used = {one for inside in found.iter() for one in inside.attrib}
        assert used <= {
            "aria-labelledby",
            "aria-label",
            "aria-hidden",
            "class",
            "href",
            "id",
            "role",
            "scope",
            "tabindex",
            "title",
        }
        assert races.line(results.stores[0].races or record).startswith("1 of 720 programs")
