"""Hadoop's version as a factor of a run: how it is chosen, and what of contracts and waivers goes with it."""

from __future__ import annotations

import datetime
from importlib import resources
from pathlib import Path

import pytest
from click.testing import CliRunner

from fsconform.adapters.jars import DEFAULT, known_versions, load_profile
from fsconform.adapters.stores.contracts import load_shipped
from fsconform.app.main import main
from fsconform.harness import versions
from fsconform.harness.reproducers import pytest_command, replay_command

OPTION = "is-case-sensitive"
XML = f"<configuration><property><name>fs.contract.{OPTION}</name><value>false</value></property></configuration>"
WAIVER = """
[[waiver]]
store = "proving"
signature = "{}"
reason = "a test"
link = "docs/findings.md"
expires = {}
"""


@pytest.fixture
def specs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of specs in which release 1.2.3 departs."""
    expires = datetime.date.today() + datetime.timedelta(days=30)
    for folder, name, text in (
        ("proving", "contract-hadoop-1.2.3.xml", XML),
        ("proving", "waivers.toml", WAIVER.format("one", expires) + WAIVER.format("two", expires)),
        ("proving", "waivers-hadoop-1.2.3.toml", WAIVER.format("two", expires) + WAIVER.format("three", expires)),
    ):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / name).write_text(text, "utf-8")
    monkeypatch.setattr(resources, "files", lambda package: tmp_path)
    return tmp_path


def test_a_release_has_its_options_laid_over_the_shipped_contract(specs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "load_shipped", lambda name: SHIPPED)
    assert SHIPPED.declared[OPTION] is True
    for version in ("", DEFAULT, "3.2.1"):
        assert versions.contract_of("proving", version) == SHIPPED
    laid = versions.contract_of("proving", "1.2.3")
    assert laid.declared == {**SHIPPED.declared, OPTION: False}
    assert "hadoop-1.2.3/proving.xml" in laid.source


SHIPPED = load_shipped("proving")


def test_with_another_release_the_shipped_waivers_may_go_unused(specs: Path) -> None:
    def told(version: str) -> dict[str, bool]:
        return {one.signature: one.optional for one in versions.waivers_of("proving", version)}

    assert told("") == told(DEFAULT) == {"one": False, "two": False}
    assert told("1.2.3") == {"one": True, "two": False, "three": False}
    assert told("3.2.1") == {"one": True, "two": True}


@pytest.mark.parametrize("command", [("run", "--store", "proving"), ("contract", "infer", "--store", "proving")])
def test_the_environment_names_the_version_and_an_option_wins(
    tmp_path: Path, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FSCONFORM_HADOOP", "9.9")
    refused = CliRunner().invoke(main, command)
    assert refused.exit_code == 2 and "no Hadoop profile '9.9'" in refused.output
    refused = CliRunner().invoke(main, [*command, "--hadoop", "8.8"])
    assert refused.exit_code == 2 and "no Hadoop profile '8.8'" in refused.output
    assert not list(tmp_path.iterdir())


def test_pytest_reads_the_environment_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FSCONFORM_HADOOP", raising=False)
    assert versions.chosen(None) == ""
    monkeypatch.setenv("FSCONFORM_HADOOP", "3.4.1")
    assert (versions.chosen(None), versions.chosen("3.3.6")) == ("3.4.1", "3.3.6")


def test_a_divergence_is_replayed_with_the_version_it_was_found_with() -> None:
    line = replay_command(Path("out"), "hdfs", None, "", hadoop="3.4.1").format(replay="replays/x.json")
    assert line == "fsconform replay out/replays/x.json --store hdfs --hadoop 3.4.1"
    assert pytest_command("test_x.py", line) == "pytest test_x.py --store hdfs --fs-hadoop 3.4.1"


def test_each_version_has_all_groups_and_the_daemons_it_names() -> None:
    assert set(known_versions()) >= {"3.3.6", "3.4.1", "3.5.0"}
    for version in known_versions():
        profile = load_profile(version)
        assert profile.groups == ("client", "minicluster", "s3a")
        own = {one.revision for one in profile.artifacts if one.organisation == "org.apache.hadoop"}
        assert own == {version} == {profile.hadoop}
        assert not any("bundle" in one.name for one in profile.artifacts), "the SDK's bundle is 300 MB and more"


def test_what_is_shipped_for_a_version_is_of_one_that_there_is_and_of_a_shipped_contract() -> None:
    stores = Path(str(resources.files("fsconform.adapters.stores")))
    files = sorted(stores.glob("*/*-hadoop-*"))
    assert {file.suffix for file in files} == {".xml", ".toml"}
    for file in files:
        version = file.stem.partition("-hadoop-")[2]
        assert version in known_versions() and version != DEFAULT
        assert versions.contract_of(file.parent.name, version)
        versions.waivers_of(file.parent.name, version)


def test_local_file_systems_of_3_3_read_ranges_that_overlap() -> None:
    option = "vector-io-overlapping-ranges"
    assert versions.contract_of("file", "3.3.6").declared[option] is True
    assert option not in load_shipped("file").declared
    assert option not in versions.contract_of("file", "3.4.1").declared


@pytest.mark.parametrize("version", ["3.3.6", "3.4.1"])
def test_s3a_before_the_accelerator_can_unbuffer_and_has_waivers_of_its_own(version: str) -> None:
    assert versions.contract_of("s3a", version).declared["supports-unbuffer"] is True
    assert load_shipped("s3a").declared["supports-unbuffer"] is False
    own = [one for one in versions.waivers_of("s3a", version) if not one.optional]
    short = "read on (file) returned too few bytes from pread after create (missing)"
    assert [one.accepts(short, ("clause fsdatainputstream.pread.post",)) for one in own][:3] == [False, False, True]
    assert not own[2].accepts(short, ("clause fsdatainputstream.read.post",))
    empty = "open (not a file) returned the bytes of a directory after mkdirs (missing)"
    is_file = "clause filesystem.open.pre.is-file"
    assert own[0].accepts(empty, (is_file, "via builder and length")) and not own[0].accepts(
        empty, (is_file, "via builder")
    )
