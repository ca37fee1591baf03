"""What the records tell beside the verdicts: areas, ready-made waivers, how explorers ended, curves of coverage."""

from __future__ import annotations

import datetime
from dataclasses import replace
from pathlib import Path

import pytest

from fsconform.engine import collect, recorder
from fsconform.engine.collect import MOST_POINTS, Collected, Curve
from fsconform.engine.confirm import Proven
from fsconform.engine.exploration import Covered
from fsconform.engine.filesystem import Filesystem
from fsconform.engine.findings import Finding
from fsconform.engine.subject import Verdict
from fsconform.engine.waivers import Failing, Waived, apply, parse
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.oracle import Oracle

TODAY = datetime.date(2026, 11, 21)


def finding(verdict: Verdict) -> Finding:
    return Finding(
        "s", verdict, "c", "MUST", 0, "open", "e", "o", noticed=0, roles=frozenset(), observed_kind="k", after=""
    )


def test_the_call_that_departs_gives_the_area() -> None:
    own, subject = finding("violation"), Filesystem(Oracle(Contract()))
    assert subject.area(own) == "open"
    assert subject.area(replace(own, after="rename (file to itself; invalid path)")) == "rename"


@pytest.mark.parametrize(
    "signature",
    ["rename (source missing) returned false", 'a "quoted" \\ one', "tab\tline\nbell\x07 del\x7f end", "ä🙂"],
)
def test_a_ready_made_waiver_waives_its_signature(signature: str) -> None:
    block = recorder.waiver_block("mine", signature, "c", TODAY)
    assert block.startswith("[[waiver]]\n")
    (waiver,) = parse(block, Path("waivers.toml"))
    assert (waiver.store, waiver.signature, waiver.clauses) == ("mine", signature, ("c",))
    assert waiver.expires - TODAY == datetime.timedelta(recorder.WAIVED_DAYS)
    assert waiver.reason.startswith("(") and waiver.link.startswith("(")
    for traits, by_signature in ((("clause c",), {signature: waiver}), (("clause d",), {})):
        assert apply([waiver], "mine", {signature: Failing(traits)}, TODAY, complete=True).by_signature == by_signature


@pytest.mark.parametrize(
    ("verdict", "shown", "told"),
    [
        ("violation", 0, "inconclusive"),
        ("undeclared", 0, "inconclusive"),
        ("violation", 1, "violation"),
        ("declared", 0, "declared"),
        ("deviation", 0, "deviation"),
    ],
)
def test_what_no_replay_shows_is_inconclusive_if_it_would_fail(verdict: Verdict, shown: int, told: str) -> None:
    proven = Proven(finding(verdict), (), 1, shown, 3, None, note="flaky: ...")
    (record,) = recorder.divergences(Filesystem(Oracle(Contract())), "mine", [proven], Waived({}, ()), "")
    assert (record.verdict, record.note) == (told, "flaky: ...")


def test_how_explorers_ended_is_noted() -> None:
    rows = recorder.explorers(
        [
            Covered("a", 9, 9, 18, 1.5, 9, ended=True),
            Covered("b", None, 7, 7, 0.5, 7),
            Covered("c", 5, place=3),
            Covered("d", 5, 5, 5, 0.1, 5, ended=True, throttled=3),
        ]
    )
    assert [row.note for row in rows] == [
        "complete",
        "stopped by the budget",
        "not reached by the budget",
        "complete; throttled 3 times and tried again",
    ]
    assert [(row.covered, row.bound) for row in rows] == [(9, 9), (None, None), (0, 5), (5, 5)]


def test_a_curve_has_few_points_however_long_the_run() -> None:
    for moments in (1, 5, 99, 100, 101, 1000, 12_345):
        curve, collected = Curve(), Collected(programs=1)
        for moment in range(1, moments + 1):
            collected.operations = moment * 10
            curve.add(moment / 7, collected)
        points = curve.ended(moments / 7 + 0.01, collected)
        assert len(points) <= MOST_POINTS
        assert len(points) >= min(moments, 40)
        assert points[-1].operations == moments * 10
        assert points[0].seconds <= max(1.0, moments / 7 / 20)


def test_a_curve_without_programs_is_empty() -> None:
    assert Curve().ended(3.0, Collected()) == []
    point = collect.point(1.23456, Collected(programs=1, operations=3, situations={(int, 1), (int, 2)}))
    assert (point.seconds, point.operations, point.situations) == (1.235, 3, 2)
