"""A store may use names that the specification forbids, and then they behave as any other: no result is free."""

from __future__ import annotations

import pytest

from fsconform.model.core import content as contents
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Data, Outcome, Raised, Returned, Status
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.options.core import ACCEPTS_INVALID_PATHS
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.state import EMPTY, File, State, locate, put
from fsconform.model.filesystem.status.glob_status import GlobStatus

ORACLE = Oracle(Contract({ACCEPTS_INVALID_PATHS: True}))
ILLEGAL = Raised(
    (
        "java.lang.IllegalArgumentException",
        "java.lang.RuntimeException",
        "java.lang.Exception",
        "java.lang.Throwable",
        "java.lang.Object",
    ),
    "",
)
ROOT = put(
    put(put(EMPTY, ("a:b",), File(contents.of(1, 3))), ("c",), File(contents.EMPTY)),
    ("d", "e"),
    File(contents.EMPTY),
)


def listed(*paths: str) -> Returned:
    """What globStatus gives of these files."""
    sizes = {"a:b": 3}
    return Returned(tuple(Status(tuple(one.split("/")), False, sizes.get(one, 0), 1) for one in paths))


@pytest.mark.parametrize(
    ("pattern", "outcome", "is_allowed"),
    [
        ("*b", listed("a:b"), True),
        ("*b", ILLEGAL, True),
        ("*b", listed(), False),
        ("*b", listed("c"), False),
        ("*b", Returned(None), False),
        ("c*", listed("c"), True),
        ("c*", ILLEGAL, True),
        ("c*", listed(), False),
        ("d/*", listed("d/e"), True),
        ("d/*", ILLEGAL, False),
        ("d/*", listed(), False),
        ("a:b", listed("a:b"), True),
        ("a:b", ILLEGAL, True),
        ("a:b", Returned(None), False),
        ("{a:b,c}", listed("a:b", "c"), True),
        ("{a:b,c}", ILLEGAL, True),
        ("{a:b,c}", listed("a:b"), False),
        ("x:y", Returned(None), True),
        ("x:y", listed("c"), False),
    ],
)
def test_patterns_match_them_or_the_call_is_refused(pattern: str, outcome: Outcome, is_allowed: bool) -> None:
    assert bool(ORACLE.step(ROOT, GlobStatus(pattern), outcome)) is is_allowed


def after(operation: Operation, outcome: Outcome) -> list[State | None]:
    """The states that may follow."""
    return [state for _, state in ORACLE.step(ROOT, operation, outcome)]


def test_what_is_accepted_has_its_effect_and_no_other() -> None:
    (made,) = after(Create(("x:y",), contents.of(2, 4), False), Returned(None))
    assert made == put(ROOT, ("x:y",), File(contents.of(2, 4)))
    (gone,) = after(Delete(("a:b",), False), Returned(True))
    assert gone is not None and "a:b" not in gone.tree.children and "c" in gone.tree.children
    (moved,) = after(Rename(("c",), ("x:y",)), Returned(True))
    assert moved is not None and locate(moved, ("x:y",)) == File(contents.EMPTY) and "c" not in moved.tree.children


def test_what_is_refused_has_none() -> None:
    assert after(Create(("x:y",), contents.of(2, 4), False), ILLEGAL) == [ROOT]
    assert after(Delete(("a:b",), False), ILLEGAL) == [ROOT]


def test_its_bytes_are_its_own() -> None:
    digest = contents.digest(contents.of(1, 3))
    assert digest is not None
    assert after(Open(("a:b",)), Returned(Data(3, digest))) == [ROOT]
    assert after(Open(("a:b",)), Returned(Data(0, "0" * 64))) == []
