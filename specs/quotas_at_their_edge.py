"""Witnesses of quotas: calls that make or move something, under quotas that they exactly reach and exceed by one.

The least quota under which a call is done is searched by the rules: the witness tries it, and the one below it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.programs import Program, Step
from fsconform.model.filesystem.protocols.calls_under_quotas import (
    BLOCKS,
    ITSELF,
    KEPT,
    NAMES_EXACT,
    RENAMES,
    REPLICAS,
    SPACE_REFUSED,
    STICK,
    CallsUnderQuotas,
    first,
)
from fsconform.model.filesystem.quotas import (
    BLOCK,
    DIRECTORIES,
    DONE,
    FILES,
    LENGTH,
    LONG,
    NAMES,
    NONE,
    RENAMED,
    REPLICATED,
    Rules,
    play,
)
from fsconform.specs.generated import Row

QUOTAS = "quotas"
"""The group of these witnesses."""

_PATH = ("d",)
_FREE = CallsUnderQuotas(_PATH, NONE, NONE, NONE, NONE, ())
_FIELDS = ("names", "space", "inner_names", "inner_space")
_MOST = {"names": 16, "space": 4 * BLOCK}
_MAKE = (*FILES, *DIRECTORIES)
_CALLS = (*_MAKE, *RENAMED, *REPLICATED, "append f", "open n")
_AFTER = ("truncate f", "append f", "delete f", "touch n", "close n")
"""Calls after the one at the edge, by which it is seen that what was refused left nothing, and what was done counts."""


def rows() -> Iterator[Row]:
    """All of them, in a fixed order."""
    for name in _FIELDS:
        kind = "names" if name.endswith("names") else "space"
        clauses = (NAMES_EXACT, ITSELF, RENAMES, KEPT) if kind == "names" else (SPACE_REFUSED, BLOCKS, RENAMES, KEPT)
        where = "an inner directory" if name.startswith("inner") else "a directory"
        edges = [op for call in _CALLS for op in _edge(name, kind, call)]
        yield f"calls at the edge of {where}'s quota of {kind}", clauses, _program(*edges), QUOTAS
    yield "space of open and closed files", (BLOCKS, SPACE_REFUSED), _program(*_open_files()), QUOTAS
    yield "space of replicas", (REPLICAS,), _program(*_replicas()), QUOTAS
    yield "quotas of directories that are renamed", (STICK, RENAMES), _program(*_moved()), QUOTAS
    yield "quotas set below what is used", (NAMES_EXACT, SPACE_REFUSED), _program(*_set()), QUOTAS
    yield "names and space that are given back", (NAMES_EXACT, SPACE_REFUSED), _program(*_given_back()), QUOTAS


def _program(*operations: CallsUnderQuotas) -> Program:
    return (Step(Mkdirs(_PATH), setup=True), *(Step(operation) for operation in operations))


def _set_to(name: str, quota: int, calls: tuple[str, ...] = ()) -> CallsUnderQuotas:
    match name:
        case "names":
            return replace(_FREE, names=quota, calls=calls)
        case "space":
            return replace(_FREE, space=quota, calls=calls)
        case "inner_names":
            return replace(_FREE, inner_names=quota, calls=calls)
        case _:
            return replace(_FREE, inner_space=quota, calls=calls)


def _is_done(op: CallsUnderQuotas, call: str) -> bool:
    return DONE in play(first(op), call, Rules())


def _edge(name: str, kind: str, call: str) -> Iterator[CallsUnderQuotas]:
    """The call under the least quota that allows it, and under the one below; nothing where no quota refuses it."""
    low, high = int(kind == NAMES), _MOST[kind]
    if not _is_done(_FREE, call) or _is_done(_set_to(name, low), call):
        return
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _is_done(_set_to(name, middle), call) else (middle, high)
    yield _set_to(name, high, (call, *_AFTER))
    yield _set_to(name, low, (call, *_AFTER))


def _open_files() -> Iterator[CallsUnderQuotas]:
    yield replace(_FREE, space=2 * BLOCK + 2 * LENGTH, calls=("open n", "append f", "close n", "append f"))
    yield replace(_FREE, space=BLOCK + 2 * LENGTH, calls=("open n", "append f", "create e/n", "close n", "delete n"))
    yield replace(_FREE, space=2 * BLOCK + 2 * LENGTH, calls=("create long n", "create e/n", "delete n", "open n"))
    yield replace(_FREE, space=LONG + BLOCK + 2 * LENGTH, calls=("create long n", "create e/n", "append f"))
    yield replace(_FREE, space=0, calls=("touch n", "mkdir m", "rename p into d", "create e/n", "append f"))


def _replicas() -> Iterator[CallsUnderQuotas]:
    calls = ("replicate f 2", "replicate g 3", "replicate f 1", "replicate g 3", "delete f", "replicate g 3")
    yield replace(_FREE, space=3 * LENGTH, calls=calls)
    yield replace(_FREE, space=4 * LENGTH, calls=calls)
    yield replace(_FREE, space=5 * LENGTH, inner_space=2 * LENGTH, calls=calls)
    yield replace(_FREE, space=2 * BLOCK + 2 * LENGTH, calls=("create n twice", "create e/n", "delete n"))
    yield replace(_FREE, space=3 * LENGTH, calls=("rename h into d", "delete f", "rename h into d", "replicate f 2"))
    yield replace(_FREE, space=4 * LENGTH, calls=("rename h into d", "rename h into e"))


def _moved() -> Iterator[CallsUnderQuotas]:
    there_and_back = ("rename e out", "touch n", "rename e back", "touch e/n", "mkdir e/m", "rename h into e")
    for names in (4, 5, 6):
        yield replace(_FREE, names=names, inner_names=3, inner_space=2 * LENGTH, calls=there_and_back)
    yield replace(_FREE, inner_names=2, calls=("rename f into e", "names e 4", "rename f into e", "rename h into e"))
    yield replace(_FREE, names=5, calls=("rename f into e", "rename h into e", "names d 6", "rename h into e"))


def _set() -> Iterator[CallsUnderQuotas]:
    for value in (1, 2, 4):
        yield replace(_FREE, calls=(f"names d {value}", "touch n", "delete e", "touch n", "mkdir m", "names d -1"))
    yield replace(_FREE, calls=("space d 0", "touch n", "create e/n", "truncate f", "append f", "space d -1"))
    yield replace(_FREE, calls=("space e 0", "rename f into e", "rename g up", "rename p into d", "touch e/n"))


def _given_back() -> Iterator[CallsUnderQuotas]:
    for names in (4, 5):
        calls = ("delete f", "touch n", "mkdir m", "delete e", "mkdir m", "rename h into d", "rename p into d")
        yield replace(_FREE, names=names, calls=calls)
    space = ("truncate f", "create n", "append f", "delete f", "create e/n", "rename g up", "rename f out")
    for more in (0, LENGTH, LENGTH - 1):
        yield replace(_FREE, space=BLOCK + more, calls=space)
