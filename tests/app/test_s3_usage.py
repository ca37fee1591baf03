"""Object stores at the command line: what can't be asked for ends with exit code 2, and what is found with 1."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fsconform.app.main import main
from fsconform.harness.layer_plans import plan_objects as plan
from fsconform.harness.layer_replays import OBJECT_FILES as FILES
from fsconform.harness.layer_replays import replay_objects as replay
from fsconform.harness.problems import DIVERGENCES, OK, USAGE, Problem

STORE = ("--store", "s3-proving")
PROVING = ("s3-proving",)


@pytest.mark.parametrize(
    ("stores", "suites", "more", "told"),
    [
        (("s3", "hdfs"), (), {}, "leave hdfs out"),
        (("s3",), ("rename",), {}, "leave rename out"),
        ((), ("s3-objects",), {}, "add --store s3 or s3-proving"),
        (PROVING, (), {"groups": ("witness",)}, "did you mean 'witnesses'"),
        (PROVING, (), {"contract": Path("nowhere.xml")}, r"nowhere\.xml"),
        (PROVING, (), {"waiver_files": (Path("none.toml"),)}, r"none\.toml"),
        (PROVING, (), {"fault": "reads-stal"}, "did you mean 'reads-stale'"),
        (("s3",), (), {"uri": "s3://bucket/"}, "s3://BUCKET/PREFIX"),
        (("s3",), (), {"uri": "s3a://bucket/x"}, "s3://BUCKET/PREFIX"),
        (PROVING, (), {"uri": "s3://bucket/x"}, "for --store s3 alone"),
        (("s3",), (), {"uri": "s3://bucket/x", "conf": ("key=it",)}, "has endpoint and region"),
        (("s3",), (), {"uri": "s3://b/x", "conf": ("endpoint=http://me:it@host",)}, "leave credentials out"),
        (("s3",), (), {"uri": "s3://b/x", "name": "../x"}, "letters, digits"),
        (("s3",), (), {"name": "mine"}, "give its --uri"),
        (("s3",), (), {"fault": "reads-stale"}, "ask for --store s3-proving alone"),
    ],
)
def test_what_can_not_be_asked_for_is_told_with_the_mend(
    stores: tuple[str, ...], suites: tuple[str, ...], more: dict[str, Any], told: str
) -> None:
    options: dict[str, Any] = {"contract": None, "waiver_files": (), "groups": (), "fault": ""}
    with pytest.raises(Problem, match=told):
        plan(stores, suites, **(options | more))


def test_a_store_has_its_shipped_contract_and_waivers_unless_another_contract_is_given() -> None:
    (shipped,) = plan(("s3",), (), None, (), (), "").targets
    assert shipped.contract.source == "s3.xml" and shipped.waivers
    (strict,) = plan(("s3",), (), Path("strict"), (), (), "").targets
    assert not strict.contract.declared and not strict.waivers
    assert not plan(("hdfs",), (), None, (), (), "").alone


def test_options_that_mean_nothing_here_are_refused_and_nothing_is_started(tmp_path: Path, fsconform: Any) -> None:
    done = fsconform("run", *STORE, "--clause", "rename")
    assert done.returncode == USAGE and "--clause is not for object stores" in done.stderr
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"fsconform-object-replay": 9}, "version 9 is not 1"),
        ({"program": [{"request": "Drop"}]}, "Drop"),
        ({"contract": {"fsconform.colour": True}}, "fsconform.colour"),
        ({"store": "s4"}, "no object store 's4'"),
    ],
)
def test_a_replay_file_that_can_not_be_used_is_told_of(change: dict[str, Any], told: str, tmp_path: Path) -> None:
    row = {
        "fsconform-object-replay": 1,
        "signature": "GetObject (object) returns less",
        "verdict": "violation",
        "store": "s3-proving",
        "contract": {},
        "program": [{"request": "GetObject", "key": "a"}],
    }
    path = tmp_path / "one.json"
    path.write_text(json.dumps(row | change))
    assert FILES.is_file(path)
    with pytest.raises(Problem, match=told) as raised:
        replay(path, None, None, "")
    assert "one.json: " in str(raised.value)


def test_a_fault_is_found_replayed_declared_and_waived(tmp_path: Path, fsconform: Any) -> None:
    fault = (*STORE, "--fault", "ignores-if-none-match")
    asked = ("run", *fault, "--group", "witnesses", "--budget", "1")
    done = fsconform(*asked)
    assert done.returncode == DIVERGENCES, done.stderr
    latest = tmp_path / "results" / "latest"
    results = json.loads((latest / "results.json").read_text())
    (store,) = results["stores"]
    (put,) = [one for one in store["divergences"] if one["clause"] == "PutObject.if-none-match"]
    assert (put["verdict"], put["confirmed"], put["steps"]) == ("undeclared", "3/3", 2)
    assert [step["call"] for step in put["sequence"]] == ["PutObject('a')", "PutObject('a', if_none_match='*')"]
    assert "s3-conditions-of-writes-ignored" in put["options"][0][0]["xml"]
    page = (latest / "report" / "index.html").read_text()
    assert "s3-proving" in page and "fsconform.s3-proving" in (latest / "junit.xml").read_text()

    shown = fsconform("replay", latest / put["replay"], "--fault", "ignores-if-none-match")
    assert shown.returncode == DIVERGENCES and "reproduced: undeclared: " in shown.stdout
    assert replay(latest / put["replay"], None, None, "") == OK

    waivers = "".join(one["waiver_block"] for one in store["divergences"] if one["waiver_block"])
    (tmp_path / "mine.toml").write_text(waivers)
    waived = fsconform(*asked, "--waivers", "mine.toml")
    assert waived.returncode == OK, waived.stderr


def test_a_run_is_taken_up_where_it_ended_and_tries_what_departed_first(tmp_path: Path) -> None:
    def run(*more: str) -> Any:
        asked = ("run", *STORE, "--fault", "suspended-keeps-null", "--out", str(tmp_path), *more)
        done = CliRunner().invoke(main, asked)
        (store,) = json.loads((tmp_path / "latest" / "results.json").read_text())["stores"]
        return done.exit_code, {one["name"]: one for one in store["explorers"]}, store

    code, first, found = run("--seed", "5", "--effort", "40")
    assert code == DIVERGENCES and found["divergences"] and "earlier findings" not in first
    groups = [name for name, one in first.items() if "as planned" in one["note"]]
    assert groups
    code, later, again = run("--resume", str(tmp_path / "latest"), "--effort", "80")
    assert code == DIVERGENCES and later["earlier findings"]["programs"] == len(found["divergences"])
    shown = {one["signature"] for one in again["divergences"]}
    assert {one["signature"] for one in found["divergences"]} <= shown
    for name in groups:
        assert first[name]["programs"] == first[name]["planned"] < later[name]["planned"] == later[name]["programs"]
    parts = sum(first[name]["programs"] for name in groups)
    assert again["programs"] == sum(one["programs"] for one in later.values()) - parts


def test_what_can_not_be_taken_up_is_refused(tmp_path: Path) -> None:
    place = {"seed": 1, "places": {"s3": {}}}
    (tmp_path / "progress.json").write_text(json.dumps(place))
    shutil.copy(Path(__file__).parents[2] / "records" / "example.json", tmp_path / "results.json")
    for more, told in (
        (("--resume", str(tmp_path)), "that run judged no s3-proving"),
        (("--resume", str(tmp_path), "--seed", "1"), "leave --seed out"),
        (("--resume", str(tmp_path / "nowhere")), "can't be resumed"),
    ):
        done = CliRunner().invoke(main, ("run", *STORE, "--out", str(tmp_path / "out"), *more))
        assert done.exit_code == USAGE and told in " ".join(done.stderr.split())
    assert not (tmp_path / "out").exists()
