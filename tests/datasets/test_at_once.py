"""Jobs at once: what the sequential specification allows, and that each faulty committer in memory is found by it."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace

import pytest

from fsconform.engine.datasets.at_once import Jobs, finals, history, judge_both, nearest
from fsconform.engine.datasets.judge import Observed, judge
from fsconform.engine.histories.linearizability import linearize
from fsconform.model.datasets import clauses as ids
from fsconform.model.datasets import contract as options
from fsconform.model.datasets.contract import PERFECT, CommitContract
from fsconform.model.datasets.dataset import Dataset, Look, rows_of
from fsconform.model.datasets.jobs_at_once import Table, table_of
from fsconform.model.datasets.operations import Ending, Feed, Program, Write, WriteBoth
from fsconform.model.datasets.protocol import End, target
from fsconform.proving.jobs import FAULTS, Writers
from fsconform.suites.spark_writers import SPARK_WRITERS

IN_MEMORY = ("concurrent jobs", "speculation")
PROGRAMS: tuple[Program, ...] = tuple(one.program for one in SPARK_WRITERS.trials if one.group in IN_MEMORY)

FOUND = {
    "append-of-what-was-there": (ids.CONCURRENT_JOBS, "rows of a committed job are lost"),
    "both-attempts-win": (ids.ONCE, "is committed with rows twice"),
    "dynamic-appends": (ids.DYNAMIC, "rows stay that are replaced"),
    "dynamic-replaces-all": (ids.DYNAMIC_OTHERS, "earlier rows are lost"),
    "dynamic-replaces-what-it-saw": (ids.DYNAMIC, "partitions are replaced in steps that others come between"),
    "failed-job-publishes": (ids.ABORTABLE, "a failed job leaves a part of its rows"),
    "jobs-share-temporary": (ids.CONCURRENT_JOBS, "rows of a committed job are lost"),
    "lost-attempt-wins": (ids.COMPLETE, "is committed without all its rows"),
    "lost-beside-another-job": (ids.SAVE_OVERWRITE, "rows of a committed job are lost"),
    "temporaries-stay": (ids.CLEAN_DONE, "leaves temporaries"),
}
"""Of each faulty committer a clause that it breaks, and how that is told."""

BEFORE = Dataset(True, ("24:x", "25:y"), True)
A, B = (0, 1), (3, 4)
APPEND, OVERWRITE = Write(A), Write(A, "overwrite")
DYNAMIC = Write((0, 3), "overwrite", partitioned=True, dynamic=True)
KINDS = (APPEND, OVERWRITE, DYNAMIC)
ENDS: tuple[End, ...] = ("committed", "failed", "killed")


def _found(fault: str, contract: CommitContract = PERFECT) -> set[tuple[str, str, str]]:
    writers, found = Writers(fault), set[tuple[str, str, str]]()
    for program in PROGRAMS:
        for one in judge(program, writers.execute(program), contract).findings:
            found.add((one.clause, one.signature.partition(": ")[2], one.verdict))
    return found


def test_a_sound_committer_departs_from_nothing() -> None:
    """And both jobs succeed: what is held and let go again is an ordinary job."""
    assert _found("") == set()
    ends = [seen[-1].ending for seen in map(Writers().execute, PROGRAMS)]
    assert {one.ended for one in ends} == {"committed"}
    assert {one.other.ended for one in ends if one.other is not None} == {"committed"}


def test_every_fault_has_its_row() -> None:
    assert FOUND.keys() == FAULTS.keys()


@pytest.mark.parametrize("fault", FAULTS)
def test_each_faulty_committer_is_found(fault: str) -> None:
    assert FOUND[fault] in {(clause, symptom) for clause, symptom, _ in _found(fault)}


def test_what_a_contract_declares_is_no_violation_and_the_rest_is() -> None:
    """Each option excuses its own departure alone."""
    steps, disturb = options.OVERWRITE_IN_STEPS, options.CONCURRENT_JOBS_DISTURB
    for name, option in (("dynamic-replaces-what-it-saw", steps), ("append-of-what-was-there", disturb)):
        assert {verdict for *_, verdict in _found(name, CommitContract({option: True}))} == {"declared"}
        other = {steps, disturb} - {option}
        assert "declared" not in {verdict for *_, verdict in _found(name, CommitContract(dict.fromkeys(other, True)))}
    every = CommitContract(dict.fromkeys(options.OPTIONS, True))
    assert "violation" in {verdict for *_, verdict in _found("dynamic-appends", every)}


def _rows(table: Table) -> Counter[str]:
    return Counter(table.rows)


@pytest.mark.parametrize(("first", "second"), [*itertools.product(KINDS, KINDS)])
@pytest.mark.parametrize("ends", [*itertools.product(ENDS, repeat=2)])
def test_what_may_stand_there_is_what_an_order_explains(first: Write, second: Write, ends: tuple[End, End]) -> None:
    """One job after the other is always allowed; what some order explains, and that alone, may stand there."""
    second = replace(second, rows=(6, 9) if second.dynamic else B)
    jobs = ((first, ends[0]), (second, ends[1]))
    allowed = finals(Jobs(), table_of(BEFORE), jobs)
    assert allowed
    if ends == ("committed", "committed"):
        for one, other in ((first, second), (second, first)):
            middle = Dataset(True, tuple(target(one, BEFORE).elements()))
            assert target(other, middle) in [_rows(table) for table in allowed]
    assert allowed <= finals(Jobs(in_steps=True), table_of(BEFORE), jobs)
    universe = sorted({*BEFORE.rows, *rows_of(first.rows), *rows_of(second.rows)})
    for size in range(len(universe) + 1):
        for rows in itertools.combinations(universe, size):
            explained = linearize(Jobs(), (table_of(BEFORE),), history(jobs, rows)).holds
            assert explained == (Counter(rows) in [_rows(table) for table in allowed]), (jobs, rows)
    twice = (*universe, universe[-1])
    assert not linearize(Jobs(), (table_of(BEFORE),), history(jobs, tuple(sorted(twice)))).holds


def test_the_tables_of_two_appends_and_of_two_overwrites() -> None:
    """By hand: an overwrite deletes first, so what is written by the other meanwhile may stay."""
    before, own, other = Counter(BEFORE.rows), rows_of(A), rows_of(B)

    def tables(*jobs: tuple[Write, End]) -> list[Counter[str]]:
        return sorted(map(_rows, finals(Jobs(), table_of(BEFORE), jobs)), key=lambda one: sorted(one))

    done: End = "committed"
    assert tables((APPEND, done), (Write(B), done)) == [before + own + other]
    assert tables((APPEND, "failed"), (Write(B), done)) == [before + other]
    both, one_of = own + other, [own, other]
    overwrites = tables((OVERWRITE, done), (Write(B, "overwrite"), done))
    assert len(overwrites) == 3 and all(one in overwrites for one in (*one_of, both))
    beside = tables((OVERWRITE, done), (Write(B), done))
    assert len(beside) == 2 and own in beside and both in beside
    killed = tables((APPEND, "killed"), (Write(B), done))
    assert len(killed) == 2 and before + other in killed and before + own + other in killed


def test_endings_that_no_order_allows_are_told() -> None:
    """Two jobs of mode error onto a dataset can't both succeed, whatever stands there."""
    both = WriteBoth(Write(A, "error"), Write(B, "error"))
    ending = Ending("committed", other=Ending("committed"))
    found = judge_both(both, BEFORE, ending, Look(True, ("_SUCCESS",), BEFORE.rows))
    assert [(one.clause, one.symptom) for one in found.breaches] == [
        (ids.SAVE_ERROR, "two jobs end as no order of them allows")
    ]
    refused = Ending("failed", other=Ending("failed"))
    assert not judge_both(both, BEFORE, refused, Look(True, ("_SUCCESS",), BEFORE.rows)).breaches
    onto_nothing = Look(True, ("_SUCCESS",), tuple(sorted((rows_of(A) + rows_of(B)).elements())))
    assert not judge_both(both, Dataset(), ending, onto_nothing).breaches, "each looked before the other wrote"


def test_the_nearest_table_is_the_one_that_lacks_least() -> None:
    tables = {Table(True, ("0:x",)), Table(True, ("0:x", "1:y", "2:z"))}
    assert nearest(tables, ("1:y", "2:z")) == Counter(("0:x", "1:y", "2:z"))


def test_writers_in_memory_carry_out_jobs_alone() -> None:
    """And leave nothing aside."""
    with pytest.raises(ValueError, match="only jobs"):
        Writers().execute((Feed(A),))
    seen = Writers().execute((APPEND,))
    assert seen == (Observed(Ending("committed"), Look(True, ("_SUCCESS", "part-0-1", "part-1-1"), ("0:x", "1:y"))),)
