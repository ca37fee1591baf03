"""The rules let a perfect committer through, and each clause is broken by an observation that is judged to break it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from fsconform.engine.datasets.judge import Observed, judge
from fsconform.model.datasets import clauses as ids
from fsconform.model.datasets import contract as options
from fsconform.model.datasets.contract import OPTIONS, PERFECT, CommitContract
from fsconform.model.datasets.dataset import Look
from fsconform.model.datasets.operations import Ending, Fault, Feed, Gate, Program, Stream, Write, WriteBoth
from fsconform.specs.layers import dataset_clauses
from fsconform.suites.spark_streaming import SPARK_STREAMING
from fsconform.suites.spark_writers import SPARK_WRITERS

A, B = (0, 1, 2, 3), (4, 5, 6, 7)
ROWS_A, ROWS_B = ("0:x", "1:y", "2:z", "3:x"), ("4:y", "5:z", "6:x", "7:y")
BOTH = tuple(sorted(ROWS_A + ROWS_B))
FIRST = Write(A)
MARK = ("_SUCCESS",)

DONE = Ending("committed")
FAILED = Ending("failed", error="IOException")
KILLED = Ending("killed")
DONE_A = Observed(DONE, Look(True, MARK, ROWS_A))
IN_PARTS = Write(A, partitioned=True)
DYNAMIC = Write((6, 9), "overwrite", partitioned=True, dynamic=True, tasks=1)
TASK_FAILS = Fault("fail", "task-write", 1)


def look(*rows: str, names: tuple[str, ...] = MARK, **more: Any) -> Look:
    return Look(True, names, tuple(sorted(rows)), **more)


def fails(phase: str = "task-write") -> Write:
    return Write(B, fault=Fault("fail", phase, 1))  # type: ignore[arg-type]


CASES: dict[str, tuple[str, str | None, Program, tuple[Observed, ...]]] = {
    "rows lost": (ids.COMPLETE, None, (FIRST,), (Observed(DONE, look("0:x", "1:y", "2:z")),)),
    "rows twice": (ids.ONCE, None, (FIRST,), (Observed(DONE, look(*ROWS_A, "3:x")),)),
    "foreign rows": (ids.EXCLUSIVE, None, (FIRST,), (Observed(DONE, look(*ROWS_A, "90:x")),)),
    "earlier rows lost": (ids.SAVE_APPEND, None, (FIRST, Write(B)), (DONE_A, Observed(DONE, look(*ROWS_B)))),
    "overwritten rows stay": (
        ids.SAVE_OVERWRITE,
        None,
        (FIRST, Write(B, "overwrite")),
        (DONE_A, Observed(DONE, look(*BOTH))),
    ),
    "error writes": (ids.SAVE_ERROR, None, (FIRST, Write(B, "error")), (DONE_A, Observed(DONE, look(*BOTH)))),
    "ignore fails": (ids.SAVE_IGNORE, None, (FIRST, Write(B, "ignore")), (DONE_A, Observed(FAILED, look(*ROWS_A)))),
    "append fails": (ids.SAVE_APPEND, None, (FIRST,), (Observed(FAILED, Look(False)),)),
    "no retry": (
        ids.RETRIED,
        None,
        (Write(A, fault=Fault("fail", "task-write", 1, "first")),),
        (Observed(FAILED, Look(False)),),
    ),
    "succeeds without a task": (ids.RETRIED, None, (FIRST, fails()), (DONE_A, Observed(DONE, look(*BOTH)))),
    "failed job leaves rows": (
        ids.ABORTABLE,
        options.FAILED_JOB_LEAVES_ROWS,
        (FIRST, fails()),
        (DONE_A, Observed(FAILED, look(*ROWS_A, "4:y"))),
    ),
    "failed job leaves rows twice": (
        ids.ONCE,
        None,
        (FIRST, fails()),
        (DONE_A, Observed(FAILED, look(*ROWS_A, "4:y", "4:y"))),
    ),
    "failed job loses earlier rows": (
        ids.ABORTABLE,
        None,
        (FIRST, fails()),
        (DONE_A, Observed(FAILED, look("0:x"))),
    ),
    "interrupted commit": (
        ids.ALL_OR_NOTHING,
        options.JOB_COMMIT_IN_STEPS,
        (FIRST, Write(B, gate=Gate("fail", 2))),
        (DONE_A, Observed(FAILED, look(*ROWS_A, "4:y"))),
    ),
    "killed in its commit": (
        ids.ALL_OR_NOTHING,
        options.JOB_COMMIT_IN_STEPS,
        (FIRST, Write(B, gate=Gate("halt", 2))),
        (DONE_A, Observed(KILLED, look(*ROWS_A, "4:y"))),
    ),
    "killed before its commit": (
        ids.ABORTABLE,
        options.FAILED_JOB_LEAVES_ROWS,
        (FIRST, Write(B, fault=Fault("halt", "job-commit"))),
        (DONE_A, Observed(KILLED, look(*ROWS_A, "4:y"))),
    ),
    "seen before its commit": (
        ids.HIDDEN,
        options.ROWS_SEEN_BEFORE_JOB_COMMIT,
        (Write(A, fault=Fault("hold", "job-commit")),),
        (Observed(replace(DONE, seen=(look("0:x"),)), look(*ROWS_A)),),
    ),
    "seen in its commit": (
        ids.WATCHED,
        options.JOB_COMMIT_IN_STEPS,
        (Write(A, gate=Gate("hold", 2)),),
        (Observed(replace(DONE, seen=(look("0:x"),)), look(*ROWS_A)),),
    ),
    "by copying": (
        ids.STORE_RENAMES,
        options.COMMITS_BY_COPYING,
        (FIRST,),
        (Observed(replace(DONE, copies=4, published=2), look(*ROWS_A)),),
    ),
    "no marker": (ids.MARKER, options.NO_MARKER, (FIRST,), (Observed(DONE, look(*ROWS_A, names=())),)),
    "marker of a failed job": (
        ids.MARKER_FAILED,
        None,
        (fails(),),
        (Observed(FAILED, look()),),
    ),
    "an empty directory": (ids.NO_DIRECTORY, None, (fails(),), (Observed(FAILED, look(names=())),)),
    "temporaries": (
        ids.CLEAN_DONE,
        options.LEAVES_TEMPORARIES,
        (FIRST,),
        (Observed(DONE, look(*ROWS_A, names=(*MARK, "_temporary/", "_temporary/0/"))),),
    ),
    "temporaries of a failed job": (
        ids.CLEAN,
        options.LEAVES_TEMPORARIES,
        (FIRST, fails()),
        (DONE_A, Observed(FAILED, look(*ROWS_A, names=(*MARK, "__magic_job-1/")))),
    ),
    "pending uploads": (
        ids.UPLOADS,
        options.LEAVES_UPLOADS,
        (FIRST,),
        (Observed(DONE, look(*ROWS_A, uploads=("data/part-0",))),),
    ),
    "a killed job comes back": (
        ids.CONTINUITY,
        options.KILLED_JOB_COMES_BACK,
        (FIRST, Write(B, fault=Fault("halt", "job-commit")), Write((8, 9))),
        (
            DONE_A,
            Observed(KILLED, look(*ROWS_A, names=(*MARK, "_temporary/"))),
            Observed(DONE, look(*BOTH, "8:z", "9:x")),
        ),
    ),
    "unreadable": (ids.READABLE, None, (FIRST,), (Observed(DONE, look(unreadable="IOException: corrupt")),)),
    "dynamic refused": (
        ids.DYNAMIC_COMMITTER,
        options.NO_DYNAMIC_OVERWRITE,
        (IN_PARTS, DYNAMIC),
        (DONE_A, Observed(FAILED, look(*ROWS_A))),
    ),
    "dynamic loses others": (
        ids.DYNAMIC_OTHERS,
        None,
        (IN_PARTS, DYNAMIC),
        (DONE_A, Observed(DONE, look("6:x", "9:x"))),
    ),
    "dynamic fails without its partitions": (
        ids.DYNAMIC,
        options.OVERWRITE_IN_STEPS,
        (IN_PARTS, replace(DYNAMIC, gate=Gate("fail", 1))),
        (DONE_A, Observed(FAILED, look("1:y", "2:z"))),
    ),
    "two jobs": (
        ids.CONCURRENT_JOBS,
        options.CONCURRENT_JOBS_DISTURB,
        (WriteBoth(Write(A), Write(B)),),
        (Observed(replace(DONE, other=DONE), look(*ROWS_B)),),
    ),
    "two jobs leave rows twice": (
        ids.ONCE,
        None,
        (WriteBoth(Write(A), Write(B)),),
        (Observed(replace(DONE, other=DONE), look(*BOTH, "0:x")),),
    ),
    "the failed one of two jobs leaves rows": (
        ids.ABORTABLE,
        options.CONCURRENT_JOBS_DISTURB,
        (WriteBoth(Write(A), Write(B)),),
        (Observed(replace(DONE, other=FAILED), look(*ROWS_A, "4:y")),),
    ),
    "two jobs leave what can't be read": (
        ids.READABLE,
        None,
        (WriteBoth(Write(A), Write(B)),),
        (Observed(replace(DONE, other=KILLED), look(*ROWS_A, unreadable="EOFException")),),
    ),
    "can't be read meanwhile": (
        ids.READABLE,
        None,
        (Write(A, gate=Gate("hold", 1)),),
        (Observed(replace(DONE, seen=(Look(True, unreadable="EOFException"),)), look(*ROWS_A)),),
    ),
    "fewer rows than before meanwhile": (
        ids.WATCHED,
        None,
        (FIRST, Write(B, gate=Gate("hold", 1))),
        (DONE_A, Observed(replace(DONE, seen=(look("0:x"),)), look(*BOTH))),
    ),
    "fewer rows than before meanwhile, in a dynamic overwrite": (
        ids.DYNAMIC,
        options.OVERWRITE_IN_STEPS,
        (IN_PARTS, replace(DYNAMIC, gate=Gate("hold", 1))),
        (DONE_A, Observed(replace(DONE, seen=(look("1:y", "2:z"),)), look("1:y", "2:z", "6:x", "9:x"))),
    ),
    "stream leaves what can't be read": (
        ids.READABLE,
        None,
        (Feed(A), Stream()),
        (Observed(DONE, Look(False)), Observed(DONE, look(unreadable="EOFException"))),
    ),
    "stream twice": (
        ids.STREAM_ONCE,
        None,
        (Feed(A), Stream()),
        (Observed(DONE, Look(False)), Observed(DONE, look(*ROWS_A, "0:x"))),
    ),
    "stream loses": (
        ids.STREAM_ONCE,
        None,
        (Feed(A), Stream()),
        (Observed(DONE, Look(False)), Observed(DONE, look("0:x"))),
    ),
    "stream takes back": (
        ids.STREAM_SEEN,
        None,
        (Feed(A), Stream(), Stream()),
        (Observed(DONE, Look(False)), Observed(DONE, look(*ROWS_A)), Observed(KILLED, look("0:x"))),
    ),
    "stream does not go on": (
        ids.STREAM_RESTART,
        None,
        (Feed(A), Stream()),
        (Observed(DONE, Look(False)), Observed(FAILED, look())),
    ),
}

ALLOWING = {ids.DELETES_FIRST}
"""Clauses that only allow something: nothing can break them."""


@pytest.mark.parametrize("name", CASES)
def test_each_breach_is_found_under_its_clause(name: str) -> None:
    clause, option, program, seen = CASES[name]
    found = judge(program, seen, PERFECT).findings
    broken = [one for one in found if one.clause == clause]
    assert broken, f"not found: {found}"
    assert (((option, True),) in broken[0].changes) if option else not broken[0].changes
    wanted = "deviation" if clause == ids.NO_DIRECTORY else "undeclared" if option else "violation"
    assert broken[0].verdict == wanted


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case[1]])
def test_what_an_option_permits_is_declared_by_it_and_by_no_other(name: str) -> None:
    clause, option, program, seen = CASES[name]
    assert option is not None
    declared = judge(program, seen, CommitContract({option: True})).findings
    assert all(one.verdict == "declared" for one in declared if one.clause == clause)
    permitting = {other for one in declared if one.clause == clause for ((other, _),) in one.changes}
    others = CommitContract(dict.fromkeys(set(OPTIONS) - permitting, True))
    again = judge(program, seen, others).findings
    assert any(one.verdict == "undeclared" for one in again if one.clause == clause)


def test_every_clause_can_be_broken_and_every_option_permits_something() -> None:
    known = {value for name, value in vars(ids).items() if name.isupper()}
    assert known == set(dataset_clauses())
    assert {case[0] for case in CASES.values()} == known - ALLOWING
    assert {case[1] for case in CASES.values() if case[1]} == set(OPTIONS)


@pytest.mark.parametrize("suite", [SPARK_WRITERS, SPARK_STREAMING], ids=lambda suite: suite.name)
def test_a_perfect_committer_is_let_through(suite: Any, perfect: Any) -> None:
    for trial in suite.trials:
        found = judge(trial.program, perfect.execute(trial.program), PERFECT)
        assert not found.findings, (trial.program, found.findings)
        assert found.operations == len(trial.program)


def test_an_overwrite_may_lose_what_was_there_when_it_fails_and_a_dynamic_one_may_not() -> None:
    over = Write(B, "overwrite", fault=TASK_FAILS)
    for rows in (ROWS_A, ROWS_A[:1], ()):
        assert not judge((FIRST, over), (DONE_A, Observed(FAILED, look(*rows))), PERFECT).findings
    dynamic = replace(over, partitioned=True, dynamic=True)
    assert judge((IN_PARTS, dynamic), (DONE_A, Observed(FAILED, look())), PERFECT).findings


def test_what_a_killed_driver_left_is_nobody_elses_fault() -> None:
    kill = Write(B, fault=Fault("halt", "task-write", 1))
    left = look(*ROWS_A, names=(*MARK, "_temporary/"))
    after = look(*ROWS_A, "8:z", "9:x", names=(*MARK, "_temporary/"))
    program = (FIRST, kill, Write((8, 9)))
    assert not judge(program, (DONE_A, Observed(KILLED, left), Observed(DONE, after)), PERFECT).findings
    fresh = look(*ROWS_A, names=MARK)
    found = judge(program, (DONE_A, Observed(KILLED, fresh), Observed(DONE, after)), PERFECT).findings
    assert [one.clause for one in found] == [ids.CLEAN_DONE]


def test_a_step_that_is_not_expressible_ends_the_program_without_a_finding() -> None:
    found = judge((fails(), FIRST), (Observed(Ending("not-expressible", why="no compiler"), Look(False)),), PERFECT)
    assert (found.findings, found.operations, found.skipped) == ([], 0, ["no compiler"])


def seeded(clause: str) -> Callable[[Any, Ending, Look], tuple[Ending, Look]]:
    """A committer with a fault."""

    def change(operation: Any, ending: Ending, found: Look) -> tuple[Ending, Look]:
        if isinstance(operation, Write) and ending.ended == "committed" and found.rows:
            if clause == ids.ONCE:
                return ending, replace(found, rows=(*found.rows, found.rows[0]))
            if clause == ids.COMPLETE:
                return ending, replace(found, rows=found.rows[:-1])
            if clause == ids.UPLOADS:
                return ending, replace(found, uploads=("data/part",))
        return ending, found

    return change


@pytest.mark.parametrize("clause", [ids.ONCE, ids.COMPLETE, ids.UPLOADS])
def test_the_short_selection_catches_seeded_faults(clause: str, played: Any) -> None:
    session = played(seeded(clause))
    caught = {
        one.clause
        for trial in SPARK_WRITERS.chosen(short=True)
        for one in judge(trial.program, session.execute(trial.program), PERFECT).findings
    }
    assert clause in caught
