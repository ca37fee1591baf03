"""What the page of a store tells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import lxml.html
import pytest

from fsconform.records.results import ExplorerRecord, OptionRecord, Results, StoreRecord
from fsconform.reports import divergences, html, options, words
from fsconform.reports.caps import CAPS
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


def signatures(page: Element) -> list[str]:
    """The headings of the divergences in the order of the page."""
    return [words_of(one) for one in page.xpath("//article//h4")]


def test_divergences_come_most_serious_first(example: Results) -> None:
    """By areas: all that fail the gate first; the list at the side has the same order."""
    page = parsed(example)["file.html"]
    shown = signatures(page)
    assert [one.split()[1] for one in shown] == [
        *("violation", "declared-false", "undeclared", "undeclared", "deviation", "declared"),
    ]
    assert [words_of(one) for one in page.xpath("//div[@class='group']/h3")] == [
        "create 1 that fails the gate",
        "rename 2 that fail the gate",
        "append 1 that fails the gate",
        "delete 1 that does not fail the gate",
        "rename 1 that does not fail the gate",
    ]
    side = [
        words_of(one).replace(":", "", 1) for one in page.xpath("//nav[@class='side']//a[starts-with(@class, 'v-')]")
    ]
    assert side == [one.replace(" ", "", 1) for one in shown]
    turned = replace(example.stores[1], divergences=example.stores[1].divergences[::-1])
    assert signatures(parsed(replace(example, stores=[turned]))["file.html"]) == shown


def test_first_divergence_is_unfolded(example: Results) -> None:
    """Whatever its verdict; of the others those that do not fail the gate are folded."""
    for store in example.stores:
        page = parsed(replace(example, stores=[store]))[f"{store.name}.html"]
        articles = page.xpath("//article[@data-step]")
        assert [one.get("data-first") is not None for one in articles] == [True] + [False] * (len(articles) - 1)
        for number, one in enumerate(articles):
            folded = one.xpath("./details[summary='Clause, program and reproducer']")
            assert bool(folded) is ("compact" in one.get("class"))
            assert all((inside.get("open") is not None) is (number == 0) for inside in folded)


def test_head_tells_what_the_store_is(example: Results) -> None:
    store = example.stores[2]
    text = words_of(parsed(example)["hdfs.html"].xpath("//main/header")[0])
    share = words.share(store.store_wall_seconds, store.seconds)
    for piece in (store.statement, store.uri, store.contract, f"{share} of it inside the store's calls"):
        assert piece in text


@pytest.mark.parametrize(("ways", "says"), [(2, "2 known ways"), (1, "1 known way")])
def test_store_that_passes_tells_what_it_loses(lossy: Results, ways: int, says: str) -> None:
    """On its card, on its page and, for who hears the bar at the top, there; each with its own colour and sign."""
    store = lossy.stores[0]
    kept = [one for one in store.divergences if ways == 2 or one.signature != "c"]
    pages = parsed(replace(lossy, stores=[replace(store, divergences=kept)]))
    (card,) = pages["index.html"].xpath("//article[starts-with(@class, 'card')]")
    assert card.get("class") == "card gate-loses"
    heads = [card.xpath("./h3/span")[0], pages["lossy.html"].xpath("//h1/span")[0]]
    for badge in heads:
        assert badge.get("class") == "badge gate-loses" and words_of(badge) == f"! passes, with {says} to lose data"
    for page in pages.values():
        assert f"passes, with {says} to lose data:" in words_of(page.xpath("//header[@class='bar']")[0])
    assert ".gate-loses { --own: var(--undeclared);" in html.pages(lossy)["index.html"]


def test_divergence_carries_all_that_is_known(example: Results) -> None:
    store = example.stores[2]
    record = replace(
        store.divergences[2],
        stack="at x.Y",
        message="the message",
        waiver="because",
        confirmed="3/3",
        waiver_block='[[waiver]]\nreason = ""',
    )
    page = parsed(replace(example, stores=[replace(store, divergences=[record])]))["hdfs.html"]
    (shown,) = page.xpath("//article[contains(@class, 'divergence')]")
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
        *(record.test, '[[waiver]] reason = ""'),
        *("Java stack", "at x.Y", "Log of the store, 3 lines", *map(str.strip, record.logs), '"op": "append"'),
    ):
        assert " ".join(piece.split()) in text, piece
    for title in ("Java stack", "Log of the store, 3 lines", "Waiver block", "Program as JSON"):
        assert shown.xpath(f".//details[summary='{title}']/pre")
    assert f"../{record.test}" in shown.xpath(".//a/@href")
    copied = {block.get("data-copy") for block in shown.iter("pre")} - {None}
    assert copied == {"command", "waiver block", "program"}


def test_sequence_table(example: Results) -> None:
    page = parsed(example)["file.html"]
    one = example.stores[1].divergences[1]
    table = page.get_element_by_id(divergence_id(one.operation, one.signature)).find(".//table")
    assert list(rows(table))[4:6] == [
        ["4", "rename(/a, /c) ◀ diverges", one.observed, one.expected,
         "-removed /a-removed /a/b+added /c/a/+added /c/a/b"],
        ["5", "getFileStatus(/c/a) probe", "raised FileNotFoundException: File /c/a does not exist",
         "return /c/a (directory, 0 bytes)", NOTHING],
    ]  # fmt: skip
    assert [row.get("class") for row in table.iter("tr")][1:] == [*["plain"] * 3, "marked", "probe", "probe"]
    kinds = [one.get("class") for one in table.xpath(".//tr[@class='marked']//span[starts-with(@class, 'change')]")]
    assert kinds == ["change removed"] * 2 + ["change added"] * 2


def test_set_up_and_probes_can_be_folded(example: Results) -> None:
    """Few are shown at first, many are not; the step that departs is never folded, and no row is without its key."""
    store = example.stores[1]
    one = store.divergences[1]
    step = replace(one.sequence[0], setup=False, probe=False, marked=False)
    few = [replace(step, setup=True), replace(step, probe=True), replace(step, probe=True, marked=True)]
    many = [replace(step, setup=True)] * divergences.SET_UP_FOLDED_FROM + few[1:] * divergences.PROBES_FOLDED_FROM
    for sequence, wanted in (
        (few, [("1 set-up step", True), ("1 probe", True)]),
        (
            many,
            [
                (f"{divergences.SET_UP_FOLDED_FROM} set-up steps", False),
                (f"{divergences.PROBES_FOLDED_FROM} probes", False),
            ],
        ),
        ([step], []),
    ):
        results = replace(example, stores=[replace(store, divergences=[replace(one, sequence=sequence)])])
        labels = parsed(results)["file.html"].xpath("//label[@class='fold']")
        assert [(words_of(label), label.find("input").get("checked") is not None) for label in labels] == wanted
    style = html.sources(html.STYLES)
    for kind in ("set-up", "probe"):
        assert f".fold-{kind}:not(:checked)) tr.{kind}" in style


def test_changes_keep_their_signs() -> None:
    assert divergences.change_view("+ /a/") == divergences.ChangeView("added", "+", "/a/")
    assert divergences.change_view("~ /a") == divergences.ChangeView("changed", "~", "/a")
    assert divergences.change_view("+/a") == divergences.ChangeView("", "", "+/a")
    assert divergences.change_view("") == divergences.ChangeView("", "", "")


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
    numbers = [(row.number, row.left_out) for row in divergences.step_views(sequence, CAPS[0].steps)]
    half = CAPS[0].steps // 2
    assert numbers[half - 1 : half + 4] == [(half, 0), (0, 499 - half), (500, 0), (0, 500 - half), (1001 - half, 0)]
    assert numbers[-1] == (1000, 0)


def test_problems_stand_before_divergences(example: Results) -> None:
    store = replace(example.stores[0], problems=["the disk was full"], waiver_problems=["w1 has expired"])
    pages = parsed(replace(example, stores=[store]))
    titles = [words_of(one) for one in pages["rawlocal.html"].iter("h2")]
    assert [one for one in titles if one != "Keys"][:3] == ["Not judged", "Waivers that fail the gate", "Divergences"]
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
    assert options.option_view("fs.contract.x", record).state == state


def test_share_of_the_bound(example: Results) -> None:
    explorers = [
        ExplorerRecord("e", 5, 9, 1.0, 5, 40),
        ExplorerRecord("f", 5, 9, 1.0),
        ExplorerRecord("g", 0, 0, 0.0, 0, 0),
    ]
    store = replace(example.stores[0], explorers=explorers)
    page = parsed(replace(example, stores=[store]))["rawlocal.html"]
    shares = [row[5] for row in rows(section(page, "Explorers").find(".//table"))]
    assert shares[1:] == ["12.5 %: 5 of 40", "no bound", "no bound"]


def test_one_cause_is_one_entry_with_its_operations(example: Results) -> None:
    """Thirty operations that refuse a colon are one entry, at the most serious of them; the others are folded there."""
    store = example.stores[2]
    first = replace(store.divergences[0], cause="")
    shared = [
        replace(first, signature=f"{name} refused", operation=name, cause="E for a colon in a name")
        for name in ("append", "create", "open")
    ]
    page = parsed(replace(example, stores=[replace(store, divergences=[first, *shared])]))["hdfs.html"]
    assert len(page.xpath("//div[@class='group']/article")) == 2
    (alike,) = page.xpath("//details[@class='alike']")
    assert words_of(alike.xpath("./summary")[0]) == (
        "The same cause, E for a colon in a name: 2 more divergences in create, open"
    )
    assert len(alike.xpath("./article")) == 2
    listed = [words_of(item) for item in page.xpath("//nav[@class='side']//li") if "refused" in words_of(item)]
    assert len(listed) == 1 and listed[0].endswith("and 2 more of this cause")


def test_what_was_planned_and_what_a_budget_cut_off_is_shown(example: Results) -> None:
    explorers = [
        ExplorerRecord("witnesses", 1250, 9, 1.0, 1250, 1250, planned=1250),
        ExplorerRecord("hypothesis a", 5, 9, 1.0, planned=1000),
        ExplorerRecord("endless", 7, 9, 1.0),
    ]
    cut_off = ["hypothesis a: 5 of 1000 programs were run", "<b> & co."]
    store = replace(example.stores[0], explorers=explorers, cut_off=cut_off)
    page = parsed(replace(example, stores=[store]))["rawlocal.html"]
    table = list(rows(section(page, "Explorers").find(".//table")))
    assert [row[1:3] for row in table] == [
        ["Planned", "Programs run"],
        ["1,250", "1,250"],
        ["1,000", "5"],
        ["no number", "7"],
    ]
    assert [words_of(one) for one in section(page, "Cut off by the budget").iter("li")] == cut_off
    whole = parsed(replace(example, stores=[replace(store, cut_off=[])]))["rawlocal.html"]
    assert "Cut off" not in words_of(whole)
