"""The command `recheck`: audit logs, recorded traces, what it prints and how it ends."""

from __future__ import annotations

import gzip
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Command = Callable[..., subprocess.CompletedProcess[str]]
TRACES = Path(__file__).parents[1] / "pipeline" / "schema-1"
CONTRACTS = Path(__file__).parents[2] / "adapters" / "stores"


def _line(command: str, src: str) -> str:
    return f"allowed=true\tugi=u\tip=/127.0.0.1\tcmd={command}\tsrc={src}\tdst=null\tperm=null\tproto=rpc\n"


GOOD = [_line("create", "/a"), _line("append", "/a"), "another logger's line\n"]
BAD = [*GOOD, _line("mkdirs", "/a")]


def test_a_log_without_fault(fsconform: Command, tmp_path: Path) -> None:
    (tmp_path / "good.log").write_text("".join(GOOD))
    ended = fsconform("recheck", "--format", "hdfs-audit", "good.log")
    assert (ended.returncode, ended.stdout) == (0, "")
    assert "2 entries" in ended.stderr


def test_a_flagged_line_packed(fsconform: Command, tmp_path: Path) -> None:
    """Rotated logs are read as they are; the document says the same."""
    (tmp_path / "bad.log.gz").write_bytes(gzip.compress("".join(BAD).encode()))
    ended = fsconform("recheck", "--format", "hdfs-audit", "bad.log.gz", "--json", "out.json", "--in-flight", "1")
    assert ended.returncode == 1
    assert ended.stdout == "bad.log.gz:4: mkdirs succeeded, yet /a is a file\n"
    document = json.loads((tmp_path / "out.json").read_text())
    assert [flag["line"] for flag in document["flagged"]] == [4]
    assert document["assumptions"]["in_flight"] == 1 and document["other_lines"] == 1


def test_hostile_names_are_shown_harmless(fsconform: Command, tmp_path: Path) -> None:
    (tmp_path / "bad.log").write_text(_line("create", r"/\u001B[2J\n") + _line("mkdirs", r"/\u001B[2J\n"))
    ended = fsconform("recheck", "--format", "hdfs-audit", "bad.log")
    assert ended.returncode == 1
    assert ended.stdout == "bad.log:2: mkdirs succeeded, yet /\\u001b[2J\\n is a file\n"


def test_a_damaged_line_is_inconclusive(fsconform: Command, tmp_path: Path) -> None:
    (tmp_path / "cut.log").write_text("".join(GOOD) + _line("mkdirs", "/a")[:40])
    ended = fsconform("recheck", "--format", "hdfs-audit", "cut.log")
    assert ended.returncode == 3 and "cut.log:4: this line is not whole" in ended.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--format", "hdfs-audit", "no.log"], "no.log"),
        (["--format", "hdfs-audit", "other.log"], "none of its 1 lines is of an HDFS audit log"),
        (["--format", "hdfs-audit", "broken.gz"], "broken.gz"),
        (["--format", "hdfs-audit", "other.log", "--contract", "x.xml"], "are for traces"),
        (["no-folder"], "no such folder"),
        (["."], "no markers"),
        ([".", "--assume", "from-empty"], "--format hdfs-audit"),
        ([".", "--contract", "no.xml"], "no.xml"),
        (
            [
                ".",
                "--contract",
                str(CONTRACTS / "hdfs" / "contract.xml"),
                str(CONTRACTS / "s3a" / "contract.xml"),
                "x.xml",
            ],
            "two to compare",
        ),
    ],
)
def test_usage(fsconform: Command, tmp_path: Path, arguments: list[str], told: str) -> None:
    (tmp_path / "other.log").write_text("hello\n")
    (tmp_path / "broken.gz").write_bytes(gzip.compress(b"allowed=" * 100)[:20])
    ended = fsconform("recheck", *arguments)
    assert ended.returncode == 2 and told in ended.stderr.replace("\n", " "), ended.stderr


@pytest.mark.long
def test_traces_by_two_contracts(fsconform: Command, tmp_path: Path) -> None:
    """What changes is listed, in text and as a document."""
    contracts = ["--contract", CONTRACTS / "proving" / "contract.xml", "--contract", CONTRACTS / "s3a" / "contract.xml"]
    ended = fsconform("recheck", TRACES, *contracts, "--master", "local[1]", "--json", "out.json", seconds=280)
    assert ended.returncode == 1, ended.stderr
    document = json.loads((tmp_path / "out.json").read_text())
    assert document["programs"] == 60 and document["changes"]
    for change in document["changes"]:
        assert change["signature"] in ended.stdout and change["before"] != change["after"]


@pytest.mark.long
def test_what_waivers_accept_does_not_fail(fsconform: Command, tmp_path: Path) -> None:
    """The same traces end with 1 by themselves, with 0 under waivers for all that fails, with 1 without one of them."""
    alone = fsconform("recheck", TRACES, "--master", "local[1]", "--json", "alone.json", seconds=280)
    assert alone.returncode == 1, alone.stderr
    document = json.loads((tmp_path / "alone.json").read_text())
    failing = [row for row in document["signatures"] if row["store"] == "proving"]
    assert failing and not document["changes"] and not document["accepted"]
    blocks = [
        f'[[waiver]]\nstore = "proving"\nsignature = "{row["signature"]}"\nclauses = ["{row["clause"]}"]\n'
        'reason = "seeded"\nlink = "docs"\nexpires = 2999-01-01\n'
        for row in failing
    ]
    for name, given, code in (("all", blocks, 0), ("but-one", blocks[1:], 1)):
        (tmp_path / f"{name}.toml").write_text("\n".join(given))
        ended = fsconform("recheck", TRACES, "--master", "local[1]", "--waivers", f"{name}.toml", seconds=280)
        assert ended.returncode == code, ended.stderr
        assert f"{len(given)} accepted by waivers" in ended.stderr.replace("\n", " ")
