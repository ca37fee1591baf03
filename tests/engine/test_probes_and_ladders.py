"""Probes in both modes, and the rungs of the boundary ladders."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fsconform.engine import ladders
from fsconform.engine.enumerate import Bound
from fsconform.engine.probes import probed, without_probes
from fsconform.model.core import content as contents
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.suites.registry import DEFAULT, SUITES

Make = Callable[[str], Program]
ORACLE = Oracle(Contract({"supports-append": True}))


def told(program: Program) -> set[str]:
    return {str(step.operation) for step in program if step.probe}


PROBED = {
    "each": (
        "mkdirs /a; create /a/b 3; exists /c; delete /x",
        "mkdirs /a; ?status /a; ?list /a; ?list /; create /a/b 3; ?status /a/b; ?open /a/b; ?list /a; exists /c; "
        "delete /x; ?status /x; ?list /",
    ),
    "end": (
        "mkdirs /a; create /a/b 3; exists /c",
        "mkdirs /a; create /a/b 3; exists /c; ?status /a; ?list /a; ?list /; ?status /a/b; ?open /a/b; ?status /c",
    ),
}


@pytest.mark.parametrize("mode", ["each", "end"])
def test_probes(mode: str, program: Make) -> None:
    plain, expected = (program(text) for text in PROBED[mode])
    given = probed(ORACLE, plain, "each" if mode == "each" else "end")
    assert without_probes(given) == plain
    wanted = [(str(type(step.operation)), getattr(step.operation, "path", ()), step.probe) for step in expected]
    assert [(str(type(step.operation)), getattr(step.operation, "path", ()), step.probe) for step in given] == wanted


def test_final_destination_of_a_rename_is_probed(program: Make) -> None:
    text = ":mkdirs /b; :create /a 3; rename /a /b"
    for mode in ("each", "end"):
        given = told(probed(ORACLE, program(text), "each" if mode == "each" else "end"))
        assert {str(step.operation) for step in program("status /a; status /b; status /b/a; open /b/a")} <= given


def test_set_up_is_not_probed_on_the_way(program: Make) -> None:
    given = probed(ORACLE, program(":mkdirs /a; :mkdirs /b; mkdirs /c"), "each")
    assert [step.probe for step in given[:3]] == [False] * 3 and all(step.probe for step in given[3:])


def test_probes_end_where_the_model_has_no_state(program: Make) -> None:
    text = program("create /a 1; delete! /a; mkdirs /b")
    assert probed(ORACLE, (), "end")[0].operation == ListStatus(())
    assert len(probed(ORACLE, text, "end")) > len(text)


def test_own_steps_stay_as_they_are() -> None:
    for _, program in Bound(2).programs(0, 2000):
        for mode in ("each", "end"):
            given = probed(ORACLE, program, "each" if mode == "each" else "end")
            assert without_probes(given) == program and given[-1].probe


def test_rungs() -> None:
    assert ladders.rungs(17) == (1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 15, 16, 17)
    assert ladders.rungs(1) == (1,) and ladders.rungs(3, lowest=0) == (0, 1, 2, 3)
    for highest in (5, 64, 129, 1000):
        rungs = set(ladders.rungs(highest))
        marks = [2**power for power in range(11)] + [10**power for power in range(4)]
        assert {near for mark in marks for near in (mark - 1, mark, mark + 1) if 1 <= near <= highest} <= rungs
        assert min(rungs) == 1 and max(rungs) == highest


def test_children() -> None:
    programs = list(ladders.children(20))
    counts = [sum(isinstance(step.operation, Create) for step in program) for program in programs]
    assert tuple(counts) == ladders.rungs(20)
    assert all(
        [step.setup for step in program].index(False) == count for program, count in zip(programs, counts, strict=True)
    )


def test_depths_names_sizes_and_appends() -> None:
    def first(program: Program) -> Mkdirs | Create | Append | Rename:
        operation = program[0].operation
        assert isinstance(operation, Mkdirs | Create | Append | Rename)
        return operation

    depths = [first(program) for program in ladders.depths(9)]
    assert tuple(len(one.path) for one in depths if isinstance(one, Mkdirs)) == ladders.rungs(9)
    names = [first(program) for program in ladders.name_lengths(9)]
    assert set(ladders.rungs(9)) <= {len(one.path[0]) for one in names if isinstance(one, Create)}
    assert set(ladders.rungs(9)) <= {len(one.path[0]) for one in names if isinstance(one, Mkdirs)}
    sizes = [first(program) for program in ladders.file_sizes(ladders.SMALL_SIZES)]
    assert [contents.length(one.content) for one in sizes if isinstance(one, Create)] == list(ladders.SMALL_SIZES)
    more = [program[1].operation for program in ladders.appended_sizes((0, 5))]
    assert [contents.length(one.content) for one in more if isinstance(one, Append)] == [0, 5]
    appends = [sum(isinstance(step.operation, Append) for step in program) for program in ladders.appends(9)]
    assert tuple(appends) == ladders.rungs(9)


def test_spice_uses_every_name_as_file_directory_and_both_ends_of_a_rename() -> None:
    programs = list(ladders.spice())
    assert len(set(ladders.SPICE)) == len(ladders.SPICE) and len(programs) == 4 * len(ladders.SPICE)
    operations = [step.operation for program in programs for step in program]
    for name in ladders.SPICE:
        assert any(isinstance(one, Create) and one.path == (name,) for one in operations)
        assert any(isinstance(one, Mkdirs) and one.path[0] == name for one in operations)
        assert any(isinstance(one, Rename) and one.src == (name,) for one in operations)
        assert any(isinstance(one, Rename) and one.dst == (name,) for one in operations)


def test_ladders_of_suites_are_the_same_each_time() -> None:
    for suite in SUITES.values():
        assert list(suite.ladders()) == list(suite.ladders())
    assert "root" not in DEFAULT and all(SUITES[name].default for name in DEFAULT)
    assert all(suite.root == (name in ("root", "safemode")) and suite.name == name for name, suite in SUITES.items())
