"""Witnesses that are made in code: what they hold, and faults that they show and nothing else does."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import pytest

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.engine.explorers import both_modes, enumeration
from fsconform.engine.judge import Judge
from fsconform.engine.trial import Bench
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program, Step
from fsconform.model.filesystem.protocols.iterators import Iterate
from fsconform.model.filesystem.status.list_files import ListFiles
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.proving.faults import GENERATED
from fsconform.proving.session import ProvingStore
from fsconform.specs.generated import PAGES, rows
from fsconform.specs.witness import witnesses
from fsconform.suites.registry import SUITES

ORACLE = Oracle(load_shipped("proving"))
OWN = tuple(program for _, _, program, _ in rows())


def files_of(program: Program) -> list[Step]:
    return [step for step in program if step.setup and isinstance(step.operation, Create)]


def test_each_page_is_listed_moved_and_removed_by_each_call() -> None:
    pages = [program for name, _, program, group in rows() if group == PAGES and name.startswith("directory of")]
    assert [len(files_of(program)) for program in pages] == [999, 1000, 1001, 2000]
    for program in pages:
        called = {(type(step.operation), step.operation.via) for step in program if not step.setup}
        assert {(ListStatus, via) for via in ("", *ListStatus.VIAS)} <= called
        # Walked without hasNext too, where a page ends before the listing does.
        assert ({(Iterate, via) for via in ("", *Iterate.VIAS)} <= called) is (len(files_of(program)) == 1001)
        assert {(Delete, ""), (ListFiles, "")} <= called
        assert ((Rename, "") in called) is (len(program) < 2000)
        assert both_modes([program], ORACLE) == [program], "probes would ask of each file by itself"


def test_each_group_is_run_by_a_default_suite() -> None:
    own = {group for suite in SUITES.values() if suite.default for group in suite.witnesses}
    assert {group for *_, group in rows()} <= own
    assert len(OWN) > 200 and set(OWN) <= {one.program for one in witnesses()}


@cache
def others() -> tuple[Program, ...]:
    """All other witnesses, all ladders, and all programs of one and two operations."""
    written = [one.program for one in witnesses() if not one.root and one.group not in ("large", "full")]
    rungs = [rung for suite in SUITES.values() if not suite.trial for rung in suite.ladders()]
    short = [program for length in (1, 2) for _, program in enumeration(length, ORACLE, 0).source(0)]
    return (*both_modes([one for one in written if one not in set(OWN)], ORACLE), *both_modes(rungs, ORACLE), *short)


def departs(fault: str, programs: Iterable[Program]) -> bool:
    """True if one of the programs shows a departure."""
    bench = Bench(ProvingStore(fault=fault).session(), Judge(ORACLE))
    return any(bench.try_all([program])[0].judgement.findings for program in programs)


@pytest.mark.parametrize("fault", GENERATED)
def test_generated_witnesses_find_what_others_do_not(fault: str) -> None:
    assert not departs(fault, others())
    assert departs(fault, both_modes(OWN, ORACLE))
