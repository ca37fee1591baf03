"""Operations on datasets as data: their JSON form, what can't be asked for, and the suites made of them."""

from __future__ import annotations

from typing import Any

import pytest

from fsconform.engine.datasets import describe
from fsconform.model.datasets.dataset import Dataset
from fsconform.model.datasets.operations import Fault, Gate, Write, WriteBoth, decode, encode, writes_in
from fsconform.suites.spark_streaming import SPARK_STREAMING
from fsconform.suites.spark_writers import SPARK_WRITERS

PROGRAMS = [trial.program for suite in (SPARK_WRITERS, SPARK_STREAMING) for trial in suite.trials]


def test_all_programs_of_the_suites_survive_their_json_form() -> None:
    for program in PROGRAMS:
        assert tuple(decode(encode(one)) for one in program) == program


def test_the_suites_try_all_modes_formats_faults_and_kinds_of_jobs() -> None:
    jobs = [write for program in PROGRAMS for one in program for write in writes_in(one)]
    assert {one.mode for one in jobs} == {"error", "ignore", "append", "overwrite"}
    assert {one.format for one in jobs} == {"parquet", "orc", "json", "csv", "text"}
    faults = {(one.fault.action, one.fault.phase) for one in jobs if one.fault}
    assert {
        ("fail", phase) for phase in ("job-setup", "task-setup", "task-write", "task-commit", "job-commit")
    } <= faults
    assert {action for action, _ in faults} == {"fail", "halt", "hold", "sleep"}
    assert {one.gate.action for one in jobs if one.gate} == {"fail", "halt", "hold"}
    assert (
        any(one.cluster for one in jobs) and any(one.speculative for one in jobs) and any(one.dynamic for one in jobs)
    )


def test_programs_are_small_and_the_short_selection_is_a_small_part() -> None:
    assert all(
        len(one.rows) <= 20 and one.tasks <= 4 for program in PROGRAMS for op in program for one in writes_in(op)
    )
    short = SPARK_WRITERS.chosen(short=True)
    assert 4 <= len(short) <= 8 and set(short) < set(SPARK_WRITERS.trials)


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"dataset": "drop"}, "drop"),
        ({"dataset": "write", "rows": []}, "no job that writes"),
        ({"dataset": "write", "rows": [1], "colour": 3}, "colour"),
        ({"dataset": "write", "rows": [1], "mode": "merge"}, "no job that writes"),
        ({"dataset": "write", "rows": [1], "tasks": 9}, "no job that writes"),
        ({"dataset": "write", "rows": [1, 2], "dynamic": True}, "dynamic"),
        ({"dataset": "write", "rows": [1, 2], "fault": {"action": "fail", "phase": "lunch"}}, "phase"),
        ({"dataset": "write", "rows": [1, 2, 3, 4], "fault": {"stage": "x"}}, "stage"),
        ({}, "dataset"),
    ],
)
def test_what_is_no_operation_is_refused_and_named(row: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        decode(row)


def test_a_signature_names_neither_rows_nor_formats() -> None:
    one = Write((1, 2, 3, 4), "append", "csv", fault=Fault("fail", "task-commit", 1))
    other = Write((5, 6, 7, 8), "append", "orc", True, fault=Fault("fail", "task-commit", 0))
    assert describe.situation(one, Dataset()) == describe.situation(other, Dataset(True, ("1:y",)))
    assert describe.situation(Write((1,)), Dataset()) != describe.situation(Write((1,)), Dataset(True))


def test_calls_are_told_with_all_that_makes_them() -> None:
    both = WriteBoth(Write((1, 2, 3, 4), fault=Fault("hold", "job-commit")), Write((5, 9), "overwrite"))
    text = describe.call(both)
    assert "held at job-commit" in text and "rows 1 to 4" in text and "rows 5, 9" in text and '"overwrite"' in text
    assert "before publishing call 3" in describe.call(Write((1,), gate=Gate("fail", 3)))
