"""Patterns of waivers, matched in time linear in the text: whoever writes one can't make a run hang.

Signatures are matched by plain patterns in which ``*`` stands for any text; traits by regular expressions of RE2
(https://github.com/google/re2/wiki/Syntax), which has no back-references and does not look around.
"""

from __future__ import annotations

import re
from functools import lru_cache

import re2

MOST_CHARACTERS = 1_000
"""Of one pattern."""
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.))", re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")


class PatternError(ValueError):
    """A pattern that can't be used; the text says why."""


def is_met(pattern: str, text: str) -> bool:
    """Whether a text is what a pattern says, in which each ``*`` stands for any text, also none."""
    first, *others = pattern.split("*")
    if not others:
        return text == pattern
    *middle, last = others
    if len(text) < len(first) + len(last) or not text.startswith(first) or not text.endswith(last):
        return False
    # To take the earliest place for each part leaves the most room for the next: nothing is ever tried again.
    at, end = len(first), len(text) - len(last)
    for part in middle:
        found = text.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True


@lru_cache(maxsize=1 << 10)
def compiled(pattern: str) -> re2._Regexp[str]:
    """A regular expression of RE2 in which a dot is any character. Raises PatternError."""
    if len(pattern) > MOST_CHARACTERS:
        raise PatternError(f"it has more than {MOST_CHARACTERS} characters")
    options = re2.Options()
    options.dot_nl, options.log_errors = True, False
    try:
        return re2.compile(_ESCAPE.sub(_as_re2, pattern), options)
    except (re2.error, UnicodeEncodeError) as error:
        told = error.args[0] if error.args else error
        raise PatternError(told.decode("utf-8", "replace") if isinstance(told, bytes) else str(told)) from error


def _as_re2(escape: re.Match[str]) -> str:
    """The escape of a character by its number as RE2 writes it; Python's form is known to more people."""
    return f"\\x{{{escape[1]}}}" if escape[1] else escape[0]


def matches(pattern: str, text: str) -> bool:
    """Whether a whole text matches a regular expression. A lone surrogate is U+FFFD here. Raises PatternError."""
    return compiled(pattern).fullmatch(_SURROGATE.sub("\ufffd", text)) is not None
