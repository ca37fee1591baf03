"""A store that breaks everything makes no page that a browser can't open."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import lxml.html
import pytest

from fsconform.records.results import Divergence, Results
from fsconform.reports import html
from fsconform.reports.caps import IN_FULL, PAGE_AT_MOST

Element = Any
"""An element of lxml: its stubs say little of what XPath gives."""
MANY = 700


def words_of(element: Element) -> str:
    """The text of an element with single spaces."""
    return " ".join(element.text_content().split())


def broken(example: Results, one: Divergence, many: int) -> Results:
    """The example with a store in which everything is broken."""
    store = example.stores[1]
    divergences = [
        replace(one, signature=f"{one.operation} ({number}) broke", count=number + 1) for number in range(many)
    ]
    return replace(example, stores=[example.stores[0], replace(store, divergences=divergences), example.stores[2]])


def long_program(one: Divergence, name: str) -> Divergence:
    """A divergence with a program of 60 steps on files of a name."""
    step = one.sequence[0]
    steps = [
        replace(step, call=f"create(/{name}/{number})", observed=f"raised X: {name}", changed=(f"+ /{name}",))
        for number in range(59)
    ]
    marked = replace(step, call=f"rename(/{name}, /b)", marked=True, setup=False)
    program = [{"op": "create", "path": f"/{name}", "content": [], "overwrite": False}] * 60
    return replace(one, sequence=[*steps, marked], program=program, observed=f"raised X: {name}", logs=[name] * 200)


@pytest.mark.parametrize(
    "name",
    ["file", "<&\u202e\"'>" * 40, "\u202ea" * 2000, "n" * 255, "&" * 100_000],
    ids=["plain", "hostile", "escapes between letters", "long", "giant"],
)
def test_pages_stay_small(example: Results, name: str) -> None:
    """Hundreds of divergences with programs of 60 steps; what is left out is counted, and its first one is shown."""
    results = broken(example, long_program(example.stores[1].divergences[0], name), MANY)
    pages = html.pages(results)
    for file, text in pages.items():
        assert len(text.encode()) <= PAGE_AT_MOST, file
    page: Element = lxml.html.document_fromstring(pages["file.html"])
    index: Element = lxml.html.document_fromstring(pages["index.html"])
    shown = len(page.xpath("//article[@data-step]"))
    assert 5 <= shown <= IN_FULL
    assert f"{MANY - shown} more, not shown in full" in words_of(page)
    for link in index.xpath("//a[starts-with(@href, 'file.html#')]/@href"):
        assert link.partition("#")[2] in page.xpath("//@id"), link
    assert page.xpath("//tr[@class='marked']")
    assert set(page.xpath("//@aria-labelledby")[0].split()) <= set(page.xpath("//@id"))


def test_other_stores_keep_their_pages(example: Results) -> None:
    """One store that breaks everything takes nothing from the others."""
    results = broken(example, long_program(example.stores[1].divergences[0], "<&\u202e>" * 60), MANY)
    assert html.pages(results)["rawlocal.html"] == html.pages(example)["rawlocal.html"]


def test_ordinary_pages_are_shown_with_the_widest_caps(example: Results) -> None:
    pages = html.pages(example)
    assert max(len(text) for text in pages.values()) < 250_000
    page: Element = lxml.html.document_fromstring(pages["file.html"])
    assert len(page.xpath("//article[@data-step]")) == len(example.stores[1].divergences)


def test_giant_texts_are_cut_with_a_note(example: Results) -> None:
    """Names, stacks and logs of a megabyte each."""
    one = example.stores[1].divergences[0]
    giant = "ab" * 500_000
    step = replace(one.sequence[0], call=giant, observed=giant, changed=(giant,), marked=True)
    big = replace(one, stack=giant, observed=giant, message=giant, logs=[giant] * 3, sequence=[step] * 100)
    pages = html.pages(broken(example, big, 120))
    assert all(len(text.encode()) <= PAGE_AT_MOST for text in pages.values())
    page: Element = lxml.html.document_fromstring(pages["file.html"])
    assert "more characters, not shown]" in words_of(page)
