"""Each invariant is broken once by hand, and told with its clause and its path."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fsconform.model.core.errors import FULL_NAMES, ancestry, short
from fsconform.model.filesystem.contract import OPTIONS, Contract
from fsconform.model.filesystem.invariants import CLAUSES, Sets, breaches, sets_of
from fsconform.model.filesystem.state import EMPTY, State

BROKEN = {
    "model.filesystem.root-exists": (Sets((), ()), ()),
    "model.filesystem.parent-is-directory": (Sets(((), ("a",)), (("b", "c"),)), ("b", "c")),
    "model.filesystem.exclusivity": (Sets(((), ("a",)), (("a",),)), ("a",)),
    "model.filesystem.no-duplicate-names": (Sets(((), ("a",)), (("b",), ("b",))), ("b",)),
    "model.paths.valid-elements": (Sets(((), ("a:b",)), ()), ("a:b",)),
}


def test_every_clause_is_broken_here() -> None:
    assert set(BROKEN) == set(CLAUSES)


@pytest.mark.parametrize("clause", CLAUSES)
def test_one_broken_clause(clause: str) -> None:
    sets, path = BROKEN[clause]
    (breach,) = breaches(sets)
    assert (breach.clause, breach.path) == (clause, path)
    assert breach.text


def test_more_ways_to_break_them() -> None:
    def broken(sets: Sets) -> list[tuple[str, tuple[str, ...]]]:
        return [(breach.clause.rpartition(".")[2], breach.path) for breach in breaches(sets)]

    assert broken(Sets(((), ("a", "b")), ())) == [("parent-is-directory", ("a", "b"))]
    assert broken(Sets(((),), (("a",), ("a", "b")))) == [("parent-is-directory", ("a", "b"))]
    assert broken(Sets(((), ("a",), ("a",)), ())) == [("no-duplicate-names", ("a",))]
    assert broken(Sets(((),), ((),))) == [("exclusivity", ())]
    assert broken(Sets((("a",),), ())) == [("root-exists", ()), ("parent-is-directory", ("a",))]
    assert broken(Sets(((),), (("..",), ("",)))) == [("valid-elements", ("",)), ("valid-elements", ("..",))]


def test_invalid_elements_can_be_accepted_and_nothing_else() -> None:
    for clause, (sets, _) in BROKEN.items():
        assert bool(breaches(sets, accept_invalid=True)) == (clause != "model.paths.valid-elements")


def test_sound_states(tree: Callable[[str], State]) -> None:
    assert sets_of(EMPTY) == Sets(((),), ())
    state = tree("a/b=3 c/ d=4")
    assert sets_of(state) == Sets(((), ("a",), ("c",)), (("a", "b"), ("d",)))
    assert breaches(sets_of(state)) == ()


def test_contract_values() -> None:
    contract = Contract({"supports-append": True, "max-path": 7})
    assert contract.value("supports-append") is True and contract.value("max-path") == 7
    assert contract.value("is-case-sensitive") is True and contract.value("rename-overwrites-dest") is False
    assert contract.holds((("supports-append", True), ("rename-overwrites-dest", False))) and contract.holds(())
    assert not contract.holds((("supports-append", True), ("rename-overwrites-dest", True)))
    with pytest.raises(KeyError):
        contract.value("no-such")
    with pytest.raises(ValueError, match="no-such"):
        Contract({"no-such": True})


def test_options_have_sound_rows() -> None:
    assert all(name == option.name and option.statement for name, option in OPTIONS.items())
    assert all(type(option.default) is bool for option in OPTIONS.values() if option.kind != "informs")


def test_error_names() -> None:
    assert ancestry("FileNotFoundException") == (
        "java.io.FileNotFoundException",
        "java.io.IOException",
        "java.lang.Exception",
        "java.lang.Throwable",
    )
    assert all(ancestry(name)[-1] == "java.lang.Throwable" for name in FULL_NAMES)
    assert all(short(full) == name for name, full in FULL_NAMES.items())
    assert short("org.example.Outer$Inner") == "Inner"
    with pytest.raises(KeyError):
        ancestry("java.io.IOException")
