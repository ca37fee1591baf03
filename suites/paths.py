"""Paths: hostile names, long names and deep paths."""

from __future__ import annotations

from collections.abc import Iterator

from fsconform.engine.grammar import EIGHTHS, RACK, Grammar, Suite
from fsconform.engine.ladders import depths, name_lengths, rungs, spice
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.programs import Program
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.predicates import Exists

LONGEST_NAME = 256
DEEPEST_PATH = 33

_LONG_NAMES = tuple("n" * length for length in (127, 128, 129, 254, 255, LONGEST_NAME))


def _ladders() -> Iterator[Program]:
    yield from spice()
    yield from name_lengths(LONGEST_NAME)
    yield from depths(DEEPEST_PATH)


PATHS = Suite(
    "paths",
    "paths",
    "hostile names, long names and deep paths",
    witnesses=("paths",),
    grammar=Grammar(
        weights=(
            (Mkdirs, 2),
            (Create, 3),
            (Append, 1),
            (Delete, 2),
            (Rename, 3),
            (Open, 1),
            (GetFileStatus, 1),
            (Exists, 1),
            (ListStatus, 2),
        ),
        rack=(*RACK, *_LONG_NAMES),
        spiced=EIGHTHS,
        depths=rungs(DEEPEST_PATH, lowest=4),
        longest=8,
    ),
    ladders=_ladders,
)
