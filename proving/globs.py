"""Patterns of paths, as the Javadoc of FileSystem.globStatus has them."""

from __future__ import annotations

import re

Pattern = str | re.Pattern[str]
"""An element of a pattern: a name that is meant as it is, or an expression that names match."""


def has_magic(pattern: str) -> bool:
    """True if a pattern has a character in it that is special and not escaped."""
    return re.search(r"(?<!\\)(?:\\\\)*[*?\[{]", pattern) is not None


def parse(pattern: str, case_sensitive: bool) -> list[tuple[Pattern, ...]]:
    """The elements of each of the patterns that the braces of one stand for.

    Raises ValueError if a bracket or brace is left open.
    """
    flags = re.DOTALL if case_sensitive else re.DOTALL | re.IGNORECASE
    return [
        tuple(_element(text, flags) for text in one.split("/") if text) for one in dict.fromkeys(_alternatives(pattern))
    ]


def _alternatives(pattern: str) -> list[str]:
    """A pattern without its braces, once for each way through them."""
    start = _next(pattern, 0, "{")
    if start < 0:
        return [pattern]
    depth, parts, last, at = 1, [], start + 1, start + 1
    while depth:
        if at >= len(pattern):
            raise ValueError("a brace is left open")
        mark = pattern[at]
        if mark == "\\":
            at += 1
        elif mark == "{":
            depth += 1
        elif mark == "}":
            depth -= 1
        if (mark == "," and depth == 1) or (mark == "}" and depth == 0):
            parts.append(pattern[last:at])
            last = at + 1
        at += 1
    return [one for part in parts for one in _alternatives(pattern[:start] + part + pattern[at:])]


def _next(pattern: str, at: int, mark: str) -> int:
    """Where an unescaped character is next, outside of brackets; -1 if nowhere."""
    inside = False
    while at < len(pattern):
        if pattern[at] == "\\":
            at += 1
        elif inside:
            inside = pattern[at] != "]"
        elif pattern[at] == mark:
            return at
        else:
            inside = pattern[at] == "["
        at += 1
    return -1


def _element(text: str, flags: int) -> Pattern:
    """One element; a plain name has its escapes taken away."""
    expression, plain, at = "", "", 0
    magic = False
    while at < len(text):
        mark = text[at]
        if mark == "\\" and at + 1 < len(text):
            at += 1
            expression, plain = expression + re.escape(text[at]), plain + text[at]
        elif mark == "*" or mark == "?":
            expression, magic = expression + (".*" if mark == "*" else "."), True
        elif mark == "[":
            end = _closing(text, at)
            expression, magic = expression + _characters(text[at + 1 : end]), True
            at = end
        else:
            expression, plain = expression + re.escape(mark), plain + mark
        at += 1
    try:
        return re.compile(expression, flags) if magic else plain
    except re.error as error:
        raise ValueError(str(error)) from error


def _closing(text: str, at: int) -> int:
    """Where the bracket that opens at a place is closed."""
    end = at + 2 if text[at + 1 : at + 2] == "^" else at + 1
    while end < len(text) and text[end] != "]":
        end += 2 if text[end] == "\\" else 1
    if end >= len(text):
        raise ValueError("a bracket is left open")
    return end


def _characters(inside: str) -> str:
    """A set of characters as an expression; ranges are kept, all else is meant as it is."""
    negated = inside[:1] == "^"
    body, at = "", 1 if negated else 0
    while at < len(inside):
        if inside[at] == "\\" and at + 1 < len(inside):
            at += 1
            body += re.escape(inside[at])
        elif inside[at] == "-" and body and at + 1 < len(inside):
            body += "-"
        else:
            body += re.escape(inside[at])
        at += 1
    if not body:
        raise ValueError("a set has no characters")
    return f"[{'^' if negated else ''}{body}]"
