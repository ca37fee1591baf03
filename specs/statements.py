"""The statements of the specification's documents: which clause of the catalogue, or which exclusion, each belongs to.

A statement is a sentence with a normative keyword, or a line of a precondition, a postcondition or an invariant; of a
document of prose, which promises without keywords, it is every sentence. The documents' text is not kept: a statement
is known by the digest of its words, its section and its keyword. ``tools/statements.py`` reads the documents and
compares.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from fsconform.specs.prose import prose_digest, sentences

_UPPER = r"MUST NOT|MUST|SHALL NOT|SHALL|SHOULD NOT|SHOULD|REQUIRED|RECOMMENDED|MAY|OPTIONAL|UNDEFINED"
_LOWER = r"must not|must never|must|shall not|shall|should not|should|may not|may|undefined|cannot|never"
_KEYWORD = re.compile(rf"\b(?:(?P<upper>{_UPPER})|(?P<lower>{_LOWER}))\b")
_HEADING = re.compile(r"^(#{1,6})\s*(.+?)\s*#*$")
_FENCE = re.compile(r"^\s*(```|~~~)")
_CONDITION = re.compile(r"pre-?\s?conditions?|post-?\s?conditions?|invariants?|implementation notes?", re.IGNORECASE)
_FORMULA = re.compile(r"\braise\b|\bresult\s*=|^\s*FS'|'\s*=|\bforall\b|\bexists\b.*\bin\b")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_SENTENCE = re.compile(r"(?<=[.;!?])\s+(?=[A-Z`*(\[])")


PROSE = "prose"
"""The keyword of each sentence of a document that promises without keywords."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a document. ``keyword`` is as written, ``formula`` for a line of mathematics, or ``PROSE``."""

    document: str
    section: str
    keyword: str
    digest: str
    text: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Mapping:
    """What became of a statement: the clauses that say it, or why it is no clause."""

    document: str
    section: str
    keyword: str
    digest: str
    clauses: tuple[str, ...]
    excluded: str


def digest_of(text: str, section: str) -> str:
    """Twelve hexadecimal digits for a statement's words where they stand; line breaks and marks play no part."""
    words = re.findall(r"[a-z0-9_']+", f"{section} | {text}".lower())
    return hashlib.sha256(" ".join(words).encode()).hexdigest()[:12]


def extract(document: str, text: str) -> list[Statement]:
    """All normative statements of a document in Markdown, or all sentences of one of prose, each once, in its order."""
    if document in prose_headings():
        return _extract_prose(document, text)
    found: dict[str, Statement] = {}
    for section, line, chunk, formula in _chunks(text):
        for sentence in (chunk,) if formula else _SENTENCE.split(chunk):
            keyword = _keyword(sentence, section, formula)
            if keyword:
                digest = digest_of(sentence, section)
                found.setdefault(digest, Statement(document, section, keyword, digest, sentence.strip(), line))
    return list(found.values())


def _extract_prose(document: str, text: str) -> list[Statement]:
    found: dict[str, Statement] = {}
    for section, line, sentence in sentences(text, prose_headings()[document]):
        digest = prose_digest(sentence)
        found.setdefault(digest, Statement(document, section, PROSE, digest, sentence, line))
    return list(found.values())


def _keyword(sentence: str, section: str, formula: bool) -> str:
    if not re.search(r"\w", sentence):
        return ""
    match = _KEYWORD.search(re.sub(r"[*_]", "", sentence))
    if formula:
        conditional = _CONDITION.search(section) or _FORMULA.search(sentence)
        return (match["upper"] if match and match["upper"] else "formula") if conditional or match else ""
    return match.group() if match else ""


def _chunks(text: str) -> Iterator[tuple[str, int, str, bool]]:
    """Section, line number, text and whether it is code: a paragraph, an item, a row of a table, a line of code."""
    headings: list[str] = []
    held: list[str] = []
    start = 0
    fenced = code = False

    def flush() -> Iterator[tuple[str, int, str, bool]]:
        if held:
            yield " > ".join(headings[-2:]), start, " ".join(part.strip() for part in held), code
            held.clear()

    for number, line in enumerate(_COMMENT.sub(_blank, text).splitlines(), 1):
        if _FENCE.match(line):
            yield from flush()
            fenced = code = not fenced
            continue
        if not fenced and line.strip() and not held:
            code = line.startswith("    ") and not _ITEM.match(line)
        heading = None if fenced else _HEADING.match(line)
        if heading:
            yield from flush()
            del headings[len(heading[1]) - 1 :]
            headings.extend([""] * (len(heading[1]) - 1 - len(headings)))
            headings.append(re.sub(r"<[^>]*>|[`*]", "", heading[2]).strip())
            continue
        new = not line.strip() or (_begins(line, held) if code else bool(_ITEM.match(line)) or line.startswith("|"))
        if new:
            yield from flush()
        if line.strip() and not (code and line.strip().startswith("#")):
            if not held:
                start = number
            held.append(_ITEM.sub("", line) if not code else line)
    yield from flush()


def _blank(match: re.Match[str]) -> str:
    return "\n" * match.group().count("\n")


def _begins(line: str, held: list[str]) -> bool:
    """True if a line of code begins a statement: it is not indented deeper than the one before began."""
    if not held:
        return True
    indent, first = len(line) - len(line.lstrip()), len(held[0]) - len(held[0].lstrip())
    return indent <= first and not re.match(r"\s*(and|or|else|where|=|:|\)|\]|\})", line)


@cache
def _tables() -> dict[str, dict[str, Any]]:
    """The files of rows by their names."""
    folder = resources.files("fsconform.specs") / "statements"
    entries = sorted((one for one in folder.iterdir() if one.name.endswith(".toml")), key=lambda one: one.name)
    return {entry.name: tomllib.loads(entry.read_text("utf-8")) for entry in entries}


@cache
def prose_headings() -> dict[str, tuple[str, ...]]:
    """The documents of prose, and the headings of each."""
    return {table["document"]: tuple(table["headings"]) for table in _tables().values() if table.get("prose")}


@cache
def mappings() -> tuple[Mapping, ...]:
    """What each statement became, in the order of the documents. Raises ValueError naming a broken row."""
    found = []
    for name, table in _tables().items():
        reasons = table.get("exclusions", {})
        for row in table["statement"]:
            clauses, reason = tuple(row.get("clauses", ())), row.get("excluded", "")
            if bool(clauses) is bool(reason) or (reason and reason not in reasons):
                raise ValueError(f"{name}: the row {row.get('digest')} needs clauses, or an exclusion of the list")
            found.append(
                Mapping(
                    table["document"], row["section"], row["keyword"], row["digest"], clauses, reasons.get(reason, "")
                )
            )
    return tuple(found)


def unmapped(statements: Iterable[Statement]) -> list[Statement]:
    """The statements of documents that no row speaks of."""
    known = {(one.document, one.digest) for one in mappings()}
    return [one for one in statements if (one.document, one.digest) not in known]
