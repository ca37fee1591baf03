"""``fsconform spec show``: a clause with what judges it, and what there is where the name is wrong."""

from __future__ import annotations

from click.testing import CliRunner, Result

from fsconform.app.main import main
from fsconform.harness.problems import LISTED, listed
from fsconform.specs.layers import every_clause

CLAUSE = "filesystem.delete.pre.not-empty"


def show(clause: str) -> Result:
    return CliRunner().invoke(main, ["spec", "show", clause])


def test_a_clause_is_shown_with_its_place_text_and_what_judges_it() -> None:
    done = show(CLAUSE)
    clause = every_clause()[CLAUSE]
    assert done.exit_code == 0, done.output
    for part in (CLAUSE, clause.statement, clause.level, clause.source, clause.basis):
        assert part in done.output
    assert "operations    delete" in done.output
    assert "witness" in done.output and "delete(/" in done.output


def test_each_clause_can_be_shown() -> None:
    for name in list(every_clause())[::40]:
        assert show(name).exit_code == 0, name


def test_a_wrong_name_lists_close_ones_first() -> None:
    done = show("filesystem.delete.pre.not-emty")
    assert done.exit_code == 2
    said = " ".join(done.output.split())
    assert f"did you mean '{CLAUSE}'? there are: {CLAUSE}, " in said
    assert f"and {len(every_clause()) - LISTED:,} more" in said


def test_a_part_of_names_lists_those_that_hold_it() -> None:
    names = ["append.pre", "delete.pre", "delete.post", "rename.pre"]
    assert listed("delete", names).split(", ")[:2] == ["delete.pre", "delete.post"]
    assert listed("", names) == ", ".join(names)
    assert listed("x", []) == "none"
