"""The explorer that Hypothesis drives: the same programs everywhere, taken up anywhere, and nothing left behind."""

from __future__ import annotations

import itertools
import json
import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from fsconform.engine.benches import Benches
from fsconform.engine.exploration import Plan, explore
from fsconform.engine.explorers import Explorer
from fsconform.harness.plans import PATIENCE, Filter, explorers
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program, encode_program
from fsconform.proving.session import ProvingStore
from fsconform.suites.dice import BACKEND
from fsconform.suites.exploring import CHUNK, FIRST_CHUNKS, chunks, explorer
from fsconform.suites.registry import DEFAULT, SUITES

Sample = Callable[[str], tuple[Program, ...]]
Numbered = list[tuple[int, Program]]

ELSEWHERE = f"""
import json, random, threading, xml.dom.minidom, wave
random.seed(4711)
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import encode_program
from fsconform.suites.exploring import explorer
from fsconform.suites.registry import SUITES
oracle = Oracle(Contract({{"supports-append": True, "supports-strict-exceptions": True}}))
source = explorer(SUITES["paths"], oracle, 3).source(0)
print(json.dumps([[place, encode_program(program)] for place, program in zip_ if place < {3 * CHUNK}]))
""".replace("zip_", f"(next(source) for _ in range({CHUNK}))")


def first(one: Explorer, count: int, place: int = 0) -> Numbered:
    return list(itertools.islice(one.source(place), count))


@pytest.mark.parametrize(
    "name", [name if name in DEFAULT else pytest.param(name, marks=pytest.mark.long) for name in SUITES]
)
def test_the_same_seed_gives_the_same_programs_each_once_and_another_others(name: str, oracle: Oracle) -> None:
    programs, others = (chunks(SUITES[name], oracle, seed)(2) for seed in (5, 6))
    assert first(explorer(SUITES[name], oracle, 5), len(programs), 2 * CHUNK) == list(enumerate(programs, 2 * CHUNK))
    for drawn in (programs, others):
        assert CHUNK / 2 < len(drawn) <= CHUNK and len(set(drawn)) == len(drawn)
    assert len(set(programs) & set(others)) < CHUNK / 8


def test_the_first_chunks_are_small(oracle: Oracle) -> None:
    """With effort quick a suite has some ten programs: more would be drawn for nothing."""
    draw = chunks(SUITES["paths"], oracle, 5)
    assert all(len(draw(number)) <= most for number, most in enumerate((*FIRST_CHUNKS, CHUNK)))
    assert len(draw(0)) >= FIRST_CHUNKS[0] / 2 and sum(FIRST_CHUNKS) == CHUNK


@pytest.mark.long
def test_suites_draw_differently(oracle: Oracle) -> None:
    given = [{program for _, program in first(explorer(SUITES[name], oracle, 5), CHUNK)} for name in DEFAULT]
    assert all(len(one & other) < CHUNK / 4 for one, other in itertools.combinations(given, 2))


def test_another_process_gives_the_same_programs_and_writes_nothing(tmp_path: Path, oracle: Oracle) -> None:
    environment = os.environ | {"PYTHONHASHSEED": "77", "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("HYPOTHESIS_STORAGE_DIRECTORY", None)
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE],
        cwd=tmp_path,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0 and done.stderr == "", done.stderr
    here = [[place, encode_program(program)] for place, program in first(explorer(SUITES["paths"], oracle, 3), CHUNK)]
    assert json.loads(done.stdout) == here
    assert list(tmp_path.iterdir()) == []


def test_a_source_is_taken_up_at_any_place(oracle: Oracle) -> None:
    one = explorer(SUITES["rename"], oracle, 8)
    whole = first(one, CHUNK + 9)
    assert [number for number, _ in whole] == sorted({number for number, _ in whole})
    for place in (1, CHUNK - 1, CHUNK, CHUNK + 5):
        rest = [(number, program) for number, program in whole if number >= place]
        assert first(one, len(rest), place) == rest


def test_far_places_need_nothing_before_them(oracle: Oracle) -> None:
    ((place, _),) = first(explorer(SUITES["content"], oracle, 8), 1, 10**9)
    assert 10**9 <= place < 10**9 + 2 * CHUNK


def test_chunks_do_not_depend_on_those_before(oracle: Oracle) -> None:
    draw, other = chunks(SUITES["namespace"], oracle, 2), chunks(SUITES["namespace"], oracle, 2)
    forward = [draw(number) for number in range(3)]
    assert [other(number) for number in (2, 1, 0)] == forward[::-1]
    assert len({len(program) for program in forward[0]}) > 1


def test_an_explorer_is_endless_and_named_by_its_suite(oracle: Oracle) -> None:
    one = explorer(SUITES["listing"], oracle, 0)
    assert (one.name, one.bound, one.whole) == ("hypothesis listing", None, False)


def test_threads_do_not_disturb_one_another(oracle: Oracle) -> None:
    names = ("namespace", "delete")
    expected = [first(explorer(SUITES[name], oracle, 1), CHUNK) for name in names]
    found: dict[int, Numbered] = {}

    def run(number: int) -> None:
        found[number] = first(explorer(SUITES[names[number]], oracle, 1), CHUNK)

    random.seed(1)
    before = random.getstate()
    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(names))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[number] for number in range(len(names))] == expected
    assert random.getstate() == before


def test_nothing_is_left_behind(oracle: Oracle, capfd: pytest.CaptureFixture[str]) -> None:
    from hypothesis import settings

    before = random.getstate(), sys.getrecursionlimit(), settings.default, sys.gettrace(), threading.active_count()
    first(explorer(SUITES["namespace"], oracle, 9), CHUNK)
    after = random.getstate(), sys.getrecursionlimit(), settings.default, sys.gettrace(), threading.active_count()
    assert after == before
    assert settings.default is not None and settings.default.backend != BACKEND
    assert capfd.readouterr() == ("", "")


def planned(oracle: Oracle, names: tuple[str, ...], wanted: Filter) -> list[Explorer]:
    plan = explorers(tuple(SUITES[name] for name in names), oracle, 0, wanted)
    return [one for one in plan if one.name.startswith("hypothesis")]


def test_a_run_explores_its_suites_with_hypothesis(oracle: Oracle) -> None:
    assert [one.name for one in planned(oracle, DEFAULT, Filter())] == [f"hypothesis {name}" for name in DEFAULT]
    assert [one.name for one in planned(oracle, ("root",), Filter())] == ["hypothesis root"]


def test_a_filter_lets_through_what_is_asked_for(oracle: Oracle) -> None:
    (one,) = planned(oracle, ("namespace",), Filter(operations=("append",)))
    every = {program for _, program in first(explorer(SUITES["namespace"], oracle, 0), 3 * CHUNK)}
    some = {program for _, program in first(one, 20)}
    assert some < every and one.bound is None


@pytest.mark.long
@pytest.mark.parametrize("wanted", [Filter(operations=("open",)), Filter(clauses=("no.such.clause",))])
def test_a_filter_that_lets_nothing_through_ends(oracle: Oracle, wanted: Filter) -> None:
    (one,) = planned(oracle, ("rename",), wanted)
    assert list(one.source(0)) == []
    assert PATIENCE > CHUNK


def test_a_run_covers_places_and_is_taken_up(oracle: Oracle) -> None:
    one = explorer(SUITES["namespace"], oracle, 0)
    benches = Benches(ProvingStore(), oracle.contract, 1)
    try:
        (covered,) = explore(benches, Plan((one,), 1.0)).covered
        assert not covered.ended and covered.bound is None and covered.place >= covered.programs > 0
        places = {one.name: (covered.place, covered.programs)}
        (later,) = explore(benches, Plan((one,), 0.2, places=places)).covered
        assert later.place > covered.place and later.programs > covered.programs
    finally:
        benches.close()


def test_an_interrupt_before_the_engine_of_hypothesis_runs_is_one(
    oracle: Oracle, monkeypatch: pytest.MonkeyPatch
) -> None:
    import hypothesis.core

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(hypothesis.core, "ConjectureRunner", interrupted)
    with pytest.raises(KeyboardInterrupt):
        chunks(SUITES["paths"], oracle, 3)(0)
