"""`fsconform copycheck`: a tree that is copied and copied back through Hadoop's client, soundly and with seeded faults.

By night every fault, and HDFS to S3A and back; else one fault, which shows the rest as equal.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fsconform.adapters.hadoop.copying import _next
from fsconform.app.main import main

Command = Callable[..., subprocess.CompletedProcess[str]]
nightly = pytest.mark.long
FAULTS = {
    "drops-an-empty-file": [("missing", 1)],
    "truncates": [("length", 1)],
    "flips-a-bit": [("content", 1)],
    "adds-a-file": [("surplus", 1)],
    "renames-a-file": [("missing", 1), ("surplus", 1)],
}


def places(folder: Path) -> list[str]:
    found = [folder / name for name in ("one", "two")]
    for one in found:
        one.mkdir()
    return [one.as_uri() for one in found]


def found(folder: Path, fault: str, fsconform: Command) -> None:
    """The fault is found in both copies, nothing else is, and nothing is left behind."""
    ran = fsconform("copycheck", *places(folder), "--fault", fault, "--json", "told.json")
    assert ran.returncode == 1, ran.stdout + ran.stderr
    legs = {leg["name"]: leg for leg in json.loads((folder / "told.json").read_text("utf-8"))["legs"]}
    assert legs["original"]["differences"] == []
    for number, name in enumerate(("copy", "back")):
        kinds = [one["what"] for one in legs[name]["differences"]]
        for kind, count in FAULTS[fault]:
            # The way back does it once more.
            assert count <= kinds.count(kind) <= count + number
        assert set(kinds) == {kind for kind, _ in FAULTS[fault]}
        assert set(legs[name]["lost"]) == {"permission", "modification-time", "access-time"}
    assert not list((folder / "one").iterdir()) and not list((folder / "two").iterdir())


def test_a_copy_that_cuts_a_file_off_is_found_and_all_else_is_equal(fsconform: Command, tmp_path: Path) -> None:
    found(tmp_path, "truncates", fsconform)


def test_a_bit_that_is_flipped_twice_is_not_as_it_was() -> None:
    for byte in range(256):
        once = _next(byte)
        twice = _next(once)
        assert (byte ^ once).bit_count() == (once ^ twice).bit_count() == 1
        assert byte != twice and once in range(256)


@nightly
@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_is_found(fsconform: Command, tmp_path: Path, fault: str) -> None:
    found(tmp_path, fault, fsconform)


@nightly
@pytest.mark.parametrize("version", ["3.3.6", "3.4.1", "3.5.0"])
def test_a_tree_goes_from_hdfs_to_s3a_and_back(fsconform: Command, tmp_path: Path, version: str) -> None:
    ran = fsconform("copycheck", "hdfs", "s3a", "--hadoop", version, "--json", "told.json")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    told = json.loads((tmp_path / "told.json").read_text("utf-8"))
    assert [leg["name"] for leg in told["legs"]] == ["original", "copy", "back"]
    assert {"permission", "xattrs", "modification-time"} <= set(told["legs"][1]["lost"])
    assert told["versions"]["source"]["hadoop"] == version


PATIENT = ("--timeout", "800")
"""On a busy machine three jobs take minutes."""

DISTCP_FAULTS = {
    # Which leg shows what, and how much of it.
    "deletes-nothing": ("updated", {"surplus"}),
    "updates-nothing": ("updated", {"missing", "surplus", "length"}),
    "copies-all-again": ("updated", {"copied-again"}),
    "preserves-nothing": ("copy", {"permission"}),
    "truncates": ("copy", {"length"}),
    "drops-an-empty-file": ("back", {"missing"}),
}


def by_distcp(folder: Path, fsconform: Command, *options: str) -> tuple[int, dict[str, Any]]:
    """The exit code and the legs of a copy with DistCp between two folders, in which nothing is left behind."""
    ran = fsconform(
        "copycheck", *places(folder), "--tool", "distcp", *options, *PATIENT, "--json", "told.json", seconds=900
    )
    assert ran.returncode in (0, 1), ran.stdout + ran.stderr
    told = json.loads((folder / "told.json").read_text("utf-8"))
    assert told["tool"] == "DistCp" and told["not_copied"] == ""
    assert not list((folder / "one").iterdir()) and not list((folder / "two").iterdir())
    return ran.returncode, {leg["name"]: leg for leg in told["legs"]}


def kinds(leg: dict[str, Any]) -> set[str]:
    return {one["what"] for one in leg["differences"]}


def test_distcp_copies_and_updates_and_a_deletion_that_is_left_out_is_found(fsconform: Command, tmp_path: Path) -> None:
    code, legs = by_distcp(tmp_path, fsconform, "--fault", "deletes-nothing")
    assert code == 1 and list(legs) == ["original", "copy", "back", "updated"]
    assert {name for name, leg in legs.items() if leg["differences"]} == {"updated"}
    gone = {one["path"] for one in legs["updated"]["differences"]}
    assert kinds(legs["updated"]) == {"surplus"} and {"sizes/1", "d1/d2", "surplus/file"} <= gone
    # Changed at the target since, it is as long as before, and local files have no checksums.
    assert legs["updated"]["left"] == ["sizes/4096"]


@nightly
@pytest.mark.parametrize("fault", DISTCP_FAULTS)
def test_every_fault_of_distcp_is_found(fsconform: Command, tmp_path: Path, fault: str) -> None:
    leg, shown = DISTCP_FAULTS[fault]
    code, legs = by_distcp(tmp_path, fsconform, "--fault", fault, "--kept", "permission")
    assert code == 1 and kinds(legs[leg]) == shown


@nightly
@pytest.mark.parametrize("version", ["3.3.6", "3.4.1", "3.5.0"])
def test_distcp_keeps_between_folders_what_it_is_asked_to(fsconform: Command, tmp_path: Path, version: str) -> None:
    kept = ("--kept", "permission", "--kept", "modification-time")
    code, legs = by_distcp(tmp_path, fsconform, *kept, "--hadoop", version)
    assert code == 0, legs
    assert legs["updated"]["left"]


@nightly
@pytest.mark.parametrize(("source", "target"), [("3.5.0", "3.5.0"), ("3.3.6", "3.5.0"), ("3.5.0", "3.3.6")])
def test_distcp_between_clusters_of_other_releases(
    fsconform: Command, tmp_path: Path, source: str, target: str
) -> None:
    """By checksums nothing is left; a file whose copy has other blocks is refused unless it is asked for in a way."""
    options = ("--source-hadoop", source, "--target-hadoop", target, "--json", "told.json")
    ran = fsconform("copycheck", "hdfs", "hdfs", "--tool", "distcp", *options, *PATIENT, seconds=900)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    legs = {leg["name"]: leg for leg in json.loads((tmp_path / "told.json").read_text("utf-8"))["legs"]}
    assert set(legs) >= {"copy", "back", "updated", "blocks-pb", "blocks-composite", "blocks-unchecked", "synced"}
    assert legs["updated"]["left"] == []
    assert "block-size" in legs["blocks-plain"]["refused"]
    assert not any(leg["refused"] for name, leg in legs.items() if name != "blocks-plain")


@nightly
@pytest.mark.parametrize("version", ["3.3.6", "3.5.0"])
def test_distcp_takes_a_tree_from_hdfs_to_s3a_and_back(fsconform: Command, tmp_path: Path, version: str) -> None:
    options = ("--hadoop", version, *PATIENT, "--json", "told.json")
    ran = fsconform("copycheck", "hdfs", "s3a", "--tool", "distcp", *options, seconds=900)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    legs = {leg["name"]: leg for leg in json.loads((tmp_path / "told.json").read_text("utf-8"))["legs"]}
    assert set(legs) == {"original", "copy", "back", "updated"}


@nightly
def test_metadata_that_must_be_kept_and_is_lost_fails(fsconform: Command, tmp_path: Path) -> None:
    ran = fsconform("copycheck", *places(tmp_path), "--kept", "permission", "--json", "told.json")
    assert ran.returncode == 1
    _, copied, _ = json.loads((tmp_path / "told.json").read_text("utf-8"))["legs"]
    assert {one["what"] for one in copied["differences"]} == {"permission"}
    assert {"d1/empty-file", "sizes/0"} <= {one["path"] for one in copied["differences"]}
    assert "permission: d1/empty-file: rw-r----- -> " in ran.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("hdsf", "s3a"), "no store 'hdsf': did you mean 'hdfs'?"),
        (("local", "s3a"), "no store 'local'"),
        (("file", "s3a", "--kept", "colour"), "'colour' is not one of"),
        (("file", "s3a", "--conf-file", "missing.xml"), "missing.xml: no such file"),
        (("file", "s3a", "--hadoop", "9.9"), "no Hadoop profile '9.9'"),
        (("file", "s3a", "--target-hadoop", "9.9"), "no Hadoop profile '9.9'"),
        (("file:///x", "s3a", "--source-hadoop", "3.3.6"), "--source-hadoop: a store of your own runs what it runs"),
        (("file", "s3a", "--fault", "deletes-nothing"), "it is a fault of DistCp: add --tool distcp"),
        (("file", "s3a", "--tool", "distcp", "--fault", "preserves-nothing"), "add --kept KIND"),
        (("file", "s3a", "--via", "container"), "'file' has no service that could run in a container"),
    ],
)
def test_what_cannot_be_meant_is_named(arguments: tuple[str, ...], said: str) -> None:
    refused = CliRunner().invoke(main, ["copycheck", *arguments])
    assert refused.exit_code == 2 and said in refused.output


@nightly
def test_a_store_that_cannot_be_opened_is_inconclusive(fsconform: Command, tmp_path: Path) -> None:
    ran = fsconform("copycheck", places(tmp_path)[0], "nowhere:///x")
    assert ran.returncode == 3
    assert "not tried: " in ran.stderr and "nowhere" in ran.stderr
