"""Exactly once: of attempts at a unit one counts, whole, whatever becomes of the others. Here without Spark."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from fsconform.app.campaigns.units import Order, execute
from fsconform.pipeline import attempt, layout, schema
from fsconform.pipeline.aggregate import chosen
from fsconform.pipeline.attempt import Produced, Task, make, publish, safely
from fsconform.pipeline.depot import DepotError, LocalDepot, Place, open_depot
from fsconform.pipeline.job import missing
from fsconform.pipeline.units import Unit

Cut = Callable[[int, int], tuple[Unit, ...]]
PROCESSES = multiprocessing.get_context("spawn")


def _rows(depot: LocalDepot, units: tuple[Unit, ...], table: str = "traces") -> list[dict[str, object]]:
    """The rows that a reader sees."""
    found = []
    for marker in chosen(depot, units).values():
        name = marker.files[table].name
        found += schema.from_parquet(table, depot.read(name) or b"", name)
    return found


def _programs(rows: list[dict[str, object]]) -> Counter[tuple[object, object]]:
    return Counter((row["unit"], row["number"]) for row in rows)


def test_second_attempt_does_not_count(order: Order, units: Cut, depot: LocalDepot, tmp_path: Path) -> None:
    """Its files lie beside those of the first, and nobody reads them."""
    cut = units(60, 30)
    produced = [execute(order, unit, tmp_path) for unit in cut]
    for unit, one in zip(cut, produced, strict=True):
        assert publish(depot, "c", unit, "first", one)
        assert not publish(depot, "c", unit, "second", one)
    assert len(list(depot.root.glob("traces/**/*.parquet"))) == 2 * len(cut)
    rows = _rows(depot, cut)
    assert {row["attempt"] for row in rows} == {"first"}
    assert set(_programs(rows).values()) == {1} and len(rows) == 60
    assert missing(depot, cut) == []


def test_attempt_without_marker_is_nothing(order: Order, units: Cut, depot: LocalDepot, tmp_path: Path) -> None:
    """As of one that was killed before its end: the unit is missing, and the next attempt fills it."""
    (unit, *_) = cut = units(20, 20)
    produced = execute(order, unit, tmp_path)
    for table in schema.TABLES:
        depot.put(layout.table_file(table, unit, "killed"), b"PAR1 cut off in the midd")
    assert _rows(depot, cut) == []
    assert unit in missing(depot, cut)
    assert publish(depot, "c", unit, "next", produced)
    assert {row["attempt"] for row in _rows(depot, (unit,))} == {"next"}


def test_unit_that_is_done_is_not_executed_again(order: Order, units: Cut, tmp_path: Path) -> None:
    """An attempt looks first."""
    (unit, *_) = units(20, 20)
    task = Task("c", Place(str(tmp_path / "out")), execute, order)
    assert make(task, unit, "a", tmp_path)["status"] == "chosen"
    assert make(task, unit, "b", tmp_path)["status"] == "there"


def test_problem_leaves_the_unit_missing(order: Order, units: Cut, tmp_path: Path) -> None:
    """Nothing is written for it."""
    (unit, *_) = cut = units(20, 20)
    place = Place(str(tmp_path / "out"))
    told = make(Task("c", place, _lost, order), unit, "a", tmp_path)
    assert (told["status"], told["problem"]) == ("problem", "the store is gone")
    assert missing(open_depot(place), cut) == list(cut)


def _lost(order: object, unit: Unit, scratch: Path) -> Produced:
    return Produced(problem="the store is gone")


def _broken(order: object, unit: Unit, scratch: Path) -> Produced:
    raise RuntimeError("a fault of ours")


def test_error_is_told_as_the_problem_of_its_unit(order: Order, units: Cut, tmp_path: Path) -> None:
    """Of ours, and of the folder that is written to: Spark is not to try such a task again and again."""
    (unit, *_) = units(20, 20)
    told = safely(Task("c", Place(str(tmp_path / "out")), _broken, order), unit, "a", tmp_path)
    assert told["status"] == "problem"
    wanted = "internal error of fsconform while executing a unit: RuntimeError: a fault of ours (RuntimeError at test_"
    assert told["problem"].startswith(wanted)
    (tmp_path / "file").write_text("in the way")
    told = safely(Task("c", Place(str(tmp_path / "file")), execute, order), unit, "b", tmp_path)
    assert told["status"] == "problem"
    assert told["problem"].startswith("DepotError: ")


def _race(root: str, name: str, number: int, start: float) -> bool:
    depot = LocalDepot(Path(root))
    while time.time() < start:
        pass
    return depot.put_if_absent(name, f"{number}".encode() * 5000)


def test_marker_is_written_by_one_of_many(tmp_path: Path) -> None:
    """Processes that write it at the same moment: one is told that it did, and its content is there whole."""
    with PROCESSES.Pool(4) as pool:
        for turn in range(25):
            start = time.time() + 0.05
            told = pool.starmap(_race, [(str(tmp_path), f"markers/m{turn}", number, start) for number in range(4)])
            assert told.count(True) == 1, told
            assert (tmp_path / "markers" / f"m{turn}").read_bytes() == f"{told.index(True)}".encode() * 5000
    assert [one for one in os.listdir(tmp_path / "markers") if one.startswith(".")] == []


def _overwrite(depot: LocalDepot, name: str, data: bytes) -> bool:
    depot.put(name, data)
    return True


def test_a_marker_that_is_overwritten_would_be_seen(
    order: Order, units: Cut, depot: LocalDepot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The seeded fault of the first test above: with it both attempts believe that they count."""
    (unit, *_) = units(20, 20)
    produced = execute(order, unit, tmp_path)
    monkeypatch.setattr(LocalDepot, "put_if_absent", _overwrite)
    assert publish(depot, "c", unit, "first", produced)
    assert publish(depot, "c", unit, "second", produced)
    assert {row["attempt"] for row in _rows(depot, (unit,))} == {"second"}


def _killed(root: str, order: Order, unit: Unit, scratch: str) -> None:
    produced = execute(order, unit, Path(scratch))
    for number in range(1000):
        publish(LocalDepot(Path(root)), "c", unit, f"{os.getpid()}-{number}", produced)


def test_kill_at_any_moment_leaves_whole_units_or_none(order: Order, units: Cut, tmp_path: Path) -> None:
    """SIGKILL while a process writes attempt after attempt: what a marker names is there, whole."""
    (unit, *_) = units(20, 20)
    for turn in range(4):
        root = tmp_path / f"out{turn}"
        process = PROCESSES.Process(target=_killed, args=(str(root), order, unit, str(tmp_path)))
        process.start()
        assert process.pid is not None
        while process.is_alive() and not list(root.glob("traces/**/*")):
            time.sleep(0.005)
        time.sleep(0.003 * turn)
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        depot = LocalDepot(root)
        rows = _rows(depot, (unit,))
        assert len(rows) == (0 if missing(depot, (unit,)) else unit.count)


def test_marker_of_something_else_is_refused(units: Cut, depot: LocalDepot) -> None:
    """With its name."""
    cut = units(20, 20)
    depot.put(layout.marker_file(0), b"{}")
    with pytest.raises(layout.MarkerError, match=r"unit-00000000\.json: is no marker"):
        chosen(depot, cut)


def test_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """And the mend."""
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(DepotError, match="choose another folder with --out"):
        LocalDepot(tmp_path / "file").put("a/b", b"x")


def test_depot_is_kept_for_the_next_unit(tmp_path: Path) -> None:
    """And another campaign's takes its place."""
    first, second = Place(str(tmp_path / "a")), Place(str(tmp_path / "b"))
    kept = attempt._depot(first)
    assert attempt._depot(first) is kept
    assert attempt._depot(second) is not kept
