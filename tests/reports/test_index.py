"""What the index tells of a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import lxml.html

from fsconform.records.results import ClauseRecord, Results
from fsconform.reports import html, view, words
from fsconform.reports.visible import divergence_id

Element = Any
"""An element of lxml: its stubs say little of what XPath gives."""
NOTHING = "\u2013"


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


def test_index_tells_the_run(example: Results) -> None:
    page = parsed(example)["index.html"]
    text = words_of(page.find("body"))
    run = example.run
    for piece in (run.id, "Exit code 1: divergences were found.", run.command, str(run.seed), words.NO_PROOF):
        assert piece in text
    for name, version in {**run.versions, **run.configuration}.items():
        assert f"{name}{version}" in text
    assert "2 of 3 stores fail the gate" in text


def test_a_card_for_each_store(example: Results) -> None:
    page = parsed(example)["index.html"]
    cards = page.xpath("//article[starts-with(@class, 'card')]")
    assert [words_of(card.find("h3")) for card in cards] == ["rawlocal ✗ fails", "file ✗ fails", "hdfs ? inconclusive"]
    told = [words_of(count) for count in cards[1].xpath(".//a[starts-with(@class, 'count')]")]
    assert told == ["✗ 1 violation", "≠ 1 declared-false", "+ 2 undeclared", "~ 1 deviation", "= 1 declared"]
    file = example.stores[1]
    judged = sum(times > 0 for times in file.clauses.values())
    assert [words_of(row) for row in cards[1].iter("dd")] == [
        *(f"{file.operations:,}", f"{judged} of {len(example.clauses)}"),
        *(words.duration(file.seconds), words.share(file.store_wall_seconds, file.seconds)),
    ]


def test_first_divergence_stands_at_the_top(example: Results) -> None:
    """The most serious of all stores, here the one that loses data; then what else fails the gate, up to a number."""
    page = parsed(example)["index.html"]
    lead = page.get_element_by_id("lead")
    (one,) = [one for one in example.stores[1].divergences if one.verdict == "violation"]
    assert one.impact == "data lost" and example.stores[0].divergences[0].impact == "wrong answer"
    assert words_of(lead.find("h3")) == f"✗ violation file {one.signature}"
    assert lead.find("h3").find("a").get("href") == f"file.html#{divergence_id(one.operation, one.signature)}"
    assert [words_of(step) for step in lead.iter("li")] == [
        step.call + (" ◀ diverges" if step.marked else "") for step in one.sequence
    ]
    more = [words_of(row).split()[1] for row in page.xpath("//ul[@class='serious']/li")]
    assert more == ["violation", "violation", "declared-false", "undeclared", "undeclared"]
    many = [replace(one, signature=f"other {number}") for number in range(view.SERIOUS_SHOWN + 2)]
    page = parsed(replace(example, stores=[replace(example.stores[0], divergences=many)]))["index.html"]
    assert len(page.xpath("//ul[@class='serious']/li")) == view.SERIOUS_SHOWN
    assert "1 more that fails the gate" in words_of(page)


def test_departing_step_of_a_long_program_stands_at_the_top(example: Results) -> None:
    one = example.stores[0].divergences[0]
    plain = replace(one.sequence[0], call="plain()", marked=False)
    for place, wanted in (
        (3, [*["plain()"] * 2, "bad() ◀ diverges", *["plain()"] * 3, "84 steps not shown here"]),
        (80, [*["plain()"] * 5, "84 steps not shown here", "bad() ◀ diverges"]),
    ):
        sequence = [plain] * 90
        sequence[place - 1] = replace(plain, call="bad()", marked=True)
        store = replace(example.stores[0], divergences=[replace(one, sequence=sequence)])
        lead = parsed(replace(example, stores=[store]))["index.html"].get_element_by_id("lead")
        assert [words_of(step) for step in lead.iter("li")] == wanted


def test_operations_by_stores(example: Results) -> None:
    """The worst verdict with its number, a link to the first of them, and whether the stores part."""
    page = parsed(example)["index.html"]
    table = section(page, "Operations by stores").find(".//table")
    shown = {row[0]: row[1:] for row in rows(table)}
    assert shown["rename"] == ["✗ 1 violation +2 others", "≠ 1 declared-false +2 others", "= 1 declared", "part"]
    assert shown["exists"][-1] == "agree" and shown["exists"][0].startswith("✓no divergence in ")
    one = example.stores[1].divergences[1]
    assert f"file.html#{divergence_id(one.operation, one.signature)}" in table.xpath(".//a/@href")
    alone = parsed(replace(example, stores=example.stores[:1]))["index.html"]
    assert "agree" not in words_of(section(alone, "Operations by stores")), "one store agrees with nobody"
    bare = replace(example.stores[2], latencies={}, divergences=[], clauses={})
    table = section(
        parsed(replace(example, stores=[*example.stores[:2], bare]))["index.html"], "Operations by stores"
    ).find(".//table")
    assert {row[3] for row in rows(table)} == {"hdfs", "·not judged"}


def test_where_the_stores_part(example: Results) -> None:
    page = parsed(example)["index.html"]
    table = section(page, "Where the stores part").find(".//table")
    shown = {row[0]: row[1:] for row in rows(table) if len(row) == 3}
    clause, outcomes = shown["rename (parent of the destination missing)"]
    assert clause == "filesystem.rename.missing-parent"
    assert outcomes == "+ undeclared returned false: file = declared returned true: rawlocal ✓ no divergence seen: hdfs"
    assert "rename (file onto an existing file)" in shown
    alone = parsed(replace(example, stores=example.stores[:1]))["index.html"]
    assert "no two stores to compare" in words_of(section(alone, "Where the stores part"))


def test_every_divergence_is_listed(example: Results) -> None:
    page = parsed(example)["index.html"]
    table = section(page, "All divergences").find(".//table")
    wanted = [(store.name, one.signature) for store in example.stores for one in words.by_severity(store.divergences)]
    assert [(row[1], row[3]) for row in rows(table)][1:] == wanted


def test_clauses_can_be_filtered(example: Results) -> None:
    """Each row says which filters show it."""
    page = parsed(example)["index.html"]
    kinds = {row.get("id")[2:]: row.get("data-kinds").split() for row in page.xpath("//tr[@data-kinds]")}
    assert kinds["filesystem.append.post"] == ["parts", "departed"]
    assert kinds["filesystem.invariants"] == ["unjudged"]
    assert [] in kinds.values()
    style = html.sources(html.STYLES)
    for kind in ("parts", "departed", "unjudged"):
        assert page.xpath(f"//input[@id='show-{kind}']")
        assert f'#show-{kind}:checked) .matrix tbody tr:not([data-kinds~="{kind}"])' in style


def test_matrix_says_what_was_not_judged(example: Results) -> None:
    """Not judged is no pass, and the worst verdict of a clause stands in its cell."""
    page = parsed(example)["index.html"]
    matrix = {row[0]: row[1:] for table in section(page, "Clauses by stores").iter("table") for row in rows(table)}
    assert set(matrix) == {clause.id for clause in example.clauses} | {"Clause"}
    assert matrix["filesystem.invariants"][3:] == ["not judged"] * 3
    judged = [store.clauses["filesystem.append.post"] for store in example.stores]
    assert matrix["filesystem.append.post"] == [
        *("MUST", "published", "What is written to the stream of append follows what the file held before."),
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
        matrix = {row[0]: row[4:] for table in tables for row in rows(table)}
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
    (cell,) = [row[4] for table in matrix.iter("table") for row in rows(table) if row[0] == one.clause]
    assert cell == "✗ violation and 2 more not judged otherwise"
    assert divergence_id(one.operation, "other") in matrix.xpath("string(.//td[@class='cell']/a/@href)")


def test_clause_that_the_catalogue_lacks_is_shown(example: Results) -> None:
    store = replace(example.stores[0], clauses={"x.unknown": 3}, divergences=[])
    page = parsed(replace(example, stores=[store], clauses=[ClauseRecord("a", "d.md", "s", "MUST", "t")]))["index.html"]
    table = section(page, "Clauses by stores").findall(".//table")[1]
    assert list(rows(table))[1] == [
        "x.unknown",
        NOTHING,
        NOTHING,
        "not in the catalogue of this run",
        "✓conforms, judged 3",
    ]
