"""The pages: complete, and correct as documents."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import lxml.html
import pytest

from fsconform.records.results import ClauseRecord, ExplorerRecord, OptionRecord, Results, StoreRecord
from fsconform.reports import html, view, words
from fsconform.reports.visible import divergence_id

VOID = {"meta", "link", "br", "wbr", "img", "input", "hr"}
Element = Any
"""An element of lxml: its stubs say little of what XPath gives."""
NOTHING = "\u2013"
STYLE = (html.TEMPLATES / "style.css").read_text(encoding="utf-8")


def parsed(results: Results) -> dict[str, Element]:
    """All pages as trees."""
    return {name: lxml.html.document_fromstring(text) for name, text in html.pages(results).items()}


def words_of(element: Element) -> str:
    """The text of an element with single spaces."""
    return " ".join(element.text_content().split())


def section(page: Element, title: str) -> Element:
    """The section with a heading."""
    (found,) = [one for one in page.iter("section") if words_of(one[0]) == title]
    return found


def rows(table: Element) -> Iterator[list[str]]:
    """The texts of a table's cells."""
    for row in table.iter("tr"):
        yield [words_of(cell) for cell in row]


def test_every_link_leads_somewhere(example: Results, tmp_path: Path) -> None:
    index = html.write_report(example, tmp_path)
    assert index == tmp_path / "report" / "index.html"
    for store in example.stores:
        for one in store.divergences:
            (tmp_path / one.replay).parent.mkdir(exist_ok=True)
            (tmp_path / one.replay).touch()
    pages = {path: lxml.html.parse(path).getroot() for path in index.parent.iterdir()}
    assert {path.name for path in pages} == {"index.html", "rawlocal.html", "file.html", "hdfs.html"}
    seen = set()
    for path, page in pages.items():
        for link in page.iter("a"):
            target, _, anchor = link.get("href").partition("#")
            file = (path.parent / unquote(target)).resolve() if target else path
            assert file.is_file(), link.get("href")
            if anchor:
                assert anchor in pages[file].xpath("//@id"), link.get("href")
            seen.add(file.suffix)
        for name in page.xpath("//@aria-labelledby"):
            assert name in page.xpath("//@id")
    assert seen == {".html", ".json"}


def test_ids_are_unique(example: Results, hostile: Results) -> None:
    twice = [replace(store, divergences=store.divergences * 2) for store in hostile.stores]
    for results in (example, hostile, replace(hostile, stores=twice)):
        for page in parsed(results).values():
            ids = page.xpath("//@id")
            assert len(ids) == len(set(ids))


def test_id_of_a_divergence_depends_on_its_signature_only(example: Results) -> None:
    store = example.stores[1]
    divergence = store.divergences[0]
    other = replace(divergence, count=999, observed="x", program=[], steps=9, note="new")
    expected = divergence_id(divergence.operation, divergence.signature)
    for stores in ([store], [replace(store, divergences=[*store.divergences[1:], other])]):
        page = parsed(replace(example, stores=stores))["file.html"]
        assert page.get_element_by_id(expected).tag == "section"


@pytest.mark.parametrize("results", ["example", "hostile"])
def test_pages_are_well_formed(results: str, request: pytest.FixtureRequest) -> None:
    """Every element that is opened is closed, in order."""

    class Checker(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.open: list[str] = []

        def handle_starttag(self, tag: str, attrs: object) -> None:
            if tag not in VOID:
                self.open.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert self.open.pop() == tag, self.getpos()

    for text in html.pages(request.getfixturevalue(results)).values():
        checker = Checker()
        checker.feed(text)
        checker.close()
        assert checker.open == []


def test_headings_tables_and_language(example: Results, hostile: Results) -> None:
    for page in [*parsed(example).values(), *parsed(hostile).values()]:
        assert page.get("lang") == "en"
        levels = [int(one.tag[1]) for one in page.iter("h1", "h2", "h3", "h4")]
        assert levels[0] == 1 and levels.count(1) == 1
        assert all(after <= before + 1 for before, after in pairwise(levels))
        assert all(one.get("scope") in ("row", "col") for one in page.iter("th"))
        assert all(table.xpath("./thead//th") and table.xpath("./tbody/tr") for table in page.iter("table"))
        skip = page.find("body")[0]
        assert skip.get("class") == "skip" and page.xpath(f"//main[@id='{skip.get('href')[1:]}']")


def test_verdicts_are_said_in_words(example: Results) -> None:
    """Never by colour or sign alone."""
    for page in parsed(example).values():
        badges = page.xpath("//*[contains(@class, 'badge') or contains(concat(' ', @class), ' count ')]")
        assert badges
        for badge in badges:
            (name,) = [one for one in badge.get("class").split() if one.startswith(("v-", "gate-"))]
            assert name.partition("-")[2] in words_of(badge)


def colours(block: str) -> dict[str, tuple[float, ...]]:
    """The custom properties of one rule that are colours, as linear RGB."""
    found = {}
    for name, digits in re.findall(r"--([a-z-]+): #([0-9a-f]{6});", block):
        parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
        found[name] = tuple(one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts)
    return found


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast_is_enough(scheme: str) -> None:
    """WCAG 2.2, AA: 4.5 to 1 for text, in both schemes, also on marked rows."""
    light, dark = STYLE.split("@media (prefers-color-scheme: dark)")
    palette = colours(light if scheme == "light" else dark.partition("* {")[0])
    luminance = {name: 0.2126 * r + 0.7152 * g + 0.0722 * b for name, (r, g, b) in palette.items()}
    pairs = [(ink, paper) for ink in ("ink", "muted", "link") for paper in ("paper", "raised", "marked")]
    pairs += [(ink, f"{back}-paper") for ink in ("ink", "muted") for back in ("violation", "undeclared")]
    pairs += [(verdict, f"{verdict}-paper") for verdict in words.SEVERITY]
    pairs += [(verdict, "paper") for verdict in words.SEVERITY] + [("escape", "escape-paper")]
    for ink, paper in pairs:
        high, low = sorted((luminance[ink], luminance[paper]), reverse=True)
        assert (high + 0.05) / (low + 0.05) >= 4.5, (ink, paper)


def test_index_tells_the_run(example: Results) -> None:
    page = parsed(example)["index.html"]
    text = words_of(page.find("body"))
    run = example.run
    for piece in (run.id, "Exit code 1: divergences were found.", run.command, str(run.seed), words.NO_PROOF):
        assert piece in text
    for name, version in {**run.versions, **run.configuration}.items():
        assert f"{name}{version}" in text
    table = list(rows(section(page, "Stores").find(".//table")))
    assert table[0][2:9] == list(words.LISTED)
    assert table[2][:9] == [
        *("file", "✗ fails", "✗ 1 violation", "≠ 1 declared-false", "+ 2 undeclared"),
        *("0", "~ 1 deviation", "= 1 declared", "0"),
    ]
    file = example.stores[1]
    assert table[2][10:] == [
        *(f"{file.programs:,}", f"{file.operations:,}", f"{file.probes:,}", words.duration(file.seconds)),
    ]


def test_matrix_says_what_was_not_judged(example: Results) -> None:
    """Not judged is no pass, and the worst verdict of a clause stands in its cell."""
    page = parsed(example)["index.html"]
    matrix = {row[0]: row[1:] for table in section(page, "Clauses by stores").iter("table") for row in rows(table)}
    assert set(matrix) == {clause.id for clause in example.clauses} | {"Clause"}
    assert matrix["filesystem.invariants"][2:] == ["not judged"] * 3
    judged = [store.clauses["filesystem.append.post"] for store in example.stores]
    assert matrix["filesystem.append.post"] == [
        *("MUST", "What is written to the stream of append follows what the file held before."),
        *(
            f"✓conforms, judged {judged[0]:,}",
            f"+ undeclared judged {judged[1]:,}",
            f"? inconclusive judged {judged[2]:,}",
        ),
    ]


def test_untestable_clause_says_why(example: Results) -> None:
    """Unless a store was judged by it nevertheless: what is known is not hidden."""
    judged = next(clause for clause, times in example.stores[0].clauses.items() if times)
    clauses = [
        replace(clause, status="untestable", why="nobody can <see> it")
        if clause.id in ("filesystem.invariants", judged)
        else clause
        for clause in example.clauses
    ]
    pages = parsed(replace(example, clauses=clauses))
    for name, title, columns in (("index.html", "Clauses by stores", 3), ("rawlocal.html", "Clauses judged", 1)):
        tables = list(section(pages[name], title).iter("table"))
        matrix = {row[0]: row[3:] for table in tables for row in rows(table)}
        assert matrix["filesystem.invariants"] == ["untestable: nobody can <see> it"]
        assert len(matrix[judged]) == columns and "untestable" not in "".join(matrix[judged])
        (cell,) = [cell for table in tables for cell in table.iter("td") if "untestable: " in words_of(cell)]
        assert int(cell.get("colspan", "1")) == columns
    assert "; 1 can't be, for the reason given." in words_of(section(pages["rawlocal.html"], "Clauses judged"))


def test_cell_holds_the_worst_of_several(example: Results) -> None:
    store = example.stores[1]
    one = next(one for one in store.divergences if one.verdict == "declared")
    both = [
        one,
        replace(one, verdict="violation", signature="other"),
        replace(one, verdict="waived", signature="third"),
    ]
    results = replace(example, stores=[replace(store, divergences=both, clauses={})])
    matrix = section(parsed(results)["index.html"], "Clauses by stores")
    (cell,) = [row[3] for table in matrix.iter("table") for row in rows(table) if row[0] == one.clause]
    assert cell == "✗ violation and 2 more not judged otherwise"
    assert divergence_id(one.operation, "other") in matrix.xpath("string(.//td[@class='cell']/a/@href)")


def test_clause_that_the_catalogue_lacks_is_shown(example: Results) -> None:
    store = replace(example.stores[0], clauses={"x.unknown": 3}, divergences=[])
    page = parsed(replace(example, stores=[store], clauses=[ClauseRecord("a", "d.md", "s", "MUST", "t")]))["index.html"]
    table = section(page, "Clauses by stores").findall(".//table")[1]
    assert list(rows(table))[1] == ["x.unknown", NOTHING, "not in the catalogue of this run", "✓conforms, judged 3"]


def test_divergences_come_most_serious_first(example: Results) -> None:
    page = parsed(example)["file.html"]
    shown = [words_of(one)[2:] for one in section(page, "Divergences").iter("h3")]
    assert [one.split()[0] for one in shown] == [
        *("violation", "declared-false", "undeclared", "undeclared", "deviation", "declared"),
    ]
    turned = replace(example.stores[1], divergences=example.stores[1].divergences[::-1])
    again = parsed(replace(example, stores=[turned]))["file.html"]
    assert [words_of(one)[2:] for one in section(again, "Divergences").iter("h3")] == shown


def test_divergence_carries_all_that_is_known(example: Results) -> None:
    store = example.stores[2]
    record = replace(store.divergences[2], stack="at x.Y", message="the message", waiver="because", confirmed="3/3")
    page = parsed(replace(example, stores=[replace(store, divergences=[record])]))["hdfs.html"]
    (shown,) = page.xpath("//section[contains(@class, 'divergence')]")
    text = words_of(shown)
    for piece in (
        *(
            record.signature,
            record.clause,
            record.level,
            record.statement,
            record.source,
            record.expected,
            record.observed,
        ),
        *(record.message, record.waiver, record.note, record.reproducer, record.replay, "confirmed in 3 of 3 replays"),
        *("Java stack", "at x.Y", "Log of the store, 3 lines", *map(str.strip, record.logs), '"op": "append"'),
    ):
        assert " ".join(piece.split()) in text, piece
    for title in ("Java stack", "Log of the store, 3 lines"):
        assert shown.xpath(f".//details[summary='{title}']/pre")


def test_sequence_table(example: Results) -> None:
    page = parsed(example)["file.html"]
    one = example.stores[1].divergences[1]
    table = page.get_element_by_id(divergence_id(one.operation, one.signature)).find(".//table")
    assert list(rows(table))[4:6] == [
        ["4", "rename(/a, /c) ◀ departs", one.observed, one.expected, "- /a- /a/b+ /c/a/+ /c/a/b"],
        ["5", "getFileStatus(/c/a) probe", "raised FileNotFoundException: File /c/a does not exist",
         "return /c/a (directory, 0 bytes)", NOTHING],
    ]  # fmt: skip
    assert [row.get("class") for row in table.iter("tr")][1:] == [*["plain"] * 3, "marked", "probe", "probe"]


def test_set_up_and_clients_are_told(example: Results) -> None:
    """The column of clients is there only where another client than the first makes a call."""
    store = example.stores[1]
    one = store.divergences[1]
    first, second, *rest = one.sequence
    sequence = [replace(first, setup=True), replace(second, client=1), *rest]
    results = replace(example, stores=[replace(store, divergences=[replace(one, sequence=sequence)])])
    table = section(parsed(results)["file.html"], "Divergences").find(".//table")
    shown = list(rows(table))
    assert shown[0][:3] == ["Step", "Client", "Call"]
    assert [row[:3] for row in shown[1:3]] == [["1", "0", f"{first.call} set-up"], ["2", "1", second.call]]
    assert {len(row) for row in shown} == {6}
    assert [row.get("class") for row in table.iter("tr")][1:4] == ["set-up", "plain", "plain"]
    assert ".set-up > *" in STYLE
    headings = parsed(example)["file.html"].xpath("//table[@class='sequence']/thead")
    assert headings and not any("Client" in words_of(heading) for heading in headings)


def test_every_smallest_change_has_its_xml(example: Results) -> None:
    page = parsed(example)["file.html"]
    one = example.stores[1].divergences[3]
    blocks = page.get_element_by_id(divergence_id(one.operation, one.signature)).xpath(".//pre[@class='xml']")
    assert [block.text_content().count("<property>") for block in blocks] == [1, 2]
    assert one.options[1][1].xml in blocks[1].text_content()


def test_long_programs_keep_their_marked_steps(example: Results) -> None:
    step = example.stores[0].divergences[0].sequence[0]
    sequence = [replace(step, call=f"call {number}", marked=number == 500) for number in range(1, 1001)]
    numbers = [(row.number, row.left_out) for row in view.step_views(sequence)]
    half = view.STEPS_SHOWN // 2
    assert numbers[half - 1 : half + 4] == [(half, 0), (0, 499 - half), (500, 0), (0, 500 - half), (1001 - half, 0)]
    assert numbers[-1] == (1000, 0)


def test_problems_stand_before_divergences(example: Results) -> None:
    store = replace(example.stores[0], problems=["the disk was full"], waiver_problems=["w1 has expired"])
    pages = parsed(replace(example, stores=[store]))
    titles = [words_of(one) for one in pages["rawlocal.html"].iter("h2")]
    assert titles[:3] == ["Not judged", "Waivers that fail the gate", "Divergences"]
    for page in pages.values():
        text = words_of(page)
        assert "the disk was full" in text and "waiver" in text.lower()


def test_store_without_judgement_does_not_look_sound(example: Results) -> None:
    empty = StoreRecord("s", "x:/", 0, 0, 0, 0.0, 0.0, {}, {}, {}, [])
    page = parsed(replace(example, stores=[empty]))["s.html"]
    assert words_of(page.find(".//h1")) == "s ? inconclusive"
    assert "Nothing was judged" in words_of(section(page, "Divergences"))


def test_run_without_stores_or_clauses(example: Results) -> None:
    bare = Results(1, replace(example.run, command="", configuration={}, exit=3), [], [])
    text = words_of(parsed(bare)["index.html"])
    assert "No store was judged in this run." in text
    assert "was not recorded" in text and "Exit code 3: inconclusive" in text


def test_options_tell_conflicts(example: Results) -> None:
    pages = parsed(example)
    all_stores = section(pages["index.html"], "Contract options by store").find(".//table")
    (row,) = [row for row in rows(all_stores) if row[0].startswith("rename-creates-dest-dirs")]
    assert row[1:3] == ["declared true, observed true✓ agrees", "declared true✗ conflict: both values seen"]
    one_store = section(pages["file.html"], "Contract options").find(".//table")
    (own,) = [row for row in rows(one_store) if row[0].startswith("supports-append")]
    assert own[1:4] == ["true", "false", "≠ differs from the declared value"]
    assert own[4] == example.stores[1].options["fs.contract.supports-append"].evidence


@pytest.mark.parametrize(
    ("record", "state"),
    [
        (OptionRecord(True, True, ""), "agrees"),
        (OptionRecord(True, False, ""), "differs"),
        (OptionRecord(None, True, "", default=True), "agrees"),
        (OptionRecord(None, True, "", default=False), "differs"),
        (OptionRecord(True, None, ""), "unseen"),
        (OptionRecord(True, "conflict", ""), "conflict"),
        (OptionRecord(True, False, "", kind="permits"), "agrees"),
        (OptionRecord(False, True, "", kind="permits"), "differs"),
        (OptionRecord(True, 1, ""), "differs"),
    ],
)
def test_option_states(record: OptionRecord, state: str) -> None:
    """A permission that is not used is no conflict; true and 1 are two values."""
    assert view.option_view("fs.contract.x", record).state == state


def test_share_of_the_bound(example: Results) -> None:
    explorers = [
        ExplorerRecord("e", 5, 9, 1.0, 5, 40),
        ExplorerRecord("f", 5, 9, 1.0),
        ExplorerRecord("g", 0, 0, 0.0, 0, 0),
    ]
    store = replace(example.stores[0], explorers=explorers)
    page = parsed(replace(example, stores=[store]))["rawlocal.html"]
    shares = [row[4] for row in rows(section(page, "Explorers").find(".//table"))]
    assert shares[1:] == ["12.5 %: 5 of 40", "no bound", "no bound"]


def test_same_results_same_bytes(example: Results) -> None:
    assert html.pages(example) == html.pages(example)
