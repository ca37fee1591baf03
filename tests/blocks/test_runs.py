"""The suites of blocks and replicas as part of a run: what is tried, reported and replayed, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fsconform.app.main import main
from fsconform.harness.problems import DIVERGENCES, OK, USAGE
from fsconform.suites.blocks import BLOCK_SUITES

RUN = ("run", "--store", "blocks-proving")


def run(*words: str) -> Any:
    return CliRunner().invoke(main, words)


def test_a_sound_cluster_passes_and_effort_quick_has_the_short_selections(tmp_path: Path) -> None:
    operations = {}
    for effort in ("quick", "normal"):
        suites = ("--suite", "replicas", "--suite", "pipeline", "--effort", effort)
        done = run(*RUN, *suites, "--out", str(tmp_path / effort))
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
