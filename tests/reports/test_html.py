"""The pages: complete, and correct as documents."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import lxml.html
import pytest

from fsconform.records import published
from fsconform.records.results import Results
from fsconform.reports import html, words
from fsconform.reports.visible import divergence_id

VOID = {"meta", "link", "br", "wbr", "img", "input", "hr"}
Element = Any
"""An element of lxml: its stubs say little of what XPath gives."""
PALETTE = html.sources(["palette.css"])


def parsed(results: Results) -> dict[str, Element]:
    """All pages as trees."""
    return {name: lxml.html.document_fromstring(text) for name, text in html.pages(results).items()}


def words_of(element: Element) -> str:
    """The text of an element with single spaces."""
    return " ".join(element.text_content().split())


def test_every_link_leads_somewhere(example: Results, tmp_path: Path) -> None:
    index = html.write_report(example, tmp_path)
    assert index == tmp_path / "report" / "index.html"
    for store in example.stores:
        for one in store.divergences:
            (tmp_path / one.replay).parent.mkdir(exist_ok=True)
            (tmp_path / one.replay).touch()
            if one.test:
                (tmp_path / one.test).touch()
    pages = {path: lxml.html.parse(path).getroot() for path in index.parent.iterdir()}
    assert {path.name for path in pages} == {"index.html", "rawlocal.html", "file.html", "hdfs.html"}
    seen = set()
    for path, page in pages.items():
        for link in page.iter("a"):
            if link.get("href").startswith(published.HOME):
                seen.add("the specification")
                continue
            target, _, anchor = link.get("href").partition("#")
            file = (path.parent / unquote(target)).resolve() if target else path
            assert file.is_file(), link.get("href")
            if anchor:
                assert anchor in pages[file].xpath("//@id"), link.get("href")
            seen.add(file.suffix)
        for names in page.xpath("//@aria-labelledby | //@aria-describedby"):
            assert set(names.split()) <= set(page.xpath("//@id"))
    assert seen == {".html", ".json", ".py", "the specification"}


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
        assert page.get_element_by_id(expected).tag == "article"


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
        levels = [int(one.tag[1]) for one in page.iter("h1", "h2", "h3", "h4", "h5")]
        assert levels[0] == 1 and levels.count(1) == 1
        assert all(after <= before + 1 for before, after in pairwise(levels))
        assert all(one.get("scope") in ("row", "col", "rowgroup") for one in page.iter("th"))
        assert all(table.xpath("./thead//th") and table.xpath("./tbody/tr") for table in page.iter("table"))
        skip = page.find("body")[0]
        assert skip.get("class") == "skip" and page.xpath(f"//main[@id='{skip.get('href')[1:]}']")


def test_verdicts_are_said_in_words(example: Results) -> None:
    """Never by colour or sign alone."""
    for page in parsed(example).values():
        parts = [f"contains(concat(' ', @class, ' '), ' {name} ')" for name in ("badge", "count", "mark")]
        badges = page.xpath(f"//*[{' or '.join(parts)}]")
        assert badges
        for badge in badges:
            (name,) = [one for one in badge.get("class").split() if one.startswith(("v-", "gate-"))]
            assert name.partition("-")[2] in words_of(badge)
        for link in page.xpath("//nav[@class='side']//a[starts-with(@class, 'v-')]"):
            assert words_of(link).split(":")[0].endswith(link.get("class")[2:])


def palette(scheme: int) -> dict[str, float]:
    """The relative luminance of each colour in the light scheme, 0, or in the dark one, 1."""
    found = {}
    for name, *schemes in re.findall(r"--([a-z-]+): light-dark\(#([0-9a-f]{6}), #([0-9a-f]{6})\)", PALETTE):
        digits = schemes[scheme]
        parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
        r, g, b = (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts)
        found[name] = 0.2126 * r + 0.7152 * g + 0.0722 * b
    return found


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_contrast_is_enough(scheme: int) -> None:
    """WCAG 2.2, AA: 4.5 to 1 for text, in both schemes, also on marked rows and on the segments of plots."""
    luminance = palette(scheme)
    assert PALETTE.count("light-dark(") == len(luminance)
    pairs = [(ink, paper) for ink in ("ink", "muted", "link") for paper in ("paper", "raised", "marked")]
    pairs += [(ink, f"{back}-paper") for ink in ("ink", "muted") for back in ("violation", "undeclared")]
    pairs += [(verdict, f"{verdict}-paper") for verdict in words.SEVERITY]
    pairs += [(verdict, "paper") for verdict in words.SEVERITY] + [("escape", "escape-paper")]
    pairs += [(change, "marked") for change in ("conforms", "violation", "undeclared")]
    pairs += [(verdict, "raised") for verdict in ("violation", "conforms", "inconclusive")]
    for ink, paper in pairs:
        high, low = sorted((luminance[ink], luminance[paper]), reverse=True)
        assert (high + 0.05) / (low + 0.05) >= 4.5, (ink, paper)
    for line in ("link", "focus"):
        high, low = sorted((luminance[line], luminance["paper"]), reverse=True)
        assert (high + 0.05) / (low + 0.05) >= 3, line


def test_same_results_same_bytes(example: Results) -> None:
    assert html.pages(example) == html.pages(example)


def test_records_of_older_runs_make_pages(example: Results) -> None:
    """Which name no area, no test and no block, and tell neither coverage nor sessions."""
    stores = [
        replace(
            store,
            divergences=[replace(one, area="", test="", waiver_block="") for one in store.divergences],
            statement="",
            sessions=0,
            starting_seconds=0.0,
            store_wall_seconds=0.0,
            coverage=[],
        )
        for store in example.stores
    ]
    pages = parsed(replace(example, stores=stores))
    for page in pages.values():
        text = words_of(page.find("body"))
        assert "How coverage grew" not in text and "Runnable test" not in text and "Waiver block" not in text
    assert "not known" in words_of(pages["index.html"])
    assert "Sessions" not in words_of(pages["file.html"]) and "of wall time" not in words_of(pages["file.html"])
