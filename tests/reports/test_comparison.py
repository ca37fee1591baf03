"""The comparison of two runs, as text and as a page: what is told, and that a hostile store's text stays text."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from typing import Any

import lxml.html
import pytest
from rich.console import Console

from fsconform.records.comparison import Comparison, compare
from fsconform.records.results import OptionRecord, Results
from fsconform.reports import html
from fsconform.reports.caps import PAGE_AT_MOST
from fsconform.reports.comparison_html import page
from fsconform.reports.comparison_text import show
from fsconform.reports.visible import visible

Element = Any
TAGS = set(
    re.findall(
        r"\w+",
        "html head meta title style script body h1 h2 h3 main section table thead tbody tr th td a p ul li dl dt dd "
        "div span code strong br wbr em details summary nav header footer dialog kbd label input button",
    )
)


def less(results: Results, suffix: str = "") -> Results:
    """The results without divergences, with other versions, options and clauses."""
    option = OptionRecord(True, "conflict", "", False)
    stores = [
        replace(
            one, divergences=[], versions={"hadoop": "1" + suffix}, options={"o" + suffix: option}, clauses={"c": 1}
        )
        for one in results.stores
    ]
    return replace(results, stores=stores, run=replace(results.run, versions={"python": "2" + suffix}))


def tree_of(comparison: Comparison) -> Element:
    """The page as a tree."""
    return lxml.html.document_fromstring(page(comparison))


def text_of(comparison: Comparison) -> str:
    out = io.StringIO()
    show(comparison, Console(file=out, width=400))
    return out.getvalue()


def test_both_tell_what_is_new_gone_changed_and_moved(example: Results) -> None:
    first = example.stores[0].divergences[0]
    for before, after, how in ((less(example), example, "new"), (example, less(example), "gone")):
        found = compare(before, after)
        text, shown = text_of(found), tree_of(found).text_content()
        assert f"rawlocal: {how}: violation: {first.signature}" in text
        assert "the other run did not judge this clause" in text and "the other run did not judge this clause" in shown
        assert first.signature in " ".join(shown.split())
        for told in ("python", "hadoop", "conflict"):
            assert told in text and told in shown
    failing = "findings fail that did not fail before."
    assert failing in text_of(compare(less(example), example)) and failing in page(compare(less(example), example))
    assert "Nothing fails that did not fail before." in text_of(compare(example, less(example)))


def test_a_change_of_verdict_is_told_with_both(example: Results) -> None:
    store = example.stores[0]
    waived = replace(store, divergences=[replace(store.divergences[0], verdict="waived", steps=7)])
    found = compare(replace(example, stores=[waived]), replace(example, stores=[replace(store)]), ["rawlocal"])
    assert "verdict waived -> violation" in text_of(found)
    (row,) = tree_of(found).xpath("//tr[contains(., 'waived')]")
    assert "fails anew" in row.text_content()


@pytest.mark.parametrize("way", [0, 1])
def test_hostile_text_stays_text(hostile: Results, example: Results, attacks: tuple[str, ...], way: int) -> None:
    clean, poisoned = less(example, "".join(attacks)), hostile
    found = compare(clean, poisoned) if way else compare(poisoned, clean)
    text = page(found)
    tree: Element = lxml.html.document_fromstring(text)
    assert {one for one in text if not one.isprintable()} <= {"\n", "\t"}
    text.encode("utf-8")
    for element in tree.iter():
        assert isinstance(element.tag, str) and element.tag in TAGS
        assert not [name for name in element.attrib if name.startswith("on") or name in ("style", "src")]
        assert element.get("href", "#").startswith("#")
    scripts = [script.text for script in tree.iter("script")]
    assert scripts == [html.sources([name]) for name in html.SCRIPTS]
    assert "1337" not in tree.find("body").text_content(), "a template was evaluated twice"
    shown = tree.find("body").text_content()
    assert all(visible(attack).rstrip() in shown for attack in attacks)
    out = text_of(found)
    assert {one for one in out if not one.isprintable()} <= {"\n"}


def test_the_page_asks_for_nothing_and_has_no_broken_link(example: Results) -> None:
    text = page(compare(less(example), example))
    tree: Element = lxml.html.document_fromstring(text)
    assert tree.xpath("//meta[@http-equiv='Content-Security-Policy']")
    ids = tree.xpath("//@id")
    assert len(ids) == len(set(ids))
    assert all(href.removeprefix("#") in ids for href in tree.xpath("//a/@href"))


def test_a_store_that_breaks_everything_makes_no_endless_page(example: Results) -> None:
    store = example.stores[0]
    one = store.divergences[0]
    many = [replace(one, signature=f"{number} " + "x" * 900) for number in range(3000)]
    after = replace(example, stores=[replace(store, divergences=many)])
    found = compare(replace(example, stores=[replace(store, divergences=[])]), after)
    text = page(found)
    assert len(text.encode()) <= PAGE_AT_MOST
    assert "more, not shown" in text
    assert "3,000, of which the first 40 follow" in text_of(found)
