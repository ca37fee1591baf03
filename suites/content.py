"""Bytes: file sizes on the edges of buffers and blocks, and appends."""

from __future__ import annotations

from collections.abc import Iterator

from fsconform.engine.grammar import Suite
from fsconform.engine.ladders import SMALL_SIZES, appended_sizes, appends, file_sizes
from fsconform.model.programs import Program

MOST_APPENDS = 9


def _ladders() -> Iterator[Program]:
    yield from file_sizes(SMALL_SIZES)
    yield from appended_sizes(SMALL_SIZES)
    yield from appends(MOST_APPENDS)


CONTENT = Suite(
    "content", "files of sizes on the edges of buffers", witnesses=("open", "append", "create"), ladders=_ladders
)
