"""TLA+ values as TLC prints them, and states of traces made of them.

Sets become frozensets, sequences tuples, records and functions :class:`Function` s. TLC prints an empty function as it
prints an empty sequence: whoever reads a value must know its type.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

_TOKEN = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*")|(-?\d+)|(<<|>>|\|->|:>|@@|/\\|[{}()\[\],=])|([A-Za-z_]\w*))', re.DOTALL)

Term = Any
"""A value: bool, int, str, tuple, frozenset, or Function."""


class Function(Mapping[Term, Term]):
    """A function, or a record, as an immutable mapping that can be an element of a set."""

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[Term, Term]) -> None:
        self._items = dict(items)

    def __getitem__(self, key: Term) -> Term:
        return self._items[key]

    def __iter__(self) -> Iterator[Term]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        return f"Function({self._items!r})"


class TermError(ValueError):
    """What was printed is no value."""


class _Reader:
    def __init__(self, text: str) -> None:
        self._tokens: list[str] = []
        at, end = 0, len(text.rstrip())
        while at < end:
            match = _TOKEN.match(text, at)
            if match is None:
                raise TermError(f"no TLA+ value at {text[at : at + 40]!r}")
            self._tokens.append(match.group(0).strip())
            at = match.end()
        self._at = 0

    @property
    def ahead(self) -> str:
        """The next token, empty at the end."""
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def take(self, wanted: str = "") -> str:
        token = self.ahead
        if not token or (wanted and token != wanted):
            raise TermError(f"{wanted or 'a value'} is missing before {token or 'the end'}")
        self._at += 1
        return token

    def value(self) -> Term:
        token = self.take()
        if token.startswith('"'):
            return token[1:-1].replace('\\"', '"').replace("\\\\", "\\")
        if token in ("TRUE", "FALSE"):
            return token == "TRUE"
        if token == "{":
            return frozenset(self._several("}"))
        if token == "<<":
            return tuple(self._several(">>"))
        if token == "[":
            return self._record()
        if token == "(":
            return self._function()
        if token.lstrip("-").isdigit():
            return int(token)
        raise TermError(f"{token} is no value")

    def _several(self, end: str) -> Iterator[Term]:
        while self.ahead != end:
            yield self.value()
            if self.ahead != end:
                self.take(",")
        self.take(end)

    def _record(self) -> Function:
        fields = {}
        while self.ahead != "]":
            name = self.take()
            self.take("|->")
            fields[name] = self.value()
            if self.ahead != "]":
                self.take(",")
        self.take("]")
        return Function(fields)

    def _function(self) -> Function:
        items = {}
        while True:
            key = self.value()
            self.take(":>")
            items[key] = self.value()
            if self.ahead == ")":
                break
            self.take("@@")
        self.take(")")
        return Function(items)

    def state(self) -> dict[str, Term]:
        variables = {}
        while self.ahead:
            if self.ahead == "/\\":
                self.take()
            name = self.take()
            self.take("=")
            variables[name] = self.value()
        return variables


def read(text: str) -> Term:
    """The value that a text shows. Raises TermError."""
    reader = _Reader(text)
    value = reader.value()
    if reader.ahead:
        raise TermError(f"{reader.ahead} after a value")
    return value


def read_state(text: str) -> dict[str, Term]:
    """The variables of a state, printed as a conjunction of equations. Raises TermError."""
    return _Reader(text).state()
