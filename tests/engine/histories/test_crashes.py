"""Clients that are killed, on the store in memory: a sound one shows nothing, each seeded fault is found and told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pytest

from fsconform.adapters import meeting
from fsconform.adapters.meeting import board
from fsconform.adapters.stores.contracts import load_shipped
from fsconform.adapters.stores.quirks import races_of, with_quirks
from fsconform.engine.histories.blaming import blame
from fsconform.engine.histories.concurrent import Calls, Concurrent, History, Observed, decode, encode
from fsconform.engine.histories.confirming import Confirmed, Met
from fsconform.engine.histories.deaths import MOST_LENGTHS, Died, died, end_of, recovered, with_death
from fsconform.engine.histories.delays import Delays
from fsconform.engine.histories.execution import Clients, history_of
from fsconform.engine.histories.judging import Judge, Judged
from fsconform.engine.histories.linearizability import Call
from fsconform.engine.histories.small_steps import ATOMIC_DELETE, ATOMIC_RENAME, PROMISES, SmallSteps
from fsconform.engine.injection import Away, Crash
from fsconform.engine.protocol import Execution, Job, StoreLost
from fsconform.harness.races import injector_of
from fsconform.model.core import content
from fsconform.model.core.errors import ancestry
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Data, Facts, Raised, Returned, Status, Unknown
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.options.writers import EXCLUSIVE_WRITER
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.output import writers as streams
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.leases import RecoverLease
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.write import Write
from fsconform.model.filesystem.programs import Event, Step, Trace
from fsconform.model.filesystem.state import EMPTY, File, State, locate
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.proving.faults import CRASHES, SHARED
from fsconform.proving.session import ProvingStore
from fsconform.suites.crashes import (
    IN_THE_CALL,
    LOAD,
    ONCE_RETURNED,
    SCENARIOS,
    ClientCrash,
    ServiceCrash,
    crashes,
    ending,
)

CONTRACT = load_shipped("proving")
PROMISED = Contract({**CONTRACT.declared, ATOMIC_RENAME: True, ATOMIC_DELETE: True})
JUDGE = Judge(Oracle(PROMISED))
AFTERWARDS = ending(PROMISED, "create")
A, B, DONE = ("a",), ("b",), Returned(None)
WRITTEN: Calls = (OpenWriter(("a",), "held", "create"), Write("held", content.of(1, 4)))

FOUND: dict[str, tuple[str, str, str, str]] = {
    "append-moves-away": ("append", IN_THE_CALL, "violation", "filesystem.append.post"),
    "close-with-the-next-call": ("close", ONCE_RETURNED, "violation", "introduction.consistency.create"),
    "create-writes-beside": ("create", IN_THE_CALL, "violation", "introduction.atomicity.create"),
    "delete-takes-the-directory-first": ("delete a tree", IN_THE_CALL, "declared-false", "filesystem.delete.atomic"),
    "hflush-with-the-next-call": ("hflush", ONCE_RETURNED, "violation", "outputstream.sync.post.visible"),
    # Races show these two as well.
    "rename-copies-and-deletes": ("rename a file", IN_THE_CALL, "declared-false", "filesystem.rename.atomic"),
    "upload-shows-parts": ("upload", IN_THE_CALL, "violation", "multipartuploader.complete.post.data"),
    "rename-child-by-child": ("rename a tree", IN_THE_CALL, "declared-false", "filesystem.rename.atomic"),
}
"""Of each fault the scenario and the moment that show it, and with which verdict and clause it is told."""


@pytest.mark.parametrize("leased", [True, False])
def test_a_sound_store_shows_nothing(leased: bool, met_of: Callable[..., list[Met]]) -> None:
    contract = Contract({**PROMISED.declared, EXCLUSIVE_WRITER: leased})
    rows = [row for row in crashes(contract) if isinstance(row, ClientCrash)]
    found = met_of(Judge(Oracle(contract)), rows, 3)
    assert {one.judged.verdict for one in found} == {"conforms"}
    assert len(found) == 3 * len(rows) > 3 * len(SCENARIOS)


OF_SERVICES: dict[str, tuple[str, str]] = {
    "journal-lazy": ("create", "violation"),
    "delete-takes-the-directory-first": ("delete", "declared-false"),
    "rename-copies-and-deletes": ("rename", "declared-false"),
    "unreadable-after-a-failed-append": ("append", "violation"),
}
"""Of each fault what the clients do while the server is killed, and the verdict."""


def crashed(fault: str, rows: Sequence[ServiceCrash], rounds: int) -> list[Judged]:
    return [judged for _, judged in histories_of(fault, rows, rounds)]


def histories_of(fault: str, rows: Sequence[ServiceCrash], rounds: int) -> list[tuple[History, Judged]]:
    store = ProvingStore(fault=fault or None)
    sessions = [store.session(), store.session()]
    clients, delays = Clients(sessions, board, injector_of(store)), Delays()
    found: list[tuple[History, Judged]] = []
    for number in range(rounds):
        histories = clients.execute([delays.moved(row.program, number) for row in rows])
        delays.note(histories)
        assert not any(history.lost for history in histories)
        assert all(history.away is not None for history in histories)
        found += [(history, JUDGE.judge(history)) for history in histories]
    return found


def test_a_sound_server_that_is_killed_shows_nothing() -> None:
    rows = [row for row in crashes(PROMISED) if isinstance(row, ServiceCrash) and row.part == "server"]
    assert len(rows) == len(LOAD)
    assert {judged.verdict for judged in crashed("", rows, 8)} == {"conforms"}


@pytest.mark.parametrize("fault", OF_SERVICES)
def test_each_fault_of_a_server_is_found(fault: str) -> None:
    load, verdict = OF_SERVICES[fault]
    for _ in range(20):
        if any(judged.verdict == verdict for judged in crashed(fault, [ServiceCrash(load, "server")] * 4, 16)):
            return
    pytest.fail("not found")


@pytest.mark.parametrize("load", ["create", "create over", "append"])
def test_what_close_had_saved_and_a_crash_took_is_told_so(load: str) -> None:
    for _ in range(20):
        for history, judged in histories_of("journal-lazy", [ServiceCrash(load, "server")] * 4, 16):
            if judged.fails and blame(JUDGE, history).clause == "outputstream.close.post.durable":
                return
    pytest.fail("not told")


def test_what_was_under_way_when_a_daemon_was_killed_was_not_saved() -> None:
    """A rename that a crash left half done breaks its own promise, and none of close."""
    for _ in range(20):
        for history, judged in histories_of("rename-copies-and-deletes", [ServiceCrash("rename", "server")] * 4, 16):
            if judged.fails:
                assert blame(JUDGE, history, judged.options).clause == "filesystem.rename.atomic"
                return
    pytest.fail("not found")


@pytest.mark.parametrize("load", ["create", "create over", "append", "mkdirs", "delete"])
@pytest.mark.parametrize("carried_out", ["none", "the last", "all"])
def test_many_calls_of_which_nobody_heard_are_judged_soon(load: str, carried_out: str) -> None:
    """Of pending calls the one of the path that a look does not fit is tried first, not each set of them."""
    program = ServiceCrash(load, "server").program
    lanes = [(call, seat) for seat, lane in enumerate(program.lanes) for call in lane]
    done = {"none": [], "the last": lanes[-1:], "all": lanes}[carried_out]
    steps = [*program.beginning, *(call for call, _ in done), *program.ending]
    [execution] = ProvingStore().session().execute([Job(tuple(Step(one) for one in steps))])
    events, before = execution.trace.events, len(program.beginning)
    rows: list[tuple[Observed, int]] = [
        (Call(0, call, event.outcome, 2 * at, 2 * at + 1), -1)
        for at, (call, event) in enumerate(zip(program.beginning, events, strict=False))
    ]
    rows += [(Call(seat, call, Unknown("nobody heard"), 100 + at), seat) for at, (call, seat) in enumerate(lanes)]
    rows += [
        (Call(0, call, event.outcome, 1000 + 2 * at, 1001 + 2 * at), -2)
        for at, (call, event) in enumerate(zip(program.ending, events[before + len(done) :], strict=True))
    ]
    history = History(
        program, tuple(call for call, _ in rows), tuple(place for _, place in rows), away=Away(200, 900, 250)
    )
    contracts = (PROMISED, load_shipped("hdfs"), *([load_shipped("s3a")] if load != "append" else []))
    for contract in contracts:
        judged = Judge(Oracle(contract)).judge(history)
        assert judged.verdict == "conforms" and judged.linearized is not None
        assert judged.linearized.states < 1000


def test_who_crashes_a_daemon_waits_for_the_programs_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long they take: it is no more than the others that is waited for from then on."""
    monkeypatch.setattr(meeting, "GATHERING_SECONDS", 0.3)
    store = ProvingStore()
    sessions = [store.session(), store.session()]
    slow: Concurrent = Concurrent((), ((Create(("a",), content.of(1, 3), False),), ()), (200_000_000, 0))
    programs: list[Concurrent] = [*[slow] * 6, ServiceCrash("create", "server").program]
    assert not any(history.lost for history in Clients(sessions, board, injector_of(store)).execute(programs))


class Lost:
    """A session whose store is lost at once."""

    killable = False

    def execute(self, jobs: Sequence[Job]) -> Iterator[Execution]:
        raise StoreLost("gone")

    def close(self) -> None: ...


@pytest.mark.timeout(60)
def test_who_crashes_a_daemon_does_not_wait_where_the_store_is_lost() -> None:
    programs = [ServiceCrash(load, "server").program for load in LOAD]
    with pytest.raises(StoreLost, match="gone"):
        Clients([Lost(), Lost()], board, injector_of(ProvingStore())).execute(programs)


class Counting(Lost):
    """A session that counts the programs it was asked for, and takes its time for each."""

    def __init__(self, store_of: ProvingStore, fails_at: int = 1 << 30) -> None:
        self.session, self.begun, self.fails_at = store_of.session(), 0, fails_at

    def execute(self, jobs: Sequence[Job]) -> Iterator[Execution]:
        for execution in self.session.execute(jobs):
            self.begun += 1
            if self.begun == self.fails_at:
                raise KeyboardInterrupt
            yield execution


@pytest.mark.timeout(120)
@pytest.mark.parametrize("fails_at", [1, 3])
def test_who_is_interrupted_begins_no_other_program(fails_at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meeting, "GATHERING_SECONDS", 0.3)
    store = ProvingStore()
    first, second = Counting(store), Counting(store, fails_at)
    programs: list[Concurrent] = [Concurrent((), ((Create(("a",), content.of(1, 3), False),), ()), (0, 0))] * 60
    with pytest.raises(KeyboardInterrupt):
        Clients([first, second], board).execute(programs)
    assert first.begun <= fails_at + 3, "it stops with the program that is under way"


def test_a_daemon_that_is_not_there_is_not_killed() -> None:
    store = ProvingStore()
    sessions = [store.session(), store.session()]
    for clients in (Clients(sessions, board), Clients(sessions, board, injector_of(store))):
        [history] = clients.execute([ServiceCrash("create", "namenode").program])
        assert "no namenode of the harness's own" in history.lost


@pytest.mark.parametrize("crash", [{"part": "a b", "delay": 1}, {"part": "x", "delay": -1}, {"part": "x"}, 7, "x"])
def test_a_crash_that_can_not_be_meant_is_refused(crash: object) -> None:
    with pytest.raises(ValueError, match=r"crash has|a fault is|fault is in"):
        decode({**encode(ServiceCrash("create", "server").program), "crash": crash})


def test_an_error_while_a_daemon_was_away_leaves_all_open_and_an_answer_does_not() -> None:
    program, away = ServiceCrash("create", "server").program, Away(100, 200, 140)

    def seen(error: str, invoked: int, returned: int) -> Observed:
        event = Event(Raised(ancestry(error)), invoked, returned)
        parts = [
            Execution(Trace((Step(program.lanes[0][0]),), (event,))),
            Execution(Trace((), ())),
        ]
        return history_of(program, parts, away).calls[0]

    assert seen("IOException", 90, 150).returned is None
    assert seen("IOException", 10, 50).returned is None, "by the connection to a daemon that an earlier program killed"
    assert seen("FileNotFoundException", 10, 50).returned == 50
    assert seen("IOException", 300, 310).returned is None, "by the connection that it had"
    assert seen("FileNotFoundException", 90, 150).returned == 150
    assert seen("IllegalArgumentException", 90, 150).returned == 150

    again = Execution(
        Trace(
            tuple(Step(one) for one in program.lanes[0][:2]),
            (Event(Raised(ancestry("IOException")), 210, 220), Event(Raised(ancestry("IOException")), 230, 240)),
        )
    )
    first, second = history_of(program, [again, Execution(Trace((), ()))], away).calls
    assert first.returned is None and second.returned == 240
    sooner = replace(
        again,
        trace=replace(
            again.trace, events=tuple(Event(e.outcome, e.invoked - 200, e.returned - 200) for e in again.trace.events)
        ),
    )
    first, second = history_of(program, [sooner, Execution(Trace((), ()))], away).calls
    assert first.returned is None and second.returned == 40, "the second goes by a connection of its own"


@pytest.mark.parametrize(("invoked", "open_"), [(90, True), (139, True), (140, False), (180, False)])
def test_a_client_that_was_answered_before_a_daemon_was_gone_learns_of_it_by_its_next_call(
    invoked: int, open_: bool
) -> None:
    program = ServiceCrash("create", "server").program
    events = (Event(Returned(None), invoked, invoked + 5), Event(Raised(ancestry("EOFException")), 230, 240))
    lane = Execution(Trace(tuple(Step(one) for one in program.lanes[0][:2]), events))
    _, second = history_of(program, [lane, Execution(Trace((), ()))], Away(100, 200, 140)).calls
    assert (second.returned is None) == open_


UNKNOWN_LENGTH = Raised(("org.apache.hadoop.hdfs.CannotObtainBlockLengthException", *ancestry("IOException")))
NO_BLOCK = Raised(("org.apache.hadoop.hdfs.BlockMissingException", *ancestry("IOException")))


@pytest.mark.parametrize(
    ("between", "opened", "is_known"),
    [
        ([], UNKNOWN_LENGTH, True),
        ([], NO_BLOCK, False),
        ([RecoverLease(A)], UNKNOWN_LENGTH, False),
        ([Append(A, content.of(3, 2))], UNKNOWN_LENGTH, False),
        ([], Raised(ancestry("FileNotFoundException")), False),
    ],
)
def test_a_file_that_can_not_be_read_after_a_failed_append_is_reported(
    between: list[Operation], opened: Raised, is_known: bool
) -> None:
    lane = Append(A, content.of(4, 9))
    looks = (*between, Open(A), GetFileStatus(A))
    crash = Crash("datanode-0", 0)
    program = Concurrent((Create(A, content.of(1, 3), False),), ((), (lane,)), (0, 0), looks, fault=crash)
    status = Returned(Status(A, False, 3, 1 << 20))
    again: list[tuple[Observed, int]] = [(Call(0, one, DONE, 25, 26), -2) for one in between]
    rows: list[tuple[Observed, int]] = [
        (Call(0, program.beginning[0], DONE, 0, 1), -1),
        (Call(1, lane, Raised(ancestry("IOException")), 10, None), 1),
        *again,
        (Call(0, Open(A), opened, 30, 31), -2),
        (Call(0, GetFileStatus(A), status, 32, 33), -2),
    ]
    history = History(program, tuple(one for one, _ in rows), tuple(place for _, place in rows), away=Away(9, 20, 12))
    oracle = Oracle(with_quirks(load_shipped("hdfs"), "hdfs"))
    plain, known = Judge(oracle).judge(history), Judge(oracle, races_of(("hdfs",))).judge(history)
    assert plain.fails and known.fails != is_known
    if is_known:
        assert [race.id for race in known.known] == ["hdfs/unreadable-until-the-lease-is-recovered"]
        assert plain.breach is not None and plain.breach.clause == "filesystem.open.post"


def test_every_fault_has_its_row() -> None:
    assert CRASHES.keys() <= FOUND.keys() | OF_SERVICES.keys()
    assert {name: SHARED[name].clause for name in FOUND} == {name: row[-1] for name, row in FOUND.items()}


@pytest.mark.timeout(120)
@pytest.mark.parametrize("fault", FOUND)
def test_each_fault_is_found_confirmed_and_told(fault: str, confirmed_of: Callable[..., Confirmed]) -> None:
    scenario, moment, verdict, clause = FOUND[fault]
    confirmed = confirmed_of(JUDGE, fault, ClientCrash(scenario, moment, ending(PROMISED, scenario)), verdict, clause)
    assert confirmed.met.history.program.kill is not None


def test_a_kill_is_a_part_of_the_program() -> None:
    program = ClientCrash("create", IN_THE_CALL, ()).program
    for kill in (0, 5_000_000, "returned"):
        killed = replace(program, kill=kill)
        assert decode(encode(killed)) == killed
    assert "kill" not in encode(replace(program, kill=None))


@pytest.mark.parametrize("kill", [-1, 10**11, 0.5, "soon", True, [1]])
def test_a_kill_that_can_not_be_meant_is_refused(kill: object) -> None:
    row = {**encode(ClientCrash("create", IN_THE_CALL, ()).program), "kill": kill}
    with pytest.raises(ValueError, match="a client is killed after"):
        decode(row)


@pytest.mark.parametrize(
    "program",
    [
        Concurrent((), ((Create(("a",), content.of(1, 3), False),),), (0,)),
        Concurrent((), ((), ()), (0, 0)),
        Concurrent((), ((), (Create(("a",), content.of(1, 3), False),)), (0, 0), threads=True),
    ],
)
def test_the_client_that_is_killed_has_a_lane_beside_another(program: Concurrent) -> None:
    with pytest.raises(ValueError, match="has a lane of its own"):
        replace(program, kill=0)


def test_the_moment_of_a_kill_moves_through_the_call_and_beyond() -> None:
    program, delays = ClientCrash("rename a file", IN_THE_CALL, ()).program, Delays()

    def taking(nanoseconds: int) -> History:
        call: Observed = Call(1, program.lanes[1][0], Returned(True), 0, nanoseconds)
        return History(program, (call,), (1,))

    delays.note([taking(1_000_000)])
    moments = [delays.moved(program, number).kill for number in range(32)]
    assert all(isinstance(one, int) for one in moments)
    inside = [one for one in moments if isinstance(one, int) and one < 1_000_000]
    assert len(inside) > 16 and len(inside) < 32
    once = replace(program, kill="returned")
    assert delays.moved(once, 5) == once


def test_a_call_that_outlives_every_kill_gets_longer_ones() -> None:
    program, delays = replace(ClientCrash("rename a file", IN_THE_CALL, ()).program, kill=1_000_000), Delays()
    pending: Observed = Call(1, program.lanes[1][0], Unknown("killed"), 0, None)
    delays.note([History(program, (pending,), (1,))])
    kill = delays.moved(program, 6).kill
    assert isinstance(kill, int) and kill > 1_000_000


def written(least: int) -> State:
    """A file of 4 bytes that a stream writes; so many of them were made visible."""
    state = streams.begun(EMPTY, "held", ("a",), "create")
    return streams.changed(state, "held", content=content.of(1, 4), least=least, shown=least > 0)


def files(states: list[State]) -> list[int | None]:
    found = []
    for one in states:
        node = locate(one, ("a",))
        found.append(content.length(node.content) if isinstance(node, File) else None)
    return found


HELD = Died(frozenset({"held"}))


def test_what_a_killed_client_leaves() -> None:
    def settled(least: int, delayed: bool) -> list[int | None]:
        kept, *found = died(written(least), HELD, delayed=delayed, leased=False)
        assert kept.writers == written(least).writers and not any(one.writers for one in found)
        return files(found)

    assert settled(0, delayed=False) == [0, 1, 2, 3, 4]
    assert settled(3, delayed=False) == [3, 4]
    assert settled(0, delayed=True) == [0, 1, 2, 3, 4, None]
    assert settled(3, delayed=True) == [3, 4]
    [kept] = died(written(3), HELD, delayed=False, leased=True)
    assert kept == written(3)
    assert files([*recovered(kept, ("a",))]) == [3, 4]
    assert not [*recovered(EMPTY, ("a",))] and not [*recovered(kept, ("b",))]


def beside(state: State) -> State:
    """The state with a file of 2 bytes that another client writes."""
    state = streams.begun(state, "other", ("b",), "create")
    return streams.changed(state, "other", content=content.of(2, 2))


def test_the_streams_of_clients_that_live_stay_open() -> None:
    kept, *found = died(beside(written(3)), HELD, delayed=False, leased=False)
    assert kept == beside(written(3))
    assert files(found) == [3, 4]
    assert all(dict(after.writers) == {"other": kept.writers["other"]} for after in found)
    assert [*died(written(3), Died(frozenset({"other"})), delayed=False, leased=False)] == [written(3)]


def test_what_a_client_that_lives_has_saved_is_not_lost_with_another() -> None:
    """Whoever is killed: what another client's close has saved is there."""
    contract = Contract({**PROMISED.declared, EXCLUSIVE_WRITER: False})
    program = Concurrent(
        (),
        ((OpenWriter(B, "mine", "create"), Write("mine", content.of(2, 2)), CloseWriter("mine")), WRITTEN),
        (0, 0),
        (Open(B),),
        kill="returned",
    )
    [opened, written_, closed], [look] = program.lanes[0], program.ending

    def told(size: int) -> History:
        calls: list[Observed] = [
            Call(1, WRITTEN[0], Returned(None), 0, 1),
            Call(1, WRITTEN[1], Returned(None), 2, 3),
            Call(0, opened, Returned(None), 4, 5),
            Call(0, written_, Returned(None), 10, 11),
            Call(0, closed, Returned(None), 12, 13),
            Call(0, look, Returned(Data(size, content.digest(content.of(2, size)) or "")), 14, 15),
        ]
        return History(program, tuple(calls), (1, 1, 0, 0, 0, -2))

    assert Judge(Oracle(contract)).judge(told(2)).verdict == "conforms"
    assert Judge(Oracle(contract)).judge(told(0)).verdict == "violation"


def test_the_end_of_a_client_names_what_it_had_open() -> None:
    a_file, more = Create(("b",), content.of(2, 2), False), Append(("c",), content.of(2, 2))
    calls: list[Observed] = [Call(1, one, DONE, 1, 2) for one in (*WRITTEN, a_file)]
    assert end_of([*calls, Call(1, more, DONE, 5)]) == Died(frozenset({"held"}), frozenset({("c",)}))
    assert end_of(calls) == HELD


def test_a_call_that_was_cut_short_leaves_the_file_that_it_writes_open() -> None:
    call = Create(("a",), content.of(1, 4), False)
    steps = SmallSteps(Oracle(load_shipped("rawlocal")), ())
    begun = {(state, left) for state, left in steps.effects(EMPTY, call) if state.writers}
    assert begun
    for state, _ in begun:
        assert Died(within=frozenset({("a",)})).left(state) and not Died(within=frozenset({("b",)})).left(state)
        assert not HELD.left(state)


def test_calls_of_which_nobody_heard_meet_leases_as_others_do() -> None:
    """A file is not opened twice, and once its lease was recovered it is closed."""
    steps = SmallSteps(Oracle(load_shipped("hdfs")), PROMISES)
    for call in (Append(("a",), content.of(2, 2)), OpenWriter(("a",), "again", "append")):
        assert [*steps.effects(written(3), call)] == [(written(3), None)]
    found = [after for after, left in steps.effects(written(3), RecoverLease(("a",))) if left is None]
    assert found[0] == written(3) and files(found[1:]) == [3, 4]
    assert not any(after.writers for after in found[1:])


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_a_file_of_which_no_length_is_known_is_closed_all_the_same(more: int) -> None:
    """Whose lease was recovered: it may be appended to, and what it holds is a beginning of what was written."""
    size = MOST_LENGTHS - 1 + more
    state = streams.changed(written(0), "held", content=content.of(1, size))
    assert len([*recovered(state, ("a",))]) == (size + 1 if more < 1 else 0)
    kept, *settled = died(state, HELD, delayed=False, leased=False)
    assert kept == state and len(settled) == (size + 1 if more < 1 else 1)
    steps = SmallSteps(Oracle(load_shipped("hdfs")), PROMISES)
    value = Facts("recovery", (("closed", True), ("finally", True), ("first", False)))
    closed = [*steps.atomic(state, RecoverLease(("a",)), Returned(value))]
    opened = OpenWriter(("a",), "again", "append")
    assert closed and all([*steps.atomic(after, opened, DONE)] for after in closed)
    assert not [*steps.atomic(state, opened, DONE)]


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("closed", [True, False])
@pytest.mark.parametrize("ended", [True, False])
@pytest.mark.parametrize("was_killed", [True, False])
def test_a_recovery_says_true_for_a_file_that_is_closed_and_no_other(
    first: bool, closed: bool, ended: bool, was_killed: bool
) -> None:
    """Of a file that a killed client left open, and of one that is being written."""
    state = next(died(written(3), HELD, delayed=False, leased=True)) if was_killed else written(3)
    value = Facts("recovery", (("closed", closed), ("finally", ended), ("first", first)))
    found = SmallSteps(Oracle(load_shipped("hdfs")), ()).atomic(state, RecoverLease(("a",)), Returned(value))
    assert bool([*found]) is (ended and (closed or not first))


def test_the_end_of_a_client_comes_after_its_calls_and_before_those_of_others() -> None:
    program = ClientCrash("rename a file", ONCE_RETURNED, AFTERWARDS).program
    done: Observed = Call(1, Rename(("a",), ("d",)), Returned(True), 10, 20)
    look: Observed = Call(0, AFTERWARDS[0], Returned(()), 90, 95)
    *_, last = with_death(History(program, (done, look), (1, -2)))
    assert last.operation == Died() and 20 < last.invoked <= (last.returned or 0) < 90
    assert with_death(History(replace(program, kill=None), (done, look), (1, -2))) == (done, look)


def test_scenarios_are_those_that_the_contract_has() -> None:
    bare = {row.scenario for row in crashes(Contract({})) if isinstance(row, ClientCrash)}
    assert {"hflush", "append"} & bare == set() and "create" in bare
    assert EXCLUSIVE_WRITER in CONTRACT.declared or len(ending(None, "create")) > len(ending(Contract({}), "create"))
