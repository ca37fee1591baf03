"""What is known of a store beside what a run shows of it: which findings belong to its divergences and quirks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup

from fsconform.records import findings
from fsconform.records.findings import Finding, Seen
from fsconform.records.results import Divergence, StoreRecord
from fsconform.reports.visible import block, shown

SECTIONS = (
    ("observed", "Observed"),
    ("case_for", "For the store"),
    ("case_against", "Against it"),
    ("acceptance", "Declared or accepted"),
    ("second_way", "Second way"),
    ("fixed", "Fixed"),
)
PROGRAMS_SHOWN = 3
"""Smallest programs of one finding that a page shows."""
_WAIVED = re.compile(r"\(([\w-]+/[\w-]+), until [\d-]+\)$")
_INLINE = re.compile(r"`([^`]+)`|\[([^\]]+)\]\([^)]+\)|\*\*([^*]+)\*\*")


@dataclass(frozen=True, slots=True)
class FindingView:
    """A finding on a store's page, under the anchor ``place``: its texts, and the first of its programs."""

    finding: Finding
    place: str
    texts: list[tuple[str, Markup]]
    programs: list[tuple[Seen, str]]


def finding_of(store: StoreRecord, divergence: Divergence) -> Finding | None:
    """The finding that a divergence belongs to: its quirk's, its waiver's, or that of its signature and verdict."""
    links = {quirk.id: quirk.link for quirk in store.quirks}
    waived = _WAIVED.search(divergence.waiver)
    named = links.get(divergence.quirk) or (waived[1] if waived else "")
    if named in findings.every():
        return findings.every()[named]
    found = findings.homes().get((store.name, divergence.signature))
    return found if found is not None and found.verdict == divergence.verdict else None


def place(finding: Finding) -> str:
    """The anchor of a finding on a store's page."""
    return f"finding-{finding.id.replace('/', '-')}"


def known(store: StoreRecord, divergences: Iterable[Divergence]) -> list[FindingView]:
    """The findings that divergences of a store, and the quirks that it was judged with, belong to; each once."""
    of_quirks = (findings.every().get(quirk.link) for quirk in store.quirks if quirk.needed)
    found = [*(finding_of(store, one) for one in divergences), *of_quirks]
    once = {one.id: one for one in found if one is not None}
    return [_view(one) for one in once.values()]


def _view(finding: Finding) -> FindingView:
    texts = ((title, getattr(finding, name)) for name, title in SECTIONS)
    programs = [(one, "\n".join(one.program)) for one in findings.shown(finding)[:PROGRAMS_SHOWN]]
    return FindingView(finding, place(finding), [(title, prose(text)) for title, text in texts if text], programs)


def prose(text: str) -> Markup:
    """Markdown of a finding as HTML, everything escaped: paragraphs, blocks and names of code; of links the words."""
    parts = []
    for number, part in enumerate(re.split(r"^```(?:text)?\n(.*?)\n```$", text, flags=re.MULTILINE | re.DOTALL)):
        if number % 2:
            parts.append(Markup("<pre>{}</pre>").format(block(part)))
        else:
            parts += [Markup("<p>{}</p>").format(_inline(one.strip())) for one in part.split("\n\n") if one.strip()]
    return Markup("").join(parts)


def _inline(text: str) -> Markup:
    html, at = [], 0
    for found in _INLINE.finditer(text):
        html.append(_plain(text[at : found.start()]))
        code, words, strong = found.groups()
        kind = "code" if code else "strong" if strong else ""
        said = _plain(code or words or strong)
        html.append(Markup(f"<{kind}>{{}}</{kind}>").format(said) if kind else said)
        at = found.end()
    return Markup("").join([*html, _plain(text[at:])])


def _plain(text: str) -> Markup:
    return shown(text.replace("\n", " "), len(text))
