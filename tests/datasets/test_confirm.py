"""Findings are shown by small programs and replayed; what does not show again is said so."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fsconform.engine.datasets.subject import DATASETS, Collected, smaller
from fsconform.engine.exploration import Outcome
from fsconform.engine.layers import Place, met
from fsconform.engine.subject import REPLAYS
from fsconform.engine.waivers import Waiver
from fsconform.model.datasets.contract import FAILED_JOB_LEAVES_ROWS, PERFECT, CommitContract
from fsconform.model.datasets.dataset import Look, row_of
from fsconform.model.datasets.operations import Ending, Fault, Feed, Stream, Write
from fsconform.records.codec import dumps, loads
from fsconform.records.results import SCHEMA, Results, Run

LONG = (
    Write((0, 1, 2, 3, 4, 5), "append", "csv", True),
    Write((6, 7, 8, 9), "append", "csv", True),
    Write((10, 11, 12, 13, 14, 15), "append", "csv", True, fault=Fault("fail", "task-commit", 1)),
    Write((20, 21), "append", "csv", True),
)


def leaves_rows(operation: Any, ending: Ending, look: Look) -> tuple[Ending, Look]:
    if isinstance(operation, Write) and ending.ended == "failed":
        return ending, replace(look, exists=True, rows=tuple(sorted((*look.rows, row_of(operation.rows[0])))))
    return ending, look


def test_a_finding_is_shown_by_the_smallest_program(played: Any) -> None:
    session = played(leaves_rows)
    tried = DATASETS.attempt(session, LONG, PERFECT)
    (finding,) = [one for one in tried.judgement.findings if one.failing]
    proven = DATASETS.prove(session, met(finding, tried), PERFECT)
    (only,) = proven.tried.program
    assert isinstance(only, Write)
    assert (only.format, only.partitioned, len(only.rows)) == ("parquet", False, 4)
    assert proven.confirmed == f"{REPLAYS}/{REPLAYS}" and proven.finding.signature == finding.signature


def test_what_does_not_show_again_is_inconclusive(played: Any) -> None:
    session = played(leaves_rows)
    tried = DATASETS.attempt(session, LONG, PERFECT)
    (finding,) = [one for one in tried.judgement.findings if one.failing]
    session.change = lambda operation, ending, look: (ending, look)
    proven = DATASETS.prove(session, met(finding, tried), PERFECT)
    assert proven.confirmed == f"0/{REPLAYS}"
    record = recorded(proven, PERFECT)
    assert record.divergences[0].verdict == "inconclusive" and record.verdicts["inconclusive"] == 1


def test_beside_a_stream_no_job_is_given_another_layout() -> None:
    job = Write((0, 1, 2, 3), "append", "csv", True, records=2)
    candidates = list(smaller((Feed((8, 9)), Stream("csv"), job), None))
    jobs = [one for program in candidates for one in program if isinstance(one, Write)]
    assert {(one.format, one.partitioned) for one in jobs} == {("csv", True)}
    assert any(one.records == 0 for one in jobs) and all(Stream("csv") in one for one in candidates if len(one) == 3)


def test_a_program_keeps_one_layout_while_it_is_shrunk(played: Any) -> None:
    session = played(leaves_rows)
    tried = DATASETS.attempt(session, LONG, PERFECT)
    session.executed.clear()
    (finding,) = [one for one in tried.judgement.findings if one.failing]
    DATASETS.prove(session, met(finding, tried), PERFECT)
    assert len(session.executed) > REPLAYS
    for program in session.executed:
        jobs = [one for one in program if isinstance(one, Write)]
        assert len({one.format for one in jobs}) == 1
        assert len({one.partitioned for one in jobs}) == 1


def recorded(proven: Any, contract: CommitContract, waivers: tuple[Waiver, ...] = ()) -> Any:
    outcome = Outcome(Collected())
    outcome.collected.take(proven.tried)
    place = Place("spark-file-seeded", "file:///sandbox", "a statement", contract)
    return DATASETS.record(place, outcome, [proven], waivers, "fsconform replay {replay}", complete=True)


def test_the_record_names_the_option_and_can_be_stored(played: Any) -> None:
    session = played(leaves_rows)
    tried = DATASETS.attempt(session, LONG, PERFECT)
    (finding,) = [one for one in tried.judgement.findings if one.failing]
    record = recorded(DATASETS.prove(session, met(finding, tried), PERFECT), PERFECT)
    (divergence,) = record.divergences
    assert divergence.verdict == "undeclared" and divergence.confirmed == "3/3"
    assert FAILED_JOB_LEAVES_ROWS in divergence.options[0][0].xml
    assert [one.marked for one in divergence.sequence] == [True]
    assert record.options[f"fs.contract.{FAILED_JOB_LEAVES_ROWS}"].observed is True
    results = Results(SCHEMA, Run("r", 0, {}, "2026-01-01T00:00:00+00:00", 1.0, 1), [record])
    assert loads(dumps(results)) == results


def test_what_is_declared_passes_and_is_listed(played: Any) -> None:
    contract = CommitContract({FAILED_JOB_LEAVES_ROWS: True})
    session = played(leaves_rows)
    tried = DATASETS.attempt(session, LONG, contract)
    collected = Collected()
    collected.take(tried)
    assert [one.finding.verdict for one in collected.samples.values()] == ["declared"]
