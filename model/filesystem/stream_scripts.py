"""Scripts: what is done with a stream that reads a file, as short texts, and the form of what is told of each action.

Actions, with numbers of bytes: ``read``; ``read N``, ``read N at OFFSET in SIZE`` (into a buffer of that size),
``read null``; ``drain`` (read to the end); ``getPos``; ``available``; ``close``; ``unbuffer``; ``seek P``; ``skip N``;
``readahead N``; ``newSource P``; ``from P N`` (seek and read); ``capability NAME``; ``pread P N``, ``readFully P N``,
both also with ``at OFFSET in SIZE``; ``fill P N`` (readFully without offset and length); ``vectored P+N P+N ...`` with
``null`` as one of the ranges, or ``vectored null list``, ``vectored null allocator``, ``vectored direct P+N ...``;
``bytebuffer N``, ``bytebuffer direct N`` (read into a ByteBuffer with so much room left, on the heap or not), and
``preadbuffer P N`` (the same from a place). These byte buffers have some bytes more, before their position and after
their limit.

``X & Y`` does actions in threads of their own, each of them several times; ``X / Y`` begins all of them before it waits
for what was begun by readVectored.

Answers: a number (the byte that was read, the position, the bytes skipped or available; -1); ``N DIGEST`` for bytes,
``0`` for none; ``true`` and ``false``; ``done``; ``raised CLASS``, or ``raised CLASS KNOWN`` with the nearest ancestor
that ``errors`` knows. ``stuck`` ends a drain that got nothing though there was no end, ``spilled`` marks a buffer
that was changed beside the bytes, ``misplaced`` a byte buffer whose position did not go on by the number of bytes, or
whose limit went anywhere. Of vectored each range is told of, with commas between them: as bytes, ``no future``
or ``later CLASS``. Of ``X & Y`` and ``X / Y`` all parts, with the same sign between them; if one part of ``X & Y`` gave
several answers there is ``or`` between those.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from fsconform.model.core.errors import FULL_NAMES, short
from fsconform.model.core.operation import BOUNDS, check_bound

TOGETHER, OVERLAPPING, OR = " & ", " / ", " or "
SHOWN_BYTES = 8
"""So many bytes are told in hexadecimal, more by their digest."""

DIGEST_DIGITS = 16
ROUNDS = 8
"""How often each thread repeats its action."""

Range = tuple[int, int] | None

MOST_PARTS = 16
"""Actions that are done at once."""
MOST_BUFFER = 256 * 1024 * 1024
"""Bytes of one buffer: as many are kept for it, here and in the store's process."""
_DIGITS = re.compile("-?[0-9]{1,40}")

_PLAIN = frozenset(("drain", "getPos", "available", "close", "unbuffer"))
_NUMBERS = {"seek": 1, "skip": 1, "readahead": 1, "newSource": 1, "from": 2, "fill": 2, "preadbuffer": 2}
_PLACED = {"pread": 2, "readFully": 2}
POSITIONED = frozenset(("pread", "readFully", "fill", "vectored", "preadbuffer"))
"""The actions that leave the position alone, or leave it open."""


@dataclass(frozen=True, slots=True)
class Action:
    """One action. ``numbers`` are as in its text; offset and size of the buffer are the last two of those with any."""

    kind: str
    numbers: tuple[int, ...] = ()
    name: str = ""
    ranges: tuple[Range, ...] = ()
    parts: tuple[Action, ...] = ()


@lru_cache(maxsize=4096)
def parse(text: str) -> Action:
    """The action of a text. Raises ValueError."""
    for sign, kind in ((TOGETHER, "together"), (OVERLAPPING, "overlapping")):
        if sign in text:
            parts = text.split(sign)
            if len(parts) > MOST_PARTS:
                raise ValueError(f"no action: {len(parts)} at once, and {MOST_PARTS} are the most")
            return Action(kind, parts=tuple(parse(part) for part in parts))
    kind, *words = text.split(" ")
    if kind in _PLAIN and not words:
        return Action(kind)
    if kind == "read":
        return Action("read") if not words else Action("read null") if words == ["null"] else _buffered(kind, 1, words)
    if kind == "capability" and len(words) == 1:
        return Action(kind, name=words[0])
    if kind == "vectored":
        return _vectored(words)
    if kind == "bytebuffer" and words[-1:] and words[:-1] in ([], ["direct"]) and _size(words[-1]) >= 0:
        return Action(kind, (_size(words[-1]),), name=words[0] if words[1:] else "")
    if kind in _PLACED:
        return _buffered(kind, _PLACED[kind], words)
    if len(words) == _NUMBERS.get(kind):
        if len(words) == 1:
            return Action(kind, (_place(words[0]),))
        return Action(kind, (_place(words[0]), _size(words[1])))
    raise ValueError(f"no action: {text!r}")


def check_script(script: Sequence[str]) -> None:
    """Raise ValueError for a script with a text that is no action."""
    for text in script:
        parse(text)


def _place(word: str) -> int:
    """A place in a file, or how far to go from one: a long of Hadoop's interface. Raises ValueError."""
    return _number(word, BOUNDS["Long"])


def _size(word: str) -> int:
    """A number of bytes in a buffer: an int of Java, and no more than is kept for it. Raises ValueError."""
    return _number(word, (BOUNDS["Int"][0], MOST_BUFFER))


def _number(word: str, bound: tuple[int, int]) -> int:
    if not _DIGITS.fullmatch(word):
        raise ValueError(f"no number: {word[:40]!r}")
    check_bound("a number of an action", int(word), bound)
    return int(word)


def _buffered(kind: str, count: int, words: Sequence[str]) -> Action:
    rest = words[count:]
    numbers = (*map(_place, words[: count - 1]), *map(_size, words[count - 1 : count]))
    if len(numbers) < count or (rest and (len(rest) != 4 or rest[0] != "at" or rest[2] != "in" or _size(rest[3]) < 0)):
        raise ValueError(f"no action: {' '.join((kind, *words))!r}")
    place = (_size(rest[1]), _size(rest[3])) if rest else (0, max(numbers[-1], 0))
    return Action("read into" if kind == "read" else kind, (*numbers, *place))


def _vectored(words: Sequence[str]) -> Action:
    if len(words) == 2 and words[0] == "null" and words[1] in ("list", "allocator"):
        return Action("vectored", name=" ".join(words))
    direct = words[:1] == ["direct"]
    ranges: list[Range] = []
    for word in words[direct:]:
        offset, _, length = word.partition("+")
        ranges.append(None if word == "null" else (_place(offset), _size(length)))
    return Action("vectored", name="direct" if direct else "", ranges=tuple(ranges))


def told_bytes(data: bytes) -> str:
    """The answer for bytes."""
    return told_pieces((data,))


def told_pieces(pieces: Iterable[bytes]) -> str:
    """The answer for bytes that come in pieces, of which no more than one is held."""
    first, digest, length = b"", hashlib.sha256(), 0
    for piece in pieces:
        if length <= SHOWN_BYTES:
            first += piece[: SHOWN_BYTES + 1 - len(first)]
        digest.update(piece)
        length += len(piece)
    if length > SHOWN_BYTES:
        return told_digest(length, digest.hexdigest())
    return f"{length} {first.hex()}" if length else "0"


def told_digest(length: int, digest: str) -> str:
    """The answer for so many bytes, more than are told one by one, with this SHA-256 in hexadecimal."""
    return f"{length} {digest[:DIGEST_DIGITS]}"


def told_error(classes: Sequence[str], word: str = "raised") -> str:
    """The answer for an error of these classes, itself first, in full names."""
    known = next((short(name) for name in classes if FULL_NAMES.get(short(name)) == name), "Throwable")
    first = short(classes[0])
    return f"{word} {first}" if first == known else f"{word} {first} {known}"


def error_of(answer: str, word: str = "raised") -> tuple[str, str] | None:
    """The class that an answer names, and the nearest known one; None if it is no error."""
    words = answer.split(" ")
    return (words[1], words[-1]) if words[0] == word and len(words) in (2, 3) and words[-1] in FULL_NAMES else None
