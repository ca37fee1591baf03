"""Streams in the hands of several: a sound store shows no race, and each seeded fault is found, confirmed and told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from fsconform.adapters.meeting import board
from fsconform.adapters.stores.contracts import load_shipped
from fsconform.engine.histories.concurrent import Concurrent, History, Observed
from fsconform.engine.histories.confirming import Confirmer, Met
from fsconform.engine.histories.delays import Delays
from fsconform.engine.histories.execution import Clients
from fsconform.engine.histories.judging import Judge
from fsconform.engine.histories.linearizability import Call
from fsconform.engine.histories.small_steps import ATOMIC_DELETE, ATOMIC_RENAME
from fsconform.engine.histories.subject import RACES
from fsconform.model.core import content
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Data, NotExpressible, Outcome, Raised, Returned
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.options.writers import EXCLUSIVE_WRITER
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.proving.faults import STREAM_RACES
from fsconform.proving.session import ProvingStore
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


@contextmanager
def clients(fault: str = "") -> Iterator[Clients]:
    store = ProvingStore(fault=fault or None)
    sessions = [store.session() for _ in range(3)]
    try:
        yield Clients(sessions, board)
    finally:
        for session in sessions:
            session.close()
        store.close()


def met(three: Clients, delays: Delays, chosen: Sequence[StreamRace], rounds: int) -> list[Met]:
    """What was met of the chosen rows in so many rounds."""
    found = []
    for number in range(rounds):
        histories = three.execute([delays.moved(row.program, number) for row in chosen])
        delays.note(histories)
        found += [Met(history, JUDGE.judge(history)) for history in histories]
    return found


def test_a_sound_store_shows_no_race() -> None:
    with clients() as three:
        found = met(three, Delays(), [*stream_races()], 3)
    assert {one.judged.verdict for one in found} == {"conforms"}
    assert sum(one.history.overlaps for one in found) > len(found) // 2


def test_every_fault_has_its_row() -> None:
    assert FOUND.keys() == STREAM_RACES.keys()
    assert {row for row, _, _ in FOUND.values()} <= set(stream_races())


def test_rows_are_those_that_a_store_can_be_judged_by() -> None:
    rows, without = set(stream_races()), set(stream_races(Contract({})))
    assert set(stream_races(PROMISED)) == rows and without < rows
    assert {need for row in rows - without for need in row.needs} == {"supports-hflush", "supports-hsync"}
    known = set(stream_races(load_shipped("s3a")))
    assert known < without and {"read on" in row.lanes for row in without - known} == {True}


@pytest.mark.timeout(120)
@pytest.mark.parametrize("fault", STREAM_RACES)
def test_each_fault_is_found_confirmed_and_told(fault: str) -> None:
    row, verdict, clause = FOUND[fault]
    with clients(fault) as three:
        delays = Delays()
        first: Met | None = None
        for _ in range(20):
            shown = [one for one in met(three, delays, [row] * 8, 8) if one.judged.verdict == verdict]
            if shown:
                first = shown[0]
                break
        assert first is not None
        confirmed = Confirmer(three, JUDGE, delays).confirm(first)
        told = RACES.proven(JUDGE, confirmed, 1)
    assert confirmed.is_confirmed and not confirmed.alone
    assert (told.finding.verdict, told.finding.clause) == (verdict, clause)
    assert confirmed.met.history.program.size <= first.history.program.size
    assert confirmed.met.history.program.threads == row.threads
    assert told.finding.signature.count(" beside ") == 1 and "/" not in told.finding.signature


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
