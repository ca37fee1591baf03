"""Calls under quotas: the rules by themselves, what breaks which clause, and that seeded faults are found."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from fsconform.model.core.drawing import MAKERS
from fsconform.model.core.outcomes import Facts, Returned, facts
from fsconform.model.filesystem.branches import MEANINGS, Difference
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.options.attributes import SUPPORTS_QUOTAS
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.protocols.calls_under_quotas import CallsUnderQuotas
from fsconform.model.filesystem.quotas import (
    BLOCK,
    CALLS,
    DONE,
    FAILED,
    LENGTH,
    NAMES,
    NONE,
    SPACE,
    Entry,
    Rules,
    play,
    tree_at_first,
)
from fsconform.model.filesystem.state import EMPTY
from fsconform.proving.faults import EVERY
from fsconform.proving.full_store import FullStore
from fsconform.specs.quotas_at_their_edge import rows

OPERATIONS = [
    step.operation for _, _, program, _ in rows() for step in program if isinstance(step.operation, CallsUnderQuotas)
]
FAULTS = sorted(name for name, fault in EVERY.items() if fault.kind.__module__.endswith("faults.quotas"))
FREE = CallsUnderQuotas((), NONE, NONE, NONE, NONE, ())
BOTH_FILES = 2 * LENGTH


def played(store: FullStore, op: CallsUnderQuotas) -> Facts:
    """What the store in memory says of an operation in its root."""
    told = store.calls_under_quotas("/", op.names, op.space, op.inner_names, op.inner_space, op.calls)
    assert told is not None
    return facts("calls under quotas", **told)


def outcomes_of(op: CallsUnderQuotas) -> tuple[str, ...]:
    told = played(FullStore(), op).get("outcomes")
    assert isinstance(told, tuple)
    return told


def difference(op: CallsUnderQuotas, told: Facts) -> Difference | None:
    differs = MEANINGS[CallsUnderQuotas].differs
    assert differs is not None
    found = differs(EMPTY, op, told)
    allowed = Oracle(Contract({SUPPORTS_QUOTAS: True})).step(EMPTY, replace(op, path=()), Returned(told))
    assert bool(allowed) is (found is None)
    return found


@pytest.mark.parametrize(
    ("names", "space", "call", "outcomes"),
    [
        (4, NONE, "touch n", {NAMES}),
        (5, NONE, "touch n", {DONE}),
        (4, NONE, "create e/n", {NAMES}),
        (1, NONE, "delete f", {DONE}),
        (4, NONE, "rename f into e", {DONE}),
        (5, NONE, "rename h into d", {NAMES}),
        (6, NONE, "rename h into d", {DONE}),
        (4, 0, "rename h into d", {NAMES, SPACE}),
        (NONE, 0, "touch n", {DONE}),
        (NONE, 0, "mkdir m", {DONE}),
        (NONE, BLOCK + BOTH_FILES - 1, "create n", {SPACE}),
        (NONE, BLOCK + BOTH_FILES, "create n", {DONE}),
        (NONE, BLOCK + BOTH_FILES, "create n twice", {SPACE}),
        (NONE, 2 * BLOCK + BOTH_FILES, "create long n", {DONE}),
        (NONE, 2 * BLOCK + BOTH_FILES - 1, "create long n", {SPACE}),
        (NONE, BLOCK + LENGTH - 1, "append f", {SPACE}),
        (NONE, BLOCK + LENGTH, "append f", {DONE}),
        (NONE, BOTH_FILES, "replicate f 2", {SPACE}),
        (NONE, BOTH_FILES + LENGTH, "replicate f 2", {DONE}),
        (NONE, 0, "replicate f 1", {DONE}),
        (NONE, NONE, "close n", {FAILED}),
    ],
)
def test_a_call_by_the_quotas_of_the_directory(names: int, space: int, call: str, outcomes: set[str]) -> None:
    assert set(play(tree_at_first(names, space, NONE, NONE), call, Rules())) == outcomes


def test_a_block_counts_whole_until_it_is_finished() -> None:
    opened = play(tree_at_first(NONE, NONE, NONE, NONE), "open n", Rules())[DONE]
    assert opened is not None and Rules().used(opened, "d") == (5, BLOCK + BOTH_FILES)
    closed = play(opened, "close n", Rules())[DONE]
    assert closed is not None and Rules().used(closed, "d") == (5, BOTH_FILES + 2)


def test_closing_what_was_refused_may_raise_the_refusal_again() -> None:
    refused = play(tree_at_first(NONE, BLOCK + BOTH_FILES - 1, NONE, NONE), "open n", Rules())[SPACE]
    assert refused is not None
    left = play(refused, "close n", Rules())
    assert set(left) == {DONE, SPACE, FAILED} and all(tree == refused for tree in left.values())


def test_an_append_needs_the_rest_of_the_block() -> None:
    tree = {"d": Entry(space=BLOCK), "d/f": Entry(LENGTH)}
    assert set(play(tree, "append f", Rules())) == {DONE}
    assert set(play({**tree, "d": Entry(space=BLOCK - 1)}, "append f", Rules())) == {SPACE}


def test_a_block_that_was_refused_leaves_an_empty_file() -> None:
    left = play(tree_at_first(NONE, 0, NONE, NONE), "create n", Rules())[SPACE]
    assert left is not None and left["d/n"].length == 0


def test_every_call_is_tried_by_a_witness() -> None:
    tried = {call for op in OPERATIONS for call in op.calls}
    assert {call for call in CALLS if not call.startswith(("names", "space"))} <= tried


def test_each_edge_is_tried_from_both_sides() -> None:
    first_calls = [(op.calls[0], op) for op in OPERATIONS]
    for call in ("touch n", "create n", "mkdir e/m", "append f", "rename h into d", "replicate g 3", "open n"):
        outcomes = {outcomes_of(op)[0] for tried, op in first_calls if tried == call}
        assert DONE in outcomes and outcomes & {NAMES, SPACE}, call


def test_a_sound_store_is_never_blamed() -> None:
    dice, store = Random(0), FullStore()
    draw = MAKERS[CallsUnderQuotas]
    drawn = (draw(None, dice, ()) for _ in range(400))
    for op in (*OPERATIONS, *drawn):
        assert isinstance(op, CallsUnderQuotas)
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


@pytest.mark.parametrize("field", ["names", "inner_names"])
def test_a_quota_of_no_names_can_not_be_asked_for(field: str) -> None:
    with pytest.raises(ValueError, match="counts itself"):
        (replace(FREE, names=0) if field == "names" else replace(FREE, inner_names=0)).check()


def test_an_answer_without_an_outcome_for_each_call_is_wrong() -> None:
    op = replace(FREE, calls=("touch n",))
    found = difference(op, facts("calls under quotas", outcomes=(), usages=(), summaries=(), left=()))
    assert found is not None and found.level == "MUST"
