"""Calls in a small tree whose directories have quotas: what is refused, what is left, and what is counted.

Sources: the paper on HDFS, IV.B; Hadoop's HDFS Quotas Guide. The rules are in
:mod:`fsconform.model.filesystem.quotas`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from fsconform.model.core.drawing import Draft, drawn
from fsconform.model.core.operation import Operation, Quota, operation
from fsconform.model.core.outcomes import Facts
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import (
    ANY,
    Cases,
    Difference,
    gives,
    meaning,
    raises,
    returns,
    runtime_instead,
)
from fsconform.model.filesystem.metadata.attribute_entries import unsupported
from fsconform.model.filesystem.options.attributes import SUPPORTS_QUOTAS
from fsconform.model.filesystem.quotas import (
    BLOCK,
    CALLS,
    LENGTH,
    LIMITED,
    NAMES,
    NONE,
    SPACE,
    OneReplica,
    QuotasLeftBehind,
    RenamesUnchecked,
    ReplicationUnchecked,
    Rules,
    Tree,
    WithoutItself,
    WrittenBytes,
    play,
    tree_at_first,
)
from fsconform.model.filesystem.state import Dir, File, State, locate
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    from collections.abc import Collection
    from random import Random

NAMES_EXACT, SPACE_REFUSED = "hdfs-paper-2010.quotas.names", "hdfs-paper-2010.quotas.space"
_GUIDE = "HdfsQuotaAdminGuide"
ITSELF, BLOCKS, REPLICAS, RENAMES, STICK, KEPT = (
    f"{_GUIDE}.{name}"
    for name in ("names.itself", "space.blocks", "space.replicas", "rename.refused", "rename.kept", "refused.unchanged")
)
_STATUS = "filesystem.getFileStatus.pre.exists"
_OUTCOMES, _USAGES, _SUMMARIES, _LEFT = "outcomes", "usages", "summaries", "left"


@operation
@dataclass(frozen=True, slots=True)
class CallsUnderQuotas(Operation):
    """Calls made one after another in a directory with quotas.

    They are made below ``path``, in a tree of ``d`` (with quotas ``names`` and ``space``), in it the file ``f`` and the
    directory ``e`` (``inner_names``, ``inner_space``) with the file ``g``, and beside ``d`` the directory ``o`` with
    ``h/k``, of two replicas, and the empty ``p``. Space in bytes; -1 is no quota. The quotas are set once the tree is
    there, and all is removed afterwards. Returns facts ``calls under quotas``: ``outcomes`` (done, names, space or
    failed, for each call); after each call ``usages``, by getQuotaUsage names and space used and both quotas of each
    directory that has them, and ``summaries``, names and space by getContentSummary; ``left``, a text of path, length
    and replication for each file and of the path for each directory that is there in the end.
    """

    NAME: ClassVar[str] = "calls under quotas"
    WORDS: ClassVar[Mapping[str, tuple[str, ...]]] = {"calls": CALLS}
    path: Path
    names: Quota
    space: Quota
    inner_names: Quota
    inner_space: Quota
    calls: tuple[str, ...]

    def check(self) -> None:
        """Raise ValueError for what no directory can be given as a quota."""
        if 0 in (self.names, self.inner_names):
            raise ValueError("a quota of no names is none that a directory can have: it counts itself")


def first(op: CallsUnderQuotas) -> Tree:
    """The tree that the calls are made in."""
    return tree_at_first(op.names, op.space, op.inner_names, op.inner_space)


def usage(tree: Tree, rules: Rules) -> str:
    """What is used of which quotas, as the facts have it."""
    rows = []
    for path in LIMITED:
        if path in tree:
            used, entry = rules.used(tree, path), tree[path]
            rows.append(f"{path} {used[0]} {used[1]} of {entry.names} {entry.space}")
    return "; ".join(rows)


def summary(tree: Tree, rules: Rules) -> str:
    """What is used, as the facts have it of a summary."""
    return "; ".join(f"{path} {' '.join(map(str, rules.used(tree, path)))}" for path in LIMITED if path in tree)


def shown(tree: Tree) -> tuple[str, ...]:
    """What is there, as the facts have it: of a file that is open only the path is said."""
    rows = []
    for path, entry in tree.items():
        if entry.length is None or entry.open:
            rows.append(path)
        else:
            rows.append(f"{path} {entry.length} {entry.replication}")
    return tuple(sorted(rows))


_EXPLAINED = (
    (WithoutItself, ITSELF),
    (OneReplica, REPLICAS),
    (ReplicationUnchecked, REPLICAS),
    (WrittenBytes, BLOCKS),
    (RenamesUnchecked, RENAMES),
    (QuotasLeftBehind, STICK),
)
"""What a store does by each of these rules breaks that clause; anything else breaks the one that quotas are exact."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """What was seen of the calls, up to one of them."""

    outcomes: tuple[object, ...]
    usages: tuple[object, ...]
    summaries: tuple[object, ...]

    def up_to(self, count: int) -> _Seen:
        return _Seen(self.outcomes[:count], self.usages[:count], self.summaries[:count])


def _fits(op: CallsUnderQuotas, seen: _Seen, rules: Rules) -> bool:
    """Whether a store by these rules may have shown this."""
    tree: Tree | None = first(op)
    rows = zip(op.calls, seen.outcomes, seen.usages, seen.summaries, strict=False)
    for call, outcome, used, summed in rows:
        if tree is None:
            return False
        left = play(tree, call, rules)
        if outcome not in left:
            return False
        tree = left[str(outcome)]
        if tree is not None and (used != usage(tree, rules) or summed != summary(tree, rules)):
            return False
    return True


def _clause(op: CallsUnderQuotas, seen: _Seen, otherwise: str) -> str:
    return next((clause for rules, clause in _EXPLAINED if _fits(op, seen, rules())), otherwise)


def _counted(used: object, due: str) -> str:
    """The clause of a count that is wrong: of names, or of space alone."""
    found = [row.split(" ") for row in str(used).split("; ")]
    wanted = [row.split(" ") for row in due.split("; ")]
    alike = len(found) == len(wanted) and all(
        len(row) == len(other) and row[:2] == other[:2] for row, other in zip(found, wanted, strict=True)
    )
    return SPACE_REFUSED if alike else NAMES_EXACT


def _differs(_root: State, op: CallsUnderQuotas, value: object) -> Difference | None:
    if not isinstance(value, Facts):
        return None
    rows = []
    for name in (_OUTCOMES, _USAGES, _SUMMARIES):
        answers = value.get(name)
        if not isinstance(answers, tuple) or len(answers) != len(op.calls):
            return Difference(
                NAMES_EXACT, "MUST", f"another number of {name} than of calls", name, f"{len(op.calls)} of them"
            )
        rows.append(answers)
    left = value.get(_LEFT)
    if not isinstance(left, tuple):
        return Difference(NAMES_EXACT, "MUST", "nothing about what is left", _LEFT, "what is there")
    seen, tree, rules = _Seen(*rows), first(op), Rules()
    for at, call in enumerate(op.calls):
        found = seen.up_to(at + 1)
        due = play(tree, call, rules)
        if found.outcomes[at] not in due:
            return _wrong_outcome(op, found, due.keys(), call)
        after = due[str(found.outcomes[at])]
        if after is None:
            return None
        wrong = _wrong_count(op, found, after)
        if wrong is not None:
            return wrong
        tree = after
    return _wrong_end(tree, left, seen.outcomes)


def _wrong_outcome(op: CallsUnderQuotas, seen: _Seen, due: Collection[str], call: str) -> Difference:
    outcome, wanted = seen.outcomes[-1], sorted(due)
    refused = {outcome, *wanted} & {NAMES, SPACE}
    clause = _clause(op, seen, NAMES_EXACT if NAMES in refused else SPACE_REFUSED)
    return Difference(clause, "MUST", f"{outcome} of: {call}", _OUTCOMES, f"{' or '.join(wanted)} of: {call}")


def _wrong_count(op: CallsUnderQuotas, seen: _Seen, tree: Tree) -> Difference | None:
    rules, refused = Rules(), seen.outcomes[-1] in (NAMES, SPACE)
    for name, found, due in (
        (_USAGES, seen.usages[-1], usage(tree, rules)),
        (_SUMMARIES, seen.summaries[-1], summary(tree, rules)),
    ):
        if found != due:
            clause = _clause(op, seen, KEPT if refused else _counted(found, due))
            words = "a change by a call that was refused" if refused else "another count than is there"
            return Difference(clause, "MUST", words, name, due)
    return None


def _wrong_end(tree: Tree, left: tuple[object, ...], outcomes: tuple[object, ...]) -> Difference | None:
    open_files = {path for path, entry in tree.items() if entry.open}
    rows = {str(row).split(" ")[0] if str(row).split(" ")[0] in open_files else str(row) for row in left}
    due = shown(tree)
    if rows == set(due):
        return None
    refused = not {NAMES, SPACE}.isdisjoint(map(str, outcomes))
    words = "a change by a call that was refused" if refused else "something else than the calls leave"
    return Difference(KEPT, "MUST", words, _LEFT, f"[{', '.join(due)}]")


def _right(root: State, op: CallsUnderQuotas, value: object) -> bool:
    return isinstance(value, Facts) and _differs(root, op, value) is None


_MET = Cases(*COMMON_CASES)
_DIRECTORY = _MET.case(
    "directory",
    NAMES_EXACT,
    (
        gives(
            NAMES_EXACT,
            "count names and space exactly, and refuse what is beyond a quota",
            _right,
            (SUPPORTS_QUOTAS, True),
            also=(SPACE_REFUSED, ITSELF, BLOCKS, REPLICAS, RENAMES, STICK, KEPT),
        ),
        unsupported(SUPPORTS_QUOTAS),
    ),
)
_FILE = _MET.case("file", NAMES_EXACT, (returns(NAMES_EXACT, ANY), raises(NAMES_EXACT, "IOException")))
_MISSING = _MET.case("missing", _STATUS, runtime_instead((raises(_STATUS, "FileNotFoundException"),)))


@meaning(CallsUnderQuotas, _MET, differs=_differs, derived=True)
def _classify(root: State, op: CallsUnderQuotas) -> int:
    node = locate(root, op.path)
    return bits(op.path, node) | (_DIRECTORY if type(node) is Dir else _FILE if type(node) is File else _MISSING)


_NAMES = (NONE, 4, 5, 6, 8)
_INNER_NAMES = (NONE, 2, 3, 5)
_SPACE = (NONE, 0, 2 * LENGTH, BLOCK, BLOCK + LENGTH, BLOCK + 2 * LENGTH, 2 * BLOCK + 2 * LENGTH)
_INNER_SPACE = (NONE, LENGTH, 3 * LENGTH, BLOCK + LENGTH)
_MOST_CALLS = 8


@drawn(CallsUnderQuotas)
def _draw(_draft: Draft, dice: Random, path: Path) -> CallsUnderQuotas:
    return CallsUnderQuotas(
        path,
        dice.choice(_NAMES),
        dice.choice(_SPACE),
        dice.choice(_INNER_NAMES),
        dice.choice(_INNER_SPACE),
        tuple(dice.choice(CALLS) for _ in range(dice.randint(1, _MOST_CALLS))),
    )
