"""Text from a store, made safe to look at: nothing hidden, nothing that moves other text, nothing endless.

A character that has no ink of its own, or that changes how its neighbours are drawn, is shown as its escape, as
``\\u202e``: control and format characters, text direction marks, spaces other than U+0020, combining marks, lone
surrogates, characters that Unicode has not assigned. So the two forms of an accented letter can be told apart too.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from itertools import groupby
from urllib.parse import quote

from markupsafe import Markup, escape

from fsconform.reports.escaping import escape as escape_of
from fsconform.reports.escaping import is_plain

LONGEST = 2_000
"""Characters of one text that a report shows."""
LONGEST_BLOCK = 20_000
"""Characters of one stack trace or of the lines of a log that a report shows."""

LONGEST_RUN = 40
"""From so many on, ``brief`` gives the same character again and again as its number."""

LONGEST_IN_TEXT = 100
"""Characters in a row without a space or a slash that a terminal shows: the names of Java's classes have fewer."""
_HEAD, _TAIL = 24, 8
_LONG = re.compile(rf"[^\s/()\[\],;]{{{LONGEST_IN_TEXT + 1},}}")

_RUN = re.compile(rf"(.)\1{{{LONGEST_RUN - 1},}}", re.DOTALL)
_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_NAME = 60


def _pieces(text: str, keep: str) -> list[tuple[bool, str]]:
    """The text in order: (True, characters as they are) and (False, escapes)."""
    if text.isascii() and text.isprintable():
        return [(True, text)]
    runs = groupby(text, lambda character: character in keep or is_plain(character))
    return [(plain, "".join(run if plain else map(escape_of, run))) for plain, run in runs]


def cut(text: str, longest: int) -> tuple[str, str]:
    """The beginning of a text, and a note of what is left out, empty if nothing is."""
    if len(text) <= longest:
        return text, ""
    return text[:longest], f" [… {len(text) - longest:,} more characters, not shown]"


def visible(text: str, longest: int = LONGEST, keep: str = "") -> str:
    """The text with escapes in place of what can't be seen, cut if it is long; characters in ``keep`` stay."""
    head, note = cut(text, longest)
    return "".join(piece for _, piece in _pieces(head, keep)) + note


def short(text: str, at_most: int) -> str:
    """As ``visible``, for a label: no longer than so many characters, with an ellipsis where something is left out."""
    told = visible(text, at_most)
    return told if len(told) <= at_most else visible(text, at_most * 8)[: at_most - 1] + "…"


def short_names(text: str) -> str:
    """The text with the beginning, the length and the end in place of names that are too long to read."""
    return _LONG.sub(lambda found: f"{found[0][:_HEAD]}…({len(found[0]):,} characters)…{found[0][-_TAIL:]}", text)


def shown(text: str, longest: int = LONGEST, keep: str = "") -> Markup:
    """As ``visible``, as HTML in which escapes can be told from a text that has the same letters."""
    head, note = cut(text, longest)
    html = [
        escape(piece) if plain else Markup('<span class="esc">{}</span>').format(piece)
        for plain, piece in _pieces(head, keep)
    ]
    if note:
        html.append(Markup('<em class="cut">{}</em>').format(note))
    return Markup("").join(html)


def brief(text: str, longest: int = LONGEST) -> Markup:
    """As ``shown``, with a character that stands many times in a row given once, with its number."""
    html, at = [], 0
    # Only the part that can be shown is searched.
    while longest > 0 and (run := _RUN.search(text, at, at + longest + LONGEST_RUN)):
        character, before = run[1], text[at : run.start()]
        if len(before) > longest:
            break
        at = run.start()
        count = len(text) - at - len(text[at:].lstrip(character))
        told = f"{visible(character)} × {count:,}"  # noqa: RUF001
        html += [shown(before), Markup('<span class="esc run">{}</span>').format(told)]
        longest -= len(before) + len(told)
        at += count
    return Markup("").join([*html, shown(text[at:], max(longest, 0))])


def block(text: str, longest: int = LONGEST_BLOCK) -> Markup:
    """As ``shown``, for text of several lines."""
    return shown(text.replace("\r\n", "\n"), longest, keep="\n\t")


def dotted(text: str) -> Markup:
    """As ``shown``, with leave to break the line after each dot."""
    return Markup(".<wbr>").join(shown(part, LONGEST // 4) for part in text.split(".", 20))


def digest(text: str) -> str:
    """Ten hexadecimal digits that stay the same for the same text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:10]


def slug(text: str) -> str:
    """Something like the text, fit for a file name, an id or a URL: ASCII letters, digits, ``.``, ``_`` and ``-``."""
    return _NAME.sub("-", text[:_LONGEST_NAME]).strip("-.")


def divergence_id(operation: str, signature: str) -> str:
    """The id of a divergence in a page: it depends on the signature only, so a pasted link holds from run to run."""
    return f"d-{slug(operation) or 'operation'}-{digest(signature)}"


def distinct(ids: Sequence[str]) -> list[str]:
    """The same ids with a number added to each that was there before."""
    found: list[str] = []
    for one in ids:
        number, candidate = 1, one
        while candidate in found:
            number += 1
            candidate = f"{one}-{number}"
        found.append(candidate)
    return found


def page_names(stores: Sequence[str]) -> list[str]:
    """A file name for each store's page: no two alike, also where case does not count, and none of them the index."""
    found: list[str] = []
    taken = {"index.html"}
    for number, store in enumerate(stores):
        name = slug(store)
        page = f"{name}.html"
        if name != store or not name or page.lower() in taken:
            page = f"{name or 'store'}-{digest(store)}.html"
        if page.lower() in taken:
            page = f"{name or 'store'}-{digest(store)}-{number}.html"
        taken.add(page.lower())
        found.append(page)
    return found


def relative_link(path: str) -> str:
    """The URL, from a page in ``report/``, of a file of the run; empty unless the path is one below ``replays/``."""
    parts = path.split("/")
    if (
        parts[0] != "replays"
        or len(parts) < 2
        or any(part in ("", ".", "..") or "\\" in part or not part.isprintable() for part in parts)
    ):
        return ""
    return "../" + "/".join(quote(part, safe="") for part in parts)
