"""The harness on stores of which everything is known: every seeded fault is found, and a sound store is left alone."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import fields
from functools import cache

import pytest

from fsconform.adapters.proving.faults import FAULTS
from fsconform.adapters.proving.session import ProvingStore
from fsconform.adapters.proving.store import Behaviour
from fsconform.engine.confirm import Proven, prove_all
from fsconform.engine.enumerate import Bound
from fsconform.engine.explorers import Explorer, both_modes, enumeration, from_list
from fsconform.engine.findings import Finding
from fsconform.engine.judge import FAILING
from fsconform.engine.minimise import own_steps
from fsconform.engine.probes import MODES, probed
from fsconform.engine.run import Benches, Outcome, Plan, explore
from fsconform.model.contract import OPTIONS, Contract, OptionValue
from fsconform.model.oracle import Oracle
from fsconform.model.programs import Program
from fsconform.specs.witness import witnesses
from fsconform.suites.registry import SUITES

DECLARED: dict[str, OptionValue] = {"supports-append": True, "supports-strict-exceptions": True}
CONTRACT = Contract(DECLARED)
TELLING = {*FAILING, "deviation"}
NEEDS_ROOT = {"delete-removes-root"}

MOST_STEPS = 4
MEDIAN_STEPS = 3
SAMPLE = tuple(sorted(FAULTS))[::3]


@cache
def planned(root: bool) -> tuple[Explorer, ...]:
    """Witnesses in both modes, one operation, all ladders, two operations; or the root's witnesses."""
    oracle = Oracle(CONTRACT)
    decisive = from_list(
        "witnesses", both_modes([one.program for one in witnesses() if one.root is root], oracle), True
    )
    if root:
        return (decisive,)
    ladders = [probed(oracle, program, "end") for suite in SUITES.values() for program in suite.ladders()]
    shorts = [enumeration(length, oracle, 0, whole=True) for length in (1, 2)]
    return decisive, shorts[0], from_list("ladders", ladders, True), shorts[1]


def run(
    store: ProvingStore, explorers: Sequence[Explorer], contract: Contract = CONTRACT
) -> tuple[Outcome, list[Proven]]:
    benches = Benches(store, contract, 1)
    try:
        outcome = explore(benches, Plan(tuple(explorers), 0), lambda progress: None)
        assert outcome.problems == [] and all(covered.ended for covered in outcome.covered)
        return outcome, prove_all(benches, outcome.collected, lambda signature, number, of: None)
    finally:
        benches.close()


@cache
def proof_of(fault: str) -> tuple[Proven, ...]:
    """What the harness tells of a fault: of what departs, everything."""
    root = fault in NEEDS_ROOT
    _, proven = run(ProvingStore(fault=fault, real_root=root), planned(root))
    return tuple(one for one in proven if one.finding.verdict in TELLING)


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_is_found(fault: str) -> None:
    proven = proof_of(fault)
    confirmed = [own_steps(one.program) for one in proven if one.confirmed == "3/3"]
    assert confirmed, [(one.finding.signature, one.confirmed) for one in proven]
    assert min(confirmed) <= MOST_STEPS


def quick(fault: str) -> int | None:
    """The steps of the smallest program that witnesses and single operations lead to; None where they find nothing."""
    root = fault in NEEDS_ROOT
    _, proven = run(ProvingStore(fault=fault, real_root=root), planned(root)[:2])
    steps = [own_steps(one.program) for one in proven if one.finding.verdict in TELLING and one.confirmed == "3/3"]
    return min(steps, default=None)


def test_programs_that_show_a_fault_are_small() -> None:
    steps = [found for found in map(quick, SAMPLE) if found is not None]
    assert len(SAMPLE) >= 30 and len(steps) >= 20
    assert statistics.median(steps) <= MEDIAN_STEPS


DEPTH = 3
SLICES = 8


def edge(number: int) -> int:
    return Bound(DEPTH).size * number // SLICES


@pytest.mark.parametrize("part", range(SLICES))
def test_sound_store_has_no_divergence_in_three_operations(part: int) -> None:
    oracle, given = Oracle(CONTRACT), itertools.count()

    def source(first: int) -> Iterator[tuple[int, Program]]:
        assert first == 0
        for number, program in Bound(DEPTH).programs(edge(part), edge(part + 1)):
            yield number, probed(oracle, program, MODES[next(given) % len(MODES)])

    outcome, proven = run(ProvingStore(), [Explorer("slice", source, whole=True)])
    assert proven == [] and outcome.collected.samples == {}
    assert outcome.collected.programs == next(given) > 5_000
    assert outcome.collected.operations == DEPTH * outcome.collected.programs


def test_slices_hold_every_program_of_three_operations() -> None:
    bound = Bound(DEPTH)
    assert (edge(0), edge(SLICES)) == (0, bound.size)
    assert sum(1 for _ in bound.programs()) == bound.total
    assert DEPTH * bound.total >= 200_000


def test_sound_store_has_no_divergence_elsewhere() -> None:
    for root in (False, True):
        outcome, proven = run(ProvingStore(real_root=root), planned(root))
        assert [one.finding.signature for one in proven] == []
        assert outcome.collected.operations > (5_000 if not root else 10)


FIELDS = {
    "rename-returns-false-if-source-missing": "rename_returns_false_if_source_missing",
    "rename-returns-false-if-dest-exists": "rename_returns_false_if_dest_exists",
    "rename-overwrites-dest": "rename_overwrites_dest",
    "rename-creates-dest-dirs": "rename_creates_dest_dirs",
    "rename-remove-dest-if-empty-dir": "rename_remove_dest_if_empty_dir",
    "fsconform.rename-returns-false-on-failure": "rename_returns_false_on_failure",
    "create-overwrites-directory": "create_overwrites_directory",
    "supports-append": "supports_append",
    "supports-strict-exceptions": "strict_exceptions",
    "is-case-sensitive": "case_sensitive",
}
"""Options and the fields of Behaviour that have them."""

VALUES = [(option, value) for option in FIELDS for value in (True, False)]

STRICT = "supports-strict-exceptions"

FORCES_NOTHING = {(STRICT, False)} | {
    (option, not OPTIONS[option].default) for option in FIELDS if OPTIONS[option].kind == "permits"
}
"""Declared values that a store need not make use of."""

ALWAYS_PRECISE = {("getFileStatus", "raised IOException"), ("listStatus", "raised IOException")}
"""What a store without precise errors is told of whatever it declares: no option relaxes these two."""

FAULTS_THAT_AN_OPTION_DECLARES = {
    "directory-length-4096": "fsconform.directories-have-length",
    "colon-accepted": "fsconform.accepts-invalid-paths",
    "create-over-directory": "create-overwrites-directory",
}


def failing(store: ProvingStore, declared: dict[str, OptionValue], explorers: slice = slice(2)) -> list[Finding]:
    _, proven = run(store, planned(False)[explorers], Contract({**DECLARED, **declared}))
    return [one.finding for one in proven if one.finding.verdict in FAILING]


def behaving(option: str, value: bool) -> ProvingStore:
    return ProvingStore(behaviour=Behaviour(**{FIELDS[option]: value}))


def test_options_cover_the_behaviours() -> None:
    assert sorted(FIELDS.values()) == sorted(field.name for field in fields(Behaviour))
    assert all(OPTIONS[name].kind != "informs" for name in FIELDS)


@pytest.mark.parametrize(("option", "value"), VALUES)
def test_declared_behaviour_fails_nothing(option: str, value: bool) -> None:
    told = {(one.operation, one.observed_kind) for one in failing(behaving(option, value), {option: value})}
    assert told == (ALWAYS_PRECISE if (option, value) == (STRICT, False) else set())


def test_bug_declared_case_insensitivity_fails_nothing_in_the_ladders() -> None:
    told = failing(behaving("is-case-sensitive", False), {"is-case-sensitive": False}, slice(2, 3))
    assert [one.signature for one in told] == []


@pytest.mark.parametrize(("option", "value"), [one for one in VALUES if (one[0], not one[1]) not in FORCES_NOTHING])
def test_behaviour_that_is_not_declared_is_named(option: str, value: bool) -> None:
    told = failing(behaving(option, value), {option: not value})
    named = [one for one in told if ((option, value),) in one.changes]
    assert named, [(one.signature, one.changes) for one in told]
    exact = OPTIONS[option].kind == "exact"
    assert {one.verdict for one in named} == {"declared-false" if exact else "undeclared"}


@pytest.mark.parametrize(("option", "value"), [one for one in VALUES if one[1] is not OPTIONS[one[0]].default])
def test_behaviour_under_an_empty_contract_is_named(option: str, value: bool) -> None:
    _, proven = run(behaving(option, value), planned(False)[:2], Contract({}))
    named = [one.finding for one in proven if ((option, value),) in one.finding.changes]
    if option == STRICT:
        assert named == []
    else:
        assert {one.verdict for one in named} == {"undeclared"}


@pytest.mark.parametrize("fault", FAULTS_THAT_AN_OPTION_DECLARES)
def test_fault_that_an_option_declares(fault: str) -> None:
    option = FAULTS_THAT_AN_OPTION_DECLARES[fault]
    told = failing(ProvingStore(fault=fault), {})
    assert told and all(one.verdict == "undeclared" and one.changes == (((option, True),),) for one in told)
    assert failing(ProvingStore(fault=fault), {option: True}) == []
