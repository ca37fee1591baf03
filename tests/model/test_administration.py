"""What is allowed of what administrators can do, and which clause is broken by what is not."""

from __future__ import annotations

import pytest

from fsconform.model.core.errors import ancestry
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Facts, Raised, Returned, Value, facts
from fsconform.model.filesystem.branches import MEANINGS
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.protocols.other_users import CallAsAnother, HomeOfAnother, RenameToTrash
from fsconform.model.filesystem.protocols.safe_mode import UseSafeMode
from fsconform.model.filesystem.state import EMPTY

SAFE_MODE = "safemode.setSafeMode"


def safe_mode(actions: str, results: str, states: str, before: str = "off", **more: bool) -> tuple[UseSafeMode, Facts]:
    """A call and what is told of it; + stands for on, - for off."""
    known = {"g": "get", "e": "enter", "l": "leave", "f": "force exit"}
    words = {"+": "on", "-": "off"}
    told = {"results": tuple(map(words.__getitem__, results)), "states": tuple(map(words.__getitem__, states))}
    return UseSafeMode(tuple(map(known.__getitem__, actions)), not more), facts(
        "safe mode", before=before, **told, **more
    )


@pytest.mark.parametrize(
    ("actions", "results", "states", "broken"),
    [
        ("gelg", "-+--", "-+--", ""),
        ("eef", "++-", "++-", ""),
        ("", "", "", ""),
        ("eg", "++", "+-", f"{SAFE_MODE}.get"),
        ("g", "+", "+", f"{SAFE_MODE}.get"),
        ("e", "+", "-", f"{SAFE_MODE}.enter"),
        ("el", "++", "++", f"{SAFE_MODE}.leave"),
        ("ef", "+-", "++", f"{SAFE_MODE}.force-exit"),
        ("e", "-", "+", f"{SAFE_MODE}.post.result"),
        ("el", "++", "+-", f"{SAFE_MODE}.post.result"),
    ],
)
def test_safe_mode(actions: str, results: str, states: str, broken: str) -> None:
    operation, told = safe_mode(actions, results, states)
    found = Oracle(Contract({})).step(EMPTY, operation, Returned(told))
    assert bool(found) is not bool(broken)
    differs = MEANINGS[UseSafeMode].differs
    assert differs is not None
    difference = differs(EMPTY, operation, told)
    assert (difference.clause if difference else "") == broken


def test_safe_mode_that_was_on_stays_on() -> None:
    operation, told = safe_mode("gl", "+-", "+-", before="on")
    assert Oracle(Contract({})).step(EMPTY, operation, Returned(told))


@pytest.mark.parametrize("alike", [True, False])
def test_both_overloads_do_the_same(alike: bool) -> None:
    operation, told = safe_mode("e", "+", "+", alike=alike)
    assert bool(Oracle(Contract({})).step(EMPTY, operation, Returned(told))) is alike


def test_who_is_no_administrator_may_be_refused() -> None:
    operation, _ = safe_mode("e", "+", "+")
    for error, allowed in (("AccessControlException", True), ("IOException", False), ("IllegalStateException", False)):
        assert bool(Oracle(Contract({})).step(EMPTY, operation, Raised(ancestry(error)))) is allowed


DENIED, TRASH = CallAsAnother((), "list"), RenameToTrash(())


@pytest.mark.parametrize(
    ("operation", "told", "broken"),
    [
        (DENIED, facts("denial", refused=True, unchanged=True), ""),
        (DENIED, facts("denial", refused=False, unchanged=True), "introduction.security.denied"),
        (DENIED, facts("denial", refused=True, unchanged=False), "introduction.security.denied"),
        (TRASH, facts("trash", plain=True, trash=False), ""),
        (TRASH, facts("trash", plain=False, trash=False), ""),
        (TRASH, facts("trash", plain=False, trash=True), ""),
        (TRASH, facts("trash", plain=True, trash=True), "rename.rename3.options.trash"),
        (HomeOfAnother(), facts("homes", different=True), ""),
        (HomeOfAnother(), facts("homes", different=False), "filesystem.getHomeDirectory.caller"),
    ],
)
def test_another_user(operation: Operation, told: Value, broken: str) -> None:
    judged = Oracle(Contract({"supports-unix-permissions": True})).step(EMPTY, operation, Returned(told))
    differs = MEANINGS[type(operation)].differs
    assert differs is not None
    difference = differs(EMPTY, operation, told)
    assert bool(judged) is not bool(broken) and (difference.clause if difference else "") == broken


def test_a_store_without_permissions_refuses_nobody() -> None:
    for operation in (DENIED, TRASH):
        assert Oracle(Contract({})).step(EMPTY, operation, Returned(facts("denial", refused=False)))
