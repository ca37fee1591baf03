"""``fsconform replay``: reproduced, gone, other; and files that are no replay files."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fsconform.adapters.stores.quirks.hadoop import BY_METHOD
from fsconform.app.main import main
from fsconform.harness.presets import PRESETS
from fsconform.harness.real_root import _with_quirks
from fsconform.harness.targets import targets, with_recorded
from fsconform.model.filesystem.contract import Contract
from fsconform.records.codec import loads

Command = Callable[..., subprocess.CompletedProcess[str]]
SIGNATURE = "delete (non-empty directory, not recursive) returned true"
ROW: dict[str, Any] = {
    "fsconform-replay": 1,
    "signature": SIGNATURE,
    "verdict": "violation",
    "store": "proving",
    "contract": {"supports-append": True, "supports-strict-exceptions": True},
    "program": [
        {"op": "create", "path": "/a/b", "content": [], "overwrite": False},
        {"op": "delete", "path": "/a", "recursive": False},
    ],
}


@pytest.fixture
def replay(tmp_path: Path) -> Path:
    path = tmp_path / "one.json"
    path.write_text(json.dumps(ROW), "utf-8")
    return path


def test_what_a_run_recorded_is_reproduced_by_the_command_it_names(fsconform: Command, tmp_path: Path) -> None:
    fsconform(
        "run", "--store", "proving", "--suite", "delete", "--fault", "delete-non-empty", "--budget", "0", "--out", "out"
    )
    (store,) = loads(tmp_path / "out" / "latest" / "results.json").stores
    (divergence,) = (one for one in store.divergences if one.verdict == "violation")
    words = divergence.reproducer.split()
    assert words[:2] == ["fsconform", "replay"]
    ran = fsconform(*words[1:])
    assert ran.returncode == 1, ran.stderr
    assert f"reproduced: violation: {SIGNATURE}" in ran.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--fault", "delete-non-empty"), 1, "reproduced: violation"),
        ((), 0, "gone: "),
        (("--store", "proving"), 0, "gone: "),
        (("--fault", "mkdirs-over-file"), 0, "gone: "),
        (("--fault", "ancestors-not-made"), 1, "other: "),
        (("--store", "rawlocal", "--contract", "rawlocal"), 0, "gone: "),
    ],
)
def test_reproduced_gone_and_other(
    fsconform: Command, replay: Path, arguments: tuple[str, ...], code: int, said: str
) -> None:
    ran = fsconform("replay", replay, *arguments)
    assert ran.returncode == code, ran.stdout + ran.stderr
    assert said in ran.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--store", "provin"), "no store 'provin': did you mean 'proving'?"),
        (("--fault", "delete-nonempty"), "did you mean 'delete-non-empty'?"),
        (("--fault", "delete-non-empty", "--store", "rawlocal"), "--fault is for the store 'proving' alone"),
        (("--jars", "x.jar"), "give its --uri"),
        (("--uri", "file:///x/y", "--store", "rawlocal"), "give one of them"),
        (("--uri", "file:///x/y", "--conf-file", "missing.xml"), "missing.xml: no such file"),
        (("--contract", "missing.xml"), "missing.xml: No such file"),
    ],
)
def test_usage_that_cannot_be_meant(replay: Path, arguments: tuple[str, ...], said: str) -> None:
    result = CliRunner().invoke(main, ["replay", str(replay), *arguments])
    assert said in result.output
    assert result.exit_code == 2


def _without(name: str) -> str:
    return json.dumps({key: value for key, value in ROW.items() if key != name})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\x00",
        "nonsense",
        json.dumps(ROW)[:-20],
        "[" * 100_000,
        "[]",
        "1",
        "null",
        "{}",
        json.dumps(ROW | {"fsconform-replay": 2}),
        json.dumps(ROW | {"fsconform-replay": "1"}),
        _without("program"),
        _without("signature"),
        _without("contract"),
        json.dumps(ROW | {"program": None}),
        json.dumps(ROW | {"program": {}}),
        json.dumps(ROW | {"program": ["delete"]}),
        json.dumps(ROW | {"program": [{"op": "format"}]}),
        json.dumps(ROW | {"program": [{"op": ["delete"]}]}),
        json.dumps(ROW | {"program": [{"op": "delete", "path": "/a"}]}),
        json.dumps(ROW | {"program": [{"op": "delete", "path": 7, "recursive": False}]}),
        json.dumps(ROW | {"program": [{"op": "delete", "path": "a/../..", "recursive": "no"}]}),
        json.dumps(ROW | {"program": [{"op": "create", "path": "/a", "content": [[1]], "overwrite": False}]}),
        json.dumps(ROW | {"program": [{"op": "create", "path": "/a", "content": [["x", 1, 0]], "overwrite": False}]}),
        json.dumps(ROW | {"signature": 7}),
        json.dumps(ROW | {"contract": {"no-such-option": True}}),
        json.dumps(ROW | {"contract": {"supports-append": "true"}}),
        json.dumps(ROW | {"contract": []}),
    ],
)
def test_a_file_that_is_no_replay_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "broken.json"
    path.write_text(text, "utf-8")
    result = CliRunner().invoke(main, ["replay", str(path), "--store", "proving"])
    assert result.output.startswith(f"Error: {path}: "), result.output
    assert len(result.output) < 1000
    assert result.exit_code == 2


@pytest.mark.parametrize("place", ["", "missing.json"])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, place: str) -> None:
    result = CliRunner().invoke(main, ["replay", str(tmp_path / place)])
    assert result.output.startswith(f"Error: {tmp_path / place}: ")
    assert result.exit_code == 2


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_bytes(b"\xff\xfe{")
    result = CliRunner().invoke(main, ["replay", str(path)])
    assert result.output.startswith(f"Error: {path}: ")
    assert result.exit_code == 2


@pytest.mark.parametrize(
    "name", ["file:x", "hadoop:x", "hadoop:", "hdfs:", ":", "", "os.path", "answers", "__init__", "local:none", "a\x1b"]
)
def test_a_set_of_quirks_that_there_is_not_is_named(replay: Path, name: str) -> None:
    replay.write_text(json.dumps(ROW | {"quirks": ["hdfs", name]}), "utf-8")
    ran = CliRunner().invoke(main, ["replay", str(replay)])
    assert ran.exit_code == 2, ran.output
    assert f"{replay}: no set of quirks" in ran.output and "leave it out" in ran.output


def test_every_set_that_our_runs_record_is_taken(replay: Path) -> None:
    names = [f"hadoop:{method}" for method in BY_METHOD]
    for target in targets(tuple(name for name, one in PRESETS.items() if not one.java), None, "", None, None):
        for contract in (target.contract, _with_quirks(target.name, target.contract)):
            names += contract.quirks.names if contract.quirks is not None else ()
    names += [part for name, one in PRESETS.items() for part in (name, one.contract, one.like, one.below) if part]
    assert with_recorded(Contract({}, "x"), names).quirks
    replay.write_text(json.dumps(ROW | {"quirks": ["proving", "s3a-root", "hadoop:readVectored"]}), "utf-8")
    assert CliRunner().invoke(main, ["replay", str(replay)]).exit_code == 0
