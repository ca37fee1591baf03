"""The bytes of a program's content as text that any language reads: parts in base64, each repeated without end."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass

from fsconform.model.core import content as contents
from fsconform.model.core.content import Content, Observed, Segment

PERIOD = len(contents.piece_of_stream(0))
"""Bytes after which the stream of a seed begins again."""


class NotSaid(Exception):
    """A program that a language has no words for. The text says which call, and why."""


@dataclass(frozen=True, slots=True)
class Part:
    """``length`` bytes, from byte ``offset`` on, of bytes that are repeated without end: those of ``base64``."""

    base64: str
    offset: int
    length: int


def parts_of(content: Content) -> tuple[Part, ...]:
    """The parts of content, in order. Raises NotSaid for content of which only the digest is known."""
    found = []
    for segment in content:
        if isinstance(segment, Observed):
            raise NotSaid("the bytes of a file are known by their digest only")
        found.append(_part(segment))
    return tuple(found)


def _part(segment: Segment) -> Part:
    if segment.length <= PERIOD:
        return Part(b64encode(b"".join(contents.generate(segment))).decode(), 0, segment.length)
    stream = contents.piece_of_stream(segment.seed)
    return Part(b64encode(stream).decode(), segment.offset % PERIOD, segment.length)
