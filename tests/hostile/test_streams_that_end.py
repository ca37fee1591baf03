"""Whoever reads a run's output may leave, or its disk be full: the run goes on, and keeps its exit code and results."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fsconform.records.codec import loads

COMMAND = (sys.executable, "-m", "fsconform.app.main")
FAULTY = ("run", "--store", "proving", "--fault", "delete-non-empty", "--suite", "delete", "--budget", "0")


def shell(tmp_path: Path, *arguments: str, redirected: str) -> subprocess.CompletedProcess[str]:
    """The command as bash runs it with such redirections; the code of the first command of a pipe."""
    line = f'"$@" {redirected}; exit ${{PIPESTATUS[0]}}'
    return subprocess.run(
        ["bash", "-c", line, "bash", *COMMAND, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    "redirected",
    [
        "2>&1 | head -1",
        "2>&1 | true",
        ">&-",
        "2>&-",
        "<&- >&- 2>&-",
        ">/dev/full",
        "2>/dev/full",
        ">/dev/full 2>&1",
    ],
)
def test_a_run_keeps_its_code_and_its_results(tmp_path: Path, redirected: str) -> None:
    ended = shell(tmp_path, *FAULTY, "--out", "out", redirected=redirected)
    assert ended.returncode == 1, ended.stderr
    assert "Traceback" not in ended.stdout + ended.stderr and "Exception ignored" not in ended.stderr
    (run,) = [path for path in (tmp_path / "out").iterdir() if not path.is_symlink()]
    found = loads(run / "results.json")
    assert found.run.exit == 1 and found.stores[0].divergences
    assert (run / "junit.xml").is_file() and (run / "report" / "index.html").is_file() and list(run.glob("replays/*"))
    # Nothing that was to be shown went into a file of the run whose number a closed stream left free.
    assert not [one for one in run.rglob("*") if one.is_file() and b"proving: starting" in one.read_bytes()]


@pytest.mark.parametrize("redirected", [">/dev/full", ">&-", "| true"])
def test_other_commands_end_with_their_own_code(tmp_path: Path, redirected: str) -> None:
    assert shell(tmp_path, "spec", "coverage", redirected=redirected).returncode == 0
    assert shell(tmp_path, "stores", "--nonsense", redirected=redirected).returncode == 2


SLOWLY = """
import os, time
total = 0
while piece := os.read(0, 4096):
    total += len(piece)
    time.sleep(0.001)
print(total)
"""


def test_a_pipe_that_does_not_block_is_waited_for() -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    told = "from fsconform.harness import output; output.mend(); print('x' * 1_000_000)"
    with subprocess.Popen([sys.executable, "-c", SLOWLY], stdin=reading, stdout=subprocess.PIPE, text=True) as reader:
        os.close(reading)
        subprocess.run([sys.executable, "-c", told], stdout=writing, check=True)
        os.close(writing)
        assert reader.stdout is not None and int(reader.stdout.read()) == 1_000_001


def test_a_terminal_that_hangs_up_takes_nothing(tmp_path: Path) -> None:
    leader, follower = os.openpty()
    with subprocess.Popen([*COMMAND, *FAULTY, "--out", "out"], cwd=tmp_path, stdout=follower, stderr=follower) as run:
        os.close(follower)
        os.read(leader, 1)
        os.close(leader)
        assert run.wait(200) == 1
    assert (tmp_path / "out" / "latest" / "results.json").is_file()
