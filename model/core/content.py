"""File content as a rope of generated segments: a file of many gigabytes costs the model nothing.

A segment is named by its seed, its offset in the seed's endless stream of bytes and its length. Content is compared by
length and SHA-256 digest, the form in which a store's adapter reports what it read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from fsconform.model.core.outcomes import Data

_EDGE_BYTES = b"\x00\x7f\x80\xff\n\r\x1a "
_BLOCK = 4096
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Segment:
    """``length`` bytes of the stream named by ``seed``, beginning at ``offset`` (both in bytes)."""

    seed: int
    length: int
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Observed:
    """Bytes that a store held and the model did not predict: known by length and SHA-256 digest only."""

    length: int
    digest: str


Content = tuple[Segment | Observed, ...]
EMPTY: Content = ()


def of(seed: int, length: int) -> Content:
    """Content of ``length`` bytes generated from ``seed``; empty content has no segment."""
    return (Segment(seed, length),) if length else EMPTY


def length(content: Content) -> int:
    """Length in bytes."""
    if len(content) == 1:
        return content[0].length
    return sum(part.length for part in content)


def slice_of(content: Content, start: int, size: int) -> Content:
    """The bytes from ``start`` on, at most ``size`` of them. Raises ValueError if it cuts what is known by digest."""
    found: list[Segment | Observed] = []
    for part in content:
        first, last = max(start, 0), min(start + size, part.length)
        if first < last:
            if isinstance(part, Segment):
                found.append(Segment(part.seed, last - first, part.offset + first))
            elif last - first == part.length:
                found.append(part)
            else:
                raise ValueError("the bytes of observed content are not known")
        start -= part.length
    return tuple(found)


@lru_cache(maxsize=64)
def _block(seed: int) -> bytes:
    shift = seed % len(_EDGE_BYTES)
    head = _EDGE_BYTES[shift:] + _EDGE_BYTES[:shift]
    stream = hashlib.shake_128(seed.to_bytes(8, "big", signed=True)).digest(_BLOCK - len(head) - 1)
    # An odd period keeps equal blocks from hiding a store that mixes up parts of equal, even size.
    return head + stream


def piece_of_stream(seed: int) -> bytes:
    """The bytes that a seed's endless stream repeats."""
    return _block(seed)


def generate(segment: Segment) -> Iterator[bytes]:
    """The bytes of one segment, in chunks of at most 1 MiB."""
    block = _block(segment.seed)
    big = block * (_CHUNK // len(block))
    start, left = segment.offset % len(block), segment.length
    while left > 0:
        piece = big[start : start + left]
        yield piece
        left -= len(piece)
        start = (start + len(piece)) % len(block)


def chunks(content: Content) -> Iterator[bytes]:
    """The bytes of generated content. Raises ValueError for content that is known by digest only."""
    for part in content:
        if isinstance(part, Observed):
            raise ValueError("the bytes of observed content are not known")
        yield from generate(part)


@lru_cache(maxsize=4096)
def digest(content: Content) -> str | None:
    """SHA-256 in hexadecimal, or None where a part of longer content is known by its own digest only."""
    if len(content) == 1 and isinstance(content[0], Observed):
        return content[0].digest
    if any(isinstance(part, Observed) for part in content):
        return None
    sha = hashlib.sha256()
    for piece in chunks(content):
        sha.update(piece)
    return sha.hexdigest()


def is_of(content: Content, data: object) -> bool:
    """True if what was read is the content, as far as its digest is known."""
    if not isinstance(data, Data) or data.length != length(content):
        return False
    known = digest(content)
    return known is None or known == data.digest
