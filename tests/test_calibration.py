"""Hypothesis alone finds every fault of the basic operations and leaves a sound store alone; docs/calibration.md."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.engine.benches import Benches
from fsconform.engine.collect import Collected
from fsconform.engine.confirm import Proven, prove_all
from fsconform.engine.judge import FAILING
from fsconform.engine.minimise import own_steps
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program, Step
from fsconform.proving.faults import CORE, EVERY, NOT_JUDGED
from fsconform.proving.session import ProvingStore
from fsconform.suites.exploring import explorer
from fsconform.suites.registry import SUITES

DOCS = Path(__file__).resolve().parent.parent / "docs"
CONTRACT = load_shipped("proving")
TELLING = {*FAILING, "deviation"}
BASIC = [suite for suite in SUITES.values() if {*suite.grammar.kinds} <= {*SUITES["namespace"].grammar.kinds}]
"""The suites of the basic operations, on which the calibrated faults are."""

SEED = 0
MOST_OPERATIONS = 20_000
"""Operations within which a fault must be found. No fault needs half of them under this seed."""

MOST_STEPS = 4
SOUND_PROGRAMS = 2_000 if os.environ.get("FSCONFORM_LONG") == "1" else 600


@cache
def numbered(root: bool) -> tuple[list[Program], Iterator[Program]]:
    """The programs that were made already, and those that follow: one of each suite's machine by turns."""
    oracle = Oracle(CONTRACT)
    sources = [explorer(suite, oracle, SEED).source(0) for suite in BASIC if suite.root is root]
    return [], (program for row in zip(*sources, strict=True) for _, program in row)


def programs(root: bool) -> Iterator[Program]:
    """What Hypothesis draws from the basic suites: made once for all faults that a process looks for."""
    made, following = numbered(root)
    for number in itertools.count():
        if number == len(made):
            made.append(next(following))
        yield made[number]


def proven(benches: Benches, program: Program) -> list[Proven]:
    """What a program shows of a store, shrunk and confirmed."""
    collected, bench = Collected(), benches.take()
    benches.give_back(bench)
    (trial,) = bench.try_all([program])
    collected.add(trial)
    if not any(one.verdict in TELLING for one in trial.judgement.findings):
        return []
    found = prove_all(benches, collected)
    return [one for one in found if one.finding.verdict in TELLING and one.confirmed == "3/3"]


@pytest.mark.parametrize("fault", CORE)
def test_hypothesis_alone_finds_the_fault(fault: str) -> None:
    root, operations = CORE[fault].root, 0
    benches = Benches(ProvingStore(fault=fault, real_root=root), CONTRACT, 1)
    try:
        for program in programs(root):
            found = proven(benches, program)
            # What shows the fault first may need more steps by its nature: then a later program shows it in few.
            if any(own_steps(one.program) <= MOST_STEPS for one in found):
                return
            operations += own_steps(program)
            assert operations < MOST_OPERATIONS
    finally:
        benches.close()


def is_left_open(program: Program) -> bool:
    """True for a rename of the root to itself: the text allows it anything, the model refuses it."""
    return Step(Rename((), ())) in (replace(step, client=0) for step in program)


@pytest.mark.parametrize("root", [False, True])
def test_a_sound_store_has_no_divergence(root: bool) -> None:
    benches = Benches(ProvingStore(real_root=root), CONTRACT, 1)
    bench = benches.take()
    try:
        for program in itertools.islice(programs(root), SOUND_PROGRAMS // (4 if root else 1)):
            if not is_left_open(program):
                (trial,) = bench.try_all([program])
                assert trial.judgement.findings == []
                assert trial.judgement.operations > 0
    finally:
        benches.close()


def matrix() -> dict[str, list[str]]:
    """The cells of the matrix in docs/calibration.md, by fault."""
    text = (DOCS / "calibration.md").read_text("utf-8").partition("## Matrix")[2]
    rows = ([cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("| `"))
    return {cells[0].strip("`"): cells[1:] for cells in rows}


def recorded() -> dict[str, dict[str, dict[str, int]]]:
    """The cells of docs/calibration.json, by fault and explorer."""
    faults: dict[str, dict[str, dict[str, int]]] = json.loads((DOCS / "calibration.json").read_text("utf-8"))["faults"]
    return faults


def test_the_matrix_names_exactly_the_faults() -> None:
    assert list(matrix()) == sorted(EVERY)
    assert list(recorded()) == sorted(EVERY)


def test_the_matrix_is_the_recorded_one() -> None:
    found = recorded()
    for fault, cells in matrix().items():
        columns = found[fault].values()
        assert [cell.partition(" /")[0].replace(",", "") for cell in cells] == [
            str(one["operations"]) if one["found"] else "" for one in columns
        ]
        assert "variations" in found[fault]
        if fault in CORE:
            assert found[fault]["hypothesis"]["found"]
            assert found[fault]["hypothesis"]["operations"] < MOST_OPERATIONS


def test_what_nothing_finds_is_listed_with_the_reason() -> None:
    missed = [fault for fault, columns in recorded().items() if not any(one["found"] for one in columns.values())]
    listed = (DOCS / "calibration.md").read_text("utf-8").partition("## Found by nothing")[2].partition("## Matrix")[0]
    for fault in missed:
        assert f"| `{fault}` | {NOT_JUDGED[fault]} |" in listed
    assert listed.count("| `") == len(missed)
    assert NOT_JUDGED.keys() <= EVERY.keys()


def test_every_bug_that_really_happened_is_listed() -> None:
    text = (DOCS / "calibration.md").read_text("utf-8").partition("## Bugs")[2].partition("## Found by nothing")[0]
    for fault in EVERY.values():
        assert (f"| {fault.reference} | `{fault.name}` |" in text) is bool(fault.reference)
