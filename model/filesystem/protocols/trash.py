"""Trash: what is moved there, and what becomes of its checkpoints. Source: trashpolicy.md."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from fsconform.model.core.drawing import Draft, drawn
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.outcomes import Fact, Facts
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import (
    Case,
    Cases,
    Difference,
    Level,
    gives,
    keep,
    meaning,
    raises,
    runtime_instead,
)
from fsconform.model.filesystem.state import Absence, State, locate, remove
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    from random import Random

_TRASH = "trashpolicy.moveToTrash"
_CHECKPOINT = "trashpolicy.createCheckpoint.post"
_AT_ONCE = "trashpolicy.deleteCheckpointsImmediately.post"

_Expected = dict[str, tuple[Fact, str]]
"""For each fact what it must be, and the clause that says so."""

_DISABLED: _Expected = {"moved": (False, f"{_TRASH}.post.disabled"), "gone": (False, f"{_TRASH}.post.disabled")}
_MOVED: _Expected = {
    "moved": (True, f"{_TRASH}.post.moved"),
    "gone": (True, f"{_TRASH}.post.moved"),
    "kept": (True, f"{_TRASH}.post.moved"),
    "current": (True, "trashpolicy.getCurrentTrashDir.path"),
}

_OF_NOTHING = "create of nothing"

ACTS: dict[str, _Expected] = {
    "create": {
        "checkpoints": (1, f"{_CHECKPOINT}.checkpoint"),
        "current": (False, f"{_CHECKPOINT}.not-current"),
        "kept": (True, f"{_CHECKPOINT}.checkpoint"),
    },
    _OF_NOTHING: {
        "checkpoints": (0, f"{_CHECKPOINT}.nothing"),
        "current": (False, f"{_CHECKPOINT}.nothing"),
    },
    "delete": {
        "current": (True, "trashpolicy.deleteCheckpoint.post.current-stays"),
        "kept": (True, "trashpolicy.deleteCheckpoint.post.current-stays"),
    },
    "delete expired": {
        "checkpoints": (0, "trashpolicy.deleteCheckpoint.post.expired"),
        "kept": (False, "trashpolicy.deleteCheckpoint.post.expired"),
    },
    "delete at once": {"checkpoints": (0, f"{_AT_ONCE}.all"), "kept": (False, f"{_AT_ONCE}.all")},
    "delete all but current": {
        "current": (True, f"{_AT_ONCE}.current-stays"),
        "kept": (True, f"{_AT_ONCE}.current-stays"),
    },
    "run emptier": {
        "checkpoints": (1, "trashpolicy.emptier.round"),
        "current": (False, "trashpolicy.emptier.round"),
        "kept": (True, "trashpolicy.emptier.round"),
        "expired": (False, "trashpolicy.emptier.round"),
    },
    "move again": {"moved": (False, f"{_TRASH}.post.in-trash"), "kept": (True, f"{_TRASH}.post.in-trash")},
}
"""What each act on a trash must leave, beside what was moved there before."""

_LEVELS: dict[str, Level] = {
    f"{_CHECKPOINT}.not-current": "MUST NOT",
    "trashpolicy.deleteCheckpoint.post.current-stays": "MUST NOT",
    f"{_AT_ONCE}.current-stays": "MUST NOT",
}
"""Of each clause that is not a MUST its level."""


@operation
@dataclass(frozen=True, slots=True)
class MoveToTrash(Operation):
    """``TrashPolicy.moveToTrash(path)`` with a trash inside the program's root, which is emptied afterwards.

    Without ``enabled`` the deletion interval is 0. Returns facts ``trash``: ``moved`` (what the call returned),
    ``gone`` (nothing is at the path), ``kept`` (it is below the current trash directory under its full path) and
    ``current`` (getCurrentTrashDir(path) is the directory in which it is).
    """

    NAME: ClassVar[str] = "moveToTrash"
    MUTATES: ClassVar[bool] = True
    path: Path
    enabled: bool


@operation
@dataclass(frozen=True, slots=True)
class TrashCheckpoint(Operation):
    """A checkpoint of a trash inside the program's root, into which ``path`` was moved before; emptied afterwards.

    ``act`` says what is made of the trash then: create a checkpoint; delete the expired ones, of which there is none;
    delete expired, after one was made that has expired; delete at once, after one was made; delete all but current, at
    once but without one made; run emptier for at least one round, beside a checkpoint that has expired; move again
    what was moved. With create of nothing nothing was moved there. Returns facts ``checkpoint``: ``checkpoints`` (their
    number), ``current`` (the current trash directory exists), ``kept`` (what was moved is in the trash still) and, for
    move again, ``moved``, for run emptier, ``expired`` (the checkpoint that has expired is there still).
    """

    NAME: ClassVar[str] = "trash checkpoint"
    MUTATES: ClassVar[bool] = True
    WORDS: ClassVar[Mapping[str, tuple[str, ...]]] = {"act": tuple(ACTS)}
    path: Path
    act: str


def _taken(root: State, op: MoveToTrash | TrashCheckpoint) -> State:
    return remove(root, op.path)


def _expected(op: MoveToTrash | TrashCheckpoint) -> _Expected:
    if isinstance(op, TrashCheckpoint):
        return ACTS[op.act]
    return _MOVED if op.enabled else _DISABLED


def _differs(_root: State, op: MoveToTrash | TrashCheckpoint, value: object) -> Difference | None:
    if not isinstance(value, Facts):
        return None
    for name, (fact, clause) in _expected(op).items():
        if value.get(name) != fact:
            level = _LEVELS.get(clause, "MUST")
            return Difference(clause, level, f"{name} as {str(value.get(name)).lower()}")
    return None


def _right(root: State, op: MoveToTrash | TrashCheckpoint, value: object) -> bool:
    return isinstance(value, Facts) and _differs(root, op, value) is None


def _act(act: str, facts: _Expected, moves: bool) -> Case:
    """The case of an act; ``moves`` where what the path names is moved to the trash."""
    clause, *also = dict.fromkeys(clause for _, clause in facts.values())
    level = _LEVELS.get(clause, "MUST")
    told = f"{act}: " + ", ".join(f"{name} {str(fact).lower()}" for name, (fact, _) in facts.items())
    branches = [gives(clause, told, _right, level=level, also=tuple(also), effect=_taken if moves else keep)]
    if moves:
        branches.append(raises(f"{_TRASH}.failure", "IOException", level="MAY"))
    return Case(act, clause, tuple(branches))


def _enter(
    kind: type[MoveToTrash | TrashCheckpoint], acts: dict[str, tuple[_Expected, bool]], act_of: Callable[[Any], str]
) -> None:
    """Enter what each act of an operation on the trash means; true beside those that move what the path names."""
    met = Cases(*COMMON_CASES)
    missing = met.case(
        "missing",
        f"{_TRASH}.pre.exists",
        (
            *runtime_instead((raises(f"{_TRASH}.pre.exists", "IOException"),)),
            gives(f"{_TRASH}.pre.exists", "refuse", lambda _root, _op, value: isinstance(value, Facts)),
        ),
    )
    trash_inside = met.case(
        "the trash is inside", f"{_TRASH}.failure", (raises(f"{_TRASH}.failure", "IOException", level="MAY"),)
    )
    cases = {act: met.add(_act(act, facts, moves)) for act, (facts, moves) in acts.items()}

    @meaning(kind, met, differs=_differs)
    def _classify(root: State, op: MoveToTrash | TrashCheckpoint) -> int:
        act = act_of(op)
        node = locate(root, op.path)
        if act == _OF_NOTHING:
            return cases[act]
        if isinstance(node, Absence):
            return bits(op.path, node) | missing
        return bits(op.path, node) | (cases[act] if op.path or not acts[act][1] else trash_inside)


_enter(
    MoveToTrash,
    {"enabled": (_MOVED, True), "disabled": (_DISABLED, False)},
    lambda op: "enabled" if op.enabled else "disabled",
)
_enter(TrashCheckpoint, {act: (facts, act != _OF_NOTHING) for act, facts in ACTS.items()}, lambda op: op.act)


@drawn(MoveToTrash)
def _draw_move(_draft: Draft, dice: Random, path: Path) -> MoveToTrash:
    return MoveToTrash(path, dice.random() < 0.75)


@drawn(TrashCheckpoint)
def _draw_checkpoint(_draft: Draft, dice: Random, path: Path) -> TrashCheckpoint:
    return TrashCheckpoint(path, dice.choice(tuple(ACTS)))
