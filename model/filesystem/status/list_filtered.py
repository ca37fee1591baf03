"""listStatus and listLocatedStatus with a filter, and listStatus of several paths.

Source: filesystem.md, the sections on listStatus and listLocatedStatus.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from fsconform.model.core.drawing import Draft, drawn
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import (
    Branch,
    Cases,
    Difference,
    below_a_file,
    gives,
    meaning,
)
from fsconform.model.filesystem.options.core import DIRECTORIES_HAVE_LENGTH
from fsconform.model.filesystem.options.listing import FILTERED_LISTING_SHOWS_HIDDEN_FILES
from fsconform.model.filesystem.state import MISSING, UNDER_FILE, Dir, File, State, locate
from fsconform.model.filesystem.status import entries as of
from fsconform.model.filesystem.status.entries import DIRECTORY_STATUS, NOT_NULL, missing
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    from random import Random


PREFIXES = ("", "a", "ab", "b")
"""With what names begin that a drawn filter accepts."""


@operation
@dataclass(frozen=True, slots=True)
class ListFiltered(Operation):
    """``listStatus(path, filter)``, where the filter accepts the names that begin with ``prefix``. Returns statuses."""

    NAME: ClassVar[str] = "listStatus with filter"
    VIAS: ClassVar[tuple[str, ...]] = (
        "located",
        "context",
    )
    path: Path
    prefix: str
    via: str = ""


@operation
@dataclass(frozen=True, slots=True)
class ListMany(Operation):
    """``listStatus(paths)``. Returns the statuses of all."""

    NAME: ClassVar[str] = "listStatus of several"
    VIAS: ClassVar[tuple[str, ...]] = ("filter",)
    paths: tuple[Path, ...]
    via: str = ""


def _statuses(clause: str, expected: str, wanted: of.Wanted, also: tuple[str, ...] = ()) -> tuple[Branch, ...]:
    return (
        gives(clause, expected, of.exactly(wanted, any_length=False), also=also),
        gives(
            DIRECTORY_STATUS,
            expected,
            of.exactly(wanted, any_length=True),
            (DIRECTORIES_HAVE_LENGTH, True),
            departs=True,
            also=also,
        ),
    )


_LIST = "filesystem.listStatus"
_LOCATED = "filesystem.listLocatedStatus"


def _accepted(root: State, op: ListFiltered) -> of.Entries:
    found = of.listing(root, op.path)
    return {path: node for path, node in found.items() if path and path[-1].startswith(op.prefix)}


def _with_hidden_files(root: State, op: ListFiltered, listed: object) -> bool:
    """What is wanted, and files that begin with a dot, of which the model knows nothing."""
    if not isinstance(listed, tuple):
        return False
    hidden = [one for one in listed if one.path and one.path[-1].startswith(".") and locate(root, one.path) is MISSING]
    return of.same(tuple(one for one in listed if one not in hidden), _accepted(root, op), any_length=True)


def _filtered_differs(root: State, op: ListFiltered, value: object) -> Difference | None:
    if value is None:
        return Difference(NOT_NULL, "MUST NOT", "null")
    if not isinstance(value, tuple) or of.existing(root, op.path) is None:
        return None
    words = of.wrong(value, _accepted(root, op))
    clause = f"{_LOCATED}.post" if op.via == "located" else f"{_LIST}.post.filtered"
    return Difference(clause, "MUST", words) if words else None


_FILTERED = Cases(*COMMON_CASES)
_DIRECTORY = _FILTERED.case(
    "directory",
    f"{_LIST}.post.filtered",
    _statuses(f"{_LIST}.post.filtered", "the statuses of the children that the filter accepts", _accepted, (NOT_NULL,)),
)
_FILE = _FILTERED.case(
    "file",
    f"{_LIST}.post.filtered",
    _statuses(f"{_LIST}.post.filtered", "the status of the file if the filter accepts it", _accepted, (NOT_NULL,)),
)
_ABSENT = _FILTERED.add(missing(f"{_LIST}.pre.exists"))
_BELOW_FILE = _FILTERED.add(below_a_file(f"{_LIST}.pre.exists"))
_BY_LOCATED = _FILTERED.case(
    "located",
    f"{_LOCATED}.post",
    (
        *_statuses(
            f"{_LOCATED}.post",
            "the statuses of the entries that the filter accepts",
            _accepted,
            (f"{_LOCATED}.mandatory",),
        ),
        gives(
            f"{_LOCATED}.post",
            "hidden files too",
            _with_hidden_files,
            (FILTERED_LISTING_SHOWS_HIDDEN_FILES, True),
            departs=True,
        ),
    ),
)
_ABSENT_LOCATED = _FILTERED.case(
    "missing, located", f"{_LOCATED}.pre.exists", missing(f"{_LOCATED}.pre.exists").branches
)


@meaning(ListFiltered, _FILTERED, differs=_filtered_differs, derived=True)
def _classify_filtered(root: State, op: ListFiltered) -> int:
    node = locate(root, op.path)
    found = bits(op.path, node)
    located = op.via == "located"
    if type(node) is Dir:
        return found | (_BY_LOCATED if located else _DIRECTORY)
    if type(node) is File:
        return found | (_BY_LOCATED if located else _FILE)
    return found | (_ABSENT_LOCATED if located else _ABSENT) | (_BELOW_FILE if node is UNDER_FILE else 0)


# listStatus of several paths.


def _of_all(root: State, op: ListMany) -> tuple[of.Entries, Counter[Path]]:
    found: dict[Path, Any] = {}
    times: Counter[Path] = Counter()
    for path in op.paths:
        listed = of.listing(root, path)
        found.update(listed)
        times.update(listed.keys())
    return found, times


def _many(any_length: bool, merged: bool) -> Callable[[State, ListMany, object], bool]:
    def check(root: State, op: ListMany, listed: object) -> bool:
        wanted, times = _of_all(root, op)
        if not of.covers(listed, wanted, any_length):
            return False
        assert isinstance(listed, tuple)
        count = Counter(status.path for status in listed)
        return count <= times if merged else count == times

    return check


def _many_differs(root: State, op: ListMany, value: Any) -> Difference | None:
    if value is None:
        return Difference(NOT_NULL, "MUST NOT", "null")
    if not isinstance(value, tuple) or any(of.existing(root, path) is None for path in op.paths):
        return None
    words = of.wrong(value, *_of_all(root, op))
    return Difference(f"{_LIST}.many.post", "MUST", words) if words else None


_ALL_OF_THEM = "the statuses of each path's listing"

_SEVERAL = Cases(*COMMON_CASES)
_ALL_EXIST = _SEVERAL.case(
    "existing",
    f"{_LIST}.many.post",
    (
        gives(f"{_LIST}.many.post", _ALL_OF_THEM, _many(False, False), also=(NOT_NULL,)),
        gives(f"{_LIST}.many.duplicates", _ALL_OF_THEM, _many(False, True), level="MAY"),
        gives(
            DIRECTORY_STATUS,
            _ALL_OF_THEM,
            _many(True, True),
            (DIRECTORIES_HAVE_LENGTH, True),
            departs=True,
        ),
    ),
)
_ONE_ABSENT = _SEVERAL.add(missing(f"{_LIST}.many.pre.exist"))
_ONE_BELOW_FILE = _SEVERAL.add(below_a_file(f"{_LIST}.many.pre.exist"))


@meaning(ListMany, _SEVERAL, differs=_many_differs, derived=True)
def _classify_many(root: State, op: ListMany) -> int:
    found, lacking = 0, 0
    for path in op.paths:
        node = locate(root, path)
        found |= bits(path, node)
        if type(node) is not File and type(node) is not Dir:
            lacking |= (_ONE_ABSENT | _ONE_BELOW_FILE) if node is UNDER_FILE else _ONE_ABSENT
    return found | (lacking or _ALL_EXIST)


@drawn(ListFiltered)
def _draw_filtered(_draft: Draft, dice: Random, path: Path) -> ListFiltered:
    return ListFiltered(path, dice.choice(PREFIXES), dice.choice(("", *ListFiltered.VIAS)))


@drawn(ListMany)
def _draw_many(draft: Draft, dice: Random, path: Path) -> ListMany:
    others = [draft.anywhere(dice, True) for _ in range(dice.randint(0, 2))]
    return ListMany((path, *others), dice.choice(("", *ListMany.VIAS)))
