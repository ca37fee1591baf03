"""Recorded traces and verdicts come back as they were, whatever outcome they hold."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fsconform.engine.findings import Finding
from fsconform.engine.judge import Judge
from fsconform.engine.protocol import Observation, Snapshot
from fsconform.engine.traces import (
    Recorded,
    TraceRowError,
    decode_finding,
    decode_trace,
    encode_finding,
    encode_trace,
    recorded,
)
from fsconform.engine.trial import Bench
from fsconform.model.core import content as contents
from fsconform.model.core import outcomes as out
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Event, Step, Trace
from fsconform.model.filesystem.status.predicates import Exists
from fsconform.proving.session import ProvingStore

STATUS = out.Status(("a", "\ud800"), False, 3, 5)
OUTCOMES: tuple[out.Outcome, ...] = (
    out.Returned(None),
    out.Returned(True),
    out.Returned(False),
    out.Returned(out.Data(3, "ab")),
    out.Returned(STATUS),
    out.Returned(()),
    out.Returned((STATUS, out.Status(("b",), True, 0))),
    out.Returned(out.facts("kind", number=1, text="t", flag=True, many=("x", "y"), nothing=None)),
    out.Raised(("java.io.IOException", "java.lang.Throwable"), "no\ud800", "at x"),
    out.Raised(("java.lang.Throwable",)),
    out.Unknown("a crash"),
    out.Unknown("a time-out", hung=True),
    out.NotExpressible("no such call"),
)


def _one(outcome: out.Outcome) -> Recorded:
    shot = Snapshot((Observation(STATUS, None, None), Observation(STATUS, STATUS, out.Data(3, "ab"))), False, "differs")
    trace = Trace((Step(Exists(("a",)), client=1, probe=True),), (Event(outcome, 7, 9),))
    return Recorded(trace, ((0, shot),), "lost on the way", 2, "/sandbox/p1")


@pytest.mark.parametrize("outcome", OUTCOMES, ids=lambda one: f"{type(one).__name__}-{OUTCOMES.index(one)}")
def test_every_kind_of_outcome_comes_back(outcome: out.Outcome) -> None:
    """Through JSON too, as a row may be kept in any format."""
    one = _one(outcome)
    row = json.loads(json.dumps(encode_trace(one)))
    assert decode_trace(row) == one


def test_every_class_of_outcome_is_tried() -> None:
    """A new kind of outcome or of value needs a line above."""
    assert {type(one) for one in OUTCOMES} == set(out.Outcome.__args__)
    values = {type(one.value) for one in OUTCOMES if isinstance(one, out.Returned)}
    assert values == {type(None), bool, out.Data, out.Status, out.Facts, tuple}


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("program", "[]"),
        ("program", "{"),
        ("outcomes", ['{"kind": "eaten"}']),
        ("invoked", []),
        ("returned", None),
        ("snapshots", '[[0, {"entries": [[true, null, null]], "consistent": true, "problem": ""}]]'),
    ],
)
def test_what_is_no_trace_is_refused(column: str, value: Any) -> None:
    """With one error, whatever is wrong."""
    row = encode_trace(_one(out.Returned(None))) | {column: value}
    with pytest.raises(TraceRowError):
        decode_trace(row)


def test_recorded_trace_is_judged_as_the_live_one() -> None:
    """Snapshots are recorded: without them judging would end at the first departure."""
    oracle = Oracle(Contract({}))
    bench = Bench(ProvingStore(fault="rename-copies").session(), Judge(oracle))
    content = contents.of(1, 5)
    program = tuple(
        map(
            Step,
            (Mkdirs(("d",)), Create(("a",), content, False), Rename(("a",), ("b",)), Exists(("a",)), Exists(("d",))),
        )
    )
    (trial,) = bench.try_all([program])
    trial = bench.go_on(trial)
    assert trial.judgement.findings and trial.execution.snapshots, "the fault must show, or nothing is tested"
    again = decode_trace(encode_trace(recorded(trial.execution)))
    judgement = Judge(oracle).judge(again.trace, dict(again.snapshots))
    assert judgement.findings == trial.judgement.findings
    assert judgement.operations == trial.judgement.operations
    assert Judge(oracle).judge(again.trace).operations < judgement.operations
    for finding in judgement.findings:
        assert decode_finding(encode_finding(finding)) == finding


def test_finding_keeps_its_changes() -> None:
    """Sets of option values come back as they were."""
    finding = Finding(
        "s", "undeclared", "c", "MUST", 1, "rename", "e", "o", ((("a", True), ("b", False)), (("c", True),)), "m", "at",
        "data lost", "a-quirk", noticed=2, roles=frozenset(("x", "y")), observed_kind="raised", after="", first=False,
    )  # fmt: skip
    assert decode_finding(json.loads(json.dumps(encode_finding(finding)))) == finding
    with pytest.raises(TraceRowError):
        decode_finding({})


def test_finding_of_schema_1_has_no_impact() -> None:
    """Its rows lack the columns of schema 2; Spark gives null for them."""
    finding = Finding(
        "s",
        "violation",
        "c",
        "MUST",
        1,
        "rename",
        "e",
        "o",
        noticed=2,
        roles=frozenset(),
        observed_kind="raised",
        after="",
    )
    row = encode_finding(finding)
    assert decode_finding(row | {"impact": None, "quirk": None}) == finding
    assert decode_finding({name: row[name] for name in row if name not in ("impact", "quirk")}) == finding
