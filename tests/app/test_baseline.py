"""`fsconform run --baseline`: a run on a faulty store, and later ones held against it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fsconform.app.main import main

NARROW = ("run", "--store", "proving", "--suite", "delete", "--explorer", "witnesses", "--budget", "0")


def call(place: Path, fault: str, *arguments: str) -> Result:
    return CliRunner().invoke(main, [*NARROW, "--fault", fault, "--out", str(place), *arguments])


def new_of(place: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for store in json.loads((place / "latest" / "results.json").read_bytes())["stores"]:
        for one in store["divergences"]:
            found.setdefault(one["baseline"], []).append(one["signature"])
    return found


def test_only_what_the_baseline_lacks_fails(tmp_path: Path) -> None:
    base = tmp_path / "base"
    first = call(base, "delete-non-empty")
    assert first.exit_code == 1, first.output
    known = new_of(base)[""]
    again = call(tmp_path / "again", "delete-non-empty", "--baseline", str(base / "latest"), "--fail-fast")
    assert again.exit_code == 0, again.output
    assert set(new_of(tmp_path / "again")["known"]) <= set(known)
    other = call(tmp_path / "other", "delete-removes-siblings", "--baseline", str(base / "latest" / "results.json"))
    assert other.exit_code == 1, other.output
    assert not {*new_of(tmp_path / "other")["new"]} & {*known}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "No such file"),
        ("{", "is not JSON"),
        ('{"schema": 2}', "has schema 2"),
        ('{"schema": 1}', "is not the results of a run"),
    ],
)
def test_a_baseline_that_can_not_be_read_is_named(tmp_path: Path, content: str | None, said: str) -> None:
    file = tmp_path / "base.json"
    if content is not None:
        file.write_text(content)
    result = call(tmp_path / "out", "delete-non-empty", "--baseline", str(file))
    assert result.exit_code == 2
    assert str(file) in result.output.replace("\n", "") and said in " ".join(result.output.split())
    assert not (tmp_path / "out").exists()
