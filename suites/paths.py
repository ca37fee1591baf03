"""Paths: hostile names, long names and deep paths."""

from __future__ import annotations

from collections.abc import Iterator

from fsconform.engine.grammar import Suite
from fsconform.engine.ladders import depths, name_lengths, spice
from fsconform.model.programs import Program

LONGEST_NAME = 256
DEEPEST_PATH = 33


def _ladders() -> Iterator[Program]:
    yield from spice()
    yield from name_lengths(LONGEST_NAME)
    yield from depths(DEEPEST_PATH)


PATHS = Suite("paths", "hostile names, long names and deep paths", witnesses=("paths",), ladders=_ladders)
