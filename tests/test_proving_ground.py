"""The harness on stores of which everything is known: every seeded fault is found, and a sound store is left alone."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import fields
from functools import cache

import pytest

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.engine.benches import Benches
from fsconform.engine.collect import Collected
from fsconform.engine.confirm import Proven, prove_all
from fsconform.engine.enumerate import Bound
from fsconform.engine.exploration import Outcome, Plan, explore
from fsconform.engine.explorers import Explorer, both_modes, enumeration, from_list
from fsconform.engine.findings import Finding
from fsconform.engine.judge import FAILING
from fsconform.engine.minimise import own_steps
from fsconform.engine.probes import MODES, probed
from fsconform.model.core.option import OptionValue
from fsconform.model.filesystem.contract import OPTIONS, Contract
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program
from fsconform.proving.faults import CORE, EVERY, GENERATED, NOT_JUDGED, VARIED, Fault
from fsconform.proving.session import ProvingStore
from fsconform.proving.store import Behaviour
from fsconform.specs.witness import witnesses
from fsconform.suites.registry import SUITES

CONTRACT = load_shipped("proving")
DECLARED: dict[str, OptionValue] = dict(CONTRACT.declared)
TELLING = {*FAILING, "deviation"}

MOST_STEPS = 4
MOST_FURTHER_STEPS = 6
"""What attributes, policies and times need: to be set, changed and asked for."""

MEDIAN_STEPS = 3
SAMPLE = tuple(CORE)[::3]


def is_basic(program: Program) -> bool:
    """True for a program of the core's operations only, each in its plain form."""
    return all(type(step.operation) in SUITES["namespace"].grammar.kinds and not step.operation.via for step in program)


@cache
def planned(root: bool) -> tuple[Explorer, ...]:
    """Witnesses in both modes, one operation, all ladders, two operations; or the root's witnesses.

    Witnesses are those of the basic operations: test_clause_proofs.py has the others.
    """
    oracle = Oracle(CONTRACT)
    basic = [one.program for one in witnesses() if one.root is root and is_basic(one.program)]
    decisive = from_list("witnesses", both_modes(basic, oracle), True)
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
        outcome = explore(benches, Plan(tuple(explorers), 0))
        assert outcome.problems == [] and all(covered.ended for covered in outcome.covered)
        return outcome, prove_all(benches, outcome.collected)
    finally:
        benches.close()


def telling(proven: Sequence[Proven]) -> list[Proven]:
    """What departs."""
    return [one for one in proven if one.finding.verdict in TELLING]


def smallest(proven: Sequence[Proven]) -> int | None:
    """The steps of the smallest program that three replays of three confirmed; None if there is none."""
    return min((own_steps(one.program) for one in telling(proven) if one.confirmed == "3/3"), default=None)


@cache
def shown(fault: str, first: int, last: int) -> int | None:
    """The steps of the smallest program by which some of the explorers show a fault of the core."""
    root = CORE[fault].root
    _, proven = run(ProvingStore(fault=fault, real_root=root), planned(root)[first:last])
    return smallest(proven)


def quick(fault: str) -> int | None:
    """The steps of the smallest program that witnesses and single operations lead to; None where they find nothing."""
    return shown(fault, 0, 2)


@pytest.mark.parametrize("fault", CORE)
def test_fault_is_found(fault: str) -> None:
    for first, last in ((0, 2), (2, 3), (3, 4)):
        steps = shown(fault, first, last)
        if steps is not None:
            assert steps <= MOST_STEPS
            return
    raise AssertionError("no explorer shows it")


GROUPS = {
    "attributes": {"attributes"},
    "builders": {"changes", "ways"},
    "changes": {"changes"},
    "claims": {"metadata", "listing"},
    "copies": {"changes"},
    "iterators": {"protocols", "listing"},
    "metadata": {"metadata", "times"},
    "shared_streams": {"full"},
    "protocols": {"changes", "protocols"},
    "queries": {"listing", "metadata"},
    "streams": {"streams", "readers"},
    "overloads": {"ways", "listing", "changes"},
}
"""Modules of faults and the groups of witnesses that call what they break."""


@cache
def prepared(name: str, declared: tuple[tuple[str, bool], ...]) -> list[Program]:
    """A witness in both modes of probing, under a contract with some other values."""
    (program,) = (one.program for one in witnesses() if one.name == name)
    return both_modes([program], Oracle(Contract({**DECLARED, **dict(declared)})))


def fitting(fault: Fault) -> Iterator[Program]:
    """The programs of the witnesses that decide the fault's clause, and then of those that call what it breaks."""
    groups = GROUPS.get(fault.kind.__module__.rpartition(".")[2], set())
    there = [one for one in witnesses() if one.root is fault.root]
    deciding = [one for one in there if fault.clause in one.decides]
    for one in (*deciding, *(one for one in there if one.group in groups and one not in deciding)):
        yield from prepared(one.name, tuple(fault.declared.items()))


def found(fault: Fault) -> int | None:
    """The steps of the smallest program to which the first fitting witness that shows a fault leads."""
    store = ProvingStore(fault=fault.name, real_root=fault.root)
    benches = Benches(store, Contract({**DECLARED, **fault.declared}), 1)
    bench = benches.take()
    benches.give_back(bench)
    try:
        for program in fitting(fault):
            collected = Collected()
            (trial,) = bench.try_all([program])
            collected.add(trial)
            if any(one.verdict in TELLING for one in trial.judgement.findings):
                steps = smallest(prove_all(benches, collected))
                if steps is not None:
                    return steps
        return None
    finally:
        benches.close()
        assert [one.error for one in benches.internal.all()] == []


@pytest.mark.parametrize("fault", sorted(EVERY.keys() - CORE.keys() - VARIED.keys() - GENERATED.keys()))
def test_fault_of_a_further_operation_is_found(fault: str) -> None:
    steps = found(EVERY[fault])
    assert (steps is None) is (fault in NOT_JUDGED)
    assert steps is None or steps <= MOST_FURTHER_STEPS


def test_programs_that_show_a_fault_are_small() -> None:
    steps = [found for found in map(quick, SAMPLE) if found is not None]
    assert len(SAMPLE) >= 30 and len(steps) >= 20
    assert statistics.median(steps) <= MEDIAN_STEPS


DEPTH = 3
SLICES = 16


def edge(number: int) -> int:
    return Bound(DEPTH).size * number // SLICES


OFTEN = (1,)
"""The slice that is always run; all of them in the nightly job."""


@pytest.mark.parametrize(
    "part", [part if part in OFTEN else pytest.param(part, marks=pytest.mark.long) for part in range(SLICES)]
)
def test_sound_store_has_no_divergence_in_three_operations(part: int) -> None:
    oracle, given = Oracle(CONTRACT), itertools.count()

    def source(first: int) -> Iterator[tuple[int, Program]]:
        assert first == 0
        for number, program in Bound(DEPTH).programs(edge(part), edge(part + 1)):
            yield number, probed(oracle, program, MODES[next(given) % len(MODES)])

    outcome, proven = run(ProvingStore(), [Explorer("slice", source, whole=True)])
    assert proven == [] and outcome.collected.samples == {}
    assert outcome.collected.programs == next(given) > 2_500
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

BEYOND_ITS_OPTION = {"create-over-directory": ["create (directory) succeeded, data lost"]}
"""What such a fault does besides, and no option allows: a create that is not to overwrite loses what was below."""


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
def test_behaviour_of_which_the_contract_says_nothing_is_named(option: str, value: bool) -> None:
    contract = Contract({name: given for name, given in DECLARED.items() if name not in FIELDS})
    _, proven = run(behaving(option, value), planned(False)[:2], contract)
    named = [one.finding for one in proven if ((option, value),) in one.finding.changes]
    if option == STRICT:
        assert named == []
    else:
        assert {one.verdict for one in named} == {"undeclared"}


@pytest.mark.parametrize("fault", FAULTS_THAT_AN_OPTION_DECLARES)
def test_fault_that_an_option_declares(fault: str) -> None:
    option = FAULTS_THAT_AN_OPTION_DECLARES[fault]
    told = failing(ProvingStore(fault=fault), {})
    beyond = [one.signature for one in told if one.verdict == "violation"]
    named = [one for one in told if one.signature not in beyond]
    assert named and all(one.verdict == "undeclared" and one.changes == (((option, True),),) for one in named)
    assert beyond == BEYOND_ITS_OPTION.get(fault, [])
    assert [one.signature for one in failing(ProvingStore(fault=fault), {option: True})] == beyond
