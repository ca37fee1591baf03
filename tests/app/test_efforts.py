"""--effort and --budget: one default of each, the same in code, help and documents; what a budget cuts off is said."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.app import pytest_plugin
from fsconform.app.initialise import Connector, project
from fsconform.app.main import main
from fsconform.engine.effort import AMOUNTS, DEFAULT_BUDGET, DEFAULT_EFFORT, LEVELS, Amounts, budget_text
from fsconform.engine.probes import probed, sets_up_much, without_probes
from fsconform.harness import plans
from fsconform.harness.packages import Package
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program
from fsconform.records.codec import loads
from fsconform.records.results import StoreRecord
from fsconform.specs.witness import witnesses
from fsconform.suites import variations
from fsconform.suites.registry import DEFAULT, SUITES

DOCS = Path(__file__).parents[2] / "docs"
GROUPS = {
    group for name in DEFAULT if not (SUITES[name].alone or SUITES[name].trial) for group in SUITES[name].witnesses
}
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
        for path, text in project(Path(), Connector("x", "x://y", (), {}, ()), b"", Package("fsconform")).items()
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


def witnesses_of(amounts: Amounts) -> list[Program]:
    """The witnesses of the default suites, as a store of the harness is given them."""
    oracle = Oracle(load_shipped("proving"))
    suites = tuple(SUITES[name] for name in DEFAULT)
    found = plans.explorers(suites, oracle, 0, plans.Filter(), amounts=amounts)
    (explorer,) = [one for one in found if one.name == "witnesses"]
    return [program for _, program in explorer.source(0)]


def test_a_witness_that_is_varied_is_probed_after_each_step_and_the_others_in_both_modes() -> None:
    """The variations are probed at their end: what no variation is made of would not be."""
    oracle = Oracle(load_shipped("proving"))
    own = [one.program for one in witnesses() if not one.root and one.group in GROUPS]
    again = set(variations.varied(own))
    once, twice = set(witnesses_of(AMOUNTS["normal", "fast"])), set(witnesses_of(AMOUNTS["deep", "fast"]))
    assert again and set(own) - again
    assert all(probed(oracle, one, "each") in once for one in again)
    assert {probed(oracle, one, "end") for one in again} - once
    assert twice - once <= {probed(oracle, one, "end") for one in again}


def test_quick_leaves_out_large_directories_and_no_other_witness() -> None:
    quick, normal = ({without_probes(one) for one in witnesses_of(AMOUNTS[level, "fast"])} for level in LEVELS[:2])
    assert quick < normal
    assert all(sets_up_much(one) for one in normal - quick) and not any(map(sets_up_much, quick))


@pytest.mark.parametrize("text", ["fast", "-3", "1.5"])
def test_what_is_no_effort_is_refused(text: str) -> None:
    done = CliRunner().invoke(main, [*DELETE, "--effort", text])
    assert done.exit_code == 2 and "quick, normal, deep" in done.output
