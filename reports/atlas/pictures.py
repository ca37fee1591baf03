"""A small picture of one entry, to be embedded elsewhere: how many clauses stand with which verdict, as SVG."""

from __future__ import annotations

from html import escape

from fsconform.reports.atlas.views import Column
from fsconform.reports.visible import short

WIDTH, BAR = 320, 10
COLOURS = {
    "violation": "#9f1520",
    "declared-false": "#93370d",
    "undeclared": "#7a4d00",
    "waived": "#4a525c",
    "deviation": "#8a8a1c",
    "declared": "#1a4f8f",
    "inconclusive": "#59318c",
    "conforms": "#175c33",
}


def picture(column: Column) -> bytes:
    """The picture in UTF-8: name, date, a bar, and the numbers in words, so that colour never says it alone."""
    counts = column.counts
    total = max(sum(counts.values()), 1)
    title = escape(short(f"{column.entry.store}, {column.entry.release}", 48))
    says = escape(", ".join(f"{number} {verdict}" for verdict, number in counts.items()) or "nothing judged")
    parts, at = [], 0.0
    for verdict, number in reversed(counts.items()):
        width = WIDTH * number / total
        parts.append(f'<rect x="{at:.1f}" y="26" width="{width:.1f}" height="{BAR}" fill="{COLOURS[verdict]}"/>')
        at += width
    date = escape(short(column.entry.origin.date, 12))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="56" viewBox="0 0 {WIDTH} 56" role="img" '
        f'aria-label="{title}: {says}">\n<title>{title}: {says}</title>\n'
        f'<rect width="{WIDTH}" height="56" fill="#fff"/>\n'
        f'<g font-family="Verdana,DejaVu Sans,sans-serif" fill="#1b1f24"><text y="16" font-size="13">{title}</text>'
        f'<text x="{WIDTH}" y="16" font-size="10" text-anchor="end">{date}</text>'
        f'<text y="50" font-size="9">{says}</text></g>\n{"".join(parts)}\n</svg>\n'
    ).encode()
