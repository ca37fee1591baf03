"""Listed statuses beside those that getFileStatus gives.

Source: filesystem.md, the implicit invariant of "FileStatus[] listStatus(Path path, PathFilter filter)", and the
sections on listStatusIterator, listLocatedStatus and listFiles.
"""

from __future__ import annotations

from fsconform.model.core.outcomes import Facts
from fsconform.model.filesystem.branches import Case, Difference, Meaning, below_a_file, gives
from fsconform.model.filesystem.operations.listing import CompareListed
from fsconform.model.filesystem.options.listing import LISTED_TIMES_DIFFER
from fsconform.model.filesystem.state import UNDER_FILE, Dir, File, State, locate
from fsconform.model.filesystem.status import entries as of
from fsconform.model.filesystem.validity import COMMON_CASES, bits

_ATTRIBUTES = "filesystem.listStatus.post.attributes"
_ITERATED = "filesystem.listStatusIterator.post"
_LOCATED = "filesystem.listLocatedStatus.post"
_LOCATIONS = "filesystem.listLocatedStatus.post.locations"
_FILES = "filesystem.listFiles.post.located"

_SAME = {"": _ATTRIBUTES, "iterator": _ITERATED, "located": _LOCATED, "files": _FILES}
_BITS = {"": 4, "iterator": 8, "located": 16, "files": 32}
_WITH_LOCATIONS = frozenset(("located", "files"))

_MISSING = "filesystem.listStatus.pre.exists"


_TIMES = frozenset(("accessed", "modified"))


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


def _classify(root: State, op: CompareListed) -> int:
    node = locate(root, op.path)
    found = bits(op.path, node)
    if type(node) is File or type(node) is Dir:
        return found | _BITS[op.via]
    return found | 64 | (128 if node is UNDER_FILE else 0)


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


COMPARE_LISTED = Meaning(
    CompareListed,
    (
        *COMMON_CASES,
        _compared(""),
        _compared("iterator"),
        _compared("located", _LOCATIONS),
        _compared("files", _LOCATIONS),
        of.missing(_MISSING),
        below_a_file(_MISSING),
    ),
    _classify,
    _differs,
    derived=True,
)
