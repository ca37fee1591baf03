"""The suites of blocks and replicas as part of a run: what is tried, reported and replayed, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fsconform.adapters.stores.site import Setup
from fsconform.app import run as run_module
from fsconform.app.main import main
from fsconform.harness import block_plans, layer_plans
from fsconform.harness.problems import DIVERGENCES, OK, USAGE
from fsconform.suites.blocks import BLOCK_SUITES

RUN = ("run", "--store", "blocks-proving")


def run(*words: str) -> Any:
    return CliRunner().invoke(main, words)


def test_a_sound_cluster_passes_and_effort_quick_has_the_short_selections(tmp_path: Path) -> None:
    operations = {}
    for effort in ("quick", "normal"):
        suites = [word for name in BLOCK_SUITES for word in ("--suite", name)]
        done = run(*RUN, *suites, "--effort", effort, "--out", str(tmp_path / effort))
        assert done.exit_code == OK, done.output
        (record,) = json.loads((tmp_path / effort / "latest" / "results.json").read_text())["stores"]
        assert not record["divergences"] and not record["problems"]
        operations[effort] = record["operations"]
    programs = [one for suite in BLOCK_SUITES.values() for name, one in suite.programs.items() if name in suite.short]
    assert operations["quick"] == sum(map(len, programs)) < operations["normal"]


def test_a_fault_fails_the_run_and_its_replay_file_shows_it_again(tmp_path: Path) -> None:
    fault = ("--fault", "recovery-drops-flushed-data")
    done = run(*RUN, "--suite", "pipeline", *fault, "--fail-fast", "--out", str(tmp_path))
    assert done.exit_code == DIVERGENCES, done.output
    (record,) = json.loads((tmp_path / "latest" / "results.json").read_text())["stores"]
    failing = [one for one in record["divergences"] if one["verdict"] == "violation" and one["impact"]]
    assert "data lost" in {one["impact"] for one in failing} <= {"data lost", "data wrong"}
    replay = tmp_path / "latest" / failing[0]["replay"]
    again = run("replay", str(replay), *fault)
    assert again.exit_code == DIVERGENCES and "reproduced" in again.output
    sound = run("replay", str(replay))
    assert sound.exit_code == OK and "gone" in sound.output


@pytest.mark.parametrize(("fault", "code"), [("", OK), ("recovery-drops-flushed-data", DIVERGENCES)])
def test_a_run_that_chooses_nothing_judges_a_cluster_after_the_stores(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fault: str, code: int
) -> None:
    """The stores and Spark are left out here, and the cluster is one in memory."""
    statement, bring_up = block_plans.BLOCK_STORES["blocks-proving"]

    def with_fault(setup: Setup) -> block_plans.Up:
        return bring_up(replace(setup, fault=fault))

    monkeypatch.setattr(block_plans, "BLOCK_STORES", {"hdfs-cluster": (statement, with_fault)})
    monkeypatch.setattr(run_module, "judged_targets", lambda *_: ())
    monkeypatch.setattr(layer_plans, "plan_datasets", lambda *_: layer_plans.DatasetPlan())
    done = run("run", "--out", str(tmp_path))
    assert done.exit_code == code, done.output
    results = json.loads((tmp_path / "latest" / "results.json").read_text())
    (record,) = results["stores"]
    assert record["name"] == "hdfs-cluster" and record["programs"] == 4 and not record["problems"]
    assert bool(record["divergences"]) is bool(fault)
    known = {row["id"] for row in results["clauses"]}
    assert len(known) == len(results["clauses"]) and {one["clause"] for one in record["divergences"]} <= known


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run", "--store", "hdfs", "--suite", "pipeline"), "not hdfs"),
        (("run", "--suite", "replicas"), "add --store hdfs-cluster or blocks-proving"),
        ((*RUN,), "--suite replicas or pipeline"),
        ((*RUN, "--suite", "replicas", "--suite", "races"), "leave races out"),
        ((*RUN, "--suite", "replicas", "--op", "create"), "--op"),
        ((*RUN, "--suite", "replicas", "--fault", "excess-replica-kept"), "excess-replicas-kept"),
        (("run", "--store", "hdfs-cluster", "--suite", "replicas", "--fault", "stamps-stay"), "--store blocks-proving"),
    ],
)
def test_what_can_not_be_meant_is_refused(words: tuple[str, ...], said: str, tmp_path: Path) -> None:
    done = run(*words, "--out", str(tmp_path))
    assert done.exit_code == USAGE and said in done.output
    assert not any(tmp_path.iterdir())


def test_a_replay_file_that_was_changed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "replay.json"
    row = {"fsconform-block-replay": 1, "signature": "x", "store": "blocks-proving", "contract": {}}
    for program, said in (([{"cluster": "spoil", "file": "a", "how": "burnt"}], "burnt"), ([{"cluster": "x"}], "step")):
        path.write_text(json.dumps({**row, "program": program}))
        done = run("replay", str(path))
        assert done.exit_code == USAGE and said in done.output
