"""The suites find each fault that is seeded into the cluster in memory, by its clause, and nothing without one."""

from __future__ import annotations

import pytest

from fsconform.engine.blocks.subject import BLOCKS
from fsconform.engine.layers import met
from fsconform.model.blocks.clauses import CLAUSES
from fsconform.model.blocks.contract import PROMISED
from fsconform.model.blocks.steps import Program, decode, encode
from fsconform.proving.blocks.faults import FAULTS, BlockFault
from fsconform.proving.blocks.machines import MemoryBlocks
from fsconform.specs.catalogue import BINDING
from fsconform.specs.layers import block_clauses
from fsconform.suites.blocks import BLOCK_SUITES

PROGRAMS = {f"{suite.name}, {name}": one for suite in BLOCK_SUITES.values() for name, one in suite.programs.items()}
every_program = pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)


@every_program
def test_nothing_is_found_where_there_is_no_fault_and_every_step_is_judged(program: Program) -> None:
    tried = BLOCKS.attempt(MemoryBlocks(), program, PROMISED)
    assert not tried.judgement.findings and not tried.judgement.skipped
    assert tried.judgement.operations == len(program)


@every_program
def test_programs_are_read_from_what_is_written_of_them(program: Program) -> None:
    assert tuple(map(decode, map(encode, program))) == program


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_each_fault_is_found_by_its_suite_and_clause(fault: BlockFault) -> None:
    session = MemoryBlocks(fault.store)
    tried = [BLOCKS.attempt(session, one, PROMISED) for one in BLOCK_SUITES[fault.suite].programs.values()]
    found = {one.clause: trial for trial in tried for one in trial.judgement.findings}
    assert fault.clause in found
    finding = next(one for one in found[fault.clause].judgement.findings if one.clause == fault.clause)
    binds = block_clauses()[fault.clause].basis in BINDING or finding.operation == "read"
    assert finding.verdict == ("violation" if binds else "deviation")
    assert finding.expected and finding.observed and bool(finding.impact) == (finding.operation == "read")


SHORTEST = [suite.programs[name] for suite in BLOCK_SUITES.values() for name in suite.default]
"""The programs of a run that chooses nothing."""


@pytest.mark.parametrize(
    "fault",
    [
        *("replication-not-set", "missing-replicas-not-made", "readers-do-not-verify", "readers-do-not-report"),
        *("corrupt-replica-stays", "hflush-reaches-one-node", "recovery-drops-flushed-data", "old-replicas-are-read"),
    ],
)
def test_the_programs_of_a_run_that_chooses_nothing_find_what_loses_data(fault: str) -> None:
    session = MemoryBlocks(FAULTS[fault].store)
    found = {
        finding.clause
        for program in SHORTEST
        for finding in BLOCKS.attempt(session, program, PROMISED).judgement.findings
    }
    assert FAULTS[fault].clause in found


def test_each_clause_is_judged_and_broken_by_a_fault() -> None:
    judged = {
        clause
        for program in PROGRAMS.values()
        for clause in BLOCKS.attempt(MemoryBlocks(), program, PROMISED).judgement.clauses
    }
    assert judged == CLAUSES == {fault.clause for fault in FAULTS.values()} == set(block_clauses())
    assert {clause.status for clause in block_clauses().values()} == {"replicated"}


def test_a_finding_is_shrunk_to_the_steps_that_show_it() -> None:
    fault = FAULTS["old-replicas-are-read"]
    session = MemoryBlocks(fault.store)
    program = BLOCK_SUITES["pipeline"].programs["old replica, closed file"]
    tried = BLOCKS.attempt(session, program, PROMISED)
    finding = next(one for one in tried.judgement.findings if one.clause == fault.clause)
    collected = met(finding, tried)
    proven = BLOCKS.prove(session, collected, PROMISED)
    assert proven.finding.signature == finding.signature
    assert proven.shown == proven.replays and len(proven.program) < len(program)
