"""The comparison of two runs as one HTML page, in the style of the reports and as safe as they are."""

from __future__ import annotations

from fsconform.records.comparison import Comparison
from fsconform.reports import comparison_words
from fsconform.reports.caps import INDEX_CAPS, PAGE_AT_MOST
from fsconform.reports.html import make_environment


def page(comparison: Comparison) -> str:
    """The page. Where a table would make it larger than PAGE_AT_MOST bytes, its further rows are only counted."""
    environment = make_environment()
    environment.filters.update(changes=comparison_words.changes_of, moves=comparison_words.moves_of)
    template = environment.get_template("comparison.html")
    text = ""
    for caps in INDEX_CAPS:
        text = template.render(comparison=comparison, outcome=comparison_words.outcome(comparison), caps=caps)
        if len(text.encode("utf-8")) <= PAGE_AT_MOST:
            break
    return text
