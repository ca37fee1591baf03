"""Units: cut without gaps, and made of the same programs in every process and however they are cut."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from fsconform.app.campaigns.programs import CHUNK, Ranked, enumerated_total, programs
from fsconform.engine.enumerate import Bound, Universe
from fsconform.engine.probes import without_probes
from fsconform.model.core.operation import paths_of
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program, encode_program
from fsconform.pipeline.units import Source, Unit, cut, of_row, row_of
from fsconform.suites.registry import DEFAULT, SUITES

KINDS = SUITES["namespace"].kinds
ORACLE = Oracle(Contract({}))


@pytest.mark.parametrize(("total", "size"), [(1, 10), (7, 3), (2000, 250), (999, 1000)])
def test_units_hold_every_program_once(total: int, size: int) -> None:
    """For each store as many as were asked for, whatever does not divide."""
    suites = ["namespace", "rename", "limits"]
    units = cut([("a", "x"), ("b", "y")], suites, total, size, enumerated_total)
    assert [unit.number for unit in units] == list(range(len(units)))
    for store in ("a", "b"):
        own = [unit for unit in units if unit.store == store]
        places = [
            (unit.suite, unit.source, place) for unit in own for place in range(unit.first, unit.first + unit.count)
        ]
        assert len(places) == len(set(places)) == total
        assert all(0 < unit.count <= size for unit in own)
    assert [of_row({**row_of(unit), "id": 3}) for unit in units] == list(units)


@pytest.mark.parametrize("length", [1, 2])
@pytest.mark.parametrize("names", [("a",), ("a", "b"), ("a", "b", "c")])
def test_ranks_are_all_programs_of_the_bound(length: int, names: tuple[str, ...]) -> None:
    """The two ways of counting, and of enumerating, agree."""
    universe = Universe(names, 1)
    bound, ranked = Bound(length, universe, KINDS), Ranked(length, KINDS, universe)
    listed = [ranked.program(rank) for rank in range(ranked.total)]
    assert len(set(listed)) == ranked.total == bound.total
    assert set(listed) == {program for _, program in bound.programs()}
    with pytest.raises(IndexError):
        ranked.program(ranked.total)


def test_three_operations_are_counted_alike() -> None:
    """Of the whole universe."""
    assert Ranked(3, KINDS).total == Bound(3, kinds=KINDS).total


def _made(unit: Unit, seed: int = 3) -> list[tuple[int, Program]]:
    return list(programs(ORACLE, seed, unit))


@pytest.mark.parametrize("suite", DEFAULT)
@pytest.mark.parametrize("source", ["enumeration", "drawn"])
def test_programs_do_not_hang_on_how_they_are_cut(suite: str, source: Source) -> None:
    """A unit that begins within a chunk gives what a whole one gives there."""
    if source == "enumeration" and enumerated_total(suite) < 100:
        pytest.skip("nothing to enumerate")
    whole = _made(Unit(0, "s", suite, source, 0, CHUNK + 20))
    assert [place for place, _ in whole] == list(range(CHUNK + 20))
    assert all(without_probes(program) for _, program in whole)
    part = _made(Unit(1, "s", suite, source, 30, 40))
    assert part == whole[30:70]
    assert _made(Unit(0, "s", suite, source, 0, 20), 4) != whole[:20], "another seed is another order"


@pytest.mark.parametrize("suite", DEFAULT)
def test_no_program_changes_the_root(suite: str) -> None:
    """What stands for the root is a directory of the sandbox, and no root."""
    for _, program in _made(Unit(0, "s", suite, "drawn", 0, 200)):
        for step in program:
            if step.operation.MUTATES and step.operation.NAME in ("delete", "create", "append"):
                assert all(paths_of(step.operation)), step


def test_enumeration_begins_with_the_shortest_and_repeats_nothing() -> None:
    """In both modes of probing as long as they are short."""
    found = _made(Unit(0, "s", "namespace", "enumeration", 0, 3000))
    lengths = [len(without_probes(program)) for _, program in found]
    assert lengths == sorted(lengths)
    assert len({tuple(encoded) for encoded in (map(str, encode_program(program)) for _, program in found)}) > 2900


PROGRAM = """
import hashlib, json
from fsconform.app.campaigns.programs import programs
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import encode_program
from fsconform.pipeline.units import Unit
from fsconform.suites.registry import DEFAULT
for suite in DEFAULT:
    for source in ("drawn", "enumeration"):
        unit = Unit(0, "s", suite, source, 0, 40 if source == "drawn" or suite == "namespace" else 0)
        found = [encode_program(program) for _, program in programs(Oracle(Contract({})), 9, unit)]
        print(suite, source, hashlib.sha256(json.dumps(found).encode()).hexdigest())
"""


@pytest.fixture(scope="module")
def told() -> list[set[str]]:
    """What two processes that hash strings otherwise made."""
    return [
        set(
            subprocess.run(
                [sys.executable, "-c", PROGRAM],
                env=os.environ | {"PYTHONHASHSEED": seed},
                capture_output=True,
                text=True,
                check=True,
            ).stdout.splitlines()
        )
        for seed in ("1", "2")
    ]


@pytest.mark.parametrize("suite", DEFAULT)
def test_programs_are_the_same_in_every_process(suite: str, told: list[set[str]]) -> None:
    """Also where Python orders its sets otherwise."""
    first, second = ({line for line in lines if line.split()[0] == suite} for lines in told)
    assert len(first) == 2
    assert first == second
