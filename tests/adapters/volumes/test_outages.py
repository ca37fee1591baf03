"""Real stores on volumes that lose their power: what they promised is there, or it is known that it is not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from fsconform.adapters.meeting import board
from fsconform.adapters.stores.contracts import load_shipped
from fsconform.adapters.stores.quirks import with_quirks
from fsconform.adapters.stores.site import Setup
from fsconform.adapters.volumes import mounts
from fsconform.adapters.volumes.durability import Discipline
from fsconform.adapters.volumes.mounts import CannotMount
from fsconform.adapters.volumes.powered import LocalMachine, PoweredFolders
from fsconform.engine.histories.execution import Clients
from fsconform.engine.histories.judging import Judge
from fsconform.engine.injection import DATANODE, MACHINE
from fsconform.harness.presets import PRESETS, build_preset
from fsconform.harness.races import injector_of, judge_of, opened
from fsconform.model.filesystem.oracle import Oracle
from fsconform.suites.power import ONCE_RETURNED, Outage


@pytest.fixture(autouse=True)
def mountable() -> None:
    if lack := mounts.lacking():
        pytest.skip(lack)


def judge_for(store: str) -> Judge:
    return judge_of(Oracle(with_quirks(load_shipped(store), store)))


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as found:
        yield found


def verdicts(
    store: str, part: str, scenarios: tuple[str, ...], logs: Path, stack: ExitStack
) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Of each scenario the verdict, and what was lost that nothing promised."""
    if lacks := PRESETS[store].missing():
        pytest.skip(lacks[0])
    try:
        built = build_preset(PRESETS[store], Setup(logs, lambda text: None, 120.0, on_volumes=True))
    except CannotMount as error:
        pytest.skip(str(error))
    stack.callback(built.close)
    clients = Clients(opened(built, 2, stack), board, injector_of(built))
    rows = [Outage(one, part, ONCE_RETURNED, "nothing", 0, "ordered", store == "hdfs") for one in scenarios]
    judge, found = judge_for(store), dict[str, tuple[str, tuple[str, ...]]]()
    for row, history in zip(rows, clients.execute([row.program for row in rows]), strict=True):
        judged = judge.judge(history)
        assert not history.lost
        found[row.scenario] = judged.verdict, judged.lost
    return found


@pytest.mark.timeout(300)
def test_local(tmp_path: Path, stack: ExitStack) -> None:
    scenarios = ("hsync", "write after hsync", "hsync, close, rename", "create", "delete a tree")
    found = verdicts("local", MACHINE, scenarios, tmp_path, stack)
    assert {verdict for verdict, _ in found.values()} == {"conforms"}
    assert found["hsync, close, rename"][1] == ("a rename",)
    assert found["create"][1] == ("what create saved",)
    assert found["write after hsync"][1] == ("what write saved",)


@pytest.mark.timeout(600)
def test_file_saves_nothing_by_hsync_and_says_nothing(tmp_path: Path, stack: ExitStack) -> None:
    found = verdicts("file", MACHINE, ("hsync",), tmp_path, stack)
    assert found == {"hsync": ("conforms", ())} or found == {"hsync": ("conforms", ("what hsync saved",))}


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_hdfs(tmp_path: Path, stack: ExitStack) -> None:
    found = verdicts("hdfs", DATANODE, ("hsync", "hsync, then close", "rename a file", "mkdirs deep"), tmp_path, stack)
    assert {name: verdict for name, (verdict, _) in found.items()} == {
        "hsync": "conforms",
        "hsync, then close": "waived",
        "rename a file": "conforms",
        "mkdirs deep": "conforms",
    }


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_s3a(tmp_path: Path, stack: ExitStack) -> None:
    found = verdicts("s3a", "minio", ("create", "delete a tree"), tmp_path, stack)
    assert {verdict for verdict, _ in found.values()} == {"waived"}


# --- what is mounted where


def test_a_folder_that_holds_something_is_never_mounted_over(tmp_path: Path) -> None:
    (tmp_path / "place").mkdir()
    (tmp_path / "place" / "theirs").write_text("kept")
    with pytest.raises(CannotMount, match="is not empty"):
        LocalMachine(MACHINE, tmp_path / "place", tmp_path / "log")
    folders = PoweredFolders()
    folders.wanted = True
    with pytest.raises(CannotMount, match="is not empty"):
        folders.mount("minio", tmp_path / "place", tmp_path / "log")
    assert (tmp_path / "place" / "theirs").read_text() == "kept"
    assert not [one for one in mounts.volumes() if one.path.is_relative_to(tmp_path)]


def test_a_run_without_the_suite_mounts_nothing(tmp_path: Path) -> None:
    folders = PoweredFolders()
    folders.mount("minio", tmp_path / "data", tmp_path / "log")
    assert folders.names == () and not mounts.checked(tmp_path / "data").is_mount()
    before = {one.path for one in mounts.volumes()}
    built = build_preset(PRESETS["local"], Setup(tmp_path, lambda text: None))
    try:
        assert {one.path for one in mounts.volumes() if str(os.getpid()) in one.owner} <= before
    finally:
        built.close()


def test_a_machine_that_is_gone_takes_its_mount_along(tmp_path: Path) -> None:
    (tmp_path / "place").mkdir()
    machine = LocalMachine(MACHINE, tmp_path / "place", tmp_path / "log")
    assert machine.powered == (MACHINE,)
    machine.settle(Discipline.POSIX)
    (tmp_path / "place" / "file").write_text("lost")
    machine.lose_power(MACHINE, lambda volume: volume.drop_all())
    assert list((tmp_path / "place").iterdir()) == []
    machine.stop()
    machine.stop()
    assert not machine.powered and not (tmp_path / "place").is_mount()


HOLDING = """
import sys, time
from pathlib import Path
from fsconform.adapters.volumes.powered import LocalMachine
machine = LocalMachine("machine", Path(sys.argv[1]), Path(sys.argv[2]))
print("up", flush=True)
time.sleep(100)
"""


@pytest.mark.timeout(120)
def test_a_run_that_is_killed_leaves_no_mount(tmp_path: Path) -> None:
    """Its volume ends with it; where that was killed too it is one of those that the next run and ``clean`` unmount."""
    place = tmp_path / "place"
    place.mkdir()
    command = [sys.executable, "-c", HOLDING, str(place), str(tmp_path / "log")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None and run.stdout.readline() == "up\n"
        [child] = subprocess.run(
            ["pgrep", "-P", str(run.pid)], capture_output=True, text=True, check=True
        ).stdout.split()
        os.kill(int(child), signal.SIGSTOP)
        run.kill()
    os.kill(int(child), signal.SIGKILL)
    until = time.monotonic() + 30
    while not [one for one in mounts.stale() if one.path == place] and time.monotonic() < until:
        time.sleep(0.05)
    [left] = [one for one in mounts.stale() if one.path == place]
    assert mounts.clear(left) == ""
    assert not [one for one in mounts.volumes() if one.path == place]
