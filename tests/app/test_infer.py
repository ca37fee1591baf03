"""The contract that is inferred from a store in memory is the one by which it was made, and a run under it passes."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import pytest

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.app.contract import draft
from fsconform.app.contract_rows import WRONG, rows
from fsconform.app.inferring import Inferred, Watching, watch
from fsconform.engine.effort import NOTHING
from fsconform.engine.events import unheard
from fsconform.engine.explorers import Explorer, from_list
from fsconform.engine.judge import FAILING
from fsconform.engine.waivers import Waiver, parse
from fsconform.harness import plans
from fsconform.harness.fleet import Assignment
from fsconform.harness.judging import judge_store
from fsconform.harness.targets import NO_CONTRACT, Target
from fsconform.model.core.option import OptionValue
from fsconform.model.filesystem.contract import OPTIONS, PROPERTY_PREFIX, Contract
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Step
from fsconform.proving.session import ProvingStore
from fsconform.proving.store import Behaviour
from fsconform.records.gate import of_stores
from fsconform.records.results import StoreRecord
from fsconform.specs.contract_writer import written
from fsconform.specs.contract_xml import parse as parse_contract
from fsconform.suites.registry import SUITES

CORE = tuple(SUITES[name] for name in ("namespace", "paths", "content", "listing", "rename", "delete"))

FIELDS = {
    "is-case-sensitive": "case_sensitive",
    "supports-append": "supports_append",
    "supports-strict-exceptions": "strict_exceptions",
    "create-overwrites-directory": "create_overwrites_directory",
    "fsconform.rename-returns-false-on-failure": "rename_returns_false_on_failure",
    **{name: field for name in OPTIONS if (field := name.replace("-", "_")) in {one.name for one in fields(Behaviour)}},
}
"""Options and the fields of Behaviour that have them."""

STRICT = "supports-strict-exceptions"
FLIPPED = [(option, not getattr(Behaviour(), field)) for option, field in FIELDS.items()]
UNLIKE = Behaviour(**{field: not getattr(Behaviour(), field) for name, field in FIELDS.items() if name != STRICT})
"""A store that differs from the usual one in every way it can, beside the class of its errors."""


def inferred(store: ProvingStore, declared: Contract = NO_CONTRACT, *waivers: Waiver, budget: float = 0) -> Inferred:
    target = Target("proving", None, declared, 1, waivers)
    return watch(target, lambda: store, Watching(CORE, budget, whole=False), unheard)


LARGE = 500
"""Directories of so many entries show nothing of an option that a small one does not, and take long."""


def small(oracle: Oracle) -> tuple[Explorer, ...]:
    """Witnesses and single calls, without those that build large directories."""
    found = plans.explorers(CORE, oracle, 0, plans.Filter(), amounts=NOTHING)
    return tuple(
        from_list(one.name, [program for _, program in one.source(0) if len(program) < LARGE], one.whole)
        for one in found
    )


def judged(store: ProvingStore, contract: Contract) -> tuple[int, StoreRecord]:
    """Witnesses and single calls, judged as ``fsconform run --budget 0`` does."""
    assignment = Assignment(
        "proving",
        lambda: store,
        contract,
        small,
        0.0,
        1,
        complete=False,
    )
    found = judge_store(assignment, unheard, ())
    return of_stores([found.record], 1), found.record


def as_read(found: Inferred) -> Contract:
    """The contract as a run reads it."""
    return parse_contract(written(draft(found)), "inferred.xml")


@pytest.mark.parametrize(("option", "value"), FLIPPED)
def test_a_store_that_is_different_is_told_as_such(option: str, value: bool) -> None:
    store = ProvingStore(behaviour=replace(Behaviour(), **{FIELDS[option]: value}))
    found = inferred(store)
    for name, field in FIELDS.items():
        # Where the errors of queries depart whatever is declared, many programs are no evidence.
        assert option == STRICT or name in found.inference.values
        assert found.inference.decisions[name].value is getattr(store.make().behaviour, field), name
    assert found.inference.decisions[option].status == "observed"
    assert found.inference.decisions[option].evidence[0].named
    if option != STRICT:  # no option lets a status raise a plain IOException
        assert found.explained and found.problems == ()
        code, record = judged(store, as_read(found))
        assert code == 0, [one.signature for one in record.divergences if one.verdict in FAILING]


def test_all_differences_at_once_are_told_apart() -> None:
    store = ProvingStore(behaviour=UNLIKE)
    found = inferred(store, budget=2)
    assert {name: found.inference.values[name] for name in FIELDS} == {
        name: getattr(UNLIKE, field) for name, field in FIELDS.items()
    }
    code, record = judged(store, as_read(found))
    assert code == 0, [one.signature for one in record.divergences if one.verdict in FAILING]


def observed_exact(store: ProvingStore) -> dict[str, OptionValue]:
    decisions = inferred(store).inference.decisions
    return {
        name: one.value for name, one in decisions.items() if one.status == "observed" and OPTIONS[name].kind == "exact"
    }


@pytest.mark.parametrize("behaviour", [Behaviour(), UNLIKE, Behaviour(strict_exceptions=False)])
def test_every_exact_option_that_was_observed_fails_the_gate_when_it_is_declared_otherwise(
    behaviour: Behaviour,
) -> None:
    store = ProvingStore(behaviour=behaviour)
    contract = as_read(inferred(store))
    exact = observed_exact(store)
    assert len(exact) >= (7 if behaviour.strict_exceptions else 4)
    for option, value in exact.items():
        code, record = judged(store, Contract({**contract.declared, option: not value}))
        assert code == 1, option
        mends = {
            (change.option, change.value)
            for one in record.divergences
            if one.verdict == "declared-false"
            for way in one.options
            for change in way
        }
        assert (PROPERTY_PREFIX + option, value) in mends, option


def test_what_is_declared_plays_no_part_in_what_is_observed() -> None:
    store = ProvingStore(behaviour=UNLIKE)
    false = {name: not getattr(UNLIKE, field) for name, field in FIELDS.items()}
    found = inferred(store, Contract(false, "false.xml"))
    plain = inferred(store)
    assert {name: found.inference.values[name] for name in FIELDS if name != STRICT} == {
        name: plain.inference.values[name] for name in FIELDS if name != STRICT
    }
    wrong = {row.option: row.judged for row in rows(found) if row.judged in WRONG}
    exact = {name for name in FIELDS if OPTIONS[name].kind == "exact" and name != STRICT}
    assert {name for name, verdict in wrong.items() if verdict == "declared-false"} == exact
    assert {name for name, verdict in wrong.items() if verdict == "undeclared"} == {
        "create-overwrites-directory",
        "fsconform.rename-returns-false-on-failure",
    }


def test_a_permission_that_is_not_used_is_told() -> None:
    wide = {"supports-append": True, "create-overwrites-directory": True, "supports-strict-exceptions": False}
    declared = Contract(wide, "wide.xml")
    found = {row.option: row.judged for row in rows(inferred(ProvingStore(), declared))}
    assert found["create-overwrites-directory"] == "unused"
    assert found["supports-strict-exceptions"] == "stricter"
    assert [name for name, verdict in found.items() if verdict in WRONG] == ["create-overwrites-directory"]


def test_a_fault_is_inexpressible_and_a_waiver_accepts_it() -> None:
    store = ProvingStore(fault="delete-non-empty")
    (one,) = inferred(store).inexpressible
    assert one.finding.clause == "filesystem.delete.pre.not-empty" and len(one.program) <= 4
    assert not inferred(store).explained
    text = f'[[waiver]]\nstore = "proving"\nsignature = {one.finding.signature!r}\nreason = "known"\nlink = "x"\n'
    waived = inferred(store, NO_CONTRACT, *parse(f"{text}expires = 2099-01-01\n", Path("w.toml")))
    assert waived.explained and [each.waived for each in waived.inexpressible] == ["known"]


@pytest.mark.parametrize(
    ("fault", "calls", "least"),
    [
        (
            "permission-and-owner-ignored",
            "supports-unix-permissions is claimed and not lived up to by setOwner, set",
            6,
        ),
        ("xattr-ignored", "fsconform.supports-xattrs is claimed and not lived up to by setXAttr;", 6),
        (
            "policy-ignored",
            "fsconform.supports-storage-policies is claimed and not lived up to by setStoragePolicy;",
            2,
        ),
    ],
)
def test_a_capability_that_is_not_lived_up_to_is_one_divergence(fault: str, calls: str, least: int) -> None:
    store, suites = ProvingStore(fault=fault), (SUITES["metadata"], SUITES["attributes"])
    found = watch(Target("proving", None, NO_CONTRACT, 1), lambda: store, Watching(suites, 0, whole=False), unheard)
    (one,) = found.inexpressible
    assert one.note.startswith(calls) and one.times >= least and "also shows as" in one.note
    declared = load_shipped("proving")
    assignment = Assignment(
        "proving",
        lambda: store,
        declared,
        lambda oracle: plans.explorers(suites, oracle, 0, plans.Filter(), kinds=frozenset(("witnesses",))),
        0.0,
        1,
        complete=False,
    )
    judged = judge_store(assignment, unheard, ())
    (failing,) = [each for each in judged.record.divergences if each.verdict in FAILING]
    assert failing.note.startswith(calls) and failing.confirmed == "3/3"
    assert failing.cause.endswith("is claimed")


def test_a_call_that_has_some_effect_is_no_capability_that_is_not_lived_up_to() -> None:
    store = ProvingStore(fault="acl-remove-ignored")
    target = Target("proving", None, NO_CONTRACT, 1)
    found = watch(target, lambda: store, Watching((SUITES["attributes"],), 0, whole=False), unheard)
    assert found.inexpressible and not any("also shows as" in one.note for one in found.inexpressible)


def test_what_can_not_be_true_together_is_a_conflict() -> None:
    class Torn(ProvingStore):
        """Of two sessions' worth of programs every other one meets a store of another kind."""

        def make(self):  # type: ignore[no-untyped-def]
            store = super().make()
            rename, calls = store.rename, iter(range(10**9))

            def torn(src: str, dst: str) -> bool:
                store.behaviour = replace(Behaviour(), rename_returns_false_if_source_missing=next(calls) % 2 == 0)
                return rename(src, dst)

            store.rename = torn  # type: ignore[method-assign]
            return store

    found = inferred(Torn())
    assert not found.explained
    (conflict, *_) = found.inference.conflicts
    assert conflict.options == ("rename-returns-false-if-source-missing",)
    assert len(conflict.programs) == 2
    assert found.inference.decisions[conflict.options[0]].status == "conflict"
    assert b"no value of rename-returns-false-if-source-missing explains all of" in written(draft(found))


def test_a_violation_that_shows_late_is_not_taken_for_an_option(monkeypatch: pytest.MonkeyPatch) -> None:
    class Losing(ProvingStore):
        """A file that is renamed into the directory it is in is lost, as Hadoop's raw local file system does it."""

        def make(self):  # type: ignore[no-untyped-def]
            store = super().make()
            rename = store.rename

            def losing(src: str, dst: str) -> bool:
                if src.rpartition("/")[0] == dst:
                    return store.delete(src, False)
                return rename(src, dst)

            store.rename = losing  # type: ignore[method-assign]
            return store

    file, below = ("a", "b"), ("a", "b", "c")
    late = (Step(Create(file, (), False)), Step(Rename(file, ("a",))), Step(Create(below, (), False)))
    monkeypatch.setattr(plans, "explorers", lambda *_, **__: (from_list("late", [late], whole=True),))
    found = watch(Target("proving", None, NO_CONTRACT, 1), Losing, Watching((), 0, whole=False), unheard)
    assert "create-file-under-file-allowed" not in found.inference.values
    (one,) = found.inexpressible
    assert one.finding.clause == "filesystem.rename.post.file-to-itself"
    assert not found.explained
