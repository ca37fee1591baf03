"""Calls in and beside a directory of which snapshots are taken: what they keep, hold back and report.

Source: Hadoop's HDFS Snapshots. The rules are in :mod:`fsconform.model.filesystem.directory_snapshots`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from fsconform.model.core.drawing import Draft, drawn
from fsconform.model.core.operation import Operation, operation
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
from fsconform.model.filesystem.directory_snapshots import (
    AT_BEGINNING,
    CALLS,
    COMPARED,
    DELETED,
    DONE,
    GIVEN_UP,
    READ_ONLY,
    RECALLED,
    RENAMED,
    TAKEN,
    Rules,
    Tree,
    World,
    play,
    relative,
    reported,
)
from fsconform.model.filesystem.state import Dir, File, State, locate
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    from collections.abc import Collection
    from random import Random

_GUIDE = "HdfsSnapshots"
KEPT, READ, UNHINDERED, PERMITTED, HELD, NESTED, CALLED, ENTRIES, RENAMES = (
    f"{_GUIDE}.{name}"
    for name in (
        "kept",
        "read-only",
        "unhindered",
        "permitted",
        "directory.held",
        "nested",
        "names",
        "difference.entries",
        "difference.renames",
    )
)
_STATUS = "filesystem.getFileStatus.pre.exists"
_OUTCOMES, _NOW, _SNAPSHOTS, _REPORTS = "outcomes", "now", "snapshots", "reports"
NO_REPORT = "-"


@operation
@dataclass(frozen=True, slots=True)
class CallsWithSnapshots(Operation):
    """Calls made one after another in a directory of which snapshots can be taken.

    They are made below ``path``, in a tree of the directory ``d`` with the file ``f`` and the directory ``e``, which
    holds the file ``g``, and of ``o`` with the file ``k``; all is removed afterwards. Returns facts ``calls with
    snapshots``, each a text for each call: ``outcomes`` (done or failed), ``now`` (what is in the tree, files with
    their bytes, which are letters), ``snapshots`` (the same of each snapshot of ``d``) and ``reports`` (what the
    difference of two snapshots says; - of other calls).
    """

    NAME: ClassVar[str] = "calls with snapshots"
    WORDS: ClassVar[Mapping[str, tuple[str, ...]]] = {"calls": CALLS}
    path: Path
    calls: tuple[str, ...]


def rows_of(files: Mapping[str, str | None]) -> str:
    """Paths, of files with their bytes, as the facts have them."""
    return ", ".join(path if data is None else f"{path} {data}" for path, data in sorted(files.items()))


def shown(tree: Tree) -> str:
    """What is there, as the facts have it."""
    return rows_of({path: node.data for path, node in tree.items()})


def shown_snapshots(snapshots: Mapping[str, Tree]) -> str:
    """What snapshots have, as the facts have it: paths in ``d``."""
    rows = []
    for name, tree in sorted(snapshots.items()):
        rows.append(f"{name}: {rows_of({relative(path): node.data for path, node in tree.items() if '/' in path})}")
    return "; ".join(rows)


def shown_report(entries: Collection[str]) -> str:
    """The entries of a report, as the facts have them."""
    return ", ".join(sorted(entries))


def _clause_of_outcome(call: str, outcome: object, world: World) -> str:
    """The clause that the outcome of a call breaks."""
    if call in READ_ONLY:
        return READ
    if call in COMPARED:
        return ENTRIES
    if call in TAKEN:
        return CALLED if world.allowed else PERMITTED
    if call in GIVEN_UP or call in RECALLED:
        return CALLED
    if call.startswith("allow"):
        return NESTED if outcome == DONE else PERMITTED
    of_root = DELETED.get(call) == "d" or RENAMED.get(call, ("",))[0] == "d" or call == "disallow d"
    return HELD if of_root and outcome == DONE else UNHINDERED


def _differs(_root: State, op: CallsWithSnapshots, value: object) -> Difference | None:
    if not isinstance(value, Facts):
        return None
    rows = []
    for name in (_OUTCOMES, _NOW, _SNAPSHOTS, _REPORTS):
        answers = value.get(name)
        if not isinstance(answers, tuple) or len(answers) != len(op.calls):
            return Difference(
                KEPT, "MUST", f"another number of texts than of calls in {name}", name, f"{len(op.calls)} of them"
            )
        rows.append(answers)
    world, rules = AT_BEGINNING, Rules()
    for call, outcome, now, snapshots, entries in zip(op.calls, *rows, strict=True):
        due = play(world, call, rules)
        if outcome not in due:
            wanted = f"{' or '.join(sorted(due))} of: {call}"
            clause = _clause_of_outcome(call, outcome, world)
            return Difference(clause, "MUST", f"{outcome} of: {call}", _OUTCOMES, wanted)
        wrong = _wrong_report(world, call, outcome, entries)
        after = due[str(outcome)]
        if wrong is not None or after is None:
            return wrong
        wrong = _wrong_views(call, after, now, snapshots)
        if wrong is not None:
            return wrong
        world = after
    return None


def _wrong_report(world: World, call: str, outcome: object, entries: object) -> Difference | None:
    wanted = reported(world, call, Rules()) if outcome == DONE else None
    if wanted is None or entries == shown_report(wanted):
        return None
    found = {entry for entry in str(entries).split(", ") if entry}
    astray = found ^ wanted
    renamed = any(entry.startswith("R") for entry in astray)
    clause = RENAMES if renamed else ENTRIES
    return Difference(clause, "MUST", "another difference of snapshots", _REPORTS, f"[{shown_report(wanted)}]")


def _wrong_views(call: str, world: World, now: object, snapshots: object) -> Difference | None:
    if now != shown(world.tree):
        return Difference(UNHINDERED, "MUST", "another tree than the calls leave", _NOW, f"[{shown(world.tree)}]")
    wanted = shown_snapshots(world.snapshots)
    if snapshots == wanted:
        return None
    names = [row.partition(":")[0] for row in str(snapshots).split("; ") if row]
    clause = KEPT if names == sorted(world.snapshots) else CALLED
    words = "another snapshot than was taken" if clause == KEPT else "other snapshots than there are"
    return Difference(READ if call in READ_ONLY else clause, "MUST", words, _SNAPSHOTS, f"[{wanted}]")


def _right(root: State, op: CallsWithSnapshots, value: object) -> bool:
    return isinstance(value, Facts) and _differs(root, op, value) is None


_MET = Cases(*COMMON_CASES)
_DIRECTORY = _MET.case(
    "directory",
    KEPT,
    (
        gives(
            KEPT,
            "keep what snapshots have, and report what differs",
            _right,
            also=(READ, UNHINDERED, PERMITTED, HELD, NESTED, CALLED, ENTRIES, RENAMES),
        ),
    ),
)
_FILE = _MET.case("file", KEPT, (returns(KEPT, ANY), raises(KEPT, "IOException")))
_MISSING = _MET.case("missing", _STATUS, runtime_instead((raises(_STATUS, "FileNotFoundException"),)))


@meaning(CallsWithSnapshots, _MET, differs=_differs, derived=True)
def _classify(root: State, op: CallsWithSnapshots) -> int:
    node = locate(root, op.path)
    return bits(op.path, node) | (_DIRECTORY if type(node) is Dir else _FILE if type(node) is File else _MISSING)


_MOST_CALLS = 10
_BEGIN = ("allow d", "snap s1")
"""Most programs begin so, as nothing can be seen without a snapshot."""


@drawn(CallsWithSnapshots)
def _draw(_draft: Draft, dice: Random, path: Path) -> CallsWithSnapshots:
    begun = _BEGIN if dice.random() < 0.8 else ()
    calls = tuple(dice.choice(CALLS) for _ in range(dice.randint(1, _MOST_CALLS)))
    return CallsWithSnapshots(path, (*begun, *calls))
