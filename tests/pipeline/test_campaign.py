"""Whole campaigns through Spark on this machine: what they find, that they go on, and that they leave nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.app.campaigns.programs import enumerated_total, programs
from fsconform.app.campaigns.units import EachTraceJudge
from fsconform.engine import exploration
from fsconform.engine.benches import Benches
from fsconform.engine.confirm import prove_all
from fsconform.engine.exploration import Outcome, Plan, explore
from fsconform.engine.explorers import from_list
from fsconform.engine.judge import Judge
from fsconform.engine.traces import SCHEMA, decode_trace
from fsconform.pipeline import schema
from fsconform.pipeline.aggregate import chosen
from fsconform.pipeline.depot import LocalDepot
from fsconform.pipeline.units import Unit, cut
from fsconform.proving.session import ProvingStore
from fsconform.records.codec import loads
from fsconform.records.results import StoreRecord

FAULT = "rename-copies"
PROGRAMS, SIZE, SEED = 240, 60, 7
CONTRACT = load_shipped("proving")


@dataclass(frozen=True, slots=True)
class Done:
    """A campaign that ended."""

    code: int
    said: str
    out: Path

    @property
    def record(self) -> StoreRecord:
        """What it says of its store."""
        (record,) = loads(self.out / "report" / "latest" / "results.json").stores
        return record


def _campaign(out: Path, *more: str) -> Done:
    """The command in a process of its own; all that it starts carries a mark in its environment."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "fsconform.app.main", "campaign", "--store", "proving", "--fault", FAULT),
            *("--suite", "namespace", "--programs", str(PROGRAMS), "--unit", str(SIZE), "--seed", str(SEED)),
            *("--master", "local[2]", "--out", str(out), *more),
        ],
        env=os.environ | {"FSCONFORM_MARK": str(out)},
        cwd=out.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    return Done(done.returncode, done.stderr + done.stdout, out)


def _exactly_once(out: Path) -> None:
    """Raises AssertionError unless each program of each unit is there once, of the attempts that markers name."""
    depot, units = LocalDepot(out), _units()
    markers = chosen(depot, units)
    assert len(markers) == len(units)
    rows = [
        row
        for marker in markers.values()
        for row in schema.from_parquet("traces", depot.read(marker.files["traces"].name) or b"")
    ]
    assert Counter((row["unit"], row["number"]) for row in rows) == Counter(
        (unit.number, place) for unit in units for place in range(unit.first, unit.first + unit.count)
    )
    assert {(row["schema"], row["store"], row["suite"]) for row in rows} == {(SCHEMA, "proving", "namespace")}


def _units() -> tuple[Unit, ...]:
    return cut([("proving", "")], ["namespace"], PROGRAMS, SIZE, enumerated_total)


def _marked(mark: Path) -> list[str]:
    """The processes that a campaign started and that go on."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("FSCONFORM_MARK") == str(mark) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(" ".join(process.cmdline())[:200])
        except psutil.Error:
            continue
    return found


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Done:
    """One campaign for all tests that only look."""
    return _campaign(tmp_path_factory.mktemp("campaign") / "out")


@pytest.fixture(scope="module")
def plain() -> tuple[Outcome, dict[str, tuple[str, int]]]:
    """The engine's own exploration of the same programs."""
    benches = Benches(ProvingStore(fault=FAULT), CONTRACT, 1)
    benches.judge = EachTraceJudge(benches.oracle)
    found = [program for unit in _units() for _, program in programs(benches.oracle, SEED, unit)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exploration, "GO_ON_LIMIT", sys.maxsize)
        outcome = explore(benches, Plan((from_list("all", found, whole=True),), 0.0))
    proven = prove_all(benches, outcome.collected)
    benches.close()
    return outcome, {one.finding.signature: (one.finding.verdict, one.count) for one in proven}


def test_finds_what_the_plain_engine_finds(done: Done, plain: tuple[Outcome, dict[str, tuple[str, int]]]) -> None:
    """The same signatures, as often, with the same verdicts, and the same counts of clauses."""
    outcome, verdicts = plain
    assert done.code == 1, done.said
    assert verdicts, "the fault must show, or nothing is compared"
    assert {one.signature: (one.verdict, one.count) for one in done.record.divergences} == verdicts
    assert done.record.clauses == dict(outcome.collected.clauses)
    assert done.record.programs == outcome.collected.programs == PROGRAMS
    assert done.record.operations == outcome.collected.operations
    assert done.record.probes == outcome.collected.probes
    assert {name: one.count for name, one in done.record.latencies.items()} == {
        name: len(times) for name, times in outcome.collected.latencies.items()
    }
    assert done.record.problems == []


def test_every_program_is_there_once(done: Done) -> None:
    """As the traces themselves say."""
    _exactly_once(done.out)


@pytest.mark.long
def test_two_drivers_at_once(done: Done, tmp_path: Path) -> None:
    """Units are attempted twice, as Spark's speculation would: one attempt counts, and both drivers tell the same."""
    out = tmp_path / "out"
    with ThreadPoolExecutor(2) as pool:
        both = [one.result() for one in [pool.submit(_campaign, out) for _ in range(2)]]
    assert [one.code for one in both] == [1, 1], both[0].said + both[1].said
    _exactly_once(out)
    for report in (out / "report").glob("2*/results.json"):
        (record,) = loads(report).stores
        assert (record.clauses, record.problems) == (done.record.clauses, [])


def test_recorded_traces_are_judged_as_they_were(done: Done) -> None:
    """Without a store, in this process."""
    depot, judge = LocalDepot(done.out), None
    for marker in chosen(depot, _units()).values():
        live: dict[int, list[str]] = {}
        for row in schema.from_parquet("verdicts", depot.read(marker.files["verdicts"].name) or b""):
            live.setdefault(row["number"], []).append(row["signature"])
        for row in schema.from_parquet("traces", depot.read(marker.files["traces"].name) or b""):
            judge = judge or Judge(Benches(ProvingStore(), CONTRACT, 1).oracle)
            trace = decode_trace(row)
            found = judge.judge(trace.trace, dict(trace.snapshots)).findings
            assert [one.signature for one in found] == live.get(row["number"], [])


def test_person_is_told(done: Done) -> None:
    """Where Spark's own pages are, how far it is, and where the report is."""
    assert "see http://127.0.0.1:" in done.said
    assert "of 4 units" in done.said
    assert done.said.rstrip().endswith("index.html")
    assert list((done.out / "report").glob("*/logs/spark.log"))


def test_nothing_is_left_running(done: Done) -> None:
    """Neither Spark's JVM nor Python workers nor bridges."""
    deadline = time.monotonic() + 20
    while _marked(done.out) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert _marked(done.out) == []


@pytest.mark.long
def test_what_a_baseline_knows_does_not_fail(done: Done, tmp_path: Path) -> None:
    """The campaign before is the baseline; its units are done, and are judged against it."""
    out = tmp_path / "out"
    shutil.copytree(done.out, out, symlinks=True)
    again = _campaign(out, "--baseline", str(done.out / "report" / "latest"))
    assert again.code == 0, again.said
    failing = [one for one in again.record.divergences if one.verdict in ("violation", "undeclared")]
    assert failing and {one.baseline for one in failing} == {"known"}


def test_goes_on_with_what_is_missing(done: Done, tmp_path: Path) -> None:
    """Of a campaign that lost two units these are made, the others stay as they are, and the sums are the same."""
    out = tmp_path / "out"
    shutil.copytree(done.out, out, symlinks=True)
    depot, units = LocalDepot(out), _units()
    before = chosen(depot, units)
    for number in (1, 3):
        (out / "markers" / f"unit-{number:08}.json").unlink()
    again = _campaign(out)
    assert again.code == 1, again.said
    assert "2 of 4 units are done already" in again.said
    after = chosen(depot, units)
    assert {number for number in after if after[number].attempt != before[number].attempt} == {1, 3}
    assert again.record.clauses == done.record.clauses
    told = [(one.signature, one.verdict, one.count) for one in again.record.divergences]
    assert told == [(one.signature, one.verdict, one.count) for one in done.record.divergences]


@pytest.mark.parametrize("how", ["missing", "cut", pytest.param("other", marks=pytest.mark.long)])
def test_a_folder_that_is_not_whole_names_the_file(done: Done, tmp_path: Path, how: str) -> None:
    """Before Spark is started, if its size shows it; else once Spark trips over it."""
    out = tmp_path / "out"
    shutil.copytree(done.out, out, symlinks=True)
    name = chosen(LocalDepot(out), _units())[2].files["verdicts"].name
    data = (out / name).read_bytes()
    (out / name).unlink()
    if how != "missing":
        (out / name).write_bytes(data[: len(data) // 2] if how == "cut" else b"x" * len(data))
    again = _campaign(out)
    assert again.code == 2, again.said
    assert f"{name}: " in again.said and "remove markers/unit-00000002.json in it" in again.said
    assert ("spark: local" in again.said) is (how == "other")
