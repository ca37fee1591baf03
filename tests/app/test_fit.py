"""``fsconform fit``: answers of the atlas and of a run, exit codes, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from fsconform.app.fit import fit
from fsconform.records import atlas, profiles
from fsconform.records.atlas import Standing
from fsconform.records.codec import dumps, loads

EXAMPLE = Path(__file__).resolve().parent.parent.parent / "records" / "example.json"


def run(*arguments: str | Path) -> tuple[int, str]:
    """The exit code and the output of the command, in one line."""
    done = CliRunner().invoke(fit, [str(argument) for argument in arguments])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, " ".join(done.output.split())


def test_hbase_can_not_keep_its_log_on_s3a() -> None:
    code, told = run("--needs", "hbase-wal", "--store", "s3a")
    assert code == 1
    assert told.startswith("hbase-wal on s3a, hadoop 3.5.0: does not HBase: the write-ahead log; run of 2026-")
    assert "finding s3a/returns-from-hsync-with-nothing-done" in told
    assert "ProtobufLogWriter.java: sync(), initOutput()" in told


def test_hbase_can_keep_its_log_on_hdfs() -> None:
    code, told = run("--needs", "hbase-wal", "--store", "hdfs")
    assert code == 0 and "hbase-wal on hdfs, hadoop 3.5.0: fits " in told


def test_a_condition_that_nobody_met_fails_and_one_that_is_given_does_not() -> None:
    code, told = run("--needs", "delta", "--store", "s3a")
    assert code == 1 and ": fits if " in told and "or single-driver:" in told
    code, told = run("--needs", "delta", "--store", "s3a", "--given", "single-driver")
    assert code == 0 and ": fits " in told


def test_what_is_unknown_ends_with_3_and_the_run_that_tells(tmp_path: Path) -> None:
    (hdfs,) = (entry for entry in atlas.read() if entry.store == "hdfs")
    less = {name: standing for name, standing in hdfs.clauses.items() if name != "outputstream.hsync.post.durable"}
    (tmp_path / f"{hdfs.id}.json").write_bytes(atlas.dumps(replace(hdfs, clauses=less)))
    code, told = run("--needs", "hbase-wal", "--data", tmp_path)
    assert code == 3 and "hbase-wal on hdfs, hadoop 3.5.0: unknown" in told
    assert "fsconform run --store hdfs --suite power" in told
    broken = less | {"filesystem.rename.atomic": Standing(1, "violation")}
    (tmp_path / f"{hdfs.id}.json").write_bytes(atlas.dumps(replace(hdfs, clauses=broken)))
    assert run("--needs", "hbase-wal", "--data", tmp_path)[0] == 1


def test_a_run_is_asked_in_the_place_of_the_atlas(tmp_path: Path) -> None:
    """A store that only the run has, and that no other of it is a filesystem of Hadoop."""
    example = loads(EXAMPLE)
    mine = replace(example.stores[0], name="mine", versions={"filesystem": "org.example.MyFs", "hadoop": "3.5.0"})
    (tmp_path / "results.json").write_bytes(dumps(replace(example, stores=[mine, *example.stores[1:]])))
    code, told = run("--needs", "hbase-wal", "--run", tmp_path / "results.json")
    assert code in (1, 3) and told.count("hbase-wal on ") == 1
    assert told.startswith("hbase-wal on mine, hadoop 3.5.0: ")


def test_answers_as_json(tmp_path: Path) -> None:
    out = tmp_path / "fit.json"
    assert run("--needs", "hbase-wal", "--needs", "delta", "--store", "s3a", "--store", "hdfs", "--json", out)[0] == 1
    document = json.loads(out.read_text())
    assert document["schema"] == 1
    answers = {(row["application"], row["store"]): row for row in document["answers"]}
    assert {place: row["answer"] for place, row in answers.items()} == {
        ("hbase-wal", "s3a"): "does not",
        ("hbase-wal", "hdfs"): "fits",
        ("delta", "s3a"): "fits if",
        ("delta", "hdfs"): "fits",
    }
    shows, *_ = answers["hbase-wal", "s3a"]["needs"]
    assert shows["state"] == "not met" and shows["sources"][0]["link"].startswith(
        "https://github.com/apache/hbase/blob/"
    )
    assert answers["hbase-wal", "s3a"]["evidence"]["effort"] == "normal"


def test_without_an_application_there_is_a_table_of_all() -> None:
    code, told = run()
    assert code == 0
    assert all(name in told for name in profiles.every())
    assert "s3a, hadoop 3.5.0" in told


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--needs", "hbas"), "no application 'hbas'"),
        (("--needs", "zzz"), "there are: "),
        (("--needs", "hbase", "--store", "s3b"), "no store 's3b'"),
        (("--needs", "hbase", "--store", "local"), "no store 'local'"),
        (("--needs", "hbase", "--release", "hadoop 1.0"), "no release 'hadoop 1.0'"),
        (("--needs", "hbase", "--given", "magic"), "no way 'magic'"),
        (("--needs", "hbase", "--run", "nothing"), "nothing"),
        (("--needs", "hbase", "--data", "nothing"), "nothing is no folder"),
    ],
)
def test_what_there_is_not_is_named(words: tuple[str, ...], said: str) -> None:
    code, told = run(*words)
    assert code == 2 and said in told


def test_an_unknown_application_says_which_there_are() -> None:
    told = run("--needs", "zzz")[1]
    assert sum(name in told for name in profiles.every()) >= 8


def test_a_folder_without_a_filesystem_is_named(tmp_path: Path) -> None:
    code, told = run("--needs", "hbase", "--data", tmp_path)
    assert code == 2 and "no Hadoop filesystem was judged there" in told
