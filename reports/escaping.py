"""Escapes in place of what a terminal would act upon, or the eye not see, in text that others wrote. Pure.

Names, messages, signatures and whole files come from stores, jars and other people: an escape sequence could move the
cursor and write "gone" over what was told, a mark of direction turn a name round, a line break forge a line of ours.
``lines`` is for text in which line breaks are ours: the last thing done to whatever is printed. ``line`` is for what is
put into such a text: it stays on its line.

Build servers act upon output too: Azure Pipelines upon ``##vso[`` and GitHub's runner upon ``##[`` anywhere in a line,
TeamCity upon ``##teamcity[``, GitHub's runner upon ``::`` at the beginning of one. No name of a store sets variables.
"""

from __future__ import annotations

import re
import unicodedata

_SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}
_COMMAND = re.compile(r"##(?=\[|vso\[|teamcity\[)")
_FIRST_COMMAND = re.compile(r"^(\s*):(?=:)", re.MULTILINE)
_MARKS = ("Mn", "Me")
"""Categories of characters that are drawn onto their neighbours."""


def is_plain(character: str) -> bool:
    """Whether a character has ink of its own, or is a space, and changes nothing of its neighbours."""
    return character.isprintable() and unicodedata.category(character) not in _MARKS


def escape(character: str) -> str:
    """A character by its number, as Python and Java write it."""
    code = ord(character)
    return _SHORT.get(character) or (f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}")


def line(text: str, keep: str = "") -> str:
    """The text on one line, with escapes for all that is not plain; characters in ``keep`` stay."""
    if "##" in text:
        text = _COMMAND.sub(r"#\\u0023", text)
    if text.isascii() and text.isprintable():
        return text
    return "".join(one if one in keep or is_plain(one) else escape(one) for one in text)


def lines(text: str) -> str:
    """The text with escapes for all that is not plain, but for line breaks, which are ours."""
    return _FIRST_COMMAND.sub(r"\1\\u003a", line(text, keep="\n")) if "::" in text else line(text, keep="\n")
