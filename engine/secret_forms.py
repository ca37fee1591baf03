"""One secret, and where it stands in a text, in whichever forms writers of all kinds quote what is no letter or digit.

Letters and digits stay what they are in all of them, so a secret is looked for by its longest stretch of those, which
is fast, and the rest is followed from there: each other character may be itself, its bytes in percents, an escape of
JSON, Java, Python or JavaScript, an entity of XML or HTML, or behind a backslash; a space may be a plus. Each character
is followed by the set of places that it can end at, so no text takes more than linear time for one secret.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from html.entities import html5
from itertools import product
from typing import Generic, TypeVar

Text = TypeVar("Text", str, bytes)

_STRETCH = re.compile(r"[A-Za-z0-9]+")
_LETTERS = {"\n": "n", "\r": "r", "\t": "t", "\f": "f", "\b": "b", "\v": "v", "\0": "0"}


@cache
def _entities() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, told in html5.items():
        if len(told) == 1 and name.endswith(";"):
            found.setdefault(told, []).append(f"&{name}")
    return found


@cache
def spellings(character: str) -> tuple[str, ...]:
    """All ways in which a character that is no ASCII letter or digit is written down, sorted."""
    code = ord(character)
    octets = character.encode("utf-8", "surrogatepass")
    units = character.encode("utf-16-be", "surrogatepass")
    pairs = [units[at : at + 2].hex() for at in range(0, len(units), 2)]
    found = {
        character,
        f"\\{character}",
        *map("".join, product(*(sorted({f"%{one:02x}", f"%{one:02X}"}) for one in octets))),
        "".join(f"\\u{one}" for one in pairs),
        *(f"&#x{code:{width}x};" for width in ("", "02", "04")),
        f"\\U{code:08x}",
        *((f"\\x{code:02x}", f"%{code:02x}") if code < 256 else ()),
    }
    # Digits of either case; the letter that begins an escape keeps its own, but for XML's x.
    found |= {_in_capitals(one) for one in found} | {f"&#X{code:X};", f"&#X{code:x};"}
    found |= {f"&#{code};", f"&#{code:03};", f"&#{code:04};", *_entities().get(character, ())}
    if character in _LETTERS:
        found.add(f"\\{_LETTERS[character]}")
    if character == " ":
        found.add("+")
    return tuple(sorted(found))


def _in_capitals(spelling: str) -> str:
    return re.sub(r"(?<=[%ux])[0-9a-f]{2,8}|(?<=\\U)[0-9a-f]{8}", lambda digits: digits[0].upper(), spelling)


class Needle(Generic[Text]):
    """A secret as it is looked for, in texts or, as UTF-8 has them, in bytes."""

    def __init__(self, anchor: Text, before: Iterable[tuple[Text, ...]], after: Iterable[tuple[Text, ...]]) -> None:
        """``before`` and ``after`` the anchor stand characters by their spellings; an anchor is never empty."""
        self.anchor: Text = anchor
        self._before: tuple[tuple[Text, ...], ...] = tuple(before)[::-1]
        self._after: tuple[tuple[Text, ...], ...] = tuple(after)

    @property
    def longest(self) -> int:
        """The length of the longest form."""
        return len(self.anchor) + sum(max(map(len, one)) for one in (*self._before, *self._after))

    def found(self, text: Text) -> Iterator[tuple[int, int]]:
        """Where it stands, those places that lie upon one another too; the widest of each."""
        place = text.find(self.anchor)
        while place >= 0:
            start, end = self._begin(text, place), self._end(text, place + len(self.anchor))
            if start >= 0 and end >= 0:
                yield start, end
            place = text.find(self.anchor, place + 1)

    def _begin(self, text: Text, place: int) -> int:
        places = {place}
        for spelled in self._before:
            places = {at - len(one) for at in places for one in spelled if text.endswith(one, 0, at)}
            if not places:
                return -1
        return min(places)

    def _end(self, text: Text, place: int) -> int:
        places = {place}
        for spelled in self._after:
            places = {at + len(one) for at in places for one in spelled if text.startswith(one, at)}
            if not places:
                return -1
        return max(places)


def in_texts(secret: str) -> list[Needle[str]]:
    """What a secret is looked for by in texts."""
    return _needles(secret, str)


def in_bytes(secret: str) -> list[Needle[bytes]]:
    """What a secret is looked for by in the bytes of UTF-8; a spelling that has none is left out."""
    return _needles(secret, lambda text: text.encode("utf-8", "surrogateescape"))


def _needles(secret: str, encoded: Callable[[str], Text]) -> list[Needle[Text]]:
    def ways(character: str) -> tuple[Text, ...]:
        found = []
        for one in (character,) if _is_plain(character) else spellings(character):
            with contextlib.suppress(UnicodeEncodeError):
                found.append(encoded(one))
        return tuple(found)

    stretch = max(_STRETCH.finditer(secret), key=lambda one: one.end() - one.start(), default=None)
    if stretch is not None:
        before, after = secret[: stretch.start()], secret[stretch.end() :]
        return [Needle(encoded(stretch[0]), map(ways, before), map(ways, after))]
    # Nothing stays what it is: each spelling of the first character is looked for.
    return [Needle(one, (), map(ways, secret[1:])) for one in ways(secret[0])] if secret else []


def _is_plain(character: str) -> bool:
    return character.isascii() and character.isalnum()
