"""A fault in our own code, in each phase of a run: what was found is kept, and what reaches the top ends with 70."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from fsconform.app import main as commands
from fsconform.app import run
from fsconform.app.main import main
from fsconform.app.pytesting import merging
from fsconform.engine.exploration import Exploration
from fsconform.harness import faults, folder, judging, scrubbing
from fsconform.records import codec
from fsconform.records.codec import loads
from fsconform.records.results import Results

CANARY = "tweet-4711-tweet"
FAULTY = ("run", "--store", "proving", "--fault", "delete-non-empty", "--suite", "delete", "--budget", "0")


class OursError(Exception):
    """The fault."""


def raising(*_: object, **__: object) -> Any:
    raise OursError(f"something of ours, with fs.s3a.secret.key={CANARY}")


def after(function: Callable[..., Any]) -> Callable[..., Any]:
    def late(*arguments: Any, **more: Any) -> Any:
        function(*arguments, **more)
        raise OursError("at its end")

    return late


def called(tmp_path: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments, "--out", str(tmp_path / "out")])


def results(tmp_path: Path) -> Results:
    return loads(tmp_path / "out" / "latest" / "results.json")


def test_planning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "shares", raising)
    ended = called(tmp_path, *FAULTY, "--name", "")
    assert ended.exit_code == 70, ended.output
    assert len(ended.stderr.splitlines()) <= 4 and "Traceback" not in ended.stderr
    assert "OursError" in ended.stderr
    (report,) = (tmp_path / "out").rglob("fsconform-fault-*.txt")
    text = report.read_text("utf-8")
    assert str(report) in ended.stderr and report.stat().st_mode & 0o777 == 0o600
    assert "Traceback" in text and "command line: fsconform run --store proving" in text and "fsconform 0." in text


def test_exploring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Exploration, "run", after(Exploration.run))
    ended = called(tmp_path, *FAULTY)
    assert ended.exit_code == 1, ended.output
    (store,) = results(tmp_path).stores
    assert store.divergences and "OursError" in store.internal_errors[0].error


@pytest.mark.parametrize("place", ["prove_all", "_waived"])
def test_minimising_and_recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    monkeypatch.setattr(judging, place, raising)
    ended = called(tmp_path, *FAULTY)
    assert ended.exit_code == 1, ended.output
    (store,) = results(tmp_path).stores
    assert store.divergences and "OursError" in store.internal_errors[0].error


@pytest.mark.parametrize("place", ["save_reproducers", "junit_xml", "write_report", "_with_tests"])
def test_saving(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    monkeypatch.setattr(folder, place, raising)
    ended = called(tmp_path, *FAULTY)
    assert ended.exit_code == (70 if place == "_with_tests" else 1), ended.output
    if place != "_with_tests":
        assert results(tmp_path).stores[0].divergences


def test_a_record_that_cannot_be_written_costs_one_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:

    def dumps(found: Results) -> bytes:
        if any(store.divergences for store in found.stores):
            raising()
        return codec.dumps(found)

    monkeypatch.setattr(folder, "dumps", dumps)
    ended = called(tmp_path, *FAULTY, "--name", "")
    assert ended.exit_code in (1, 3), ended.output
    (store,) = results(tmp_path).stores
    assert "what was found can't be written" in store.problems[0]


def test_reporting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "summary", raising)
    ended = called(tmp_path, *FAULTY)
    assert ended.exit_code == 70, ended.output
    assert results(tmp_path).stores[0].divergences
    (report,) = (tmp_path / "out").rglob("fsconform-fault-*.txt")
    assert CANARY not in ended.stderr and CANARY not in report.read_text("utf-8")


def test_no_secret_is_in_the_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "chosen_suites", raising)
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    ended = called(tmp_path, "run", "--uri", f"my://me:{CANARY}@x/y", "--conf", f"fs.s3a.secret.key={CANARY}")
    assert ended.exit_code == 70, ended.output
    (report,) = tmp_path.glob("fsconform-fault-*.txt")
    assert CANARY not in report.read_text("utf-8") and CANARY not in ended.output
    assert "fs.s3a.secret.key=(redacted)" in report.read_text("utf-8")


def test_where_no_file_can_be_written_the_traceback_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "chosen_suites", raising)
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path / "missing"))
    ended = called(tmp_path, *FAULTY)
    assert ended.exit_code == 70 and "Traceback" in ended.stderr


@pytest.mark.parametrize("command", sorted(commands.main.places))
def test_every_command_ends_with_70(command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = main.get_command(None, command)  # type: ignore[arg-type]
    assert found is not None
    monkeypatch.setattr(type(found), "make_context", raising)
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    ended = CliRunner().invoke(main, [command])
    assert ended.exit_code == 70 and list(tmp_path.glob("fsconform-fault-*.txt")), ended.output


@pytest.mark.parametrize("error", [KeyboardInterrupt, EOFError])
def test_an_interrupt_is_not_a_divergence(error: type[BaseException], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise error

    found = main.get_command(None, "doctor")  # type: ignore[arg-type]
    assert found is not None
    monkeypatch.setattr(found, "callback", interrupted)
    assert CliRunner().invoke(main, ["doctor"]).exit_code == 3


def test_what_hides_secrets_may_fail_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scrubbing, "arguments", raising)
    try:
        raising()
    except OursError as error:
        text = faults.report(error, ["run", f"--conf=fs.s3a.secret.key={CANARY}"])
    assert CANARY not in text and "OursError" in text and "raising" in text


@pytest.mark.long
def test_under_pytest(tmp_path: Path, pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch) -> None:
    suites = Path(__file__).parents[2] / "suites"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(merging, "record", raising)
    code = pytest.main(
        [
            *("-p", "no:cacheprovider", "--store", "proving", "--fs-budget", "0", "--fs-out", str(tmp_path / "out")),
            *("-q", f"--rootdir={tmp_path}", "--import-mode=importlib", f"{suites / 'test_areas.py'}::test_delete"),
        ]
    )
    assert code == 70
    assert list((tmp_path / "out").rglob("results.json")) and list(tmp_path.rglob("fsconform-fault-*.txt"))
