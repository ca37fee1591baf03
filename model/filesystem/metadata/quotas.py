"""Quotas: setQuota, and what one bears on in create and mkdirs.

Followed are quotas of names; what comes of one of space depends on the sizes of blocks, and ends what the model can
follow. The specification has no section on the call. Source: introduction.md, "Operations and failures", for calls that
are not implemented; the Javadoc of FileSystem; where it is silent, HDFS.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from fsconform.model.core.drawing import Draft, drawn
from fsconform.model.core.operation import Long, Operation, operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import (
    RUNTIME_CLAUSE,
    Branch,
    Case,
    Cases,
    Effect,
    lost,
    meaning,
    raises,
    returns,
)
from fsconform.model.filesystem.metadata.attribute_entries import (
    QUOTA,
    absence,
    absent,
    changed,
    entries,
    refused,
    unsupported,
)
from fsconform.model.filesystem.options.attributes import SUPPORTS_QUOTAS
from fsconform.model.filesystem.state import Absence, Dir, File, Node, State, locate, walk
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    from random import Random


_DIRECTORY = "filesystem.setQuota.pre.directory"
_VALUE = "filesystem.setQuota.pre.value"
_SET = "filesystem.setQuota.post"
_NAMES = "filesystem.setQuota.names"
_YES = (SUPPORTS_QUOTAS, True)

RESET = -1
LEAVE = 2**63 - 1
"""The value that leaves a quota as it is."""


@operation
@dataclass(frozen=True, slots=True)
class SetQuota(Operation):
    """``setQuota(path, names, space)``; space in bytes."""

    NAME: ClassVar[str] = "setQuota"
    MUTATES: ClassVar[bool] = True
    path: Path
    names: Long
    space: Long


def room(root: State, path: Path) -> tuple[int | None, int]:
    """How many more names the quotas above a path allow, below 0 where there are too many; None without a quota.

    Beside it, how many elements of the path exist.
    """
    above: list[tuple[Dir, int]] = []
    node: Node | None = root.tree
    depth = 0
    while isinstance(node, Dir):
        quota = entries(node).get(QUOTA)
        if isinstance(quota, int):
            above.append((node, quota))
        node = node.children.get(path[depth]) if depth < len(path) else None
        depth += node is not None
    return min((quota - sum(1 for _ in walk(limited)) for limited, quota in above), default=None), depth


def over(root: State, path: Path) -> bool:
    """True if making a path that does not exist, with its missing parents, would break a quota of names."""
    left, depth = room(root, path)
    return left is not None and len(path) - depth > left


def limited_case(effect: Effect, value: object) -> Case:
    """The case of a call that would make more names than a quota allows; ``effect`` is what it does all the same."""
    branches: tuple[Branch, ...] = (
        raises(_NAMES, "IOException", level="SHOULD"),
        raises(RUNTIME_CLAUSE, "RuntimeException", level="SHOULD NOT", deviates=True),
        returns(_NAMES, value, effect=effect, level="SHOULD", deviates=True),
    )
    return Case("over a quota", _NAMES, branches)


def _set(root: State, op: SetQuota) -> State:
    """The directory has the quota of names."""
    if op.names == LEAVE:
        return root
    state = changed(root, op.path, {QUOTA: None if op.names == RESET else op.names})
    return replace(state, quotas=True)


_MET = Cases(*COMMON_CASES, *absent(_DIRECTORY, SUPPORTS_QUOTAS))
_ON_FILE = _MET.case("file", _DIRECTORY, refused(_DIRECTORY, "IOException", SUPPORTS_QUOTAS))
_NONE = _MET.case(
    "a quota that can be none",
    _VALUE,
    (
        raises(_VALUE, "IllegalArgumentException", level="SHOULD"),
        *refused(_VALUE, "IOException", SUPPORTS_QUOTAS),
        returns(_VALUE, None, _YES, effect=lost, level="SHOULD", deviates=True),
    ),
)
_NAMES_ONLY = _MET.case("names", _SET, (returns(_SET, None, _YES, effect=_set), unsupported(SUPPORTS_QUOTAS)))
_SPACE = _MET.case("space", _SET, (returns(_SET, None, _YES, effect=lost), unsupported(SUPPORTS_QUOTAS)))


@meaning(SetQuota, _MET)
def _classify(root: State, op: SetQuota) -> int:
    node = locate(root, op.path)
    missing = isinstance(node, Absence)
    found = absence(op.path, node) if isinstance(node, Absence) else bits(op.path, node)
    if type(node) is File:
        found |= _ON_FILE
    if op.names < RESET or op.space < RESET or op.names == 0:
        return found | _NONE
    if missing or type(node) is File:
        return found
    return found | (_NAMES_ONLY if op.space in (RESET, LEAVE) else _SPACE)


@drawn(SetQuota)
def _draw(_draft: Draft, dice: Random, path: Path) -> SetQuota:
    # A quota that is set would bear on all later calls: it is left as it is, or taken away.
    return SetQuota(path, dice.choice((RESET, 0, LEAVE)), RESET)
