"""A connector in a jar: its contract is inferred, and a run under it passes; so is that of a real store."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.specs.contract_xml import load
from fsconform.suites.registry import DEFAULT

Command = Callable[..., subprocess.CompletedProcess[str]]

OF_STREAMS = ("input-streams", "output-streams", "visibility", "syncable", "leases", "capabilities")
"""The careful connector gives out the streams of the raw local filesystem below it, and these are not careful."""

SHORT = ("--suite", "namespace", "paths", "--budget", "0", "--shards", "1")
LOST = """
[[waiver]]
store = "seeded"
signature = "{signature}"
reason = "the raw local file system below does so"
link = "docs/findings.md"
expires = 2099-12-31
"""


@pytest.mark.long
def test_a_run_under_the_inferred_contract_passes(fsconform: Command, tmp_path: Path, seeded: list[str]) -> None:
    connector = seeded[: seeded.index("--contract")]
    infer = ("contract", "infer", *connector, *SHORT)
    ran = fsconform(*infer, "--out", "mine.xml", "--json", "mine.json")
    assert ran.returncode == 1, "what it does to a file in its own directory no contract allows\n" + ran.stderr
    told = json.loads((tmp_path / "mine.json").read_text("utf-8"))
    signatures = [one["signature"] for one in told["inexpressible"]]
    assert any("file into the directory it is in" in one for one in signatures)
    waivers = tmp_path / "waivers.toml"
    waivers.write_text("".join(LOST.format(signature=one) for one in signatures), "utf-8")

    ran = fsconform(*infer, "--out", "mine.xml", "--waivers", waivers)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    found, declared = load(tmp_path / "mine.xml"), load_shipped("rawlocal")
    for option in ("rename-creates-dest-dirs", "rename-overwrites-dest", "supports-append", "is-case-sensitive"):
        assert found.declared[option] is declared.value(option) is True

    ran = fsconform("run", *connector, *SHORT, "--contract", "mine.xml", "--waivers", waivers, "--out", "out")
    assert ran.returncode == 0, ran.stderr


@pytest.mark.long
def test_a_healthy_connector_passes_under_the_inferred_contract(
    fsconform: Command, tmp_path: Path, careful: list[str]
) -> None:
    suites = [word for name in DEFAULT if name not in OF_STREAMS for word in ("--suite", name)]
    ran = fsconform("contract", "infer", *careful, *suites, "--budget", "4", "--out", "mine.xml", "--json", "mine.json")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    told = json.loads((tmp_path / "mine.json").read_text("utf-8"))
    assert told["inexpressible"] == []
    found = load(tmp_path / "mine.xml")
    expected = {"supports-append": True, "supports-concat": False, "rename-overwrites-dest": False}
    assert {option: found.declared[option] for option in expected} == expected

    ran = fsconform("run", *careful, *suites, "--contract", "mine.xml", "--budget", "8", "--out", "out")
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.long
def test_a_fault_of_a_connector_is_inexpressible(fsconform: Command, seeded: list[str]) -> None:
    connector = seeded[: seeded.index("--contract")]
    check = ("contract", "check", *connector, *SHORT, "--contract", "rawlocal")
    ran = fsconform(*check)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    ran = fsconform(*check, "--conf", "seeded.fault=delete-non-empty")
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "inexpressible: delete (non-empty directory, not recursive) returned true, data lost" in ran.stdout


def test_a_connector_that_is_down_is_inconclusive(fsconform: Command, seeded: list[str]) -> None:
    connector = seeded[: seeded.index("--contract")]
    ran = fsconform("contract", "infer", *connector, "--budget", "0", "--conf", "seeded.fault=down")
    assert ran.returncode == 3
    assert "the seeded store is down" in ran.stderr
