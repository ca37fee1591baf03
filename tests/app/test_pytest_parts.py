"""The parts of the plugin by themselves: options, pieces, results, budgets, excuses, exit codes."""

from __future__ import annotations

import datetime
import itertools
import zipfile
from argparse import Namespace
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.adapters.stores.site import Connection
from fsconform.app import pytest_plugin, pytesting
from fsconform.app.pytesting import merging
from fsconform.app.pytesting import pieces as all_pieces
from fsconform.app.pytesting.controller import Ending, exit_code
from fsconform.app.pytesting.merging import Merged
from fsconform.app.pytesting.messages import (
    Handed,
    PieceResult,
    Proof,
    RacesFound,
    decode,
    decode_handed,
    encode,
    encode_handed,
)
from fsconform.app.pytesting.options import Order, order
from fsconform.app.pytesting.pieces import RANDOM_SHARDS, SHARDS, Piece, pieces
from fsconform.app.pytesting.runner import Runner
from fsconform.app.pytesting.stores import OpenStore, Verdict
from fsconform.engine.collect import Collected
from fsconform.engine.effort import Effort
from fsconform.engine.exploration import Covered
from fsconform.engine.explorers import Explorer, enumeration, from_list
from fsconform.engine.findings import Finding
from fsconform.engine.trial import Bench
from fsconform.engine.waivers import Failing, Waiver
from fsconform.harness.lanes import LEAST_SECONDS
from fsconform.harness.problems import Problem
from fsconform.harness.targets import targets
from fsconform.model.core.content import of
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program, Step
from fsconform.model.filesystem.status.predicates import Exists
from fsconform.proving.session import ProvingStore
from fsconform.records.results import QuirkRecord, RacePair, RacesRecord, StaleRecord, StoreRecord
from fsconform.specs.witness import witnesses
from fsconform.suites import test_areas
from fsconform.suites.registry import SUITES
from fsconform.suites.variations import Variations

NORMAL = Effort().amounts("fast")
LOST = "delete (non-empty directory, not recursive) returned true"


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    return Oracle(load_shipped("proving"))


def _options(**given: Any) -> Namespace:
    return Namespace(**(dict.fromkeys(pytest_plugin.DESTINATIONS) | given))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"fs_store": ["rawlokal"]}, "no store 'rawlokal': did you mean 'rawlocal'?"),
        ({"fs_store": ["proving"], "fs_uri": "x:///y"}, "--fs-uri names a store of your own and --store a built-in"),
        ({"fs_conf": ["a=b"]}, "--fs-jars, --fs-conf and --fs-conf-file describe a store of your own: give its"),
        ({"fs_name": "mine"}, "--fs-name names a store of your own: give its --fs-uri"),
        (
            {"fs_uri": "x:///y", "fs_conf": ["nothing"]},
            "--fs-conf: the 1st one has no name or no =: write it as NAME=VALUE",
        ),
        ({"fs_uri": "x:///y", "fs_conf_file": ["missing.xml"]}, "--fs-conf-file missing.xml: no such file"),
        ({"fs_uri": "x:///y", "fs_jars": ["missing/*.jar"]}, "--fs-jars 'missing/*.jar': no such file"),
        ({"fs_uri": "x:///y", "fs_name": "a/b"}, "--fs-name 'a/b': letters, digits"),
        ({"fs_store": ["proving"], "fs_budget": "-1"}, "--fs-budget: -1.0 is not in the range x>=0."),
        ({"fs_store": ["proving"], "fs_budget": "nan"}, "--fs-budget and --fs-timeout are numbers of seconds"),
        ({"fs_store": ["proving"], "fs_rate": "0"}, "--fs-rate: 0.0 is not in the range x>=0.001."),
        ({"fs_store": ["proving"], "fs_seed": "x"}, "--fs-seed: 'x' is not a valid integer range."),
        ({"fs_store": ["proving"], "fs_timeout": ""}, "--fs-timeout: '' is not a valid float range."),
        ({"fs_store": ["proving"], "fs_hadoop": "9.9"}, "no Hadoop profile '9.9'"),
        ({"fs_store": ["proving"], "fs_waivers": ["missing.toml"]}, "missing.toml"),
        ({"fs_store": ["proving"], "fs_contract": "missing.xml"}, "No such file or directory (shipped contracts:"),
        ({"fs_store": ["proving"], "fs_fault": "delete-nonempty"}, "did you mean 'delete-non-empty'?"),
        ({"fs_store": ["rawlocal"], "fs_fault": "delete-non-empty"}, "--fs-fault is for the store 'proving' alone"),
        ({"fs_store": ["rawlocal"], "fs_root": True}, "not 'rawlocal'"),
    ],
)
def test_options_that_cannot_be_meant_are_named_as_pytest_has_them(given: dict[str, Any], said: str) -> None:
    with pytest.raises(Problem) as caught:
        order(_options(**given))
    assert said in caught.value.message


def test_an_order_has_what_the_options_say(tmp_path: Path) -> None:
    jar = tmp_path / "x.jar"
    with zipfile.ZipFile(jar, "w"):
        pass
    given = order(
        _options(fs_uri="my://x/y", fs_jars=[str(jar)], fs_conf=["a=b"], fs_budget="3", fs_rate="7", fs_out="o")
    )
    assert (given.targets[0].name, given.budget, given.rate, given.out) == ("my", 3.0, 7.0, Path("o"))
    assert given.custom is not None
    assert (given.custom.jars, given.custom.configuration) == ((jar,), {"a": "b"})
    assert order(_options(fs_seed="3")).targets == ()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("--fs-jars a.jar suites", "--fs-jars a.jar suites"),
        ("--fs-jars a.jar b.jar lib/*.jar suites", "--fs-jars a.jar --fs-jars b.jar --fs-jars lib/*.jar suites"),
        ("--fs-jars a.jar --fs-jars b.zip C.JAR -x", "--fs-jars a.jar --fs-jars b.zip --fs-jars C.JAR -x"),
        ("--fs-jars classes -k a.jar", "--fs-jars classes -k a.jar"),
        ("a.jar b.jar", "a.jar b.jar"),
    ],
)
def test_several_jars_may_follow_one_name(before: str, after: str) -> None:
    assert pytest_plugin.spread(before.split()) == after.split()


def test_every_area_has_its_marker_and_its_test() -> None:
    areas = {*(suite.area for suite in SUITES.values()), pytesting.RACES}
    assert areas == set(pytest_plugin.AREAS)
    assert areas == {name.removeprefix("test_") for name in vars(test_areas) if name.startswith("test_")}


def test_every_witness_is_an_item_of_one_area(oracle: Oracle) -> None:
    every = [piece for area in pytest_plugin.AREAS for piece in pieces("proving", area, oracle, 0, NORMAL)]
    assert len({piece.key for piece in every}) == len(every)
    deciding = [piece for piece in every if piece.title.endswith(": witnesses")]
    assert all(piece.explorer.whole and "witness-" in piece.label for piece in deciding)
    programs = [{_own(program) for _, program in piece.explorer.source(0)} for piece in deciding]
    for witness in witnesses():
        assert programs.count({witness.program}) == 1, witness.name
    assert len(programs) == len(witnesses())


def _own(program: Program) -> Program:
    return tuple(step for step in program if not step.probe)


@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 256, 300, 1000])
def test_the_shards_of_a_list_are_the_whole_list(size: int) -> None:
    whole = from_list("numbers", [(Step(Mkdirs((str(number),))),) for number in range(size)])
    shards = [all_pieces._every(whole, shard) for shard in range(SHARDS)]
    found = [place for shard in shards for place, _ in shard.source(0)]
    assert sorted(found) == list(range(size))
    assert sum(shard.bound or 0 for shard in shards) == size


def test_the_shards_of_an_enumeration_are_the_whole_enumeration(oracle: Oracle) -> None:
    whole = enumeration(2, oracle, 3, kinds=(Mkdirs, Delete))
    found = [place for shard in range(SHARDS) for place, _ in all_pieces._every(whole, shard).source(0)]
    assert sorted(found) == [place for place, _ in whole.source(0)]


def test_random_shards_are_not_alike(oracle: Oracle) -> None:
    shards = [one for one in pieces("proving", "rename", oracle, 0, NORMAL) if one.explorer.bound is None]
    assert len(shards) == RANDOM_SHARDS > 1
    first = [tuple(program for _, program in itertools.islice(one.explorer.source(0), 20)) for one in shards]
    assert len(set(first)) == RANDOM_SHARDS
    assert sum(one.explorer.quota or 0 for one in shards) == NORMAL.least


def test_results_come_out_as_they_went_in(oracle: Oracle) -> None:
    opened = _open_store("delete-non-empty")
    hostile = ('"""', "\ud800", "\n", "é")
    program = (Step(Create((*hostile, "x"), of(1, 3), False)), Step(Delete(hostile, False)), Step(Exists(hostile)))
    bench = opened.benches.take()
    (trial,) = bench.try_all([program])
    collected = Collected()
    collected.add(trial)
    collected.losses["\udcff"] += 1
    collected.lost_in["\udcff"] = "delete (missing) did not return"
    assert collected.samples
    result = PieceResult("proving", "p", "t", collected, Covered("t", 4, 1, ended=True), {"s": Proof(2, 3)}, ["\ud800"])
    text = encode(result)
    assert text.isascii()
    again = decode(text)
    assert (again.covered, again.proofs, again.problems) == (result.covered, result.proofs, result.problems)
    for name in ("programs", "operations", "probes", "clauses", "used", "latencies", "losses", "lost_in"):
        assert getattr(again.collected, name) == getattr(collected, name)
    for name, sample in collected.samples.items():
        other = again.collected.samples[name]
        assert (other.finding, other.program, other.count) == (sample.finding, sample.program, sample.count)


def test_races_come_out_as_they_went_in_and_are_added_up() -> None:
    known = QuirkRecord("q", "t", "c", "i", "r", "l", "2999-01-01", 2, occasional=True)
    pairs = [RacePair("create", "create", 3, 2, "both won", "violation", ["s"])]
    streams = [RacePair("close", "read", 3, 2, "atomic", "conforms", group="streams of several clients")]
    first = RacesRecord(4, 3, 6, 2, 1.5, "processes", streams, notes=["not judged, 1 times: why"], clauses={"a": 2})
    second = RacesRecord(5, 5, 10, 4, 0.25, "processes", pairs, [StaleRecord("create", "read", 2, 0, 0.0, "conforms")])
    second = replace(second, clauses={"a": 1, "b": 3})
    found = [RacesFound(one, [], [known], left) for one, left in ((first, ["races: left"]), (second, []))]
    merged = Merged()
    for number, one in enumerate(found):
        given = PieceResult("proving", f"races/{number}", "races", races=one)
        assert decode(encode(given)).races == one
        merged.add(decode(encode(given)))
    opened = _open_store("")
    try:
        record = merging.record(opened, merged, [], complete=False, effort_named=True)
    finally:
        opened.close()
    assert record.races == RacesRecord(
        9, 8, 16, 6, 1.75, "processes", [*pairs, *streams], second.freshness, first.notes, {"a": 3, "b": 3}
    )
    assert [one for one in record.quirks if one.id == "q"] == [replace(known, needed=4)]
    assert record.cut_off == ["races: left"] and any("races: left" in one for one in record.problems)


def test_connections_come_out_as_they_went_in() -> None:
    connection = Connection("x", "hadoop", "x:///y", "client", (Path("/a.jar"),), {"k": "v"}, (Path("/c.xml"),))
    handed = {"x": Handed(connection), "y": Handed(None, "no such thing")}
    assert decode_handed(encode_handed(handed)) == handed


def test_what_items_gave_is_added_up() -> None:
    merged = Merged()
    for number in (1, 2):
        collected = Collected(programs=number)
        collected.latencies["open"] = [number] * 15_000
        merged.add(
            PieceResult("s", f"p{number}", "t", collected, Covered("t", 10, number, ended=number == 1), nanoseconds=5)
        )
    assert (merged.collected.programs, merged.nanoseconds, merged.pieces) == (3, 10, {"p1", "p2"})
    assert len(merged.collected.latencies["open"]) == 20_000
    (covered,) = merged.covered.values()
    assert (covered.name, covered.programs, covered.bound, covered.ended) == ("t", 3, 20, False)
    merged.times += [(0.0, 2.0), (1.0, 3.0), (5.0, 6.0), (5.2, 5.4)]
    assert merged.seconds == pytest.approx(4.0)


def _open_store(fault: str, *waivers: Waiver) -> OpenStore:
    (target,) = targets(("proving",), None, "", None, None)
    target, command = replace(target, waivers=waivers), "fsconform replay {replay}"
    asked = Order((target,), None, 0.0, 0, Path("unused"), 30.0, None, "", fault, False)
    return OpenStore(target, ProvingStore(fault=fault or None), asked.out, "unused", command, asked)


def _waiver(signature: str, expires: datetime.date = datetime.date(2999, 1, 1)) -> Waiver:
    return Waiver("proving", signature, "r", "l", expires)


def test_an_excuse_is_the_signature_its_cause_or_what_is_more_general() -> None:
    finding = _finding()
    assert not _open_store("")._excused(finding)
    assert not _open_store("", _waiver("another"))._excused(finding)
    assert not _open_store("", _waiver(finding.signature, datetime.date(2020, 1, 1)))._excused(finding)
    assert _open_store("", _waiver(finding.signature))._excused(finding)
    assert _open_store("", _waiver("the cause"))._excused(finding, Failing(cause="the cause"))
    # Two cases are met, and the more general violation has one of them.
    wider = [f"{finding.operation} ({role}) {finding.observed_kind}" for role in finding.roles]
    special = replace(finding, signature="special")
    assert any(_open_store("", _waiver(one))._excused(special) for one in wider)


def _finding() -> Finding:
    bench: Bench = _open_store("delete-non-empty").benches.take()
    program = (Step(Create(("a", "b"), of(1, 0), False)), Step(Delete(("a",), False)))
    (finding,) = bench.try_all([program])[0].judgement.findings
    assert finding.signature == LOST
    return replace(finding, roles=finding.roles | {"another case"})


class _Given:
    """Stands for an open store: notes the seconds that pieces are given, and takes as many as it is told to."""

    def __init__(self, takes: float) -> None:
        self.takes = takes
        self.given: list[float | None] = []

    def judge(self, piece: Piece, seconds: float | None, interrupted: Callable[[PieceResult], None]) -> Verdict:
        self.given.append(seconds)
        covered = Covered(piece.title, None, 1, seconds=self.takes if seconds else 0.0)
        return Verdict(PieceResult(piece.store, piece.id, piece.title, covered=covered))


@pytest.mark.parametrize(
    ("workers", "takes", "given"),
    [
        (1, 3, (6, 3, 6)),  # 6, 2 and 4 seconds, of which 3 are needed: what is left is for all that come after
        (1, 8, (6, 4 / 3, LEAST_SECONDS)),  # and what is taken too much is taken from them
        (2, 6, (12, 8, 12)),  # half of what comes after will be run by the other worker
    ],
)
def test_the_budget_is_shared_out_by_weight_and_kept(workers: int, takes: float, given: tuple[float, ...]) -> None:
    runner = Runner(SimpleNamespace(), order(_options(fs_store=["proving"], fs_budget="12")), workers)  # type: ignore[arg-type]
    opened = _Given(takes)
    runner.open_stores = SimpleNamespace(opened=lambda store: opened, shown="", home=Path())  # type: ignore[assignment]
    chosen = [_piece(weight) for weight in (3, 1, 2)] + [_piece(5, root=True)]
    items = [SimpleNamespace(callspec=SimpleNamespace(params={pytesting.PIECE: one})) for one in chosen]
    runner.pytest_collection_finish(SimpleNamespace(items=[*items, SimpleNamespace()]))  # type: ignore[arg-type]
    for piece in chosen[:3]:
        runner.judge(SimpleNamespace(user_properties=[], stash={}, nodeid=piece.id), piece)  # type: ignore[arg-type]
    assert opened.given == pytest.approx(given)


@pytest.mark.parametrize(("budget", "given"), [(None, None), ("0", 0.0)])
def test_without_a_budget_no_piece_is_cut_off(budget: str | None, given: float | None) -> None:
    runner = Runner(SimpleNamespace(), order(_options(fs_store=["proving"], fs_budget=budget)), 1)  # type: ignore[arg-type]
    assert runner._seconds(_piece(3)) == (0.0, given)


def _piece(weight: int, root: bool = False) -> Piece:
    return Piece("proving", "rename", f"w{weight}", "t", Explorer("x", from_list("x", []).source, weight), True, root)


def test_a_violation_is_minimised_once_in_a_process(tmp_path: Path) -> None:
    opened = _open_store("delete-non-empty")
    opened.home = tmp_path
    (tmp_path / "replays").mkdir()
    long: Program = tuple(Step(Create(("a", str(number)), of(1, 1), False)) for number in range(4))
    pieces = [
        Piece(
            "proving",
            "delete",
            str(number),
            "t",
            from_list("x", [(*long, Step(Delete(("a",), False)))]),
            True,
            False,
        )
        for number in range(2)
    ]
    first = opened.judge(pieces[0], 9, lambda result: None)
    executed = opened.benches.store_nanoseconds
    second = opened.judge(pieces[1], 9, lambda result: None)
    assert (
        [one.signature for one in second.divergences]
        == [one.signature for one in first.divergences]
        == [f"{LOST}, data lost"]
    )
    assert first.divergences[0].steps == 2
    (sample,) = second.result.collected.samples.values()
    assert len(sample.program) == 2  # the controller need not minimise it again
    assert second.result.nanoseconds < executed
    assert len(list((tmp_path / "replays").iterdir())) == 2


def _record(**given: Any) -> StoreRecord:
    named: dict[str, Any] = {
        "verdicts": {},
        "clauses": {"c": 1},
        "operations": 1,
        "problems": [],
        "waiver_problems": [],
    }
    named |= {"uri": "", "programs": 1, "probes": 0, "seconds": 0.0, "store_seconds": 0.0, "options": {}}
    return StoreRecord(name="s", divergences=[], **(named | given))


BAD: dict[str, Any] = {"verdicts": {"violation": 1}}


@pytest.mark.parametrize(
    ("status", "ending", "record", "code"),
    [
        (0, Ending(), {}, 0),
        (0, Ending(), {"verdicts": {"declared": 3, "deviation": 1, "waived": 2}}, 0),
        (0, Ending(), BAD, 1),
        (0, Ending(), {"waiver_problems": ["unused"]}, 1),
        (1, Ending(failed=1), {}, 1),
        (1, Ending(failed=1, open=True), {"problems": ["lost"]}, 1),
        (2, Ending(open=True), BAD, 1),
        (2, Ending(open=True), {}, 3),
        (2, Ending(unusable=1), BAD, 2),
        (4, Ending(), BAD, 2),
        (0, Ending(unusable=1), {}, 2),
        (0, Ending(), {"problems": ["lost"]}, 3),
        (0, Ending(), {"verdicts": {"inconclusive": 1}}, 3),
        (0, Ending(), {"operations": 0}, 3),
        (0, Ending(open=True), {}, 3),
        (3, Ending(), {}, 3),
        (5, Ending(), {}, 3),
        (42, Ending(), BAD, 42),
    ],
)
def test_exit_codes(status: int, ending: Ending, record: dict[str, Any], code: int) -> None:
    assert exit_code(status, ending, [_record(**record)]) == code


def test_programs_are_not_made_where_items_are_only_collected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Making variations and probing witnesses takes seconds, in each process of a session, whatever it runs."""
    made: list[object] = []

    def total(varied: Variations) -> int:
        made.append(varied)
        return 8

    def probed(programs: list[Program], oracle: Oracle) -> list[Program]:
        made.append(programs)
        return programs

    monkeypatch.setattr(Variations, "total", property(total))
    monkeypatch.setattr(all_pieces, "both_modes", probed)
    found = pieces("proving", "listing", Oracle(load_shipped("proving")), 0, Effort().amounts("fast"))
    varied = [one for one in found if one.title == "listing: variations"]
    assert varied and made == []
    assert [one.weight for one in varied] == [2] * SHARDS and made
    witness = next(one for one in found if one.title == "listing: witnesses")
    made.clear()
    assert witness.weight == 1 and len(made) == 1 and len(list(witness.explorer.source(0))) == 1
