"""Patterns for globStatus: what they match, as far as it is certain.

``?`` stands for any character, ``*`` for any number of them, ``[ab]``, ``[a-c]`` and ``[^a]`` for one character that is
of a set or is not, ``{ab,cd}`` for each of its texts, which may hold patterns too; a backslash takes the special
meaning of what follows. None but the slash itself stands for a slash. Source: FileSystem.globStatus (Javadoc).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from fsconform.model.core.paths import Path, valid_element
from fsconform.model.filesystem.state import Dir, File, Node, State

_PLAIN = re.compile(r"[A-Za-z0-9._*?-]", re.ASCII)
_PLAIN_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*\\[A-Za-z0-9]")
_SPECIAL = frozenset("*?[]{}^,\\-")

_Token = tuple[str, str]
"""What it is (text, wild, open, comma, close, slash) and the text, or a regular expression for one that is wild."""


class Unsettled(Exception):
    """A pattern that the Javadoc does not explain."""


@dataclass(frozen=True, slots=True)
class Element:
    """One element of a pattern's paths; ``text`` is None if it has wildcards."""

    expression: re.Pattern[str]
    text: str | None


@dataclass(frozen=True, slots=True)
class Pattern:
    """The paths of a pattern, one for each choice of its alternatives. ``special`` is true if it is no plain path.

    ``plain_escapes`` is true if it escapes a letter or a digit, which has no special meaning.
    """

    paths: tuple[tuple[Element, ...], ...]
    special: bool
    plain_escapes: bool

    @property
    def literals(self) -> Path:
        """All elements without wildcards."""
        return tuple(element.text for path in self.paths for element in path if element.text is not None)


@lru_cache(maxsize=4096)
def compiled(pattern: str) -> Pattern | None:
    """A pattern as an element-wise matcher; None if what it means is not certain."""
    try:
        tokens = _tokens(pattern)
        special = any(kind in ("wild", "open") for kind, _ in tokens)
        alternatives, end = _alternatives(tokens, 0, nested=False)
        assert end == len(tokens)
        return Pattern(tuple(map(_elements, alternatives)), special, _PLAIN_ESCAPE.search(pattern) is not None)
    except Unsettled:
        return None


def _tokens(pattern: str) -> list[_Token]:
    tokens: list[_Token] = []
    place, depth = 0, 0
    while place < len(pattern):
        sign = pattern[place]
        place += 1
        if sign == "\\":
            if place == len(pattern) or pattern[place] == "/":
                raise Unsettled
            tokens.append(("text", pattern[place]))
            place += 1
        elif sign in "?*":
            tokens.append(("wild", "." if sign == "?" else ".*"))
        elif sign == "[":
            expression, place = _set(pattern, place)
            tokens.append(("wild", expression))
        elif sign == "{":
            depth += 1
            tokens.append(("open", sign))
        elif sign == "," and depth:
            tokens.append(("comma", sign))
        elif sign == "}" and depth:
            depth -= 1
            tokens.append(("close", sign))
        elif sign == "/":
            tokens.append(("slash", sign))
        elif sign in "]}":
            raise Unsettled
        else:
            tokens.append(("text", sign))
    if depth:
        raise Unsettled
    return tokens


def _set(pattern: str, place: int) -> tuple[str, int]:
    """A set, from behind its opening bracket, as a regular expression; and the place behind it."""
    negated = pattern[place : place + 1] == "^"
    place += negated
    members: list[tuple[str, bool]] = []
    while True:
        if place >= len(pattern):
            raise Unsettled
        sign = pattern[place]
        place += 1
        if sign == "]":
            break
        plain = sign != "\\"
        if not plain:
            if place >= len(pattern):
                raise Unsettled
            sign = pattern[place]
            place += 1
            if sign not in _SPECIAL:
                raise Unsettled
        elif not _PLAIN.fullmatch(sign):
            raise Unsettled
        members.append((sign, plain))
    text, index = "", 0
    while index < len(members):
        (sign, plain), index = members[index], index + 1
        if plain and sign == "-":
            raise Unsettled
        if index + 1 < len(members) and members[index] == ("-", True):
            last = members[index + 1][0]
            if last < sign or members[index + 1] == ("-", True):
                raise Unsettled
            text, index = text + f"{re.escape(sign)}-{re.escape(last)}", index + 2
        else:
            text += re.escape(sign)
    if not text:
        raise Unsettled
    return f"[{'^' if negated else ''}{text}]", place


def _alternatives(tokens: list[_Token], place: int, nested: bool) -> tuple[list[list[_Token]], int]:
    """The choices up to the end, or up to the brace that closes a group; and the place behind it."""
    done: list[list[_Token]] = []
    current: list[list[_Token]] = [[]]
    commas = 0
    while place < len(tokens):
        token, place = tokens[place], place + 1
        if token[0] == "open":
            inner, place = _alternatives(tokens, place, nested=True)
            current = [[*before, *choice] for before in current for choice in inner]
        elif nested and token[0] == "comma":
            done, current, commas = [*done, *current], [[]], commas + 1
        elif nested and token[0] == "close":
            if not commas:
                raise Unsettled
            return [*done, *current], place
        else:
            for one in current:
                one.append(token)
    return [*done, *current], place


def _elements(tokens: list[_Token]) -> tuple[Element, ...]:
    elements: list[list[_Token]] = [[]]
    for token in tokens:
        if token[0] == "slash":
            elements.append([])
        else:
            elements[-1].append(token)
    return tuple(_element(one) for one in elements if one)


def _element(tokens: list[_Token]) -> Element:
    wild = any(kind == "wild" for kind, _ in tokens)
    text = "".join(text for _, text in tokens)
    if not wild and not valid_element(text) and ":" not in text:
        raise Unsettled
    expression = "".join(text if kind == "wild" else re.escape(text) for kind, text in tokens)
    return Element(re.compile(expression, re.DOTALL), None if wild else text)


def matches(root: State, pattern: Pattern) -> dict[Path, Node]:
    """The existing paths that match, with their nodes."""
    found: dict[Path, Node] = {}
    for elements in pattern.paths:
        here: dict[Path, Node] = {(): root.tree}
        for element in elements:
            here = {
                (*path, name): child
                for path, node in here.items()
                if type(node) is Dir
                for name, child in _children(node, element)
            }
        found.update(here)
    return found


def leads_below_file(root: State, pattern: Pattern) -> bool:
    """True if something is asked for below a file on the way."""
    for elements in pattern.paths:
        here: list[Node] = [root.tree]
        for element in elements:
            if any(type(node) is File for node in here):
                return True
            here = [child for node in here if type(node) is Dir for _, child in _children(node, element)]
    return False


def meets_forbidden(root: State, pattern: Pattern, lists: bool) -> bool:
    """True if an element is a name that the specification forbids, or such a name is in a directory that is listed.

    A directory is listed for an element with wildcards; for each one where ``lists``.
    """
    if not all(map(valid_element, pattern.literals)):
        return True
    for elements in pattern.paths:
        here: list[Node] = [root.tree]
        for element in elements:
            directories = [node for node in here if type(node) is Dir]
            if (lists or element.text is None) and not all(
                valid_element(name) for node in directories for name in node.children
            ):
                return True
            here = [child for node in directories for _, child in _children(node, element)]
    return False


def _children(node: Dir, element: Element) -> list[tuple[str, Node]]:
    if element.text is not None:
        child = node.children.get(element.text)
        return [] if child is None else [(element.text, child)]
    return [(name, child) for name, child in node.children.items() if element.expression.fullmatch(name)]
