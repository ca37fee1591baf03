"""Usage of Spark's writers at the command line: what can't be asked for ends with exit code 2, and says the mend."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from fsconform.harness.layer_runs import _dataset_replay
from fsconform.harness.problems import USAGE


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--store", "spark-file", "--store", "hdfs"), "leave hdfs out"),
        (("--store", "spark-files"), "did you mean 'spark-file'"),
        (("--store", "spark-file", "--clause", "rename"), "--clause is not for Spark's writers"),
        (("--store", "spark-file", "--group", "mode"), "did you mean 'modes'"),
        (("--store", "spark-file", "--contract", "nowhere.xml"), "nowhere.xml"),
        (("--store", "hdfs", "--group", "modes"), "--group is for Spark's writers"),
        (("--store", "spark-s3a", "--committer", "a.B", "--jars", "none*.jar"), "no such file"),
    ],
)
def test_wrong_usage_is_told_and_starts_nothing(
    arguments: tuple[str, ...], told: str, tmp_path: Path, fsconform: Any
) -> None:
    done = fsconform("run", *arguments)
    assert done.returncode == USAGE and told in done.stderr
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"fsconform-dataset-replay": 9}, "version 9 is not 1"),
        ({"program": [{"dataset": "drop"}]}, "drop"),
        ({"contract": {"fsconform.colour": True}}, "fsconform.colour"),
        ({"store": "spark-file"}, "write the store with its committer"),
        ({"store": "spark-file-magic"}, "no committer 'magic'"),
    ],
)
def test_a_replay_file_that_can_not_be_used_is_told_of(
    change: dict[str, Any], told: str, tmp_path: Path, fsconform: Any
) -> None:
    row = {
        "fsconform-dataset-replay": 1,
        "signature": "a job: fails",
        "verdict": "violation",
        "store": "spark-file-file-v1",
        "contract": {},
        "program": [{"dataset": "write", "rows": [1]}],
    }
    (tmp_path / "one.json").write_text(json.dumps(row | change))
    done = fsconform("replay", "one.json")
    assert done.returncode == USAGE and told in done.stderr and "one.json: " in done.stderr


def test_the_command_that_replays_survives_a_shell() -> None:
    line = _dataset_replay(Path("/a folder"), "spark-file-a.B$C", [Path("/my jars/x.jar")]).format(replay="r.json")
    assert shlex.split(line)[2:] == ["/a folder/r.json", "--store", "spark-file-a.B$C", "--jars", "/my jars/x.jar"]
