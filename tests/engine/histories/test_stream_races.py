"""Streams in the hands of several: a sound store shows no race, and each seeded fault is found, confirmed and told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.engine.histories import blaming
from fsconform.engine.histories.concurrent import Concurrent, History, Observed
from fsconform.engine.histories.confirming import Confirmed, Met
from fsconform.engine.histories.judging import Judge, Judged
from fsconform.engine.histories.linearizability import Call
from fsconform.engine.histories.small_steps import ATOMIC_DELETE, ATOMIC_RENAME
from fsconform.model.core import content
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Data, NotExpressible, Outcome, Raised, Returned
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.input.open_reader import OpenReader
from fsconform.model.filesystem.input.read_stream import ReadOn
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.options.writers import EXCLUSIVE_WRITER
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.write import Write
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.proving.faults import STREAM_RACES
from fsconform.suites.stream_races import StreamRace, stream_races

PROMISED = Contract(
    {**load_shipped("proving").declared, ATOMIC_RENAME: True, ATOMIC_DELETE: True, EXCLUSIVE_WRITER: True}
)
JUDGE = Judge(Oracle(PROMISED))
READS = "a stream that reads"

FOUND: dict[str, tuple[StreamRace, str, str]] = {
    "hflush-seen-late": (
        StreamRace("an open stream", ("hflush and close", "read", "read")),
        "violation",
        "outputstream.sync.post.visible",
    ),
    "positioned-read-moves-others": (
        StreamRace(READS, ("read the middle", "read on"), threads=True),
        "violation",
        "fsdatainputstream.positioned.isolated",
    ),
    "positioned-reads-swapped": (
        StreamRace(READS, ("read the begin", "read the middle"), threads=True),
        "violation",
        "fsdatainputstream.positioned.thread-safe",
    ),
    "stream-append-lost": (
        StreamRace("a file", ("append by stream", "append by stream")),
        "declared-false",
        "outputstream.concurrent.writers",
    ),
    "stream-closed-seen-late": (
        StreamRace("an open stream", ("close", "read")),
        "violation",
        "introduction.consistency.create",
    ),
    "stream-writes-torn": (
        StreamRace("an open stream", ("write", "write other bytes"), threads=True),
        "violation",
        "outputstream.thread-safe",
    ),
    "stream-writers-not-excluded": (
        StreamRace("an open stream", ("hflush and close", "append by stream")),
        "declared-false",
        "outputstream.concurrent.writers",
    ),
}
"""Of each fault a row that shows it, and with which verdict and clause it is told."""


def test_a_sound_store_shows_no_race(met_of: Callable[..., list[Met]]) -> None:
    found = met_of(JUDGE, [*stream_races()], 3)
    assert {one.judged.verdict for one in found} == {"conforms"}
    assert sum(one.history.overlaps for one in found) > len(found) // 2


def test_every_fault_has_its_row() -> None:
    assert {name: one.clause for name, one in STREAM_RACES.items()} == {name: row[-1] for name, row in FOUND.items()}
    assert {row for row, _, _ in FOUND.values()} <= set(stream_races())


def test_rows_are_those_that_a_store_can_be_judged_by() -> None:
    rows, without = set(stream_races()), set(stream_races(Contract({})))
    assert set(stream_races(PROMISED)) == rows and without < rows
    assert {need for row in rows - without for need in row.needs} == {"supports-hflush", "supports-hsync"}
    known = set(stream_races(load_shipped("s3a")))
    assert known < without and {"read on" in row.lanes for row in without - known} == {True}


@pytest.mark.timeout(120)
@pytest.mark.parametrize("fault", STREAM_RACES)
def test_each_fault_is_found_confirmed_and_told(fault: str, confirmed_of: Callable[..., Confirmed]) -> None:
    row, verdict, clause = FOUND[fault]
    confirmed = confirmed_of(JUDGE, fault, row, verdict, clause)
    assert confirmed.met.history.program.threads == row.threads


A = ("a",)
REFUSED = Raised(("java.io.IOException", "java.lang.Exception", "java.lang.Throwable"))
NO_STREAM = NotExpressible("no stream was opened")


def history(*calls: tuple[int, Operation, Outcome]) -> History:
    """The calls of two clients one after another."""
    rows: list[Observed] = [
        Call(client, operation, outcome, 2 * number, 2 * number + 1)
        for number, (client, operation, outcome) in enumerate(calls)
    ]
    return History(Concurrent((), ((), ()), (0, 0)), tuple(rows), tuple(call.client for call in rows))


def test_calls_on_a_stream_that_was_refused_are_left_out() -> None:
    opened = (0, OpenWriter(A, "w", "create"), Returned(None))
    refused = (1, OpenWriter(A, "v", "append"), REFUSED)
    assert JUDGE.judge(history(opened, refused, (1, CloseWriter("v"), NO_STREAM))).verdict == "conforms"
    assert JUDGE.judge(history(opened, (1, CloseWriter("v"), NO_STREAM))).verdict == "unjudged"
    assert JUDGE.judge(history(refused, (1, CloseWriter("v"), NO_STREAM))).fails


def test_one_writer_at_a_time_is_what_the_option_promises() -> None:
    both = history(
        (0, OpenWriter(A, "w", "create"), Returned(None)),
        (1, OpenWriter(A, "v", "append"), Returned(None)),
        (0, CloseWriter("w"), Returned(None)),
    )
    assert JUDGE.judge(both).options == (EXCLUSIVE_WRITER,)
    assert Judge(Oracle(Contract({**PROMISED.declared, EXCLUSIVE_WRITER: False}))).judge(both).verdict == "conforms"


OLD, NEW = content.of(1, 3), content.of(2, 5)
SERVER = Raised(("org.example.ChangedException", "java.io.IOException", "java.lang.Exception", "java.lang.Throwable"))
MISSING = Raised(("java.io.FileNotFoundException", "java.io.IOException", "java.lang.Exception", "java.lang.Throwable"))


@pytest.mark.parametrize(
    ("change", "outcome", "explained"),
    [
        (Create(A, NEW, True), SERVER, True),
        (Create(A, NEW, True), Returned(Data(4, "")), True),
        (Create(A, NEW, True), MISSING, False),
        (Delete(A, False), SERVER, True),
        (Delete(A, False), MISSING, True),
        (Delete(A, False), Returned(Data(4, "")), False),
        (Mkdirs(("b",)), SERVER, False),
        (Mkdirs(("b",)), Returned(Data(4, "")), False),
    ],
)
def test_what_is_read_of_a_file_that_others_change_meanwhile(
    change: Operation, outcome: Outcome, explained: bool
) -> None:
    done = Returned(None) if isinstance(change, Create) else Returned(True)
    calls: tuple[Observed, ...] = (
        Call(0, Create(A, OLD, False), Returned(None), 0, 1),
        Call(0, change, done, 3, 4),
        Call(1, Open(A), outcome, 2, 5),
    )
    judged = JUDGE.judge(History(Concurrent((), ((), ()), (0, 0)), calls, (-1, 0, 1)))
    assert (judged.verdict == "conforms") is explained


def test_a_read_that_began_after_a_change_gives_what_is_there() -> None:
    created, changed = (0, Create(A, OLD, False), Returned(None)), (0, Create(A, NEW, True), Returned(None))
    assert JUDGE.judge(history(created, changed, (1, Open(A), SERVER))).fails


def test_to_blame_a_call_that_many_looks_missed_takes_few_steps() -> None:
    """Each look of which nobody heard would double what is tried: 24 of them for minutes."""
    looks = [(1 + number % 2, Open(A), MISSING) for number in range(24)]
    shown = history((0, Create(A, OLD, False), Returned(None)), *looks)
    assert JUDGE.judge(shown).fails
    bound = Bounded(JUDGE)
    blamed = blaming.blame(bound, shown)
    assert (blamed.place, blamed.unseen) == (0, True)
    assert blaming.outcome_of(bound, shown, blamed) == "stale" and blaming.stale_for(bound, shown, 0) > 0
    assert 0 < bound.most < 200


class Bounded:
    """A judge that notes how many states it looked at, at most."""

    def __init__(self, judge: Judge) -> None:
        self._judge, self.most = judge, 0

    def judge(self, one: History) -> Judged:
        found = self._judge.judge(one)
        self.most = max(self.most, found.linearized.states if found.linearized is not None else 0)
        return found


def test_of_calls_of_which_nobody_heard_those_that_leave_something_stay() -> None:
    shown = history(
        (0, OpenReader(A, "r"), Returned(None)),
        (0, ReadOn("r", ("read 1",)), NO_STREAM),
        (0, GetFileStatus(A), MISSING),
        (0, Delete(A, False), Returned(True)),
    )
    kept = blaming.without(shown, range(4))
    assert [type(call.operation) for call in kept.calls] == [OpenReader, ReadOn, Delete] and len(kept.places) == 3
    assert {(call.outcome, call.returned) for call in kept.calls} == {(blaming.UNHEARD, None)}
    assert blaming.without(shown, ()) == shown


def test_reads_and_writes_of_threads_have_clauses_of_their_own() -> None:
    positioned, moving = ReadOn("r", ("pread 0 3",)), ReadOn("r", ("read 1",))
    assert [*blaming.clauses_of(of_threads(positioned, positioned))] == [blaming.THREAD_SAFE] * 2
    assert [*blaming.clauses_of(of_threads(positioned, moving))] == [blaming.ISOLATED] * 2
    assert [*blaming.clauses_of(of_threads(Write("w", OLD), CloseWriter("w")))] == [blaming.SHARED] * 2
    assert blaming.SHARED not in blaming.clauses_of(history((0, Write("w", OLD), Returned(None))))


def of_threads(*operations: Operation) -> History:
    shown = history(*((lane, operation, Returned(None)) for lane, operation in enumerate(operations)))
    return replace(shown, program=replace(shown.program, threads=True))
