"""Campaigns whose Python workers and executors are killed at random times: nothing is lost and nothing is double.

Three kills here; FSCONFORM_KILLS=20 is for the night.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.app.campaigns.programs import enumerated_total
from fsconform.app.campaigns.units import Order, StoreOrder, here
from fsconform.pipeline import schema
from fsconform.pipeline.aggregate import chosen
from fsconform.pipeline.depot import LocalDepot
from fsconform.pipeline.units import cut
from fsconform.records.codec import loads

KILLS = int(os.environ.get("FSCONFORM_KILLS", "3"))
PROGRAMS, SIZE, SEED = 300 * KILLS, 50, 3
FAULT = "rename-copies"


@pytest.fixture
def work(tmp_path: Path) -> Iterator[None]:
    """The folders that Spark's own workers of a local cluster leave beside its installation are removed."""
    import pyspark

    folder = Path(pyspark.__file__).parent / "work"
    before = set(folder.glob("app-*"))
    yield
    for one in set(folder.glob("app-*")) - before:
        if any(str(tmp_path) in text for text in _texts(one)):
            shutil.rmtree(one, ignore_errors=True)


def _texts(folder: Path) -> list[str]:
    """What the launch commands in the executors' logs say."""
    return [path.read_text("utf-8", "replace") for path in folder.glob("*/std*")]


def _python_workers(parent: psutil.Process) -> list[psutil.Process]:
    """Those that Spark's daemon forked: each has a daemon as its parent."""
    found = [one for one in _below(parent) if _says(one, "pyspark.daemon") or _says(one, "pyspark/daemon")]
    return [one for one in found if one.ppid() in {other.pid for other in found}]


def _executors(parent: psutil.Process) -> list[psutil.Process]:
    return [one for one in _below(parent) if _says(one, "CoarseGrainedExecutorBackend")]


def _below(parent: psutil.Process) -> list[psutil.Process]:
    try:
        return parent.children(recursive=True)
    except psutil.Error:
        return []


def _says(process: psutil.Process, word: str) -> bool:
    try:
        return any(word in part for part in process.cmdline())
    except psutil.Error:
        return False


@pytest.mark.timeout(300 + 120 * KILLS)
def test_kills_lose_nothing_and_double_nothing(tmp_path: Path, work: None) -> None:
    """SIGKILL to a Python worker, to an executor, and so on by turns, while units are attempted."""
    dice, out = random.Random(os.environ.get("FSCONFORM_KILL_SEED", "1")), tmp_path / "out"
    units = cut([("proving", "")], ["namespace"], PROGRAMS, SIZE, enumerated_total)
    log = tmp_path / "log"
    with log.open("wb") as stream:
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "fsconform.app.main", "campaign", "--store", "proving", "--fault", FAULT),
                *("--suite", "namespace", "--programs", str(PROGRAMS), "--unit", str(SIZE), "--seed", str(SEED)),
                *("--master", "local-cluster[2,1,1024]", "--out", str(out)),
            ],
            cwd=tmp_path,
            stdout=stream,
            stderr=stream,
        )
    killed: list[str] = []
    try:
        parent = psutil.Process(process.pid)
        while process.poll() is None:
            done = len(list((out / "markers").glob("unit-*.json"))) if (out / "markers").is_dir() else 0
            # One kill for each part of the campaign, at a random moment of it.
            due = len(killed) < KILLS and done >= len(killed) * len(units) // (KILLS + 1) + 1
            find = _executors if len(killed) % 2 else _python_workers
            victims = find(parent) if due else []
            if victims:
                time.sleep(dice.uniform(0, 0.3))
                victim = dice.choice(victims)
                try:
                    os.kill(victim.pid, signal.SIGKILL)
                    killed.append(find.__name__)
                except ProcessLookupError:
                    pass
            time.sleep(0.05)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
    said = log.read_text("utf-8", "replace")
    assert process.returncode == 1, said[-3000:]
    assert len(killed) == KILLS, f"only {killed} were met at work"
    depot = LocalDepot(out)
    markers = chosen(depot, units)
    assert sorted(markers) == [unit.number for unit in units]
    rows = [
        row
        for marker in markers.values()
        for row in schema.from_parquet("traces", depot.read(marker.files["traces"].name) or b"")
    ]
    wanted = Counter((unit.number, place) for unit in units for place in range(unit.first, unit.first + unit.count))
    assert Counter((row["unit"], row["number"]) for row in rows) == wanted
    (record,) = loads(out / "report" / "latest" / "results.json").stores
    assert record.problems == []
    order = Order("c", SEED, (StoreOrder("proving", load_shipped("proving")),), fault=FAULT)
    clauses: Counter[str] = Counter()
    for _, produced in here(order, units, tmp_path):
        for tally in produced.rows["tallies"]:
            if tally["kind"] == "clause":
                clauses[tally["name"]] += tally["count"]
    assert record.clauses == dict(clauses)
