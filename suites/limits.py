"""Limits: how long, deep and large things may get; judged like any suite, beside the search for the limits."""

from __future__ import annotations

from collections.abc import Iterator

from fsconform.engine.grammar import RACK, Grammar, Suite
from fsconform.engine.ladders import children, depths, rungs
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.programs import Program
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus

DEEPEST_PATH = 65
MOST_CHILDREN = 257

_LONG_NAMES = tuple("n" * length for length in (64, 128, 250, 255, 256, 1024))


def _ladders() -> Iterator[Program]:
    yield from depths(DEEPEST_PATH)
    yield from children(MOST_CHILDREN)


LIMITS = Suite(
    "limits",
    "limits",
    "long names, deep paths and large directories; and the search for the limits of each, with what calls cost",
    witnesses=("paths", "queries"),
    grammar=Grammar(
        weights=(
            (Mkdirs, 2),
            (Create, 3),
            (Append, 1),
            (Delete, 2),
            (Rename, 3),
            (Open, 1),
            (GetFileStatus, 1),
            (ListStatus, 2),
        ),
        rack=(*RACK, *_LONG_NAMES),
        spiced=4,
        depths=rungs(DEEPEST_PATH, lowest=16),
        children=rungs(MOST_CHILDREN, lowest=63),
        crowded=4,
        longest=8,
    ),
    ladders=_ladders,
    default=False,
    limits=True,
)
