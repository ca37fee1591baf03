"""What a replay may say: gone only where every step was asked and judged; what waivers accept is named as accepted."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from fsconform.app.main import main
from fsconform.records import gate

Command = Callable[..., subprocess.CompletedProcess[str]]

DELETE = "delete (non-empty directory, not recursive) returned true"
NON_EMPTY: list[dict[str, Any]] = [
    {"op": "create", "path": "/a/b", "content": [], "overwrite": False},
    {"op": "delete", "path": "/a", "recursive": False},
]
WAIVER = f"""
[[waiver]]
store = "proving"
signature = "{DELETE}"
reason = "old clients rely on it"
link = "docs/one.md"
expires = 2099-12-31
"""


def _file(folder: Path, signature: str, program: list[dict[str, Any]], store: str = "proving") -> Path:
    row = {"signature": signature, "verdict": "violation", "store": store, "contract": {}, "program": program}
    path = folder / "one.json"
    path.write_text(json.dumps({"fsconform-replay": 1, **row}), "utf-8")
    return path


def _replay(path: Path, *arguments: object) -> Result:
    return CliRunner().invoke(main, ["replay", str(path), *map(str, arguments)])


def test_a_step_that_the_store_can_not_express_leaves_it_open(tmp_path: Path) -> None:
    program = [{"op": "mkdirs", "path": "/a"}, {"op": "getFileChecksum", "path": "/a"}]
    done = _replay(_file(tmp_path, "getFileChecksum (directory) succeeded", program, "local"))
    assert done.exit_code == gate.INCONCLUSIVE, done.output
    assert "gone" not in done.output
    assert "inconclusive: getFileChecksum (directory) succeeded: the store can't express step 2" in done.output
    assert "was not asked" in done.output


def test_a_step_that_is_only_a_beginning_counts_too(tmp_path: Path) -> None:
    """Without the snapshot the delete after it is another one."""
    program: list[dict[str, Any]] = [
        {"op": "setStoragePolicy", "path": "/", "policy": "HOT"},
        {"op": "delete", "path": "/a", "recursive": True},
    ]
    done = _replay(_file(tmp_path, "delete (missing path) returned true", program, "local"))
    assert done.exit_code == gate.INCONCLUSIVE, done.output


def test_what_is_asked_in_full_is_gone(tmp_path: Path) -> None:
    done = _replay(_file(tmp_path, DELETE, NON_EMPTY, "local"))
    assert done.exit_code == gate.OK, done.output
    assert f"gone: {DELETE}" in done.output


def test_a_waiver_is_named_and_the_divergence_is_reproduced(tmp_path: Path) -> None:
    (tmp_path / "waivers.toml").write_text(WAIVER, "utf-8")
    path = _file(tmp_path, DELETE, NON_EMPTY)
    done = _replay(path, "--fault", "delete-non-empty", "--waivers", tmp_path / "waivers.toml")
    assert done.exit_code == gate.DIVERGENCES
    assert f"reproduced: violation: {DELETE}" in done.output
    assert "a waiver accepts it: old clients rely on it (docs/one.md, until 2099-12-31)" in done.output


def test_what_is_accepted_hides_nothing_behind_it(tmp_path: Path) -> None:
    """Another divergence that a waiver accepts is no reason to fail, and judging goes on after it."""
    (tmp_path / "waivers.toml").write_text(WAIVER, "utf-8")
    program: list[dict[str, Any]] = [*NON_EMPTY, {"op": "mkdirs", "path": "/c"}]
    path = _file(tmp_path, "mkdirs (missing path) returned false", program)
    fault = ("--fault", "delete-non-empty")
    done = _replay(path, *fault)
    assert done.exit_code == gate.DIVERGENCES and "other: it does not show" in done.output
    done = _replay(path, *fault, "--waivers", tmp_path / "waivers.toml")
    assert done.exit_code == gate.OK, done.output
    assert "gone: mkdirs (missing path) returned false" in done.output
    assert f"beside it, accepted by a waiver: violation: {DELETE}" in done.output


def test_a_shipped_waiver_holds_for_its_store(tmp_path: Path) -> None:
    program: list[dict[str, Any]] = [
        {"op": "create", "path": "/a/b", "content": [], "overwrite": False},
        {"op": "rename", "src": "/a/b", "dst": "/a"},
        {"op": "getFileStatus", "path": "/a/b"},
    ]
    path = _file(tmp_path, "rename (nothing like it) returned true", program, "rawlocal")
    done = _replay(path, "--contract", "rawlocal")
    assert "other: " not in done.output, done.output


def test_an_object_that_was_never_asked_for_leaves_it_open(tmp_path: Path) -> None:
    row = {
        "fsconform-object-replay": 1,
        "signature": "AbortMultipartUpload (upload) raised",
        "verdict": "violation",
        "store": "s3-proving",
        "contract": {},
        "program": [{"request": "AbortMultipartUpload", "upload": 1}],
    }
    (tmp_path / "one.json").write_text(json.dumps(row), "utf-8")
    done = _replay(tmp_path / "one.json")
    assert done.exit_code == gate.INCONCLUSIVE, done.output
    assert "inconclusive: AbortMultipartUpload (upload) raised" in done.output


PYTEST_FILE = """
from fsconform.model.filesystem.metadata.file_checksum import GetFileChecksum
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.programs import Step

PROGRAM = (Step(Mkdirs(("a",))), Step(GetFileChecksum(("a",))))


def test_it(fsconform_replay):
    fsconform_replay(PROGRAM, signature="getFileChecksum (directory) succeeded", contract={})
"""


def test_a_generated_pytest_file_leaves_it_open_too(tmp_path: Path) -> None:
    (tmp_path / "test_one.py").write_text(PYTEST_FILE, "utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rs", "test_one.py", "--store", "local"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == gate.INCONCLUSIVE, ran.stdout
    assert "1 skipped" in ran.stdout and "can't express step 2" in " ".join(ran.stdout.split())


@pytest.mark.parametrize(
    ("shown", "code"),
    [
        (gate.Shown(), gate.OK),
        (gate.Shown("violation"), gate.DIVERGENCES),
        (gate.Shown("deviation"), gate.DIVERGENCES),
        (gate.Shown(others=("violation",)), gate.DIVERGENCES),
        (gate.Shown(others=("deviation",)), gate.OK),
        (gate.Shown(unknown="why"), gate.INCONCLUSIVE),
        (gate.Shown("violation", unknown="why"), gate.DIVERGENCES),
    ],
)
def test_the_codes_of_a_replay(shown: gate.Shown, code: int) -> None:
    assert gate.of_replay(shown) == code
