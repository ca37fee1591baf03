"""Bytes: file sizes on the edges of buffers and blocks, and appends."""

from __future__ import annotations

from collections.abc import Iterator

from fsconform.engine.grammar import Grammar, Suite
from fsconform.engine.ladders import SMALL_SIZES, appended_sizes, appends, file_sizes, rungs
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.programs import Program
from fsconform.model.filesystem.status.get_file_status import GetFileStatus

MOST_APPENDS = 9


def _ladders() -> Iterator[Program]:
    yield from file_sizes(SMALL_SIZES)
    yield from appended_sizes(SMALL_SIZES)
    yield from appends(MOST_APPENDS)


CONTENT = Suite(
    "content",
    "content",
    "files of sizes on the edges of buffers",
    witnesses=("open", "append", "create"),
    grammar=Grammar(
        weights=((Create, 3), (Append, 4), (Open, 3), (GetFileStatus, 1), (Delete, 1), (Rename, 1)),
        depth=2,
        spiced=0,
        appends=rungs(MOST_APPENDS),
        clients=2,
    ),
    ladders=_ladders,
)
