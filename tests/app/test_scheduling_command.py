"""The command's side of it: seeds and resuming, folders of refused runs, rates, records, a second interrupt."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from click.testing import CliRunner

from fsconform.app.main import main
from fsconform.engine.waivers import parse
from fsconform.records.codec import loads

Command = Callable[..., subprocess.CompletedProcess[str]]
BRIEF = ("run", "--store", "proving", "--suite", "delete", "--effort", "20")
PROVING = ("run", "--store", "proving", "--suite", "delete", "--budget", "0")


def test_a_seed_beside_resume_is_refused(tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    runner = CliRunner()
    assert runner.invoke(main, [*PROVING, "--out", out, "--seed", "5"]).exit_code == 0
    latest = str(tmp_path / "out" / "latest")
    for seed in ("5", "0"):
        refused = runner.invoke(main, [*PROVING, "--out", out, "--resume", latest, "--seed", seed])
        assert refused.exit_code == 2
        assert "--resume goes on with the seed of the earlier run: leave --seed out" in refused.output
    resumed = [*BRIEF, "--out", out, "--resume", latest]
    assert runner.invoke(main, resumed).exit_code == 0
    assert loads(tmp_path / "out" / "latest" / "results.json").run.seed == 5


def test_a_refused_sandbox_leaves_no_folder_of_a_run(tmp_path: Path) -> None:
    home = tmp_path / "precious"
    home.mkdir()
    (home / "keep").write_text("kept", "utf-8")
    arguments = ["run", "--uri", home.as_uri(), "--budget", "0", "--shards", "1", "--out", str(tmp_path / "out")]
    ran = CliRunner().invoke(main, arguments)
    assert ran.exit_code == 2 and "holds what is not ours" in ran.output
    assert list((tmp_path / "out").iterdir()) == []


def test_records_of_a_failing_store_are_complete(tmp_path: Path) -> None:
    arguments = (*PROVING, "--fault", "delete-non-empty", "--out", str(tmp_path / "out"))
    assert CliRunner().invoke(main, arguments).exit_code == 1
    (store,) = loads(tmp_path / "out" / "latest" / "results.json").stores
    assert store.statement and store.sessions == 1 and 0 < store.store_wall_seconds < store.seconds
    assert 0 < len(store.coverage) <= 100 and store.coverage[-1].signatures == len(store.divergences)
    failing = [one for one in store.divergences if one.verdict == "violation"]
    assert [one.area for one in failing] == ["delete"]
    waivers = tmp_path / "waivers.toml"
    waivers.write_text("\n".join(one.waiver_block for one in failing), "utf-8")
    assert [one.signature for one in parse(waivers.read_text("utf-8"), waivers)] == [one.signature for one in failing]
    assert all(not one.waiver_block for one in store.divergences if one.verdict != "violation")
    assert CliRunner().invoke(main, [*arguments, "--waivers", str(waivers)]).exit_code == 0


def test_a_resumed_run_keeps_the_places_of_what_it_did_not_reach(tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    runner = CliRunner()
    assert runner.invoke(main, [*BRIEF, "--out", out]).exit_code == 0
    latest = tmp_path / "out" / "latest"
    before = (latest / "progress.json").read_text("utf-8")
    # Nothing is left to do of what the effort asks for.
    assert runner.invoke(main, [*BRIEF, "--out", out, "--resume", str(latest)]).exit_code == 3
    after = (latest / "progress.json").read_text("utf-8")
    assert '"enumeration of 2 operations"' in before
    assert after == before


def test_a_rate_is_kept_to(fsconform: Command, tmp_path: Path) -> None:
    ran = fsconform(
        *("run", "--store", "rawlocal", "--budget", "0", "--suite", "namespace", "--op", "exists", "--shards", "1"),
        *("--rate", "60", "--out", "out"),
    )
    assert ran.returncode == 0, ran.stderr
    (store,) = loads(tmp_path / "out" / "latest" / "results.json").stores
    calls = sum(latency.count for latency in store.latencies.values())
    assert calls > 60
    assert (calls - 1) / 60 <= store.seconds


def _until(met: Callable[[], bool]) -> None:
    """Wait for something that another process does."""
    deadline = time.monotonic() + 60
    while not met():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.parametrize(("times", "number"), [(1, signal.SIGINT), (2, signal.SIGINT), (1, signal.SIGTERM)])
def test_interrupts_leave_no_process_even_where_a_store_hangs(
    tmp_path: Path, seeded: list[str], times: int, number: signal.Signals
) -> None:
    hanging = ("--conf", "seeded.fault=hangs", "seeded.trigger=a", "--timeout", "5" if times == 1 else "600")
    process = subprocess.Popen(
        [sys.executable, "-m", "fsconform.app.main", "run", *seeded, *hanging],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    # A file a is made, and then asked for its status.
    _until(lambda: bool(list(tmp_path.glob("sandbox/run-*/g*/p*/a"))))
    children = psutil.Process(process.pid).children(recursive=True)
    assert children
    os.killpg(process.pid, number)
    assert process.stderr is not None
    for line in process.stderr:
        if "interrupt again to leave at once" in line:
            break
    if times == 2:
        os.killpg(process.pid, signal.SIGINT)
    _, told = process.communicate(timeout=120)
    assert process.returncode == 3, told
    assert ("interrupted again: leaving as soon as what was found is written" in told) is (times == 2)
    _, alive = psutil.wait_procs(children, timeout=30)
    assert not alive
    assert (tmp_path / "out" / "latest").exists()
