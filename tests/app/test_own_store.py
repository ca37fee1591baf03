"""A FileSystem of the user's own, in a jar the harness knows nothing of, with and without a seeded fault."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from fsconform.records.codec import loads
from fsconform.records.results import StoreRecord

Command = Callable[..., subprocess.CompletedProcess[str]]
LOST = "getFileStatus (file) raised FileNotFoundException after rename (file into the directory it is in)"
OWN_DIRECTORY, CONCAT = "rawlocal/rename-into-own-directory-loses-file", "rawlocal/concat-replaces-its-target"
PARTLY = "* after rename (directory into a directory that has a directory of that name*"
TOO_DEEP = "* after rename (directory onto one with directories of the same names*"
WAIVERS = "".join(
    f"""
[[waiver]]
store = "seeded"
signature = "{signature}"
reason = "the raw local file system below does so"
link = "docs/findings.md"
expires = 2099-12-31
"""
    for signature in (LOST, PARTLY, TOO_DEEP, "* after rename (a name that a store may forbid*")
)


def _store(folder: Path) -> StoreRecord:
    (store,) = loads(folder / "out" / "latest" / "results.json").stores
    return store


def _failing(store: StoreRecord) -> list[str]:
    failing = ("violation", "undeclared", "declared-false")
    return [one.signature for one in store.divergences if one.verdict in failing]


def test_without_a_fault_it_passes(fsconform: Command, tmp_path: Path, seeded: list[str]) -> None:
    ran = fsconform("run", *seeded)
    assert ran.returncode == 0, ran.stderr
    store = _store(tmp_path)
    assert (store.name, store.uri) == ("seeded", f"seeded://{tmp_path}/sandbox")
    assert store.verdicts["waived"]
    needed = {one.id: one.needed for one in store.quirks}
    assert needed[OWN_DIRECTORY] > 0, "the layer has the known bug of the store below, as a quirk"
    assert needed[CONCAT] == 0, "what these suites never need is listed, and fails nothing"
    assert {one.verdict for one in store.divergences if one.quirk == OWN_DIRECTORY} == {"waived"}
    assert any("SeededFileSystem" in version for version in store.versions.values())
    assert not (tmp_path / "sandbox").exists()


@pytest.mark.long
def test_under_a_contract_of_its_own_the_lost_file_needs_a_waiver(
    fsconform: Command, tmp_path: Path, seeded: list[str]
) -> None:
    place = seeded.index("--contract") + 1
    own = "<property><name>fs.contract.max-path</name><value>4096</value></property></configuration>"
    contract = tmp_path / "mine.xml"
    contract.write_text(Path(seeded[place]).read_text("utf-8").replace("</configuration>", own), "utf-8")
    seeded[place] = str(contract)
    ran = fsconform("run", *seeded, "--op", "rename")
    assert ran.returncode == 1, ran.stderr
    assert LOST in _failing(_store(tmp_path))
    (tmp_path / "waivers.toml").write_text(WAIVERS, "utf-8")
    ran = fsconform("run", *seeded, "--op", "rename", "--waivers", "waivers.toml")
    assert ran.returncode == 0, ran.stderr
    assert next(one.waiver for one in _store(tmp_path).divergences if one.signature == LOST)


@pytest.mark.parametrize(
    ("fault", "clause"),
    [
        pytest.param("delete-non-empty", "filesystem.delete.pre.not-empty", marks=pytest.mark.long),
        ("rename-keeps-source", "filesystem.rename.post.file"),
    ],
)
def test_a_seeded_fault_is_found_and_reproduced(
    fsconform: Command, tmp_path: Path, seeded: list[str], fault: str, clause: str
) -> None:
    ran = fsconform("run", *seeded, "--conf", f"seeded.fault={fault}", "--op", fault.partition("-")[0])
    assert ran.returncode == 1, ran.stderr
    (found,) = (one for one in _store(tmp_path).divergences if one.verdict == "violation")
    assert found.clause == clause
    assert found.steps <= 3
    assert found.confirmed == "3/3"
    again = fsconform(*shlex.split(found.reproducer)[1:])
    assert again.returncode == 1, again.stdout + again.stderr
    assert f"reproduced: violation: {found.signature}" in again.stdout
    healed = fsconform(*shlex.split(found.reproducer)[1:], "--conf", "seeded.fault=none")
    assert healed.returncode == 0, healed.stdout + healed.stderr


def test_jars_may_be_several_and_patterns_after_one_name(
    fsconform: Command, tmp_path: Path, seeded: list[str], seeded_jar: Path
) -> None:
    (tmp_path / "lib").mkdir()
    shutil.copy(seeded_jar, tmp_path / "lib" / "mine.jar")
    shutil.make_archive(str(tmp_path / "other"), "zip", tmp_path / "lib")
    place = seeded.index("--jars")
    seeded[place + 1 : place + 2] = ["other.zip", "lib/*.jar"]
    ran = fsconform("run", *seeded, "--op", "exists")
    assert ran.returncode == 0, ran.stderr


def test_a_configuration_file_is_read_and_conf_wins(fsconform: Command, tmp_path: Path, seeded: list[str]) -> None:
    file = tmp_path / "core-site.xml"
    file.write_text(
        "<configuration><property><name>fs.seeded.impl</name><value>seeded.SeededFileSystem</value></property>"
        "<property><name>seeded.fault</name><value>down</value></property></configuration>",
        "utf-8",
    )
    place = seeded.index("--conf")
    seeded[place : place + 2] = ["--conf-file", str(file)]
    down = fsconform("run", *seeded, "--op", "exists")
    assert down.returncode == 3
    assert "the seeded store is down" in down.stderr
    up = fsconform("run", *seeded, "--op", "exists", "--conf", "seeded.fault=none")
    assert up.returncode == 0, up.stderr


def test_a_jar_without_the_class_is_named(fsconform: Command, seeded: list[str]) -> None:
    ran = fsconform("run", *seeded, "--conf", "fs.seeded.impl=seeded.Missing")
    assert ran.returncode == 2
    assert "No jar on the class path has the class seeded.Missing: add the jar that holds it." in ran.stderr
