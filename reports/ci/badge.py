"""A badge: one SVG that says whether the stores of a run pass. Nothing of a store's own text is in it."""

from __future__ import annotations

from html import escape

from fsconform.records.results import Results
from fsconform.reports import words

LABEL = "Hadoop FileSystem"
COLOURS = {"passes": "#2d7d32", "fails": "#b3261e", "inconclusive": "#6b6b6b"}
WIDTH = 6.6
"""Pixels of a character of 11 px Verdana, on the average, with room."""


def badge(results: Results) -> bytes:
    """The badge in UTF-8: passes, the number of divergences that fail, or inconclusive."""
    states = {words.gate(store).state for store in results.stores} or {"inconclusive"}
    state = next(state for state in ("fails", "inconclusive", "passes") if state in states)
    number = sum(words.fails(one) for store in results.stores for one in store.divergences)
    says = words.plural(number, "divergence") if state == "fails" and number else state
    left, right = (round(len(text) * WIDTH) + 12 for text in (LABEL, says))
    return _SVG.format(
        width=left + right,
        left=left,
        right=right,
        at=left / 2,
        beside=left + right / 2,
        label=escape(LABEL),
        says=escape(says),
        colour=COLOURS[state],
    ).encode()


_SVG = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="{label}: {says}">
<title>{label}: {says}</title>
<rect width="{left}" height="20" fill="#444"/><rect x="{left}" width="{right}" height="20" fill="{colour}"/>
<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
<text x="{at:g}" y="14">{label}</text><text x="{beside:g}" y="14">{says}</text></g></svg>
"""
