"""Links to the published specification: for every clause of a document that a release has, and for no other."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

import pytest

from fsconform.records.published import HDFS_HOME, HOME, LONGEST, page_of
from fsconform.specs.catalogue import catalogue

UNPUBLISHED = {"rename.md", "trashpolicy.md"}


def test_each_clause_of_a_published_document_has_its_page_and_section() -> None:
    for clause in catalogue().values():
        page = page_of(clause.source)
        is_due = clause.document.endswith(".md") and clause.document not in UNPUBLISHED
        assert bool(page) == is_due, clause.id
        if is_due:
            home = HDFS_HOME if clause.document.startswith("Hdfs") else HOME
            assert page.startswith(f"{home}{clause.document.removesuffix('.md')}.html")
            heading = unquote(urlsplit(page).fragment.removeprefix(":~:text="))
            assert heading == clause.section[:LONGEST]


@pytest.mark.parametrize(
    "source",
    [
        "",
        "javascript:alert(1)//.md",
        "../filesystem.md",
        "filesystem.md.md",
        "filesystem",
        "a/filesystem.md, x",
        "\ud800",
    ],
)
def test_no_other_text_is_linked(source: str) -> None:
    assert not page_of(source)


def test_a_section_says_nothing_but_text() -> None:
    page = page_of('filesystem.md, "><script>alert(1)</script>-a&text=b\ud800' + "x" * 1000)
    assert page.startswith(f"{HOME}filesystem.html#:~:text=%22%3E%3Cscript")
    assert not set(page.removeprefix(HOME)) & set("<>\"'&- ") and len(page) < 6 * LONGEST
