"""Calls with snapshots: the rules by themselves, what breaks which clause, and that seeded faults are found."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from fsconform.model.core.drawing import MAKERS
from fsconform.model.core.outcomes import Facts, Returned, facts
from fsconform.model.filesystem.branches import MEANINGS, Difference
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.directory_snapshots import (
    AT_BEGINNING,
    CALLS,
    DONE,
    FAILED,
    Rules,
    World,
    play,
    reported,
)
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.protocols.calls_with_snapshots import CallsWithSnapshots, shown_snapshots
from fsconform.model.filesystem.state import EMPTY
from fsconform.proving.faults import EVERY
from fsconform.proving.full_store import FullStore
from fsconform.specs.snapshots_of_directories import rows

OPERATIONS = [
    step.operation for _, _, program, _ in rows() for step in program if isinstance(step.operation, CallsWithSnapshots)
]
FAULTS = sorted(name for name, fault in EVERY.items() if fault.kind.__module__.endswith("faults.directory_snapshots"))


def played(store: FullStore, op: CallsWithSnapshots) -> Facts:
    """What the store in memory says of an operation in its root."""
    told = store.calls_with_snapshots("/", op.calls)
    assert told is not None
    return facts("calls with snapshots", **told)


def difference(op: CallsWithSnapshots, told: Facts) -> Difference | None:
    differs = MEANINGS[CallsWithSnapshots].differs
    assert differs is not None
    found = differs(EMPTY, op, told)
    allowed = Oracle(Contract({})).step(EMPTY, replace(op, path=()), Returned(told))
    assert bool(allowed) is (found is None)
    return found


def after(*calls: str) -> World:
    """What calls leave, each of which is done."""
    world: World = AT_BEGINNING
    for call in calls:
        left = play(world, call, Rules())[DONE]
        assert left is not None
        world = left
    return world


@pytest.mark.parametrize(
    ("calls", "entries"),
    [
        ((), set()),
        (("append f",), {"M f"}),
        (("create n",), {"+ n", "M ."}),
        (("create n", "delete n"), set()),
        (("delete e",), {"- e", "M ."}),
        (("overwrite f",), {"- f", "+ f", "M ."}),
        (("rename f r",), {"R f -> r", "M ."}),
        (("rename f into e",), {"R f -> e/r", "M .", "M e"}),
        (("rename f into e", "rename e q"), {"R f -> q/r", "R e -> q", "M .", "M e"}),
        (("rename e q", "create f"), None),
        (("append g", "rename e q"), {"R e -> q", "M .", "M e/g"}),
        (("rename f out",), {"- f", "M ."}),
        (("rename k in",), {"+ k", "M ."}),
        (("rename f r", "create f"), {"R f -> r", "+ f", "M ."}),
        (("rename f r", "delete r"), {"- f", "M ."}),
    ],
)
def test_the_difference_of_a_snapshot_and_the_directory(
    calls: tuple[str, ...], entries: frozenset[str] | set[str] | None
) -> None:
    if entries is None:
        assert FAILED in play(after("allow d", "snap s1", calls[0]), calls[1], Rules())
    else:
        assert reported(after("allow d", "snap s1", *calls), "diff s1 now", Rules()) == entries


def test_what_moved_out_of_a_deleted_directory_is_not_judged() -> None:
    assert reported(after("allow d", "snap s1", "rename g up", "delete e"), "diff s1 now", Rules()) is None


def test_a_file_is_not_truncated_to_more_than_it_has() -> None:
    world = after("allow d", "snap s1", "truncate f")
    assert play(world, "cut f", Rules()) == {FAILED: world}


def test_what_a_call_in_the_snapshot_of_a_missing_directory_leaves_is_not_judged() -> None:
    assert play(after("delete d"), "mkdir s1/m", Rules()) == {FAILED: None}


def test_a_snapshot_has_what_was_there() -> None:
    world = after("allow d", "snap s1", "append f", "rename e out")
    assert shown_snapshots(world.snapshots) == "s1: e, e/g aaa, f aaa"
    assert "d/e" not in world.tree


@pytest.mark.parametrize("call", ["delete d", "rename d out", "disallow d", "snap s1", "allow e", "delete s1/f"])
def test_a_directory_with_snapshots_refuses(call: str) -> None:
    assert set(play(after("allow d", "snap s1"), call, Rules())) == {FAILED}


def test_every_call_is_tried_by_a_witness() -> None:
    assert {call for op in OPERATIONS for call in op.calls} == set(CALLS)


def test_a_sound_store_is_never_blamed() -> None:
    dice, store = Random(0), FullStore()
    draw = MAKERS[CallsWithSnapshots]
    drawn = (draw(None, dice, ()) for _ in range(400))
    for op in (*OPERATIONS, *drawn):
        assert isinstance(op, CallsWithSnapshots)
        assert difference(op, played(store, op)) is None, op


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_is_found_under_its_clause(name: str) -> None:
    fault = EVERY[name]
    found = []
    for op in OPERATIONS:
        store = fault.kind()
        assert isinstance(store, FullStore)
        found.append(difference(op, played(store, op)))
    assert any(each is not None and (each.clause, each.level) == (fault.clause, "MUST") for each in found)


def test_an_answer_without_an_outcome_for_each_call_is_wrong() -> None:
    op = CallsWithSnapshots((), ("allow d",))
    found = difference(op, facts("calls with snapshots", outcomes=(), now=(), snapshots=(), reports=()))
    assert found is not None and found.level == "MUST"
