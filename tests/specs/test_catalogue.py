"""The catalogue, the code and the witnesses hold together, each with each."""

from __future__ import annotations

from collections import defaultdict
from itertools import chain

import pytest

from fsconform.engine.histories import blaming, breaches, power
from fsconform.engine.histories.concurrent import Concurrent, History, Observed
from fsconform.engine.histories.linearizability import Call
from fsconform.engine.histories.subject import RACES
from fsconform.model.core.operation import OPERATIONS, Operation, paths_of
from fsconform.model.core.outcomes import Returned
from fsconform.model.core.paths import ROOT
from fsconform.model.filesystem import while_writing as writing
from fsconform.model.filesystem.branches import MEANINGS, REFUSED_CLAUSE, RENAMED_ATTRIBUTES
from fsconform.model.filesystem.contract import OPTIONS
from fsconform.model.filesystem.invariants import CLAUSES
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.programs import Step
from fsconform.proving.faults import EVERY, SHARED
from fsconform.specs.catalogue import JUDGED as JUDGED_STATUSES
from fsconform.specs.catalogue import RACE_SUITES as CLAUSE_RACE_SUITES
from fsconform.specs.catalogue import STATUSES, catalogue
from fsconform.specs.witness import Witness, witnesses
from fsconform.suites.races import RACE_SUITES

LEVELS = ("MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY", "UNDEFINED")


CASES = (*(case for meaning in MEANINGS.values() for case in meaning.cases), *writing.CASES)


def branch_levels() -> dict[str, set[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for case in CASES:
        for branch in case.branches:
            found[branch.clause].add(branch.level)
    return dict(found)


USED = branch_levels()
JUDGED = {*CLAUSES, REFUSED_CLAUSE, RENAMED_ATTRIBUTES}
"""Clauses that no branch has, as they speak of states and not of answers."""
CASE_CLAUSES = {
    clause
    for case in CASES
    for clause in (case.clause, case.unchanged, *(also for branch in case.branches for also in branch.also))
    if clause
}
DECIDED = {one for witness in witnesses() for one in witness.decides}
MODELLED = sorted(clause.id for clause in catalogue().values() if clause.status == "modelled")
OPTION_VALUES = sorted(
    f"{option.name}={str(not option.default).lower()}" for option in OPTIONS.values() if option.kind != "informs"
)


def test_rows_are_sound() -> None:
    assert len(catalogue()) > 50
    for name, clause in catalogue().items():
        assert name == clause.id and clause.level in LEVELS and clause.status in STATUSES
        assert clause.document.endswith((".md", ".txt")) and clause.section and clause.statement.endswith(".")
        assert clause.id.startswith(clause.document.rpartition(".")[0] + ".")


@pytest.mark.parametrize("clause", sorted({*USED, *CASE_CLAUSES, *JUDGED}))
def test_what_code_uses_is_modelled_in_the_catalogue(clause: str) -> None:
    assert clause in catalogue()
    assert catalogue()[clause].status == "modelled"


@pytest.mark.parametrize("clause", sorted(USED))
def test_levels_agree(clause: str) -> None:
    assert USED[clause] == {catalogue()[clause].level}


def judged_by_histories() -> dict[str, list[str]]:
    """Of each clause the suites of concurrent programs that judge it: each row, as if all its calls had succeeded."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for suite in RACE_SUITES.values():
        clauses = {clause for row in suite.rows() for clause in RACES.clauses_of(_successful(row.program))}
        for clause in clauses:
            found[clause].append(suite.name)
    return dict(found)


def _successful(program: Concurrent[Operation]) -> History:
    made = [(place, operation) for place, lane in enumerate(program.lanes) for operation in lane]
    calls: list[Observed] = [
        Call(place, operation, Returned(None), 2 * number, 2 * number + 1)
        for number, (place, operation) in enumerate(made)
    ]
    return History(program, tuple(calls), tuple(place for place, _ in made))


def test_rows_name_the_suites_of_histories_that_judge_them() -> None:
    found = judged_by_histories()
    del found["outputstream.concurrent.writers"]  # by the promise exclusive-writer alone
    assert {clause.id: [*clause.judged_in] for clause in catalogue().values() if clause.judged_in} == found
    assert set(CLAUSE_RACE_SUITES) == {name for name, suite in RACE_SUITES.items() if suite.drawn is None}


def test_what_histories_judge_is_proved_by_a_seeded_fault() -> None:
    """That each of these is found, and reported by its clause, is held by the tests of histories and of clauses."""
    raced = {fault.clause for fault in SHARED.values()}
    proved = raced | {fault.clause for fault in EVERY.values()}
    judged = [clause for clause in catalogue().values() if clause.judged_in]
    assert [clause.id for clause in judged if clause.id not in (raced if clause.status == "raced" else proved)] == []
    assert all(clause.judged_in for clause in catalogue().values() if clause.status == "raced")


def test_what_is_restated_is_judged_elsewhere() -> None:
    restated = [clause for clause in catalogue().values() if clause.by]
    assert {catalogue()[one].status for clause in restated for one in clause.by} <= set(JUDGED_STATUSES)
    assert not any("crash" in clause.why or "client can't bring about" in clause.why for clause in catalogue().values())


def test_what_is_raced_is_what_races_are_reported_by() -> None:
    """By the clauses of races, which seeded faults prove, and by that of what fits none of them."""
    raced = {clause.id for clause in catalogue().values() if clause.status == "raced"}
    by_calls = (blaming.ATOMIC, blaming.VISIBLE, blaming.PERSISTED, blaming.OF_LINKS, blaming.OF_MEDIA)
    reported = {*chain.from_iterable(one.values() for one in by_calls), "introduction.consistency.all-clients"}
    reported |= {power.HSYNC_DURABLE, power.CLOSED_DURABLE}
    reported |= {breaches.CAUGHT, breaches.CLEANUP_EXCEPTION, breaches.NO_RETRY}
    reported |= {breaches.COMPLETE, blaming.RETRIES, blaming.LIMIT, blaming.NO_RUNTIME_EXCEPTION}
    assert raced <= reported
    assert {catalogue()[clause].status for clause in reported} <= {"raced", "modelled", "untestable"}
    assert [clause for clause in reported if catalogue()[clause].status == "untestable"] == [
        "outputstream.concurrent.writers"
    ]


@pytest.mark.parametrize("clause", MODELLED)
def test_what_is_modelled_is_used_by_code(clause: str) -> None:
    assert clause in {*USED, *CASE_CLAUSES, *JUDGED}


@pytest.mark.parametrize("clause", MODELLED)
def test_what_is_modelled_is_decided_by_a_witness(clause: str) -> None:
    assert clause in DECIDED


@pytest.mark.parametrize("value", OPTION_VALUES)
def test_every_value_of_an_option_is_decided_by_a_witness(value: str) -> None:
    assert value in DECIDED


@pytest.mark.parametrize("name", OPERATIONS.values(), ids=OPERATIONS)
def test_every_operation_has_a_meaning(name: type) -> None:
    assert [meaning.operation for meaning in MEANINGS.values()].count(name) == 1


def test_options_that_branches_ask_for_are_judged_ones() -> None:
    asked = {
        name
        for meaning in MEANINGS.values()
        for case in meaning.cases
        for branch in case.branches
        for name, _ in branch.when
    }
    judged = {option.name for option in OPTIONS.values() if option.kind != "informs"}
    # by the oracle, to branches of all operations
    added = {"fsconform.accepts-invalid-paths", "fsconform.read-only", "fsconform.empty-files-are-directories"}
    assert asked | added == judged


def test_witnesses_have_names_of_their_own() -> None:
    names = [(witness.group, witness.name) for witness in witnesses()]
    assert len(set(names)) == len(names) > 40


@pytest.mark.parametrize("witness", witnesses(), ids=lambda witness: f"{witness.group}: {witness.name}")
def test_witness_decides_what_there_is(witness: Witness) -> None:
    assert witness.decides and witness.program
    for decided in witness.decides:
        name, _, value = decided.partition("=")
        if value:
            assert OPTIONS[name].kind != "informs" and value in ("true", "false")
        else:
            assert decided in catalogue() and catalogue()[decided].status == "modelled"


def _changes_the_root(step: Step) -> bool:
    operation = step.operation
    if isinstance(operation, Rename):
        return operation.src == ROOT
    return operation.NAME in ("delete", "append", "create") and paths_of(operation)[0] == ROOT


def test_what_harms_a_root_asks_for_one_of_its_own() -> None:
    assert all(witness.root for witness in witnesses() if any(_changes_the_root(step) for step in witness.program))
    assert {witness.group for witness in witnesses() if witness.root} == {"root", "safemode"}
