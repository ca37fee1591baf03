"""Signals in every phase of a run: what was found is written first, then all else is stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fsconform.harness.interrupts import held, in_two_steps, to_write, written
from fsconform.records.codec import loads

FAULTY = ("run", "--store", "proving", "--fault", "delete-non-empty", "--suite", "delete", "--budget", "0")

SCRIPT = """
import os, signal, sys, threading, time
from fsconform.app import run
from fsconform.harness import folder, judging
from fsconform.harness.fleet import Fleet
from fsconform.harness.lanes import Lanes
from fsconform.app.main import main
from fsconform.engine.exploration import Exploration

def send(*numbers):
    for number in numbers:
        os.kill(os.getpid(), getattr(signal, number))
        time.sleep(0.3)

def before(place, name, *numbers, wait=0.0):
    inner = getattr(place, name)
    def outer(*arguments, **more):
        setattr(place, name, inner)
        send(*numbers)
        time.sleep(wait)
        return inner(*arguments, **more)
    setattr(place, name, outer)

def after(place, name, *numbers):
    inner = getattr(place, name)
    def outer(*arguments, **more):
        given = inner(*arguments, **more)
        setattr(place, name, inner)
        send(*numbers)
        return given
    setattr(place, name, outer)

{seeded}
main([*{arguments!r}, "--out", "out"])
"""

FOUND = {
    # Signals that end a run, sent at the moment when a phase begins or ends.
    "exploring, SIGTERM": "after(Exploration, 'run', 'SIGTERM')",
    "minimising, SIGTERM": "before(judging, 'prove_all', 'SIGTERM')",
    "minimising, SIGINT and SIGTERM": "before(judging, 'prove_all', 'SIGINT', 'SIGTERM')",
    "minimised, SIGTERM": "after(judging, '_recorded', 'SIGTERM')",
    "taking down, SIGTERM": "before(Fleet, 'take_down', 'SIGTERM')",
    "stopping, SIGTERM": "before(Fleet, 'close', 'SIGTERM')",
    "stopping, SIGINT": "before(Fleet, 'close', 'SIGINT')",
    "stopping, SIGHUP": "before(Fleet, 'close', 'SIGHUP')",
    "saving, SIGTERM": "before(folder, 'write_report', 'SIGTERM')",
    "saving, two SIGINT": "before(folder, 'write_report', 'SIGINT', 'SIGINT')",
    "reporting, SIGTERM": "before(run, 'summary', 'SIGTERM')",
    "reporting, two SIGINT": "before(run, 'summary', 'SIGINT', 'SIGINT')",
    # The second one: a stop that hangs, and one that comes while what was found is being written.
    "exploring that hangs, two SIGINT": (
        "after(Exploration, 'run', 'SIGINT'); before(Lanes, 'stop', 'SIGINT', wait=100.0)"
    ),
    "stopping that hangs, two SIGINT": (
        "before(judging, 'prove_all', 'SIGINT'); before(Fleet, 'close', 'SIGINT', wait=100.0)"
    ),
    "writing, the second SIGINT": ("before(judging, 'prove_all', 'SIGINT'); before(folder, 'junit_xml', 'SIGINT')"),
}


def interrupted(tmp_path: Path, seeded: str) -> subprocess.CompletedProcess[str]:
    script = SCRIPT.format(seeded=seeded, arguments=FAULTY)
    return subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=250, check=False
    )


@pytest.mark.parametrize("seeded", FOUND.values(), ids=FOUND)
def test_what_was_found_is_written_first(tmp_path: Path, seeded: str) -> None:
    begun = time.monotonic()
    ended = interrupted(tmp_path, seeded)
    assert time.monotonic() - begun < 95, "it waited for what hangs"
    assert ended.returncode == 1, ended.stderr
    assert "interrupted" in ended.stderr and "Traceback" not in ended.stderr
    run = tmp_path / "out" / "latest"
    (store,) = loads(run / "results.json").stores
    assert store.divergences
    assert (run / "junit.xml").is_file() and list(run.glob("replays/*.json")) and list(run.glob("replays/*.py"))


def test_a_third_leaves_at_once(tmp_path: Path) -> None:
    seeded = "before(judging, 'prove_all', 'SIGINT'); before(folder, 'junit_xml', 'SIGINT', 'SIGINT', wait=100.0)"
    ended = interrupted(tmp_path, seeded)
    assert ended.returncode == 3 and "no report" in ended.stderr


def test_signals_are_held_and_raised_at_the_end(capfd: pytest.CaptureFixture[str]) -> None:
    steps = []
    with pytest.raises(SystemExit) as left, in_two_steps():
        with held():
            signal.raise_signal(signal.SIGTERM)
            steps.append("whole")
        steps.append("torn")
    assert steps == ["whole"] and left.value.code == 3
    with in_two_steps(), held(raising=False):
        signal.raise_signal(signal.SIGTERM)
        steps.append("whole")
    assert steps == ["whole", "whole"]


def test_the_second_waits_for_what_is_to_be_written(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    class LeftError(BaseException):
        pass

    def left(code: int) -> None:
        raise LeftError(code)

    monkeypatch.setattr(os, "_exit", left)
    with pytest.raises(LeftError, match="1"), in_two_steps():
        to_write()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        assert "leaving as soon as what was found is written" in capfd.readouterr().err
        written(1)


PYTEST = """
import os, signal, sys
import pytest
from fsconform.app.pytesting import merging
from fsconform.harness import folder

seen = []

class Sends:
    def pytest_runtest_logreport(self, report):
        if report.when == "call" and report.failed and not seen:
            seen.append(True)
            os.kill(os.getpid(), signal.SIGTERM)

inner = folder.write_report
def late(*arguments):
    os.kill(os.getpid(), signal.SIGTERM)
    os.kill(os.getpid(), signal.SIGINT)
    return inner(*arguments)
folder.write_report = late
{seeded}
sys.exit(pytest.main([*{arguments!r}], plugins=[Sends()]))
"""


LATER = {
    "nothing else": "",
    "SIGTERM while records are made": """
made = merging.record
def record(*arguments):
    os.kill(os.getpid(), signal.SIGTERM)
    return made(*arguments)
merging.record = record
""",
    "SIGINT while records are made": """
made = merging.record
def record(*arguments):
    merging.record = made
    os.kill(os.getpid(), signal.SIGINT)
    return made(*arguments)
merging.record = record
""",
    "a plugin that fails at the end": """
def fails(self, session):
    raise RuntimeError("a plugin's own")
Sends.pytest_sessionfinish = fails
""",
}


@pytest.mark.parametrize("later", LATER)
def test_a_session_of_pytest_that_is_ended_by_sigterm_writes_what_it_found(tmp_path: Path, later: str) -> None:
    suites = Path(__file__).parents[2] / "suites"
    arguments = [
        *("--store", "proving", "--fs-fault", "delete-non-empty", "--fs-budget", "0", "--fs-out", "out", "-q"),
        *(
            "-p",
            "no:cacheprovider",
            f"--rootdir={tmp_path}",
            "--import-mode=importlib",
            f"{suites / 'test_areas.py'}::test_delete",
        ),
    ]
    command = [sys.executable, "-c", PYTEST.format(arguments=arguments, seeded=LATER[later])]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=250, check=False)
    told = ended.stdout + ended.stderr
    assert ended.returncode == 1 and "fault in fsconform" not in told, told
    assert (tmp_path / "out" / "latest" / "results.json").is_file(), told
    (store,) = loads(tmp_path / "out" / "latest" / "results.json").stores
    assert store.divergences and "interrupted" in store.problems[0], told
