"""Operations on datasets as data: their JSON form, what can't be asked for, and the suites made of them."""

from __future__ import annotations

from typing import Any

import pytest

from fsconform.engine.datasets import describe
from fsconform.model.datasets.dataset import Dataset, Look
from fsconform.model.datasets.findings import told
from fsconform.model.datasets.operations import (
    Ending,
    Fault,
    Feed,
    Gate,
    Operation,
    Stream,
    Write,
    WriteBoth,
    decode,
    encode,
    writes_in,
)
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
        (
            {"dataset": "write", "rows": [1, 2, 3], "fault": {"action": "fail", "phase": "task-write"}},
            "two rows a task",
        ),
        ({"dataset": "write", "rows": [1], "partitioned": 1}, "partitioned is true or false"),
        ({"dataset": "write", "rows": [1], "records": "2"}, "records is a number"),
        ({"dataset": "write", "rows": [1], "records": -1}, "records"),
        ({"dataset": "write", "rows": "12"}, "rows are a list"),
        ({"dataset": "write", "rows": [1 << 40]}, "a row"),
        ({"dataset": "stream", "format": "avro"}, "format is one of"),
        ({"dataset": "stream", "fault": {"action": "sing", "phase": "job-setup"}}, "an action is one of"),
        ({"dataset": "stream", "gate": {"action": "fail", "nth": "last"}}, "nth is a number"),
        ({"dataset": "stream", "fault": {"action": "fail", "phase": "task-write", "task": "x"}}, "task is a number"),
        (
            {"dataset": "write-both", "first": {"dataset": "feed", "rows": [1]}, "second": {"dataset": "stream"}},
            "no job|is a job",
        ),
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


@pytest.mark.parametrize(
    ("operation", "words", "due"),
    [
        (
            Write((1, 2, 3), "overwrite", "csv", True, True, records=2, cluster=True),
            'write.format("csv").mode("dynamic overwrite") partitionBy("p") of rows 1 to 3 in 2 tasks, 2 a file, '
            "on two executors",
            None,
        ),
        (
            Write((1, 3, 5, 7), fault=Fault("halt", "task-commit", attempts="first"), gate=Gate("hold", 2)),
            'write.format("parquet").mode("append") of rows 1, 3, 5, 7 in 2 tasks; '
            "a task is killed at task-commit in its first attempt, the job is held before publishing call 2",
            "all of the job's rows or none",
        ),
        (
            WriteBoth(Write((1,)), Write((2,), fault=Fault("fail", "job-setup"))),
            'write.format("parquet").mode("append") of rows 1 in 2 tasks, and before it ends '
            'write.format("parquet").mode("append") of rows 2 in 2 tasks; the job fails at job-setup',
            "all rows of each job that succeeds",
        ),
        (Feed((4, 6)), "put rows 4, 6 into the source of the stream", "a file in the source"),
        (
            Stream("orc", True, Fault("sleep", "task-write", 1, "all")),
            "run the stream to orc in partitions until all is processed; task 1 is slow at task-write",
            "each row once",
        ),
    ],
)
def test_operations_are_told_as_a_reader_would_write_them(operation: Operation, words: str, due: str | None) -> None:
    assert describe.call(operation) == words
    assert due is None or describe.expected(operation, Dataset()) == due


@pytest.mark.parametrize(
    ("ending", "look", "words"),
    [
        (Ending("not-expressible", why="no gate"), Look(False), "not carried out: no gate"),
        (Ending("failed", error="IOException"), Look(False), "failed; IOException; no dataset"),
        (
            Ending("committed", other=Ending("failed"), seen=(Look(True, rows=("1:y",)),)),
            Look(True, ("_SUCCESS", "_temporary/0/"), ("1:y", "2:z"), uploads=("k",)),
            "committed, the other failed; a reader saw {one}; {two}; _SUCCESS; left {left}; 1 pending uploads",
        ),
    ],
)
def test_what_happened_is_told(ending: Ending, look: Look, words: str) -> None:
    seen = {"one": told(Look(True, rows=("1:y",)).counted()), "two": told(look.counted())}
    assert describe.observed(ending, look) == words.format(**seen, left=", ".join(sorted(look.temporaries)))
