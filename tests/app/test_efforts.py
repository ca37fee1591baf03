"""--effort and --budget: one default of each, the same in code, help and documents; what a budget cuts off is said."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from fsconform.app import pytest_plugin
from fsconform.app.initialise import Connector, project
from fsconform.app.main import main
from fsconform.engine.effort import DEFAULT_BUDGET, DEFAULT_EFFORT, budget_text
from fsconform.records.codec import loads
from fsconform.records.results import StoreRecord

DOCS = Path(__file__).parents[2] / "docs"
DELETE = ("run", "--store", "proving", "--suite", "delete")


def test_help_documents_and_code_have_one_default() -> None:
    budget = budget_text(DEFAULT_BUDGET)
    shown = " ".join(CliRunner().invoke(main, ["run", "--help"]).output.split())
    assert f"[default: ({DEFAULT_EFFORT})]" in shown and f"[default: ({budget}); x>=0]" in shown
    plugin = {name: text for name, _, text in pytest_plugin.ONE}
    assert plugin["--fs-effort"].endswith(f"by default {DEFAULT_EFFORT}.")
    assert plugin["--fs-budget"].endswith(f"by default {budget}.")
    under_pytest = (DOCS / "how-to-run-under-pytest.md").read_text("utf-8")
    assert f"| `--fs-effort` ({DEFAULT_EFFORT}), `--fs-budget` ({budget})," in under_pytest
    judging = (DOCS / "how-to-judge-your-connector.md").read_text("utf-8")
    assert f"`{DEFAULT_EFFORT}` is the default" in judging
    assert ("There is none by default" in judging) is (DEFAULT_BUDGET is None)
    workflow = next(
        text
        for path, text in project(Path(), Connector("x", "x://y", (), {}, ()), b"").items()
        if path.suffix == ".yml"
    )
    assert f"--effort {DEFAULT_EFFORT}".encode() in workflow and b"--budget" not in workflow


def ran(tmp_path: Path, code: int, *more: str) -> tuple[StoreRecord, str]:
    done = CliRunner().invoke(main, [*DELETE, "--out", str(tmp_path / "out"), *more])
    assert done.exit_code == code, done.output
    (store,) = loads(tmp_path / "out" / "latest" / "results.json").stores
    return store, done.output


def test_what_was_planned_and_run_is_in_the_records(tmp_path: Path) -> None:
    store, _ = ran(tmp_path, 0, "--effort", "30")
    found = {one.name: (one.planned, one.programs, one.note) for one in store.explorers}
    assert found["hypothesis delete"] == (30, 30, "as planned")
    assert all(planned == programs for planned, programs, _ in found.values())
    assert "variations" in found and store.cut_off == []


@pytest.mark.parametrize(("named", "code"), [((), 0), (("--effort", "normal"), 3)])
def test_a_budget_that_cuts_off_fails_only_an_effort_that_was_asked_for(
    tmp_path: Path, named: tuple[str, ...], code: int
) -> None:
    store, said = ran(tmp_path, code, "--budget", "0.3", *named)
    assert any(one.endswith("programs were run") for one in store.cut_off)
    assert "cut off by the budget" in said or "was cut off" in said
    assert any("by the budget" in one.note for one in store.explorers)
    assert bool(store.problems) is bool(named)


@pytest.mark.parametrize("text", ["fast", "-3", "1.5"])
def test_what_is_no_effort_is_refused(text: str) -> None:
    done = CliRunner().invoke(main, [*DELETE, "--effort", text])
    assert done.exit_code == 2 and "quick, normal, deep" in done.output
