"""The suites of races in a run: what is tried, recorded, reported and replayed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fsconform.app.main import main
from fsconform.engine.effort import Effort
from fsconform.harness.problems import DIVERGENCES, OK
from fsconform.harness.races import plan_of
from fsconform.suites.races import FRESHNESS, RACES, planned

RUN = ("run", "--store", "proving", "--suite", "races")


def run(*words: str) -> Any:
    return CliRunner().invoke(main, words)


def test_rounds_have_every_row_in_an_order_of_the_seed() -> None:
    size = len([*RACES.rows()])
    first, second = planned(RACES, 2 * size, 0)[:size], planned(RACES, 2 * size, 0)[size:]
    assert {row for row, _ in first} == {row for row, _ in second} and {number for _, number in second} == {1}
    assert [row for row, _ in first] != [row for row, _ in second]
    assert planned(RACES, 30, 0) == first[:30] != planned(RACES, 30, 1)


def test_effort_and_budget_say_what_is_tried() -> None:
    amounts = Effort("quick").amounts("fast")
    plan = plan_of((RACES, FRESHNESS), amounts, 0, None)
    assert plan is not None and len(plan.rows) == amounts.races + amounts.watches and plan.seconds is None
    capped = plan_of((RACES,), amounts, 0, 50.0)
    assert capped is not None and (capped.seconds, capped.proving) == (10.0, 10.0)
    assert plan_of((RACES,), amounts, 0, 0.0) is None and plan_of((), amounts, 0, None) is None


@pytest.mark.timeout(300)
def test_a_race_is_recorded_and_replayed(tmp_path: Path) -> None:
    fault = ("--fault", "create-checks-then-acts")
    assert run(*RUN, *fault, "--out", str(tmp_path)).exit_code == DIVERGENCES
    folder = (tmp_path / "latest").resolve()
    (record,) = json.loads((folder / "results.json").read_text())["stores"]
    (found,) = [
        one for one in record["divergences"] if one["signature"].startswith("create returned none beside create")
    ]
    assert (found["clause"], found["impact"], found["test"]) == ("introduction.atomicity.create", "data lost", "")
    assert found["history"]["shown"] > 0 and found["history"]["runs"] == 200
    assert len(found["history"]["program"]["lanes"]) == 2
    assert {one["part"] for one in found["history"]["calls"]} >= {"at once"}
    pair = next(one for one in record["races"]["pairs"] if (one["first"], one["second"]) == ("create", "create"))
    assert (pair["outcome"], pair["verdict"]) == ("both won", "violation") and pair["overlaps"] > 0
    other = next(one for one in record["races"]["pairs"] if (one["first"], one["second"]) == ("mkdirs", "mkdirs"))
    assert (other["outcome"], other["verdict"]) == ("atomic", "conforms")
    assert record["races"]["programs"] == record["races"]["planned"] and record["clauses"][found["clause"]] > 0
    replay = str(folder / found["replay"])
    shown = run("replay", replay, "--store", "proving", *fault)
    assert shown.exit_code == DIVERGENCES and "reproduced: violation" in shown.stdout and "of 200 runs" in shown.stdout
    gone = run("replay", replay, "--store", "proving")
    assert gone.exit_code == OK and "gone" in gone.stdout


@pytest.mark.timeout(300)
def test_a_sound_store_passes(tmp_path: Path) -> None:
    done = run(*RUN, "--suite", "freshness", "--effort", "quick", "--out", str(tmp_path))
    assert done.exit_code == OK, done.output
    (record,) = json.loads((tmp_path / "latest" / "results.json").read_text())["stores"]
    assert record["races"]["overlaps"] > 0 and not record["divergences"] and record["races"]["freshness"]
