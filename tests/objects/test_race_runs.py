"""Races of object stores as part of a run: what is tried, told, recorded and replayed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fsconform.adapters.meeting import board
from fsconform.adapters.s3.clients import ObjectClients
from fsconform.adapters.s3.session import S3Session
from fsconform.app.main import main
from fsconform.engine.effort import Effort
from fsconform.engine.histories.exploration import Exploration, Plan
from fsconform.engine.objects.histories import ObjectJudge
from fsconform.engine.objects.race_matrix import ObjectMatrix
from fsconform.harness.layer_replays import OBJECT_FILES
from fsconform.harness.object_races import Explored, plan_of
from fsconform.harness.problems import DIVERGENCES, OK, Problem
from fsconform.model.objects import clauses as ids
from fsconform.model.objects.contract import STRICT
from fsconform.proving.objects.faults import raced
from fsconform.proving.objects.store import ObjectError
from fsconform.suites.s3_races import Cell, Watch, cells, planned

RUN = ("run", "--store", "s3-proving", "--group", "races")


def explored(fault: str, *rows: Cell | Watch, times: int = 8) -> Explored:
    store = raced(fault)
    clients = ObjectClients(S3Session(store.client(0), ObjectError), [store.client(1)], board)
    found = Exploration(
        clients, ObjectMatrix(clients, ObjectJudge(STRICT)), Plan(tuple((row, n) for n in range(times) for row in rows))
    )
    found.run()
    return found


def run(*words: str) -> Any:
    return CliRunner().invoke(main, words)


@pytest.mark.timeout(300)
def test_fail_fast_ends_the_exploring_at_what_fails(tmp_path: Path) -> None:
    operations = {}
    for name, fault, words in (
        ("faulty", "copy-drops-metadata", ()),
        ("faulty, fast", "copy-drops-metadata", ("--fail-fast",)),
        ("sound, fast", "", ("--fail-fast",)),
    ):
        out = tmp_path / name
        chosen = ("--fault", fault) if fault else ()
        done = run("run", "--store", "s3-proving", *chosen, "--budget", "0", *words, "--out", str(out))
        assert done.exit_code == (DIVERGENCES if fault else OK), done.output
        (record,) = json.loads((out / "latest" / "results.json").read_text())["stores"]
        operations[name] = record["operations"]
    assert operations["faulty, fast"] < operations["faulty"] / 2 < operations["sound, fast"]


def test_each_program_comes_once_before_one_comes_again() -> None:
    every = planned(3, 4000)
    first = [row for row, _ in every]
    size = len(set(first))
    assert len(set(first[:size])) == size >= len([*cells()]) and first[size : 2 * size] == first[:size]
    assert all(one != two for (_, one), (_, two) in zip(every, every[size:], strict=False))
    assert planned(3, 40) == every[:40] != planned(4, 40)


def test_effort_and_budget_say_what_is_tried() -> None:
    assert plan_of(Effort(programs=9), 0, None) is None and plan_of(Effort(), 0, 0) is None
    plan = plan_of(Effort(programs=1000), 0, 50)
    assert plan is not None and (len(plan.rows), plan.seconds, plan.proving) == (100, 10, 10)


def test_a_race_stands_in_its_pair_and_the_others_are_atomic() -> None:
    found = explored("get-mixes-old-and-new", Cell("an object", "put", "get"), Cell("an object", "put", "head"))
    pairs = {one.second: one for one in found.matrix.pairs()}
    assert (pairs["get"].outcome, pairs["get"].verdict) == ("seen half-done", "violation")
    assert (pairs["head"].outcome, pairs["head"].verdict) == ("atomic", "conforms")
    (race,) = found.proven
    assert pairs["get"].signatures == [race.finding.signature] and race.finding.clause == ids.ATOMIC_UPDATES
    assert found.matrix.programs == 16 and found.complete and found.matrix.clauses[ids.ATOMIC_UPDATES]


def test_how_long_a_change_stayed_unseen_is_measured() -> None:
    found = explored("list-shows-put-late", Watch("nothing", "put", "list"))
    (row,) = found.matrix.freshness()
    assert row.stale and 0 < row.milliseconds < 1000 and row.verdict == "violation"
    assert not found.matrix.pairs()


def test_what_one_client_alone_shows_is_no_race() -> None:
    found = explored("abort-keeps-upload", Cell("an upload", "abort", "abort"), Cell("an object", "put", "get"))
    assert not found.proven and {one.verdict for one in found.matrix.pairs()} == {"conforms"}
    assert found.matrix.notes == [
        "no race, as one client alone shows it with the same requests: abort beside abort (8)"
    ]


def test_a_run_tells_of_a_race_and_its_replay_shows_it_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    fault = ("--fault", "get-mixes-old-and-new")
    done = run(*RUN, *fault, "--effort", "3000", "--budget", "40")
    assert done.exit_code == DIVERGENCES, done.output
    (store,) = json.loads((tmp_path / "results/latest/results.json").read_text())["stores"]
    assert store["races"]["programs"] and store["races"]["overlaps"] and store["clauses"][ids.ATOMIC_UPDATES]
    divergence = next(one for one in store["divergences"] if one["clause"] == ids.ATOMIC_UPDATES)
    history = divergence["history"]
    assert history["program"]["lanes"] and any(call["marked"] for call in history["calls"])
    file = tmp_path / "results/latest" / divergence["replay"]
    assert json.loads(file.read_text())["concurrent"] == history["program"]
    again = run("replay", str(file), *fault)
    assert again.exit_code == DIVERGENCES and "runs" in again.output and "reproduced" in again.output, again.output
    gone = run("replay", str(file))
    assert gone.exit_code == OK and "gone" in gone.output, gone.output


def test_a_sound_store_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(*RUN, "--effort", "1000")
    assert done.exit_code == OK, done.output
    (store,) = json.loads((tmp_path / "results/latest/results.json").read_text())["stores"]
    assert (store["races"]["programs"], store["divergences"]) == (100, [])


def test_a_replay_file_of_no_concurrent_program_is_told_of(tmp_path: Path) -> None:
    row = {"fsconform-object-replay": 1, "signature": "x", "store": "s3-proving", "contract": {}, "program": []}
    file = tmp_path / "race.json"
    file.write_text(json.dumps(row | {"concurrent": {"lanes": []}}))
    with pytest.raises(Problem, match="not a concurrent program"):
        OBJECT_FILES.read(file)
