"""Races in campaigns: units of concurrent programs, judged where they run, counted once, and judged again."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.app.campaigns.races import CHUNK, concurrent
from fsconform.app.campaigns.units import Order, StoreOrder, execute
from fsconform.engine.histories.concurrent import encode
from fsconform.engine.histories.recorded import decode_history, encode_history, met_again
from fsconform.engine.traces import SCHEMA, Row, TraceRowError
from fsconform.harness.races import judge_of
from fsconform.model.filesystem.oracle import Oracle
from fsconform.pipeline import layout, schema
from fsconform.pipeline.aggregate import Aggregated, aggregate, chosen
from fsconform.pipeline.attempt import Task, make, publish
from fsconform.pipeline.depot import LocalDepot, Place
from fsconform.pipeline.job import missing
from fsconform.pipeline.recheck import Side, judged, markers, recheck, rows_of
from fsconform.pipeline.session import session
from fsconform.pipeline.units import Unit, cut
from fsconform.records.codec import loads
from fsconform.records.results import StoreRecord
from fsconform.suites.races import CRASHES, MEDIUM, POWER, RACE_SUITES, WIRE

CONTRACT = load_shipped("proving")
FAULT = "listing-cached-by-client"
"""A seeded fault that many watches of a listing show; which of its clauses they show hangs on the moment."""

SUITES = ("freshness", "races")
WITHOUT_POWER = [name for name in RACE_SUITES if name not in (POWER.name, MEDIUM.name, WIRE.name)]
"""The suites of campaigns."""
PROGRAMS, SIZE, SEED = 320, 80, 7


def _order(fault: str = "") -> Order:
    return Order("c1", SEED, (StoreOrder("proving", CONTRACT),), fault=fault, model="m")


def _units(programs: int = PROGRAMS, suites: tuple[str, ...] = SUITES, size: int = SIZE) -> tuple[Unit, ...]:
    return cut([("proving", "")], (), programs, size, lambda suite: 0, {"proving": suites})


def _made(unit: Unit, seed: int = 3) -> list[tuple[int, object, int]]:
    return [(place, encode(row.program), number) for place, row, number in concurrent(CONTRACT, seed, unit)]


def test_units_share_programs_with_the_other_suites() -> None:
    """Races are suites among others, of the stores that have them; each place comes once."""
    units = cut([("a", ""), ("b", "")], ["rename"], 90, 20, lambda suite: 10, {"a": ["races", "drawn-races"]})
    assert {unit.store: 0 for unit in units} == {"a": 0, "b": 0}
    sums: dict[tuple[str, str, str], int] = {}
    for unit in units:
        key = unit.store, unit.suite, unit.source
        assert unit.first == sums.get(key, 0) and 0 < unit.count <= 20
        sums[key] = unit.first + unit.count
    assert sums == {
        ("a", "rename", "enumeration"): 10,
        ("a", "rename", "drawn"): 20,
        ("a", "races", "races"): 30,
        ("a", "drawn-races", "races"): 30,
        ("b", "rename", "enumeration"): 10,
        ("b", "rename", "drawn"): 80,
    }


@pytest.mark.parametrize("suite", WITHOUT_POWER)
def test_programs_do_not_hang_on_how_they_are_cut(suite: str) -> None:
    """A part of a unit is what the whole has there; more than a round of a suite, or than a chunk, has no gaps."""
    count = CHUNK + 20
    whole = _made(Unit(0, "proving", suite, "races", 0, count))
    assert [place for place, _, _ in whole] == list(range(count))
    assert _made(Unit(1, "proving", suite, "races", 30, 40)) == whole[30:70]
    assert _made(Unit(0, "proving", suite, "races", 0, count), 4) != whole, "another seed is another order"


@pytest.mark.parametrize("suite", WITHOUT_POWER)
def test_a_sound_store_shows_none_and_each_history_is_judged_again_as_it_was(suite: str, tmp_path: Path) -> None:
    (unit,) = _units(60, (suite,), 60)
    produced = execute(_order(), unit, tmp_path)
    rows, judge = produced.rows["histories"], judge_of(Oracle(CONTRACT))
    assert produced.problem == "" and [row["number"] for row in rows] == list(range(60))
    assert {row["verdict"] for row in rows} == {"conforms"} and not any(row["signatures"] for row in rows)
    assert sum(row["overlaps"] for row in rows) > (-1 if suite == CRASHES.name else 30)  # calls in which clients died
    for row in rows:
        history = decode_history(row)
        assert encode_history(history).items() <= row.items()
        assert judge.judge(history).verdict == row["verdict"]
    tallies: Mapping[str, int] = {one["name"]: one["count"] for one in produced.rows["tallies"]}
    assert tallies["programs"] == tallies["programs of races"] == 60
    assert tallies["operations"] == sum(row["calls"] for row in rows)


def test_what_a_unit_writes_is_read_again(tmp_path: Path) -> None:
    """Histories and tallies, and no other table; another attempt at it is not made."""
    (unit,) = units = _units(20, ("freshness",), 20)
    place = Place(str(tmp_path / "out"))
    task = Task("c1", place, execute, _order(FAULT))
    assert make(task, unit, "first", tmp_path)["status"] == "chosen"
    assert make(task, unit, "second", tmp_path)["status"] == "there"
    depot = LocalDepot(tmp_path / "out")
    (marker,) = chosen(depot, units).values()
    assert set(marker.files) == {"histories", "tallies"}
    assert layout.decode_marker(layout.encode_marker(marker), "m") == marker
    rows = rows_of(depot, [marker], "histories")
    assert [(row["number"], row["schema"], row["suite"]) for row in rows] == [
        (number, SCHEMA, "freshness") for number in range(20)
    ]
    assert rows_of(depot, [marker]) == []


def _attempted(root: str, unit: Unit, scratch: str) -> None:
    task = Task("c1", Place(root), execute, _order(FAULT))
    for number in range(1000):
        produced = execute(task.order, unit, Path(scratch))
        publish(LocalDepot(Path(root)), "c1", unit, f"{os.getpid()}-{number}", produced)


@pytest.mark.timeout(600)
def test_a_kill_at_any_moment_leaves_a_whole_unit_or_none(tmp_path: Path) -> None:
    """SIGKILL while histories are made or written; the attempt after it counts if the killed one does not."""
    (unit,) = units = _units(20, ("freshness",), 20)
    for turn in range(3):
        root = tmp_path / f"out{turn}"
        process = multiprocessing.get_context("spawn").Process(target=_attempted, args=(str(root), unit, str(tmp_path)))
        process.start()
        assert process.pid is not None
        while process.is_alive() and not list(root.glob("histories/**/*")):
            time.sleep(0.005)
        time.sleep(0.003 * turn)
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        depot = LocalDepot(root)
        was_chosen = not missing(depot, units)
        told = make(Task("c1", Place(str(root)), execute, _order(FAULT)), unit, "after", tmp_path)
        assert told["status"] == ("there" if was_chosen else "chosen")
        rows = rows_of(depot, chosen(depot, units).values(), "histories")
        assert [row["number"] for row in rows] == list(range(20)) and len({row["attempt"] for row in rows}) == 1


def test_a_row_that_is_no_history_is_told() -> None:
    """With what is wrong, wherever rows come from."""
    whole: Row = {
        "program": '{"beginning":[],"lanes":[[]],"delays":[0],"ending":[]}',
        **{"places": [], "outcomes": [], "invoked": [], "returned": [], "lost": ""},
    }
    assert decode_history(whole).calls == ()
    wrongs: tuple[Row, ...] = ({"program": "{"}, {"places": [0]}, {"places": [5], "outcomes": ['{"kind":"unknown"}']})
    for wrong in wrongs:
        with pytest.raises(TraceRowError, match="not a recorded history"):
            decode_history(whole | wrong)
    more = {"places": [0], "outcomes": ['{"kind":"returned","value":true}'], "invoked": [1], "returned": [2]}
    with pytest.raises(TraceRowError, match="more calls than its program"):
        decode_history(whole | more)
    where = {"store": "s", "unit": 1, "number": 2, "options": "{}", "quirks": []}
    told, last = judged([where | whole | more], [Side("recorded")])
    assert "unit 1, program 2: not a recorded history" in told["problem"] and last["programs"] == 0


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


def _campaign(out: Path) -> Done:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "fsconform.app.main", "campaign", "--store", "proving", "--fault", FAULT),
            *(word for suite in SUITES for word in ("--suite", suite)),
            *("--programs", str(PROGRAMS), "--unit", str(SIZE), "--seed", str(SEED)),
            *("--master", "local[2]", "--out", str(out)),
        ],
        cwd=out.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    return Done(done.returncode, done.stderr + done.stdout, out)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Done:
    """One campaign for all tests that only look."""
    return _campaign(tmp_path_factory.mktemp("campaign") / "out")


def _histories(out: Path) -> list[Row]:
    depot = LocalDepot(out)
    return rows_of(depot, chosen(depot, _units()).values(), "histories")


def _shown(out: Path) -> Row:
    """A history of one violation."""
    return next(row for row in _histories(out) if row["verdict"] == "violation" and len(row["clauses"]) == 1)


@pytest.mark.timeout(600)
def test_a_seeded_fault_is_found_confirmed_and_told(done: Done) -> None:
    """As `run` tells it: a divergence with its history, and the matrix of pairs; the sums are those of the rows.

    A race that 200 repeats did not show again is inconclusive, as anywhere.
    """
    assert done.code == 1, done.said
    record, rows = done.record, _histories(done.out)
    assert record.problems == [] and record.internal_errors == []
    assert {one.verdict for one in record.divergences} <= {"violation", "inconclusive"}
    met = [name for row in rows for name in row["signatures"]]
    told = next(one for one in record.divergences if one.verdict == "violation")
    assert [told.clause] in [row["clauses"] for row in rows if row["verdict"] == "violation"]
    assert told.history is not None and 0 < told.history.shown <= told.history.runs == 200
    assert sum(one.count for one in record.divergences) <= len(met)
    assert list((done.out / "report").glob("*/replays/*.json"))
    races = record.races
    assert races is not None
    assert (races.planned, races.programs) == (PROGRAMS, PROGRAMS) == (record.programs, len(rows))
    assert races.calls == record.operations == sum(row["calls"] for row in rows)
    assert races.overlaps == sum(row["overlaps"] for row in rows)
    assert sum([*(one.programs for one in races.pairs), *(one.programs for one in races.freshness)]) == PROGRAMS
    assert races.clauses == record.clauses and races.clauses[told.clause]
    named = [*(one.signatures for one in races.pairs), *(one.signatures for one in races.freshness)]
    assert {name for names in named for name in names} == set(met)
    assert record.explorers == []


def _summed(spark: object, out: Path) -> Aggregated:
    return aggregate(spark, Place(str(out)), LocalDepot(out), _units())


def _rewrite(out: Path, name: str, rows: list[Row]) -> None:
    (out / name).write_bytes(schema.to_parquet("histories", rows))


@pytest.mark.timeout(600)
def test_each_history_counts_once_and_is_judged_again(done: Done, tmp_path: Path) -> None:
    """Another attempt's files count nothing; what is double or lost is told; verdicts that were altered show."""
    out = tmp_path / "out"
    shutil.copytree(done.out, out, symlinks=True)
    depot, units, place = LocalDepot(out), _units(), Place(str(out))
    first = chosen(depot, units)[0]
    own = rows_of(depot, [first], "histories")
    left = {name for name in own[0] if name not in ("schema", "campaign", "unit", "attempt", "store", "suite")}
    tallies = [{**row} for row in rows_of(depot, [first], "tallies")]
    produced = replace(
        execute(_order(), replace(units[0], count=1), tmp_path),
        rows={"histories": [{name: row[name] for name in left} for row in own], "tallies": tallies},
    )
    with session("local[2]", {}, tmp_path / "logs") as spark:
        before = _summed(spark, out)
        assert before.problems == [] and before.races and before.race_signatures
        assert not publish(depot, "c1", units[0], "again", produced), "the unit's first attempt counts"
        after = _summed(spark, out)
        assert (after.counts, after.races, after.problems) == (before.counts, before.races, [])
        assert after.race_signatures == before.race_signatures

        today = (Side("recorded"),)
        same = recheck(spark, place, markers(depot), today)
        assert (same.changes, same.problems, same.programs) == ([], [], PROGRAMS)
        assert {row["signature"] for row in same.signatures} == {row["signature"] for row in before.race_signatures}
        row = _shown(out)
        assert (f"clause {row['clauses'][0]}",) in {tuple(row["traits"]) for row in same.signatures}
        name = next(one for one in chosen(depot, units).values() if one.unit == row["unit"]).files["histories"].name
        rows = schema.from_parquet("histories", (out / name).read_bytes())
        place_of = next(number for number, one in enumerate(rows) if one["number"] == row["number"])
        _rewrite(out, name, [*rows[:place_of], row | {"kinds": ["waived"]}, *rows[place_of + 1 :]])
        (change,) = recheck(spark, place, markers(depot), today).changes
        assert (change["before"], change["after"], change["clause"]) == ("waived", "violation", row["clauses"][0])
        assert change["sights"] == 1

        _rewrite(out, name, [*rows, rows[0]])
        (told,) = _summed(spark, out).problems
        assert told == f"unit {row['unit']}: {SIZE + 1} traces of {SIZE} programs: some are double"
        _rewrite(out, name, rows[1:])
        (told,) = _summed(spark, out).problems
        assert told == f"unit {row['unit']}: programs are lost: {SIZE - 1} of {SIZE}"


@pytest.mark.timeout(600)
def test_goes_on_with_what_is_missing(done: Done, tmp_path: Path) -> None:
    """The units that are there stay as they are, with their histories: what they show is told again."""
    out = tmp_path / "out"
    shutil.copytree(done.out, out, symlinks=True)
    (out / "markers" / "unit-00000003.json").unlink()
    depot, units = LocalDepot(out), _units()
    before = chosen(depot, units)
    assert [unit.number for unit in missing(depot, units)] == [3]
    again = _campaign(out)
    assert "3 of 4 units are done already" in again.said and again.code == 1, again.said
    after = chosen(depot, units)
    assert {number for number in after if after[number] != before.get(number)} == {3}
    assert again.record.races is not None and again.record.races.programs == PROGRAMS


@pytest.mark.timeout(600)
def test_a_recorded_race_is_the_one_that_is_confirmed(done: Done) -> None:
    """The driver finds in a history again what the unit found, and nothing else; how stale it was stands there."""
    judge = judge_of(Oracle(CONTRACT))
    row = _shown(done.out)
    (name,) = row["signatures"]
    met = met_again(judge, decode_history(row), name)
    assert met is not None and met.judged.verdict == "violation" == row["verdict"] == row["pair_verdict"]
    assert met_again(judge, decode_history(row), name + "x") is None
    assert row["watches"] and row["milliseconds"] > 0
