"""A true declaration that is taken out is asked for by name, and a false one is told as such: on real stores."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from fsconform.adapters.stores.contracts import shipped_text
from fsconform.records.codec import loads
from fsconform.records.results import Divergence

Command = Callable[..., subprocess.CompletedProcess[str]]


def _contract(store: str, folder: Path, changes: dict[str, str]) -> Path:
    """The shipped contract of a store with options changed, or taken out where the value is empty."""
    text = shipped_text(store).decode()
    for option, value in changes.items():
        name = f"fs.contract.{option}"
        text = re.sub(rf"<property>\s*<name>{re.escape(name)}</name>.*?</property>", "", text, flags=re.DOTALL)
        if value:
            added = f"<property><name>{name}</name><value>{value}</value></property></configuration>"
            text = text.replace("</configuration>", added)
    path = folder / "contract.xml"
    path.write_text(text, "utf-8")
    return path


def _judge(
    fsconform: Command, folder: Path, store: str, changes: dict[str, str], *more: str
) -> tuple[int, str, list[Divergence]]:
    contract = _contract(store, folder, changes)
    ran = fsconform(
        *("run", "--store", store, "--contract", contract, "--budget", "0", "--shards", "1", "--out", "out", *more)
    )
    (record,) = loads(folder / "out" / "latest" / "results.json").stores
    return ran.returncode, ran.stderr, record.divergences


def _named(divergences: list[Divergence], verdict: str) -> set[tuple[str, object]]:
    """The options that alone would mend a divergence of the verdict, with their values."""
    return {
        (ways[0].option, ways[0].value)
        for one in divergences
        if one.verdict == verdict
        for ways in one.options
        if len(ways) == 1
    }


@pytest.mark.parametrize(
    ("option", "operation"),
    [
        pytest.param("rename-creates-dest-dirs", "rename", marks=pytest.mark.long),
        pytest.param("rename-overwrites-dest", "rename", marks=pytest.mark.long),
        pytest.param("rename-remove-dest-if-empty-dir", "rename", marks=pytest.mark.long),
        ("supports-append", "append"),
        pytest.param("fsconform.accepts-invalid-paths", "create", marks=pytest.mark.long),
        pytest.param("fsconform.directories-have-length", "getFileStatus", marks=pytest.mark.long),
    ],
)
def test_a_declaration_taken_out_is_named(fsconform: Command, tmp_path: Path, option: str, operation: str) -> None:
    code, said, divergences = _judge(fsconform, tmp_path, "rawlocal", {option: ""}, "--op", operation)
    assert code == 1, said
    failing = [one for one in divergences if one.verdict in ("violation", "undeclared", "declared-false")]
    assert failing
    for one in failing:
        assert [[(each.option, each.value) for each in ways] for ways in one.options] == [
            [(f"fs.contract.{option}", True)]
        ]
        assert all(f"<name>fs.contract.{option}</name>" in each.xml for ways in one.options for each in ways)
        assert one.confirmed == "3/3"
    assert f"fs.contract.{option}: absent -> true" in said


@pytest.mark.parametrize(
    ("option", "value", "more"),
    [
        ("is-case-sensitive", "false", ("--suite", "paths")),
        pytest.param("rename-creates-dest-dirs", "false", ("--op", "rename"), marks=pytest.mark.long),
        pytest.param("rename-overwrites-dest", "false", ("--op", "rename"), marks=pytest.mark.long),
        pytest.param("rename-remove-dest-if-empty-dir", "false", ("--op", "rename"), marks=pytest.mark.long),
        pytest.param("supports-append", "false", ("--op", "append"), marks=pytest.mark.long),
        pytest.param("supports-strict-exceptions", "true", ("--op", "create"), marks=pytest.mark.long),
        pytest.param("rename-returns-false-if-dest-exists", "true", ("--op", "rename"), marks=pytest.mark.long),
        pytest.param("rename-returns-false-if-source-missing", "true", ("--op", "rename"), marks=pytest.mark.long),
    ],
)
def test_a_false_declaration_is_told_as_such(
    fsconform: Command, tmp_path: Path, option: str, value: str, more: tuple[str, ...]
) -> None:
    code, said, divergences = _judge(fsconform, tmp_path, "rawlocal", {option: value}, *more)
    assert code == 1, said
    assert (f"fs.contract.{option}", value == "false") in _named(divergences, "declared-false"), said


@pytest.mark.long
def test_hdfs_is_judged_by_what_it_declares(fsconform: Command, tmp_path: Path) -> None:
    changes = {"supports-append": "false", "fsconform.rename-returns-false-on-failure": ""}
    code, said, divergences = _judge(fsconform, tmp_path, "hdfs", changes, "--op", "rename", "append")
    assert code == 1, said
    assert ("fs.contract.supports-append", True) in _named(divergences, "declared-false")
    assert _named(divergences, "undeclared") == {("fs.contract.fsconform.rename-returns-false-on-failure", True)}
