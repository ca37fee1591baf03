"""Patterns as Hadoop's classes read them, where that differs from what the Javadoc of globStatus says.

Hadoop turns each element of a pattern into a regular expression of RE2/J and hands an escaped character on with its
backslash: of a letter or a digit that is a class of characters, a place, a number, or an error. An element without
wildcards is looked up as it is meant, but compiled all the same. Source: GlobPattern, GlobExpander and Globber of
hadoop-common; the syntax of RE2.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from fsconform.model.core.paths import Path
from fsconform.model.filesystem.state import Dir, Node, State, walk

_LETTERS = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_CLASSES = {
    "d": "[0-9]",
    "D": "[^0-9]",
    "s": r"[\t\n\f\r ]",
    "S": r"[^\t\n\f\r ]",
    "w": "[0-9A-Za-z_]",
    "W": "[^0-9A-Za-z_]",
    "A": r"\A",
    "z": r"\Z",
    "b": r"(?a:\b)",
    "B": r"(?a:\B)",
}
_CATEGORIES = "CLMNPSZ"
_OCTAL = re.compile("[0-7]{1,3}")
_PLAIN = ".$()|+"


class Misread(Exception):
    """The pattern is refused; ``error`` is the name of the class."""

    def __init__(self, error: str) -> None:
        super().__init__(error)
        self.error = error


def found(root: State, pattern: str) -> dict[Path, Node]:
    """The existing paths that Hadoop finds for a pattern of settled meaning, with their nodes. Raises Misread."""
    alphabet = frozenset(sign for path, _ in walk(root) if path for sign in path[-1])
    all_found: dict[Path, Node] = {}
    wild = False
    for flat in _flattened(pattern):
        here: dict[Path, Node] = {(): root.tree}
        for element in filter(None, flat.split("/")):
            expression, is_wild = _compiled(element, alphabet)
            wild = wild or is_wild
            if not here and wild:
                break
            plain = re.sub(r"\\(.)", r"\1", element, flags=re.DOTALL)
            here = {
                (*path, name): child
                for path, node in here.items()
                if type(node) is Dir
                for name, child in node.children.items()
                if (expression.fullmatch(name) if is_wild else name == plain)
            }
        all_found.update(here)
    return all_found


def _flattened(pattern: str) -> list[str]:
    """The patterns that one with slashes in braces stands for; other braces stay."""
    depth, start, parts, last = 0, 0, [""], 0
    place = 0
    while place < len(pattern):
        sign = pattern[place]
        if sign == "\\":
            place += 1
        elif sign == "{":
            depth += 1
            if depth == 1:
                start, last, parts = place, place + 1, []
        elif depth == 1 and sign in ",}":
            parts.append(pattern[last:place])
            last = place + 1
        if sign == "}" and depth:
            depth -= 1
            if not depth and "/" in pattern[start:place]:
                return [one for part in parts for one in _flattened(pattern[:start] + part + pattern[place + 1 :])]
        place += 1
    return [pattern]


@lru_cache(maxsize=4096)
def _compiled(element: str, alphabet: frozenset[str]) -> tuple[re.Pattern[str], bool]:
    """The expression of an element, and whether it has wildcards. ``alphabet`` are the characters there are."""
    text, wild = _expression(element)
    return re.compile(_translated(text, alphabet), re.DOTALL), wild


def _expression(element: str) -> tuple[str, bool]:
    """The regular expression that an element is turned into, and whether it has wildcards."""
    text, place, wild = "", 0, False
    braces = sets = 0
    while place < len(element):
        sign = element[place]
        place += 1
        if sign == "\\":
            text += element[place - 1 : place + 1]
            place += 1
        elif sign in "*?":
            text, wild = text + (".*" if sign == "*" else "."), True
        elif sign == "{":
            text, braces, wild = f"{text}(?:", braces + 1, True
        elif sign == "," and braces:
            text += "|"
        elif sign == "}" and braces:
            text, braces = f"{text})", braces - 1
        elif sign in "[]":
            text, sets, wild = text + sign, int(sign == "["), wild or sign == "["
        else:
            text += f"\\{sign}" if sign in _PLAIN or (sign == "^" and not sets) else sign
    return text, wild


def _translated(text: str, alphabet: frozenset[str]) -> str:
    """An expression of RE2/J as one of Python. Raises Misread for what RE2/J refuses."""
    done, place, inside = "", 0, False
    while place < len(text):
        sign = text[place]
        if sign != "\\":
            inside = sign == "[" if not inside else sign != "]"
            done, place = done + sign, place + 1
        elif text[place + 1] == "Q" and not inside:
            end = text.find("\\E", place + 2)
            done += re.escape(text[place + 2 : end if end >= 0 else len(text)])
            place = end + 2 if end >= 0 else len(text)
        else:
            piece, place = _escape(text, place + 1, alphabet)
            done += piece
    return done


def _escape(text: str, place: int, alphabet: frozenset[str]) -> tuple[str, int]:
    """What an escaped character stands for, and the place behind it. Raises Misread."""
    sign = text[place]
    if sign in _CLASSES:
        return _CLASSES[sign], place + 1
    if not (sign.isascii() and sign.isalnum()):
        return re.escape(sign), place + 1
    if sign in _LETTERS:
        return re.escape(_LETTERS[sign]), place + 1
    number = _OCTAL.match(text, place)
    if number is not None and (sign == "0" or len(number[0]) > 1):
        return re.escape(chr(int(number[0], 8))), number.end()
    if sign == "x":
        return _hexadecimal(text, place + 1)
    category = text[place + 1 : place + 2]
    if sign in "pP" and category and category in _CATEGORIES:
        chosen = sorted(one for one in alphabet if (unicodedata.category(one)[0] == category) is (sign == "p"))
        return "[" + "".join(map(re.escape, chosen)) + "]" if chosen else "(?!)", place + 2
    raise Misread("IOException")


def _hexadecimal(text: str, place: int) -> tuple[str, int]:
    digits = text[place : place + 2]
    if len(digits) == 1:
        raise Misread("RuntimeException")  # the second digit is taken from behind the end
    if not re.fullmatch("[0-9A-Fa-f]{2}", digits):
        raise Misread("IOException")
    return re.escape(chr(int(digits, 16))), place + 2
