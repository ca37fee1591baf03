"""Bulk deletion. Source: bulkdelete.md."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from fsconform.model.core.drawing import Draft, drawn, rarely_another_way
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.outcomes import Facts
from fsconform.model.core.paths import ROOT, Path, is_ancestor, show
from fsconform.model.filesystem.branches import (
    ANY,
    Branch,
    Cases,
    Difference,
    Effect,
    keep,
    meaning,
    raises,
    returns,
)
from fsconform.model.filesystem.options.core import REFUSES_PATHS_BELOW_FILES
from fsconform.model.filesystem.refusals import unnamed
from fsconform.model.filesystem.state import UNDER_FILE, Dir, File, State, locate, remove
from fsconform.model.filesystem.validity import COMMON_CASES, INVALID, bits, flags, lenient_bits

if TYPE_CHECKING:
    from random import Random

_BULK = "bulkdelete"
_ALL = 1000
"""More levels than a path has."""


@operation
@dataclass(frozen=True, slots=True)
class BulkDelete(Operation):
    """``createBulkDelete(path)``, ``bulkDelete(paths)``, close; via wrapped through the class WrappedIO.

    Returns facts ``bulk delete``: pageSize, failed (texts of paths), capable (what hasPathCapability says), default
    (true if the filesystem has no bulk deletion of its own).
    """

    NAME: ClassVar[str] = "bulkDelete"
    MUTATES: ClassVar[bool] = True
    VIAS: ClassVar[tuple[str, ...]] = ("wrapped",)
    path: Path
    paths: tuple[Path, ...]
    via: str = ""


def take_away(root: State, op: BulkDelete) -> State:
    """The files that were listed are gone, and nothing else."""
    for path in op.paths:
        if type(locate(root, path)) is File:
            root = remove(root, path)
    return root


def _without_parents(levels: int, taken: Callable[[State, BulkDelete], State] = take_away) -> Effect:
    """As ``taken``; of the parents that deleted files leave empty so many levels are gone too."""

    def effect(root: State, op: BulkDelete) -> State:
        deleted = [path for path in op.paths if type(locate(root, path)) is File]
        root = taken(root, op)
        for path in deleted:
            root = _prune(root, path[:-1], levels)
        return root

    return effect


def _prune(root: State, path: Path, levels: int) -> State:
    while path and levels:
        node = locate(root, path)
        if type(node) is not Dir or node.children:
            break
        root, path, levels = remove(root, path), path[:-1], levels - 1
    return root


def _with_directories(recursive: bool) -> Callable[[State, BulkDelete], State]:
    """As :func:`take_away`; listed directories are gone too: all of them, or those that are empty."""

    def effect(root: State, op: BulkDelete) -> State:
        root = take_away(root, op)
        for path in sorted(op.paths, key=len, reverse=True):
            node = locate(root, path)
            if path and type(node) is Dir and (recursive or not node.children):
                root = remove(root, path)
        return root

    return effect


def _in_turn(root: State, op: BulkDelete) -> State:
    """One listed path after the other is gone: files, and directories that are empty when their turn comes."""
    for path in op.paths:
        node = locate(root, path)
        if path and (type(node) is File or (type(node) is Dir and not node.children)):
            root = remove(root, path)
    return root


def _page_size(value: Facts) -> int:
    size = value.get("pageSize")
    return size if isinstance(size, int) else 0


def _differs(root: State, op: BulkDelete, value: object) -> Difference | None:
    if not isinstance(value, Facts):
        return None
    size, failed = _page_size(value), value.get("failed")
    if size < 1:
        return Difference(f"{_BULK}.available", "MUST NOT", "a page size below 1")
    if value.get("capable") is not True:
        return Difference(f"{_BULK}.capability", "MUST", "false of the capability that is there")
    if value.get("default") is True and size != 1:
        return Difference(f"{_BULK}.default", "MUST", "another page size than the default")
    if len(op.paths) > size:
        return Difference(f"{_BULK}.pre.page-size", "MUST", "a deletion of more paths than the page size")
    if isinstance(failed, tuple) and any(type(locate(root, path)) is not File for path in _named(op, failed)):
        return Difference(f"{_BULK}.post.missing", "MUST", "a failure to delete what is not there")
    return Difference(f"{_BULK}.post.files-removed", "MUST", "a failure to delete a file") if failed else None


def _named(op: BulkDelete, failed: tuple[str, ...]) -> list[Path]:
    return [path for path in op.paths if show(path) in failed]


def _right(root: State, op: BulkDelete, value: object) -> bool:
    return isinstance(value, Facts) and _differs(root, op, value) is None


def _right_but(excused: Callable[[State, Path], bool]) -> Callable[[State, BulkDelete, object], bool]:
    """Whether an answer is right but for failures of paths that are excused."""

    def check(root: State, op: BulkDelete, value: object) -> bool:
        if not isinstance(value, Facts):
            return False
        failed = value.get("failed")
        if not isinstance(failed, tuple) or not all(excused(root, path) for path in _named(op, failed)):
            return False
        others = tuple((name, () if name == "failed" else fact) for name, fact in value.items)
        return _right(root, op, Facts(value.kind, others))

    return check


_odd_alone = _right_but(lambda _root, path: flags(path) != 0)


def _right_but_refused(root: State, op: BulkDelete, value: object) -> bool:
    failed = value.get("failed") if isinstance(value, Facts) else None
    named = _named(op, failed) if isinstance(failed, tuple) else []
    forbidden = {path for path in op.paths if flags(path) & INVALID}
    return bool(named) and forbidden <= set(named) and _odd_alone(root, op, value)


_ALSO = tuple(f"{_BULK}.{name}" for name in ("available", "capability", "default", "post.failures", "post.missing"))
_TOO_MANY = raises(f"{_BULK}.pre.page-size", "IllegalArgumentException")


def _deleted(clause: str, effect: Effect = take_away) -> Branch:
    return Branch(clause, "MUST", "delete the files, without failures", effect, check=_right, also=_ALSO)


_REFUSED_BELOW_FILES = Branch(
    f"{_BULK}.post.missing",
    "MUST",
    "tell of failures for paths below files",
    keep,
    check=_right_but(lambda root, path: locate(root, path) is UNDER_FILE),
    when=((REFUSES_PATHS_BELOW_FILES, True),),
    departs=True,
)

_WITH_DIRECTORIES = (_with_directories(False), _with_directories(True), _in_turn)
"""What may become of listed directories, of which nothing is promised: from below upwards, or in the order given."""

_REMOVED, _PARENTS, _DIRECTORIES = f"{_BULK}.post.files-removed", f"{_BULK}.parents", f"{_BULK}.directories"

_REFUSED_NAMES = Branch(
    f"{_BULK}.post.failures",
    "MUST",
    "tell of failures for names that a store may forbid",
    keep,
    check=_right_but_refused,
)

_MET = Cases(*(replace(case, branches=(*case.branches, _REFUSED_NAMES)) for case in COMMON_CASES))


def _pair(name: str, clause: str, *branches: Branch) -> tuple[int, int]:
    """The case of one path and that of several, which are refused where they are more than the page size."""
    return _MET.case(name, clause, branches), _MET.case(f"{name}, several", clause, (*branches, _TOO_MANY))


_OUTSIDE = _MET.case(
    "path outside of the base path",
    f"{_BULK}.pre.base-path",
    (*unnamed(f"{_BULK}.pre.base-path", level="MUST NOT"), _TOO_MANY),
)
_NONE = _MET.case("no paths", _REMOVED, (_deleted(_REMOVED, keep),))
_FILES = _pair("files", _REMOVED, _deleted(_REMOVED))
# A value that is checked has one next state only: here the probes that follow tell what was deleted.
_EMPTIED = _pair(
    "the last files of their directories",
    _REMOVED,
    returns(_REMOVED, ANY, effect=take_away),
    *(returns(_PARENTS, ANY, effect=_without_parents(levels), level="UNDEFINED") for levels in (1, 2, _ALL)),
)
_MISSING = _pair("missing", f"{_BULK}.post.missing", _deleted(f"{_BULK}.post.missing", keep), _REFUSED_BELOW_FILES)
_DIRECTORY = _pair(
    "directories",
    _DIRECTORIES,
    returns(_DIRECTORIES, ANY, effect=take_away, level="UNDEFINED"),
    *(returns(_DIRECTORIES, ANY, effect=taken, level="UNDEFINED") for taken in _WITH_DIRECTORIES),
    *(
        returns(_PARENTS, ANY, effect=_without_parents(levels, taken), level="UNDEFINED")
        for taken in (take_away, *_WITH_DIRECTORIES)
        for levels in (1, 2, _ALL)
    ),
    raises(_DIRECTORIES, "Exception", level="UNDEFINED"),
)


@meaning(BulkDelete, _MET, differs=_differs)
def _classify(root: State, op: BulkDelete) -> int:
    nodes = [locate(root, path) for path in op.paths]
    found = bits(op.path, root.tree)
    for path, node in zip(op.paths, nodes, strict=True):
        found |= lenient_bits(path, node)
    if any(path != op.path and not is_ancestor(op.path, path) for path in op.paths):
        return found | _OUTSIDE
    if not op.paths:
        return found | _NONE
    several = len(op.paths) > 1
    if any(type(node) is Dir for node in nodes):
        return found | _DIRECTORY[several]
    files = [path for path, node in zip(op.paths, nodes, strict=True) if type(node) is File]
    if not files:
        return found | _MISSING[several]
    after = take_away(root, op)
    return found | (_EMPTIED if any(_empty(after, path[:-1]) for path in files) else _FILES)[several]


def _empty(root: State, path: Path) -> bool:
    node = locate(root, path)
    return bool(path) and type(node) is Dir and not node.children


@drawn(BulkDelete)
def _draw(draft: Draft, dice: Random, path: Path) -> BulkDelete:
    base = dice.choice((ROOT, path[:-1]))
    paths = (path, *(draft.anywhere(dice, root=False) for _ in range(dice.choice((0, 0, 0, 1, 2)))))
    return BulkDelete(base, paths, rarely_another_way(BulkDelete, dice))
