"""Calls of several users: the rules by themselves, what breaks which clause, and that seeded faults are found."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from fsconform.model.core.drawing import MAKERS
from fsconform.model.core.outcomes import Facts, Returned, facts
from fsconform.model.filesystem.branches import MEANINGS, Difference
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.permissions import (
    ADMIN,
    CALLS,
    DELETE_AND_MOVE,
    FILE_CALLS,
    INNER_CALLS,
    LENGTH,
    TOP_CALLS,
    Owned,
    Play,
    Rules,
    tree_of,
)
from fsconform.model.filesystem.protocols.calls_by_users import CallsByUsers
from fsconform.model.filesystem.state import EMPTY
from fsconform.proving.faults import EVERY
from fsconform.proving.full_store import FullStore
from fsconform.specs.users_by_modes import rows

OPERATIONS = [
    step.operation for _, _, program, _ in rows() for step in program if isinstance(step.operation, CallsByUsers)
]
FAULTS = sorted(name for name, fault in EVERY.items() if fault.kind.__module__.endswith("faults.users"))
OPEN = CallsByUsers((), 0o777, "ann", 0o666, "ann", 0o777, "ann", ())


def played(store: FullStore, op: CallsByUsers) -> Facts:
    """What the store in memory says of an operation in its root."""
    modes = (op.top, op.top_owner, op.file, op.file_owner, op.inner, op.inner_owner)
    told = store.calls_by_users("/", *modes, op.calls)
    assert told is not None
    return facts("calls by users", **told)


def difference(op: CallsByUsers, told: Facts) -> Difference | None:
    differs = MEANINGS[CallsByUsers].differs
    assert differs is not None
    found = differs(EMPTY, op, told)
    allowed = Oracle(Contract({"supports-unix-permissions": True})).step(EMPTY, replace(op, path=()), Returned(told))
    assert bool(allowed) is (found is None)
    return found


@pytest.mark.parametrize(
    ("mode", "user", "call", "outcome"),
    [
        (0o700, "ann", "read f", "done"),
        (0o700, "bob", "read f", "denied"),
        (0o750, "bob", "read f", "done"),
        (0o750, "eve", "read f", "denied"),
        (0o750, "bob", "create n", "denied"),
        (0o770, "bob", "create n", "done"),
        (0o711, "eve", "list d", "denied"),
        (0o711, "eve", "status f", "done"),
        (0o077, "ann", "list d", "denied"),
        (0o077, "ann", "chmod d 777", "done"),
        (0o1777, "eve", "delete f", "denied"),
        (0o777, "eve", "delete f", "done"),
        (0o000, ADMIN, "delete f", "done"),
        (0o777, "eve", "chmod f 640", "denied"),
        (0o777, "ann", "chown f", "denied"),
        (0o777, "ann", "chgrp f", "done"),
    ],
)
def test_a_call_by_the_mode_of_the_directory(mode: int, user: str, call: str, outcome: str) -> None:
    tree = tree_of(Owned("ann", mode), Owned("ann", 0o644, LENGTH), Owned("ann", 0o755))
    assert Play(tree, ("ann", "bob"), Rules()).call(user, call) == {outcome}


def test_a_tree_is_deleted_by_who_may_empty_it() -> None:
    tree = tree_of(Owned("ann", 0o777), Owned("ann", 0o644, LENGTH), Owned("bob", 0o755))
    assert Play(tree, ("ann", "bob"), Rules()).call("ann", "delete e") == {"denied"}
    del tree["d/e/g"]
    assert Play(tree, ("ann", "bob"), Rules()).call("ann", "delete e") == {"done"}


def test_every_group_of_calls_is_of_calls() -> None:
    grouped = (*TOP_CALLS, *FILE_CALLS, *INNER_CALLS, *(call for pair in DELETE_AND_MOVE for call in pair))
    assert set(grouped) <= set(CALLS)


def test_a_sound_store_is_never_blamed() -> None:
    dice, store = Random(0), FullStore()
    draw = MAKERS[CallsByUsers]
    drawn = (draw(None, dice, ()) for _ in range(400))
    for op in (*OPERATIONS, *drawn):
        assert isinstance(op, CallsByUsers)
        assert difference(op, played(store, op)) is None, op


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_is_found_under_its_clause(name: str) -> None:
    fault = EVERY[name]
    store = fault.kind()
    assert isinstance(store, FullStore)
    found = [difference(op, played(store, op)) for op in OPERATIONS]
    assert any(one is not None and (one.clause, one.level) == (fault.clause, "MUST") for one in found)


@pytest.mark.parametrize(
    ("calls", "outcome", "level"),
    [
        (("eve chmod f 640",), "failed", "SHOULD"),
        (("eve chmod f 640",), "done", "MUST"),
        (("eve read f",), "denied", "MUST"),
    ],
)
def test_another_error_than_a_lack_of_permission_is_no_must(calls: tuple[str, ...], outcome: str, level: str) -> None:
    op = replace(OPEN, calls=calls)
    left = ("d ann staff 777 -", "d/e ann staff 777 -", "d/e/g ann staff 644 3", "d/f ann staff 666 3")
    found = difference(op, facts("calls by users", members=("ann",), outcomes=(outcome,), left=left))
    assert found is not None and found.level == level
