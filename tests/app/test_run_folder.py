"""What a run leaves behind, and the options that choose what is run."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

from fsconform.records.codec import dumps, loads

Command = Callable[..., subprocess.CompletedProcess[str]]
FAULTY = ("run", "--store", "proving", "--fault", "delete-non-empty", "--out", "out")
HARMLESS = "delete (non-empty directory, not recursive) returned true"
SIGNATURE = f"{HARMLESS}, data lost"


def test_a_run_leaves_its_whole_folder(fsconform: Command, tmp_path: Path) -> None:
    ran = fsconform(*FAULTY, "--budget", "0", "--seed", "7")
    assert ran.returncode == 1, ran.stderr
    latest = tmp_path / "out" / "latest"
    assert latest.is_symlink()
    report = tmp_path / ran.stdout.splitlines()[-1]
    assert report == tmp_path / "out" / latest.resolve().name / "report" / "index.html"
    assert report.is_file()
    assert (latest / "report" / "proving.html").is_file()
    results = loads(latest / "results.json")
    assert dumps(results) == (latest / "results.json").read_bytes()  # so it has these fields, all of them, no other
    schema = json.loads((resources.files("fsconform.records") / "results.schema.json").read_bytes())
    jsonschema.validate(json.loads((latest / "results.json").read_bytes()), schema)
    assert (results.run.exit, results.run.seed, results.run.id) == (1, 7, latest.resolve().name)
    (store,) = results.stores
    divergence, in_the_root = (one for one in store.divergences if one.verdict == "violation")
    assert "root" in in_the_root.signature
    assert (divergence.signature, divergence.steps, divergence.confirmed) == (SIGNATURE, 2, "3/3")
    assert divergence.clause == "filesystem.delete.pre.not-empty"
    assert (latest / divergence.replay).is_file()
    assert SIGNATURE in ran.stderr
    suite = ElementTree.parse(latest / "junit.xml").getroot()
    assert suite.findall(".//failure")
    assert not list(latest.rglob("*.part"))


def test_nothing_undeclared_ends_with_0(fsconform: Command, tmp_path: Path) -> None:
    ran = fsconform("run", "--store", "proving", "--budget", "0", "--out", "out")
    assert ran.returncode == 0, ran.stderr
    assert loads(tmp_path / "out" / "latest" / "results.json").run.exit == 0


def test_the_same_seed_gives_the_same_findings(fsconform: Command, tmp_path: Path) -> None:
    shown = []
    for out in ("first", "second"):
        fsconform(*FAULTY[:-1], out, "--budget", "0", "--seed", "3")
        (store,) = loads(tmp_path / out / "latest" / "results.json").stores
        shown.append((store.programs, store.operations, [(one.signature, one.program) for one in store.divergences]))
    assert shown[0] == shown[1]


@pytest.mark.parametrize(
    ("option", "value", "found"),
    [
        ("--op", "delete", True),
        pytest.param("--op", "append", False, marks=pytest.mark.long),
        pytest.param("--clause", "filesystem.delete.pre.not-empty", True, marks=pytest.mark.long),
        ("--clause", "filesystem.open.pre.is-file", False),
        ("--suite", "delete", True),
    ],
)
def test_filters_choose_what_is_run(fsconform: Command, tmp_path: Path, option: str, value: str, found: bool) -> None:
    ran = fsconform(*FAULTY, "--budget", "0", option, value)
    assert ran.returncode == int(found), ran.stderr
    (store,) = loads(tmp_path / "out" / "latest" / "results.json").stores
    assert store.programs > 0
    assert (SIGNATURE in [one.signature for one in store.divergences]) is found


def test_a_filter_that_leaves_nothing_is_inconclusive_and_says_so(fsconform: Command) -> None:
    ran = fsconform(*FAULTY, "--budget", "0", "--clause", "filesystem.open.pre.is-file", "--op", "append")
    assert ran.returncode == 3
    assert "no program was executed" in ran.stderr


def test_fail_fast_stops_early(fsconform: Command, tmp_path: Path) -> None:
    few = ("--suite", "delete", "--effort", "20")
    fsconform(*FAULTY, *few)
    (whole,) = loads(tmp_path / "out" / "latest" / "results.json").stores
    ran = fsconform(*FAULTY, *few, "--fail-fast")
    assert ran.returncode == 1
    (short,) = loads(tmp_path / "out" / "latest" / "results.json").stores
    assert short.programs < whole.programs
    assert {one.signature for one in short.divergences} & {SIGNATURE, HARMLESS}


def test_resume_goes_on_where_the_other_run_ended(fsconform: Command, tmp_path: Path) -> None:
    fsconform(*FAULTY, "--suite", "delete", "--effort", "20", "--seed", "11")
    first = (tmp_path / "out" / "latest").resolve()
    ran = fsconform(*FAULTY, "--suite", "delete", "--effort", "50", "--resume", first)
    assert ran.returncode == 1, ran.stderr
    second = (tmp_path / "out" / "latest").resolve()
    assert first != second
    before, after = loads(first / "results.json"), loads(second / "results.json")
    assert after.run.seed == 11
    explored = {one.name: one.covered or 0 for one in before.stores[0].explorers}
    again = {one.name: one.covered or 0 for one in after.stores[0].explorers}
    assert set(explored) < set(again)
    assert "earlier findings" in again
    assert all(again[name] >= covered for name, covered in explored.items())
    assert sum(again.values()) > sum(explored.values())
    assert after.stores[0].programs < sum(again.values())
    assert SIGNATURE in [one.signature for one in after.stores[0].divergences]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"seed": 1, "places": {"proving": {"x": 1}}}', "\x00"])
def test_a_folder_that_cannot_be_resumed_is_named(fsconform: Command, tmp_path: Path, text: str) -> None:
    (tmp_path / "progress.json").write_text(text, "utf-8")
    ran = fsconform(*FAULTY, "--resume", ".")
    assert ran.returncode == 2
    assert ran.stderr.startswith("Error: progress.json: ") and "can't be resumed" in ran.stderr


def test_secrets_do_not_reach_the_records(fsconform: Command, tmp_path: Path) -> None:
    ran = fsconform(
        *("run", "--uri", "file:///proc/x/y", "--conf", "fs.x.secret.key=hunter2", "--conf=fs.y.password=hunter2"),
        *("--budget", "0", "--out", "out", "--shards", "1"),
    )
    assert ran.returncode == 3, ran.stderr
    assert "mkdirs(/proc/x/y) returned false" in ran.stderr
    files = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert files
    assert [path for path in files if b"hunter2" in path.read_bytes()] == []
