"""What the NameNode says of the blocks of a file: its page ``/fsck``, as ``hdfs fsck`` reads it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from fsconform.model.blocks.answers import Counted

_FILE = re.compile(r"^\S.*? (?P<bytes>\d+) bytes, replicated: replication=(?P<replication>\d+), ", re.MULTILINE)
_BLOCK = re.compile(r"\bBP-[\w.-]+:blk_(?P<id>\d+)_(?P<stamp>\d+) len=(?P<length>\d+)(?P<rest>[^\n]*)")
_PLACE = re.compile(
    r"DatanodeInfoWithStorage\[(?P<address>[\d.]+:\d+),(?P<storage>[\w-]+),\w+\](?:\((?P<state>\w+)\))?"
)
_STATES: dict[str, Counted] = {"LIVE": "live", "STALE_NODE": "live", "CORRUPT": "corrupt", "EXCESS": "excess"}


@dataclass(frozen=True, slots=True)
class Place:
    """A replica as the NameNode has it: the address of its node, and how it counts."""

    address: str
    counted: Counted


@dataclass(frozen=True, slots=True)
class Listed:
    """A block as the NameNode has it; ``open`` is true of one that is being written."""

    id: int
    stamp: int
    length: int
    open: bool
    places: tuple[Place, ...]


def replication(text: str) -> int | None:
    """The replication factor of the file that a page is of; None for a page of none."""
    found = _FILE.search(text)
    return int(found["replication"]) if found else None


def blocks(text: str) -> Iterator[Listed]:
    """The blocks of the file that a page is of."""
    for match in _BLOCK.finditer(text):
        rest = match["rest"]
        places = tuple(_places(rest))
        yield Listed(int(match["id"]), int(match["stamp"]), int(match["length"]), "UNDER_CONSTRUCTION" in text, places)


def _places(text: str) -> Iterator[Place]:
    seen: dict[str, Counted] = {}
    for match in _PLACE.finditer(text):
        counted = _STATES.get(match["state"] or "LIVE", "other")
        seen.setdefault(match["address"], counted)
    return (Place(address, counted) for address, counted in seen.items())
