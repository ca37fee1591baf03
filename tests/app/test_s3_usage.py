"""Object stores at the command line: what can't be asked for ends with exit code 2, and what is found with 1."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fsconform.app.objects.plan import plan
from fsconform.app.objects.replays import FILES, replay
from fsconform.app.problems import DIVERGENCES, OK, USAGE, Problem

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
