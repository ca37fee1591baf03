"""Listed statuses beside those that getFileStatus gives.

Source: filesystem.md, the implicit invariant of "FileStatus[] listStatus(Path path, PathFilter filter)", and the
sections on listStatusIterator, listLocatedStatus and listFiles.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from fsconform.model.core.drawing import Draft, drawn
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.outcomes import Facts
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Case, Cases, Difference, below_a_file, gives, meaning
from fsconform.model.filesystem.options.listing import LISTED_TIMES_DIFFER
from fsconform.model.filesystem.state import UNDER_FILE, Dir, File, State, locate
from fsconform.model.filesystem.status import entries as of
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    from random import Random


_ATTRIBUTES = "filesystem.listStatus.post.attributes"
_ITERATED = "filesystem.listStatusIterator.post"
_LOCATED = "filesystem.listLocatedStatus.post"
_LOCATIONS = "filesystem.listLocatedStatus.post.locations"
_FILES = "filesystem.listFiles.post.located"

_SAME = {"": _ATTRIBUTES, "iterator": _ITERATED, "located": _LOCATED, "files": _FILES}
_WITH_LOCATIONS = frozenset(("located", "files"))

_MISSING = "filesystem.listStatus.pre.exists"


_TIMES = frozenset(("accessed", "modified"))


@operation
@dataclass(frozen=True, slots=True)
class CompareListed(Operation):
    """``listStatus(path)``, and ``getFileStatus`` of each path it gives. Nothing may happen meanwhile.

    Via iterator, located and files it is listStatusIterator, listLocatedStatus and ``listFiles(path, true)``. Returns
    facts ``comparison``: entries (a number), differing (names of the attributes in which the two statuses of any entry
    differ), unlocated (of the latter two, the number of entries that are no LocatedFileStatus) and misplaced (of them,
    the number of files whose locations are others than getFileBlockLocations gives).
    """

    NAME: ClassVar[str] = "listing compared"
    VIAS: ClassVar[tuple[str, ...]] = (
        "iterator",
        "located",
        "files",
    )
    path: Path
    via: str = ""


def _unlike(op: CompareListed, value: Facts, besides: frozenset[str] = frozenset()) -> tuple[str, str] | None:
    """The clause that a comparison breaks, with words for how; differences in what is ``besides`` break none."""
    differing = value.get("differing")
    if isinstance(differing, tuple) and not besides.issuperset(differing):
        return _SAME[op.via], f"other attributes in a listing: {', '.join(differing)}"
    if op.via in _WITH_LOCATIONS and value.get("unlocated"):
        return _SAME[op.via], "statuses of a class without locations"
    if op.via in _WITH_LOCATIONS and value.get("misplaced"):
        return _LOCATIONS, "statuses with other locations"
    return None


def _alike(_root: State, op: CompareListed, value: object) -> bool:
    return isinstance(value, Facts) and _unlike(op, value) is None


def _alike_but_for_times(_root: State, op: CompareListed, value: object) -> bool:
    return isinstance(value, Facts) and _unlike(op, value, _TIMES) is None


def _differs(root: State, op: CompareListed, value: object) -> Difference | None:
    if of.existing(root, op.path) is None or not isinstance(value, Facts):
        return None
    unlike = _unlike(op, value)
    return None if unlike is None else Difference(unlike[0], "MUST", unlike[1])


def _compared(via: str, *also: str) -> Case:
    clause = _SAME[via]
    expected = "the attributes that getFileStatus gives"
    return Case(
        f"listed, {via}" if via else "listed",
        clause,
        (
            gives(clause, expected, _alike, also=also),
            gives(clause, expected, _alike_but_for_times, (LISTED_TIMES_DIFFER, True), departs=True, also=also),
        ),
    )


_MET = Cases(*COMMON_CASES)
_LISTED = {
    "": _MET.add(_compared("")),
    "iterator": _MET.add(_compared("iterator")),
    "located": _MET.add(_compared("located", _LOCATIONS)),
    "files": _MET.add(_compared("files", _LOCATIONS)),
}
_ABSENT = _MET.add(of.missing(_MISSING))
_BELOW_FILE = _MET.add(below_a_file(_MISSING))


@meaning(CompareListed, _MET, differs=_differs, derived=True)
def _classify(root: State, op: CompareListed) -> int:
    node = locate(root, op.path)
    found = bits(op.path, node)
    if type(node) is File or type(node) is Dir:
        return found | _LISTED[op.via]
    return found | _ABSENT | (_BELOW_FILE if node is UNDER_FILE else 0)


@drawn(CompareListed)
def _draw(_draft: Draft, dice: Random, path: Path) -> CompareListed:
    return CompareListed(path, dice.choice(("", *CompareListed.VIAS)))
