"""Witnesses of snapshots: calls between two of them, pairs of calls, what snapshots hold back, and their names."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from fsconform.model.filesystem.directory_snapshots import CREATED, DELETED, DIRECTORIES, READ_ONLY, RENAMED
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.programs import Program, Step
from fsconform.model.filesystem.protocols.calls_with_snapshots import (
    CALLED,
    ENTRIES,
    HELD,
    KEPT,
    NESTED,
    PERMITTED,
    READ,
    RENAMES,
    UNHINDERED,
    CallsWithSnapshots,
)
from fsconform.specs.generated import Row

SNAPSHOTS = "snapshots"
"""The group of these witnesses."""

_PATH = ("d",)
_FIRST = ("allow d", "snap s1")
_CHANGES = ("append f", "truncate f", "overwrite f", "append g")
_CALLS = (*CREATED, *DIRECTORIES, *_CHANGES, *DELETED, *RENAMED)
_RENAMES = tuple(RENAMED)
_PAIRS = ("rename f r", "rename f into e", "rename e q", "delete e", "append g", "create f", "rename e out")
_LOOK = ("diff s1 now", "snap s2", "diff s1 s2")


def rows() -> Iterator[Row]:
    """All of them, in a fixed order."""
    every = [(*_FIRST, call, *_LOOK) for call in _CALLS]
    yield "every call after a snapshot", (KEPT, UNHINDERED, ENTRIES, RENAMES), _program(*every), SNAPSHOTS
    pairs = [(*_FIRST, *pair, *_LOOK) for pair in permutations(_PAIRS, 2)]
    yield "two calls after a snapshot", (KEPT, ENTRIES, RENAMES), _program(*pairs), SNAPSHOTS
    cut = [(*_FIRST, "cut f", *_LOOK), (*_FIRST, "append f", "snap s2", "cut f", "diff s1 s2", "diff s2 now")]
    yield "a file that is cut within a block after a snapshot", (KEPT, ENTRIES), _program(*cut), SNAPSHOTS
    between = [(*_FIRST, call, "snap s2", "append f", "delete e", "unsnap s1", "diff s2 now") for call in _CALLS]
    yield "an older snapshot deleted", (KEPT, CALLED), _program(*between), SNAPSHOTS
    newest = [(*_FIRST, "append f", "snap s2", call, "unsnap s2", "diff s1 now") for call in _CALLS]
    yield "a newer snapshot deleted", (KEPT, CALLED, ENTRIES), _program(*newest), SNAPSHOTS
    yield "calls in a snapshot", (READ,), _program((*_FIRST, *READ_ONLY), ("allow d", *READ_ONLY)), SNAPSHOTS
    yield "a directory with snapshots", (HELD,), _program(*_held()), SNAPSHOTS
    yield "snapshottable directories", (PERMITTED, NESTED), _program(*_allowed()), SNAPSHOTS
    yield "names of snapshots", (CALLED,), _program(*_names()), SNAPSHOTS


def _program(*calls: tuple[str, ...]) -> Program:
    steps = tuple(Step(CallsWithSnapshots(_PATH, words)) for words in calls)
    return (Step(Mkdirs(_PATH), setup=True), *steps)


def _held() -> Iterator[tuple[str, ...]]:
    yield (*_FIRST, "delete d", "rename d out", "disallow d", "unsnap s1", "disallow d", "delete d")
    yield (*_FIRST, "snap s2", "unsnap s1", "delete d", "unsnap s2", "delete d", "delete f")
    yield "allow d", "delete d", "snap s1"


def _allowed() -> Iterator[tuple[str, ...]]:
    yield "snap s1", "allow d", "snap s1", "allow e", "unsnap s1", "disallow d", "snap s1", "allow e", "allow d"
    yield "allow e", "allow d", "delete e", "allow d", "snap s1"


def _names() -> Iterator[tuple[str, ...]]:
    yield (*_FIRST, "snap s1", "unsnap s2", "append f", "snap s2", "resnap s1 s2", "unsnap s1", "resnap s2 s1")
    yield (*_FIRST, "resnap s1 s2", "append f", "snap s1", "unsnap s2", "delete f", "resnap s1 s2", "unsnap s1")
    yield (*_FIRST, "diff s1 s2", "unsnap s1", "diff s1 now")
