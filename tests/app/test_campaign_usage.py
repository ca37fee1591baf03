"""What a campaign refuses: with exit code 2, before anything is started, and with the mend."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fsconform.app.campaigns.command import Units, races_of
from fsconform.app.campaigns.identity import digest, model_version, settle
from fsconform.app.main import main
from fsconform.harness.problems import Problem
from fsconform.harness.scrubbing import arguments
from fsconform.harness.targets import targets
from fsconform.model.filesystem.contract import Contract
from fsconform.pipeline.depot import LocalDepot
from fsconform.pipeline.session import configuration, with_retries


def _call(folder: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["campaign", *arguments, "--out", str(folder / "out")])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--store", "rawlokal"), "did you mean 'rawlocal'?"),
        (("--store", "proving", "--suite", "root"), "suites on the real root are for `fsconform run`"),
        (("--store", "proving", "--suite", "namespase"), "did you mean 'namespace'?"),
        (("--store", "local", "--fault", "rename-copies"), "--fault is for the store 'proving' alone"),
        (("--store", "proving", "--programs", "0"), "--programs"),
        (("--store", "proving", "--xmx", "much"), "--xmx 'much'"),
        (("--store", "proving", "--wheels", "none/*.whl"), "no such file"),
        (("--store", "proving", "--out-jars", "none.jar"), "no such file"),
        (("--store", "proving", "--spark-conf", "spark.x"), "write it as NAME=VALUE"),
        (("--store", "proving", "--master", "spark://127.0.0.1:7077"), "name a URI that all of them reach"),
    ],
)
def test_usage(arguments: tuple[str, ...], said: str, tmp_path: Path) -> None:
    """Nothing is left behind either."""
    result = _call(tmp_path, *arguments)
    assert result.exit_code == 2, result.output
    assert said in " ".join(result.output.split())
    assert not (tmp_path / "out" / "campaign.json").exists()


def test_races_are_tried_as_by_run() -> None:
    """Those that are named, on all stores; where no suite is, two of them on the stores of the default job alone."""
    judged = targets(("local", "proving"), None, "", None, None)
    assert races_of(judged, ()) == {"local": ["races", "freshness"], "proving": []}
    assert races_of(judged, ("rename",)) == {"local": [], "proving": []}
    named = ("stream-races", "rename", "races")
    assert races_of(judged, named) == {"local": ["stream-races", "races"], "proving": ["stream-races", "races"]}


def test_out_that_is_no_uri(tmp_path: Path) -> None:
    """A scheme without slashes names nothing."""
    result = CliRunner().invoke(main, ["campaign", "--store", "proving", "--out", "hdfs:somewhere"])
    assert result.exit_code == 2
    assert "write it as a path, or as a URI" in " ".join(result.output.split())


def test_folder_of_another_campaign(tmp_path: Path) -> None:
    """It is named, with what differs; the same campaign is taken up."""
    depot = LocalDepot(tmp_path)
    plan = {"seed": 1, "stores": ["a"]}
    assert settle(depot, "out", plan, "first") == ("first", False)
    assert settle(depot, "out", plan, "second") == ("first", True)
    with pytest.raises(Problem, match=r"another campaign \(--seed: 1, not 2\)"):
        settle(depot, "out", plan | {"seed": 2}, "third")
    row = json.loads((tmp_path / "campaign.json").read_bytes())
    (tmp_path / "campaign.json").write_text(json.dumps(row | {"schema": 9}))
    with pytest.raises(Problem, match="schema 9"):
        settle(depot, "out", plan, "fourth")
    (tmp_path / "campaign.json").write_text("{")
    with pytest.raises(Problem, match="choose another --out"):
        settle(depot, "out", plan, "fifth")


def test_folder_with_something_else(tmp_path: Path) -> None:
    """It is left alone."""
    (tmp_path / "letters.txt").write_text("dear")
    with pytest.raises(Problem, match=r"holds letters\.txt"):
        settle(LocalDepot(tmp_path), "out", {}, "first")
    assert [one.name for one in tmp_path.iterdir()] == ["letters.txt"]


def test_secrets_are_not_told() -> None:
    """Neither as an option's value nor behind an equals sign."""
    given = [
        "--out-conf",
        "fs.s3a.secret.key=hush",
        "--conf=fs.s3a.access.key=hush",
        "--spark-conf",
        "spark.x=1",
        "--seed=3",
    ]
    told = arguments(given)
    assert "hush" not in " ".join(told)
    assert told[0] == "--out-conf" and told[3:] == ["--spark-conf", "spark.x=1", "--seed=3"]


def test_digests() -> None:
    """Contracts that declare alike are alike; the model's version holds still."""
    assert digest(Contract({"supports-append": True}, "x")) == digest(Contract({"supports-append": True}, "y"))
    assert digest(Contract({"supports-append": True})) != digest(Contract({"supports-append": False}))
    assert model_version().startswith("0.") and "+" in model_version()


def test_local_masters_try_again() -> None:
    """Spark gives a job up at the first failure of a task in local mode; what is written out stays."""
    assert with_retries("local[2]") == "local[2,64]"
    assert with_retries("local[*]") == "local[*,64]"
    assert with_retries("local") == "local[1,64]"
    assert with_retries("local[3,2]") == "local[3,2]"
    assert with_retries("spark://h:1") == "spark://h:1"


def test_local_masters_listen_on_the_loopback() -> None:
    """And what is given wins."""
    assert configuration("local[2]", {})["spark.driver.bindAddress"] == "127.0.0.1"
    assert "spark.driver.bindAddress" not in configuration("spark://h:1", {})
    assert configuration("local[2]", {"spark.task.maxFailures": "3"})["spark.task.maxFailures"] == "3"


def test_progress_tells_pace_and_time_left() -> None:
    """Of this run: units that were done before do not count as its pace."""
    units = Units(1000)
    units.hear(4, 10)
    begun = units._begun
    assert units.line(4, 10, begun + 10) == "campaign: 4 of 10 units"
    assert units.line(6, 10, begun + 10) == "campaign: 6 of 10 units, 20.0 programs/s, 0 min 20 s left"
