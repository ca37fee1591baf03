"""An error in our own code costs one program: it is reported as ours, and the run goes on."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as Tree

import pytest
from click.testing import CliRunner, Result

from fsconform.app.main import main
from fsconform.model.filesystem.branches import MEANINGS, Meaning
from fsconform.model.filesystem.state import State
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.proving.session import ProvingSession
from fsconform.records.codec import loads
from fsconform.records.results import FAILING, StoreRecord

Command = Callable[..., Result]
QUICK = ("--store", "proving", "--suite", "namespace", "--explorer", "witnesses", "--budget", "0")
SEVERAL = "there are two of them"
FAULT = "mkdirs-over-file"


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """The command, in this process, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(main, [str(one) for one in arguments])


def _raising(meaning: Meaning) -> Meaning:
    """The meaning with a fault of ours: its checks can't judge a listing of two entries."""

    def check(_root: State, _op: ListStatus, value: object) -> bool:
        assert not isinstance(value, tuple) or len(value) != 2, SEVERAL
        return True

    cases = tuple(
        replace(case, branches=tuple(replace(one, check=check) if one.check else one for one in case.branches))
        for case in meaning.cases
    )
    return replace(meaning, cases=cases)


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """The model with that fault."""
    monkeypatch.setitem(MEANINGS, ListStatus, _raising(MEANINGS[ListStatus]))


def _store(folder: Path) -> StoreRecord:
    (store,) = loads(folder / "results" / "latest" / "results.json").stores
    return store


@pytest.mark.usefixtures("broken")
def test_a_meaning_that_raises_costs_its_programs(command: Command, tmp_path: Path) -> None:
    ran = command("run", *QUICK)
    assert ran.exit_code == 3, ran.output
    store = _store(tmp_path)
    (error,) = store.internal_errors
    assert error.stage == "judging" and error.count >= 1 and SEVERAL in error.error
    assert "in check" in error.traceback and store.operations > 300 and store.clauses
    home = tmp_path / "results" / "latest"
    replay = json.loads((home / error.replay).read_text("utf-8"))
    assert replay["program"] == error.program and replay["traceback"] == error.traceback
    suite = Tree.fromstring((home / "junit.xml").read_bytes())
    assert suite.get("errors") == "1" and SEVERAL in str([one.get("message") for one in suite.iter("error")])
    pages = "".join(page.read_text("utf-8") for page in home.rglob("*.html"))
    assert "Internal errors of fsconform" in pages and SEVERAL in pages
    assert "internal error of fsconform while judging" in ran.output
    again = command(*shlex.split(error.reproducer)[1:])
    assert again.exit_code == 3 and "reproduced: internal error" in again.output, again.output


def test_what_was_mended_is_gone(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as broken:
        broken.setitem(MEANINGS, ListStatus, _raising(MEANINGS[ListStatus]))
        command("run", *QUICK)
    (error,) = _store(tmp_path).internal_errors
    again = command(*shlex.split(error.reproducer)[1:])
    assert again.exit_code == 0 and "gone" in again.output


@pytest.mark.usefixtures("broken")
def test_what_else_was_found_is_kept(command: Command, tmp_path: Path) -> None:
    ran = command("run", *QUICK, "--fault", FAULT)
    assert ran.exit_code == 1, ran.output
    store = _store(tmp_path)
    assert store.internal_errors and any(one.verdict in FAILING for one in store.divergences)


@pytest.mark.parametrize(
    ("name", "stage"),
    [("Filesystem.sequence", "recording"), ("_changed", "recording")],
)
def test_a_record_that_can_not_be_worded_is_kept(
    name: str, stage: str, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def raising(*_: object) -> None:
        raise KeyError(SEVERAL)

    monkeypatch.setattr(f"fsconform.engine.filesystem.{name}", raising)
    assert command("run", *QUICK, "--fault", FAULT).exit_code == 1
    store = _store(tmp_path)
    assert {one.stage for one in store.internal_errors} == {stage}
    assert [one.signature for one in store.divergences if one.verdict in FAILING]


@pytest.mark.parametrize("name", ["minimise", "_cause", "_once_each"])
def test_a_signature_that_can_not_be_minimised_is_kept(
    name: str, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def raising(*_: object) -> None:
        raise KeyError(SEVERAL)

    monkeypatch.setattr(f"fsconform.engine.confirm.{name}", raising)
    assert command("run", *QUICK, "--fault", FAULT).exit_code == 1
    store = _store(tmp_path)
    assert store.internal_errors and any(one.verdict in FAILING for one in store.divergences)


@pytest.mark.parametrize("name", ["junit_xml", "write_report"])
def test_results_are_kept_where_a_report_fails(
    name: str, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def raising(*_: object) -> None:
        raise KeyError(SEVERAL)

    monkeypatch.setattr(f"fsconform.harness.folder.{name}", raising)
    ran = command("run", *QUICK)
    assert ran.exit_code == 3 and SEVERAL in ran.output, ran.output
    results = loads(tmp_path / "results" / "latest" / "results.json")
    assert results.run.exit == 3 and results.stores[0].internal_errors and results.stores[0].operations > 300


def test_a_session_that_raises_costs_its_program(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    execute = ProvingSession._execute

    def raising(self: ProvingSession, job: object) -> object:
        if self._programs % 100 == 50:
            self._programs += 1
            raise ValueError(SEVERAL)
        return execute(self, job)  # type: ignore[arg-type]

    monkeypatch.setattr(ProvingSession, "_execute", raising)
    assert command("run", *QUICK).exit_code == 3
    store = _store(tmp_path)
    (error,) = store.internal_errors
    assert error.stage == "driving the store" and error.count > 1 and not store.problems
    assert store.operations > 300


def test_a_session_that_only_raises_is_given_up(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def raising(*_: object) -> None:
        raise ValueError(SEVERAL)

    monkeypatch.setattr(ProvingSession, "_execute", raising)
    assert command("run", *QUICK).exit_code == 3
    store = _store(tmp_path)
    assert store.problems and store.internal_errors
