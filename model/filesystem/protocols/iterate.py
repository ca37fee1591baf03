"""The meaning of the operations that are a short protocol of calls: iterators walked in other manners, trash.

Source: filesystem.md, "RemoteIterator"; trashpolicy.md.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fsconform.model.core.outcomes import Fact, Facts, Status
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import (
    Case,
    Difference,
    Level,
    Meaning,
    below_a_file,
    gives,
    keep,
    raises,
    runtime_instead,
)
from fsconform.model.filesystem.operations.protocols import Iterate, MoveToTrash, TrashCheckpoint
from fsconform.model.filesystem.state import UNDER_FILE, Absence, Dir, File, Node, locate, remove, walk
from fsconform.model.filesystem.validity import COMMON_BITS, COMMON_CASES, bits

_ITERATOR = "filesystem.remoteIterator"
_BEYOND, _WALKED, _HONEST, _MISSING, _BELOW_FILE = 4, 8, 16, 32, 64


def _entries(root: Dir, op: Iterate) -> dict[Path, Node]:
    node = locate(root, op.path)
    if not isinstance(node, Dir):
        assert isinstance(node, File)
        return {op.path: node}
    if op.via == "files":
        return {(*op.path, *path): child for path, child in walk(node) if isinstance(child, File)}
    return {(*op.path, name): child for name, child in node.children.items()}


def _all_of_them(root: Dir, op: Iterate, value: object) -> bool:
    if not isinstance(value, tuple) or not all(isinstance(one, Status) for one in value):
        return False
    expected = _entries(root, op)
    return len(value) == len(expected) and {(one.path, one.is_dir) for one in value} == {
        (path, isinstance(node, Dir)) for path, node in expected.items()
    }


def _agreed(_root: Dir, _op: Iterate, value: object) -> bool:
    return isinstance(value, Facts) and value.get("agreed") is True


def _classify_iteration(root: Dir, op: Iterate) -> int:
    node = locate(root, op.path)
    if isinstance(node, Absence):
        return bits(op.path, node) | _MISSING | (_BELOW_FILE if node is UNDER_FILE else 0)
    return bits(op.path, node) | {"beyond": _BEYOND, "honest": _HONEST}.get(op.manner, _WALKED)


ITERATE = Meaning(
    Iterate,
    (
        *COMMON_CASES,
        Case(
            "after the last element",
            f"{_ITERATOR}.next.pre",
            (raises(f"{_ITERATOR}.next.pre", "NoSuchElementException"),),
        ),
        Case(
            "walked to its end",
            f"{_ITERATOR}.next.post",
            (
                gives(
                    f"{_ITERATOR}.next.post",
                    "every element once",
                    _all_of_them,
                    also=(f"{_ITERATOR}.next-alone", f"{_ITERATOR}.both-loops", f"{_ITERATOR}.hasNext.repeatable"),
                ),
            ),
        ),
        Case(
            "hasNext held to its word",
            f"{_ITERATOR}.hasNext",
            (
                gives(
                    f"{_ITERATOR}.hasNext",
                    "hasNext is true exactly where next gives an element",
                    _agreed,
                    also=(f"{_ITERATOR}.hasNext.repeatable",),
                ),
            ),
        ),
        Case(
            "missing",
            "filesystem.listStatusIterator.pre.exists",
            runtime_instead((raises("filesystem.listStatusIterator.pre.exists", "FileNotFoundException"),)),
        ),
        below_a_file("filesystem.listStatusIterator.pre.exists"),
    ),
    _classify_iteration,
)

_TRASH = "trashpolicy.moveToTrash"
_CHECKPOINT = "trashpolicy.createCheckpoint.post"
_AT_ONCE = "trashpolicy.deleteCheckpointsImmediately.post"

Expected = dict[str, tuple[Fact, str]]
"""For each fact what it must be, and the clause that says so."""

_DISABLED: Expected = {"moved": (False, f"{_TRASH}.post.disabled"), "gone": (False, f"{_TRASH}.post.disabled")}
_MOVED: Expected = {
    "moved": (True, f"{_TRASH}.post.moved"),
    "gone": (True, f"{_TRASH}.post.moved"),
    "kept": (True, f"{_TRASH}.post.moved"),
    "current": (True, "trashpolicy.getCurrentTrashDir.path"),
}

_OF_NOTHING = "create of nothing"

ACTS: dict[str, Expected] = {
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


def _expected(op: MoveToTrash | TrashCheckpoint) -> Expected:
    if isinstance(op, TrashCheckpoint):
        return ACTS[op.act]
    return _MOVED if op.enabled else _DISABLED


def _right(_root: Dir, op: Any, value: object) -> bool:
    return isinstance(value, Facts) and _differs(_root, op, value) is None


def _differs(_root: Dir, op: Any, value: object) -> Difference | None:
    if not isinstance(value, Facts):
        return None
    for name, (fact, clause) in _expected(op).items():
        if value.get(name) != fact:
            level = CLAUSE_LEVELS.get(clause, "MUST")
            return Difference(clause, level, f"{name} as {str(value.get(name)).lower()}")
    return None


CLAUSE_LEVELS: dict[str, Level] = {
    f"{_CHECKPOINT}.not-current": "MUST NOT",
    "trashpolicy.deleteCheckpoint.post.current-stays": "MUST NOT",
    f"{_AT_ONCE}.current-stays": "MUST NOT",
}


def _taken(root: Dir, op: Any) -> Dir:
    return remove(root, op.path)


_OWN_CASES = 2
"""The cases of the trash that stand before those of the acts."""


def _acts(expected: dict[str, tuple[Expected, bool]]) -> tuple[Case, ...]:
    """A case for each act; true where what the path names is moved to the trash."""
    cases = []
    for act, (facts, moves) in expected.items():
        clause, *also = dict.fromkeys(clause for _, clause in facts.values())
        level = CLAUSE_LEVELS.get(clause, "MUST")
        told = f"{act}: " + ", ".join(f"{name} {str(fact).lower()}" for name, (fact, _) in facts.items())
        branches = [gives(clause, told, _right, level=level, also=tuple(also), effect=_taken if moves else keep)]
        if moves:
            branches.append(raises(f"{_TRASH}.failure", "IOException", level="MAY"))
        cases.append(Case(act, clause, tuple(branches)))
    return tuple(cases)


_MISSING_CASE = Case(
    "missing",
    f"{_TRASH}.pre.exists",
    (
        *runtime_instead((raises(f"{_TRASH}.pre.exists", "IOException"),)),
        gives(f"{_TRASH}.pre.exists", "refuse", lambda _root, _op, value: isinstance(value, Facts)),
    ),
)

_INSIDE_CASE = Case(
    "the trash is inside", f"{_TRASH}.failure", (raises(f"{_TRASH}.failure", "IOException", level="MAY"),)
)


def _meaning(operation: type, expected: dict[str, tuple[Expected, bool]], act_of: Callable[[Any], str]) -> Meaning:
    order = {act: 1 << (COMMON_BITS + _OWN_CASES + number) for number, act in enumerate(expected)}

    def classify(root: Dir, op: Any) -> int:
        act = act_of(op)
        node = locate(root, op.path)
        if act == _OF_NOTHING:
            return order[act]
        if isinstance(node, Absence):
            return bits(op.path, node) | 4
        return bits(op.path, node) | (order[act] if op.path or not expected[act][1] else 8)

    return Meaning(operation, (*COMMON_CASES, _MISSING_CASE, _INSIDE_CASE, *_acts(expected)), classify, _differs)


MEANINGS: tuple[Meaning, ...] = (
    ITERATE,
    _meaning(
        MoveToTrash,
        {"enabled": (_MOVED, True), "disabled": (_DISABLED, False)},
        lambda op: "enabled" if op.enabled else "disabled",
    ),
    _meaning(TrashCheckpoint, {act: (facts, act != _OF_NOTHING) for act, facts in ACTS.items()}, lambda op: op.act),
)
