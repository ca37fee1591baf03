"""Replays of programs in which a machine or its disk fails, on a real store; what a killed run leaves of volumes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.adapters.volumes import mounts
from fsconform.engine.histories.concurrent import Concurrent, encode
from fsconform.engine.injection import MACHINE, Medium
from fsconform.model.filesystem.options.writers import CHECKSUMS_VERIFIED, CLOSE_DURABLE
from fsconform.suites.medium import Spoilage
from fsconform.suites.power import ONCE_RETURNED, Outage

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(autouse=True)
def mountable() -> None:
    if lack := mounts.lacking():
        pytest.skip(lack)


def written(place: Path, signature: str, program: Concurrent, **promised: bool) -> Path:
    """A replay file of a program, judged by the contract of ``local`` with some promises more."""
    row: dict[str, Any] = {
        "fsconform-replay": 1,
        "signature": signature,
        "verdict": "violation",
        "store": "local",
        "contract": {**load_shipped("local").declared, **promised},
        "program": [],
        "concurrent": encode(program),
    }
    place.write_text(json.dumps(row), "utf-8")
    return place


@pytest.mark.long
@pytest.mark.timeout(300)
def test_a_loss_of_power_is_replayed_on_a_real_store(fsconform: Command, tmp_path: Path) -> None:
    """This machine's close syncs nothing: a contract that promised it would be broken, its own is not."""
    program = Outage("create", MACHINE, ONCE_RETURNED, "nothing", 0, "ordered", leased=False).program
    signature = "create returned none, and its client killed then, and machine without power then (ordered disks)"
    promising = written(tmp_path / "one.json", signature, program, **{CLOSE_DURABLE: True})
    ran = fsconform("replay", promising, seconds=280)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert f"reproduced: violation: {signature}" in ran.stdout and "outputstream.close.post.durable" in ran.stdout
    ran = fsconform("replay", written(tmp_path / "own.json", signature, program), seconds=280)
    assert ran.returncode == 0 and "gone" in ran.stdout, ran.stdout + ran.stderr


@pytest.mark.timeout(300)
def test_a_byte_that_rotted_is_replayed_on_a_real_store(fsconform: Command, tmp_path: Path) -> None:
    program = Spoilage("read", Medium(MACHINE, 0, "data", 8), leased=False).program
    signature = "open answered, and a byte of data flipped at machine"
    promising = written(tmp_path / "one.json", signature, program, **{CHECKSUMS_VERIFIED: True})
    ran = fsconform("replay", promising, seconds=280)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert f"reproduced: violation: {signature}" in ran.stdout and "filesystem.open.post" in ran.stdout


def _owned(place: Path) -> list[int]:
    """The processes that have a folder for temporary files."""
    found = []
    for one in Path("/proc").iterdir():
        try:
            if one.name.isdigit() and f"TMPDIR={place}".encode() in (one / "environ").read_bytes().split(b"\0"):
                found.append(int(one.name))
        except OSError:
            continue
    return found


def _soon(done: Callable[[], Any]) -> bool:
    until = time.monotonic() + 60
    while not done() and time.monotonic() < until:
        time.sleep(0.05)
    return bool(done())


@pytest.mark.timeout(300)
@pytest.mark.parametrize("suite", ["power", "medium"])
def test_clean_tidies_up_after_a_run_on_volumes_that_was_killed(fsconform: Command, tmp_path: Path, suite: str) -> None:
    """The volume's process is held, so that it can't end with its run, and killed: its mount stays."""
    place = tmp_path / "tmp"
    place.mkdir()
    command = [sys.executable, "-m", "fsconform.app.main", "run", "--store", "local", "--suite", suite]
    command += ["--effort", "deep", "--out", str(tmp_path / "out")]

    def mounted() -> list[Path]:
        return [one.path for one in mounts.volumes() if one.path.is_relative_to(place)]

    with subprocess.Popen(
        command, env=os.environ | {"TMPDIR": str(place)}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as run:
        assert _soon(mounted)
        serving = [pid for pid in _owned(place) if b"volumes.mount" in Path(f"/proc/{pid}/cmdline").read_bytes()]
        for pid in serving:
            os.kill(pid, signal.SIGSTOP)
        run.kill()
    assert len(serving) == 1
    os.kill(serving[0], signal.SIGKILL)
    assert _soon(lambda: not _owned(place)), _owned(place)
    # The next fsconform that begins on this machine, a test beside this one perhaps, unmounts it as well.
    ran = fsconform("clean", environment={"TMPDIR": str(place)})
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert not mounted() and not [one for one in place.iterdir() if one.name.startswith("fsconform-")]
