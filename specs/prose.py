"""Documents that promise without a keyword: a paper, a history, a page. Every sentence of theirs is a statement.

Lines, hyphens and marks play no part in what a sentence is known by, so that a text taken from a PDF can be compared.
Headings are named by the document's rows, as nothing but a reader can find them in such a text.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence

_END = re.compile(r"(?<=[A-Za-z0-9%)\]”\"'\u2019`*][.:!?])[”\")]?\s+(?=[A-Z“\"(•·*\d`>])")
_ABBREVIATED = re.compile(r"(\b([A-Z]|Fig|al|e\.g|i\.e|vs|no|vol|Proc)\.|^\W*\d+\.)$")
_LISTED = re.compile(r"^\s*(?:[•·*-]\s|\d+\.\s)")
_EXAMPLE = re.compile(r"^\s*(?:>|\d{4}-\d\d-\d\d |bin/|<\w|hadoop jar )")


def prose_digest(text: str) -> str:
    """Twelve hexadecimal digits for the letters and figures of a sentence."""
    return hashlib.sha256("".join(re.findall(r"[a-z0-9]", text.lower())).encode()).hexdigest()[:12]


def sentences(text: str, headings: Sequence[str]) -> Iterator[tuple[str, int, str]]:
    """Section, line number and text of each sentence; the lines of a printed example are one."""
    found = _heading(headings)
    section, beginning, held = "", 0, list[str]()
    for number, line in enumerate((*text.splitlines(), ""), 1):
        if held and line.strip() and (_EXAMPLE.match(line) or line.startswith(" ")):
            held.append(line)
            continue
        if held:
            yield section, beginning, " ".join(held)
            held.clear()
        if _EXAMPLE.match(line):
            beginning, held = number, [line]
            continue
        place = 0
        for match in (*found.finditer(line), None):
            part = line[place : match.start() if match else len(line)]
            yield from ((section, number, one) for one in _split(part))
            if match:
                section, place = match.group().strip(), match.end()


def _heading(headings: Sequence[str]) -> re.Pattern[str]:
    numbered = [one for one in headings if re.match(r"[A-Z]+\. ", one) or one.isupper()]
    whole = [one for one in headings if one not in numbered]
    patterns = [rf"\b{re.escape(one)}(?= )" for one in numbered] + [rf"^{re.escape(one)}\s*$" for one in whole]
    return re.compile("|".join(patterns) or r"(?!)")


def _split(text: str) -> Iterator[str]:
    """The sentences of a line. One that ends in an abbreviation goes on."""
    held = ""
    for part in _END.split(text):
        held = f"{held} {part}" if held else part
        if not _ABBREVIATED.search(held):
            yield from _worded(held)
            held = ""
    yield from _worded(held)


def _worded(text: str) -> Iterator[str]:
    stripped = _LISTED.sub("", text).strip()
    if re.search(r"[A-Za-z]{2}", stripped):
        yield stripped
