"""The suites of blocks and replicas on the machines of a real cluster."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from fsconform.app.main import main
from fsconform.harness.problems import OK


@pytest.mark.long
def test_a_cluster_of_an_older_release_is_upgraded_and_rolled_back(tmp_path: Path) -> None:
    words = ("run", "--store", "hdfs-cluster", "--suite", "upgrade", "--out", str(tmp_path))
    done = CliRunner().invoke(main, words)
    assert done.exit_code == OK, done.output
    (record,) = json.loads((tmp_path / "latest" / "results.json").read_text())["stores"]
    assert not record["divergences"] and record["operations"] > 60


@pytest.mark.long
def test_the_short_selections_find_nothing_in_hdfs(tmp_path: Path) -> None:
    words = ("run", "--store", "hdfs-cluster", "--suite", "replicas", "--suite", "pipeline", "--effort", "quick")
    done = CliRunner().invoke(main, [*words, "--out", str(tmp_path)])
    assert done.exit_code == OK, done.output
    (record,) = json.loads((tmp_path / "latest" / "results.json").read_text())["stores"]
    assert not record["divergences"] and record["operations"] > 40
