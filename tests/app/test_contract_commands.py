"""``fsconform contract`` and ``fsconform spec``, as a user meets them: what they say, write, and end with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.app.main import main
from fsconform.model.filesystem.contract import OPTIONS
from fsconform.specs.catalogue import STATUSES, catalogue
from fsconform.specs.contract_xml import load
from fsconform.specs.layers import marker_clauses
from fsconform.specs.statements import mappings

QUICK = ("--store", "proving", "--budget", "0", "--suite", "namespace", "paths")


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(one) for one in arguments])


def contract(folder: Path, **options: str) -> Path:
    rows = "".join(
        f"<property><name>fs.contract.{name.replace('_', '-')}</name><value>{value}</value></property>"
        for name, value in options.items()
    )
    path = folder / "mine.xml"
    path.write_text(f"<configuration>{rows}</configuration>", "utf-8")
    return path


def test_infer_writes_xml_on_standard_output_and_tells_on_standard_error() -> None:
    done = call("contract", "infer", *QUICK)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith("<?xml") and done.stdout.endswith("</configuration>\n")
    assert "options are decided, by" in done.stderr and "is-case-sensitive" in done.stderr


def test_infer_writes_files_and_keeps_what_it_does_not_judge(tmp_path: Path) -> None:
    declared = contract(tmp_path, max_path="4096", supports_append="false", supports_seek="true")
    out, machine = tmp_path / "out.xml", tmp_path / "out.json"
    done = call("contract", "infer", *QUICK, "--contract", declared, "--out", out, "--json", machine)
    assert done.exit_code == 0, done.stderr
    read = load(out).declared
    assert (read["max-path"], read["supports-append"], read["supports-seek"]) == (4096, True, True)
    told = json.loads(machine.read_text("utf-8"))
    (row,) = [one for one in told["options"] if one["option"] == "fs.contract.supports-append"]
    assert (row["declared"], row["inferred"], row["status"], row["judged"]) == (
        False,
        True,
        "observed",
        "declared-false",
    )
    assert row["evidence"][0]["witness"] and row["evidence"][0]["clause"] in catalogue()
    again = call("contract", "check", *QUICK, "--contract", out)
    assert again.exit_code == 0, again.stdout


def test_what_nothing_decides_is_left_out_and_named(tmp_path: Path) -> None:
    out = tmp_path / "out.xml"
    done = call("contract", "infer", *QUICK[:-2], "delete", "--out", out)
    assert done.exit_code == 0, done.stderr
    assert "rename-overwrites-dest" not in load(out).declared
    assert "unobserved, left at Hadoop's default: " in out.read_text("utf-8")
    assert "rename-overwrites-dest=false" in out.read_text("utf-8")


def test_check_holds_for_the_shipped_contract_and_not_for_a_false_one(tmp_path: Path) -> None:
    done = call("contract", "check", *QUICK)
    assert done.exit_code == 0, done.stdout
    assert "proving.xml: it holds" in done.stdout
    table = tmp_path / "table.txt"
    false = contract(tmp_path, supports_append="true", is_case_sensitive="false", create_overwrites_directory="true")
    done = call("contract", "check", *QUICK, "--contract", false, "--out", table)
    assert done.exit_code == 1
    said = [line.split() for line in table.read_text("utf-8").splitlines() if line.startswith(("is-case", "create-o"))]
    assert [(row[0], row[1], row[2], row[3]) for row in said] == [
        ("is-case-sensitive", "false", "true", "declared-false"),
        ("create-overwrites-directory", "true", "false", "unused"),
    ]
    assert "mine.xml: it does not hold" in table.read_text("utf-8")


def test_show_has_every_option_with_its_origin(tmp_path: Path) -> None:
    machine = tmp_path / "show.json"
    done = call("contract", "show", "rawlocal", "--json", machine)
    assert done.exit_code == 0
    told = {row["option"]: row for row in json.loads(machine.read_text("utf-8"))["options"]}
    assert set(told) == {f"fs.contract.{name}" for name in OPTIONS}
    assert told["fs.contract.supports-append"]["from"] == "declared"
    assert told["fs.contract.rename-returns-false-if-dest-exists"]["from"] == "default"
    assert call("contract", "show", "--store", "rawlocal").stdout == done.stdout
    assert call("contract", "show", contract(tmp_path)).exit_code == 0


def test_diff_shows_defaults_in_brackets(tmp_path: Path) -> None:
    done = call("contract", "diff", "proving", contract(tmp_path, supports_append="false", max_path="7"))
    assert done.exit_code == 1
    rows = [line.split() for line in done.stdout.splitlines()]
    assert ["supports-append", "exact", "true", "false"] in rows
    assert ["max-path", "informs", "(0)", "7"] in rows
    assert ["supports-strict-exceptions", "exact", "true", "(false)"] in rows
    assert not any(row[0] == "is-case-sensitive" for row in rows if row), "it is true by default too"
    assert call("contract", "diff", "hdfs", "hdfs.xml").exit_code == 2
    assert call("contract", "diff", "hdfs", "hdfs").exit_code == 0


def test_a_folder_of_a_shipped_contracts_name_is_no_contract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "hdfs").mkdir()
    (tmp_path / "own").mkdir()
    monkeypatch.chdir(tmp_path)
    assert call("contract", "diff", "hdfs", "hdfs").exit_code == 0
    assert call("run", "--store", "local", "--contract", "hdfs", "--op", "nothing").exit_code == 2
    assert "no such file" not in call("run", "--store", "proving", "--contract", "hdfs", "--op", "nothing").output
    assert call("contract", "show", "./own").exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("contract", "infer"), "name a store: --store NAME for a built-in one, --uri URI for one of your own"),
        (("contract", "check", "--store", "hdsf"), "no store 'hdsf': did you mean 'hdfs'?"),
        (("contract", "infer", "--store", "proving", "--uri", "a://b"), "give one of them"),
        (("contract", "infer", "--store", "proving", "--name", "x"), "give its --uri"),
        (("contract", "infer", "--store", "proving", "--suite", "root"), "leave suites on the real root out"),
        (("contract", "infer", "--store", "proving", "--contract", "nowhere.xml"), "nowhere.xml: No such file"),
        (("contract", "infer", "--store", "proving", "--out", "/no/such/x.xml"), "there is no folder /no/such"),
        (("contract", "infer", "--store", "proving", "--budget", "nan"), "'nan' is not a number"),
        (("contract", "show"), "name one contract"),
        (("contract", "show", "nowhere"), "no shipped contract 'nowhere'"),
        (("contract", "diff", "hdfs", "gone.xml"), "gone.xml: No such file"),
    ],
)
def test_usage_that_is_wrong_says_what_to_mend(arguments: tuple[str, ...], said: str) -> None:
    done = call(*arguments)
    assert done.exit_code == 2
    assert said in done.stderr, done.stderr


def test_coverage_counts_every_clause_and_statement(tmp_path: Path) -> None:
    machine = tmp_path / "coverage.json"
    done = call("spec", "coverage", "--open", "--json", machine)
    assert done.exit_code == 0
    told = json.loads(machine.read_text("utf-8"))
    clauses = (*catalogue().values(), *marker_clauses().values())
    for kind in ("documents", "levels", "areas", "bases"):
        for status in STATUSES:
            assert sum(row[status] for row in told[kind].values()) == sum(1 for one in clauses if one.status == status)
    for suite, row in told["suites"].items():
        assert row["open"] == sum(1 for one in clauses if one.suite == suite) > 0
    assert sum(row["statements"] for row in told["documents"].values()) == len(mappings())
    for row in told["documents"].values():
        assert row["statements"] == row["with rows"] + row["excluded"]
    wanted = [one.id for one in clauses if one.status == "open" and one.level in ("MUST", "MUST NOT")]
    assert told["open_must"] == wanted
    assert all(f"{name} (MUST" in done.stdout for name in wanted)
    assert f"{len(wanted)} open ones are MUST" in done.stdout
    assert set(told["documents"]) >= {one.document for one in clauses}


def test_a_shipped_contract_read_by_its_name_is_the_store_s() -> None:
    assert load_shipped("proving").declared
    assert call("contract", "diff", "proving", "proving").stdout.strip().startswith("0 of")
