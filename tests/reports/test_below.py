"""Both layers of a divergence, as the page of a store and the terminal tell them."""

from __future__ import annotations

import dataclasses
from typing import Any

import lxml.html
from rich.console import Console

from fsconform.records.results import BelowRecord, Results
from fsconform.reports import html, words
from fsconform.reports.junit import as_text
from fsconform.reports.text import summary


def texts_of(results: Results) -> str:
    """What a terminal shows."""
    console = Console(width=400)
    with console.capture() as captured:
        summary(results, console)
    return captured.get()


def test_the_page_has_the_calls_and_beside_them_the_bucket(layered: Results) -> None:
    store = layered.stores[0]
    page: Any = lxml.html.document_fromstring(html.pages(layered)[f"{store.name}.html"])
    (section,) = page.xpath("//section[@class='below']")
    both, requests = section.xpath(".//table")
    rows = [[" ".join(cell.text_content().split()) for cell in row] for row in both.xpath(".//tbody/tr")]
    calls = [step.call for step in store.divergences[0].sequence]
    assert [row[1].removesuffix(" ◀ diverges") for row in rows] == calls
    assert [row[3:] for row in rows] == [
        ["+added a", "a, 3 bytes"],
        ["+added a/b a stream is open", "a, 3 bytesa/b, 1 byte"],
        ["-removed a-removed a/b", "none"],
    ]
    assert [row[1].text_content().strip() for row in requests.xpath(".//tbody/tr")] == [
        "PutObject('a', 3 bytes)",
        "ListObjectsV2() ◀ diverges",
    ]
    told = " ".join(section.text_content().split())
    assert "the store below broke ListObjectsV2.all-keys" in told
    assert "After step 2, in what the connector left: ListObjectsV2() had to list 'a/b'; it is missing" in told


def test_the_terminal_says_which_layer_departs(layered: Results) -> None:
    assert "below     the store below broke ListObjectsV2.all-keys" in texts_of(layered)
    told = as_text(layered.stores[0].divergences[0])
    assert "both layers: below, step 2, in what the connector left: ListObjectsV2()" in told


def test_what_was_not_seen_is_not_called_kept(layered: Results) -> None:
    below = layered.stores[0].divergences[0].below
    assert below is not None
    kept = dataclasses.replace(below, verdict="kept", breaches=[])
    assert words.below(kept) == "the store below kept its clauses in 74 answers: nothing there explains the divergence"
    unknown = BelowRecord("", "not known", note="it does not answer")
    assert words.below(unknown) == "nothing is known of the store below: it does not answer"
    assert words.below_lines(dataclasses.replace(kept, shown=False))[0].startswith("the divergence was not shown")
