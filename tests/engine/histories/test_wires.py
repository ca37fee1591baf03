"""Networks that fail, on the store in memory: a sound one shows nothing, each seeded fault is found and told."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice

import pytest

from fsconform.adapters.meeting import board
from fsconform.adapters.stores.contracts import load_shipped
from fsconform.adapters.stores.quirks import every_race, races_of, with_quirks
from fsconform.engine.histories.breaches import COMPLETE
from fsconform.engine.histories.concurrent import Concurrent, History, Observed, decode, encode
from fsconform.engine.histories.confirming import Confirmer, Met, smaller
from fsconform.engine.histories.delays import Delays
from fsconform.engine.histories.execution import BEGINNING, ENDING, Clients, history_of
from fsconform.engine.histories.judging import Judge
from fsconform.engine.histories.known_races import KnownRace
from fsconform.engine.histories.linearizability import Call
from fsconform.engine.histories.small_steps import ATOMIC_DELETE, ATOMIC_RENAME
from fsconform.engine.histories.subject import RACES
from fsconform.engine.injection import LINK_FAULTS, Away, Wire
from fsconform.engine.protocol import Execution
from fsconform.harness.races import injector_of, seen_again
from fsconform.harness.wires import Wired
from fsconform.model.core import content
from fsconform.model.core.errors import ancestry
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Data, Facts, Outcome, Raised, Returned, Status, Unknown
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.options.writers import CREATE_VISIBILITY_DELAYED
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.output.sync import Sync
from fsconform.model.filesystem.programs import Event, Step, Trace
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.proving.faults import LINKS
from fsconform.proving.keeping_store import Abilities
from fsconform.proving.session import ProvingStore
from fsconform.suites.races import failing_links
from fsconform.suites.wires import SCENARIOS, LinkFailure, drawn_wires, scenarios, wires

SHIPPED = load_shipped("proving")
CONTRACT = Contract({**SHIPPED.declared, ATOMIC_RENAME: True, ATOMIC_DELETE: True})
JUDGE = Judge(Oracle(CONTRACT))
ROWS = [row for row in wires(CONTRACT) if row.fault.part == "server"]

DELAYED = Contract({**CONTRACT.declared, CREATE_VISIBILITY_DELAYED: True})
ABORTS = [row for row in wires(DELAYED) if row.fault.part == "server" and row.scenario.startswith("abort")]
"""Of a store that shows nothing of a stream until it is closed."""

FOUND: dict[str, tuple[str, str, str]] = {
    "append-sent-twice": ("append", "lose-reply", "introduction.retries.order"),
    "rename-fails-midway": ("rename a tree", "reset", "introduction.retries.order"),
    "rename-finds-its-own-success": ("rename a file", "lose-reply", "introduction.retries.order"),
    "close-swallows-a-failed-upload": ("write and close", "reset", "outputstream.close.uploads"),
    "read-short-after-reset": ("read", "lose-reply", "filesystem.open.post"),
    "listing-empty-after-reset": ("status and listing", "lose-reply", "introduction.consistency.all-clients"),
    "abort-raises-a-failed-cleanup": ("abort, in parts", "reset", "abortable.cleanup.failure-caught"),
    "abort-hides-a-failed-cleanup": ("abort over, in parts", "reset", "abortable.result.cleanup-exception"),
    "abort-cleans-up-again": ("abort, in parts", "reset", "abortable.cleanup.no-retry"),
    "waits-for-ever": ("create", "half-open", "introduction.failures.complete"),
    "network-error-at-run-time": ("create", "reset", "introduction.network.ioexception"),
}
"""Of each fault the scenario and the fault of the link that show it, and the clause by which it is told."""


@contextmanager
def wired(fault: str = "", delayed: bool = False) -> Iterator[Wired]:
    store = ProvingStore(fault=fault or None, behaviour=Abilities(delayed=delayed))
    session = store.session()
    with Wired(Clients([session], board, injector_of(store)), session, store, board) as clients:
        yield clients


def met(clients: Wired, rows: Sequence[LinkFailure], judge: Judge = JUDGE) -> list[Met]:
    return [Met(history, judge.judge(history)) for history in clients.execute([row.program for row in rows])]


def test_a_sound_store_shows_nothing() -> None:
    with wired() as clients:
        found = met(clients, [*ROWS, *islice(drawn_wires(CONTRACT, 5, ("server",)), 60)])
    assert {one.judged.verdict for one in found} == {"conforms"}
    assert len(ROWS) > 3 * len(scenarios(CONTRACT)) and all(one.history.overlaps for one in found[: len(ROWS)])


def test_a_sound_store_catches_what_a_cleanup_fails_by() -> None:
    with wired(delayed=True) as clients:
        found = met(clients, ABORTS, Judge(Oracle(DELAYED)))
    assert {one.judged.verdict for one in found} == {"conforms"}
    assert len(found) == 8 and all(one.history.overlaps for one in found)


def test_a_cleanup_that_fails_for_ever_and_is_hidden_is_reported() -> None:
    rows = [row for row in ABORTS if row.fault.times > 1]
    with wired("abort-hides-a-failed-cleanup", delayed=True) as clients:
        found = met(clients, rows, Judge(Oracle(DELAYED)))
    assert {one.judged.breach and one.judged.breach.clause for one in found} == {"abortable.result.cleanup-exception"}


def test_every_fault_has_its_row() -> None:
    assert {name: fault.clause for name, fault in LINKS.items()} == {name: row[-1] for name, row in FOUND.items()}


@pytest.mark.parametrize("fault", FOUND)
def test_each_fault_is_found_confirmed_and_told(fault: str) -> None:
    scenario, of_link, clause = FOUND[fault]
    rows = [row for row in (*ROWS, *ABORTS) if row.scenario == scenario and row.fault.fault == of_link]
    aborts = scenario.startswith("abort")
    judge = Judge(Oracle(DELAYED)) if aborts else JUDGE
    with wired(fault, aborts) as clients:
        first = next(one for one in met(clients, rows, judge) if one.judged.fails)
        confirmed = Confirmer(clients, judge, Delays()).confirm(first)
    told = RACES.proven(judge, confirmed, 1)
    assert confirmed.is_confirmed and confirmed.met.history.program.fault == first.history.program.fault
    assert (told.finding.verdict, told.finding.clause) == ("violation", clause)
    assert told.finding.signature.endswith(first.history.program.fault.title if first.history.program.fault else "-")


def test_a_replay_brings_links_up_too() -> None:
    store = ProvingStore(fault="append-sent-twice")
    row = LinkFailure("append", Wire("server", 0, "lose-reply"))
    found, unjudged = seen_again(store, CONTRACT, row.program)
    assert [one.finding.clause for one in found] == ["introduction.retries.order"] and not unjudged


def test_a_request_that_never_comes_fails_nothing() -> None:
    program = LinkFailure("create", Wire("server", 0, "reset", "", 7)).program
    with wired() as clients:
        [history] = clients.execute([program])
    assert not history.overlaps and JUDGE.judge(history).verdict == "conforms"


def test_a_link_that_there_is_not_is_not_cut() -> None:
    with wired() as clients:
        for fault in (Wire("namenode", 0, "reset"), Wire("server", 0, "slow-down")):
            [history] = clients.execute([LinkFailure("create", fault).program])
            assert history.lost


def test_programs_with_and_without_failures_come_back_in_order() -> None:
    plain: Concurrent = Concurrent((), (SCENARIOS["create"].lane,), (0,))
    programs = [plain, ROWS[0].program, plain, ROWS[1].program]
    with wired() as clients:
        assert [history.program for history in clients.execute(programs)] == programs


def test_a_failure_is_a_part_of_the_program() -> None:
    for row in ROWS:
        assert decode(encode(row.program)) == row.program
    fault = Wire("s3", 0, "lose-reply", "PUT", 2, 3, 4)
    assert fault.at(17) == fault
    assert encode(LinkFailure("create", fault).program)["wire"] == {
        "part": "s3",
        "delay": 0,
        "fault": "lose-reply",
        "request": "PUT",
        "count": 2,
        "amount": 3,
        "times": 4,
    }


@pytest.mark.parametrize(
    "change",
    [
        {"fault": "magic"},
        {"fault": 7},
        {"request": "a b"},
        {"count": 0},
        {"count": True},
        {"times": 0},
        {"amount": -1},
        {"part": "A"},
        {"delay": -1},
        {"more": 1},
    ],
)
def test_a_failure_that_can_not_be_meant_is_refused(change: dict[str, object]) -> None:
    row = encode(ROWS[0].program)
    with pytest.raises(ValueError, match=r"link|request|fault|wire"):
        decode({**row, "wire": {**row["wire"], **change}})


def test_titles_name_the_link_and_no_number() -> None:
    for fault in LINK_FAULTS:
        title = Wire("namenode", 0, fault, "create", 3, 9, 2).title
        assert "namenode" in title and "create" in title and not {"3", "9", "2"} & {*title.split()}


def test_an_error_as_an_answer_leaves_a_sync_open() -> None:
    facts = Facts("sync", (("answer", "raised RemoteException IOException"),))
    program: Concurrent = Concurrent((), ((), (Sync("held", "hflush"),)), (0, 0), fault=Wire("server", 0, "reset"))
    for answer, heard in ((facts, False), (replace(facts, items=(("answer", "done"),)), True)):
        own = Execution(Trace((Step(program.lanes[1][0], 1),), (Event(Returned(answer), 10, 20),)))
        [call] = history_of(program, [Execution(Trace((), ())), own], Away(5, 30, 5)).calls
        assert (call.returned is not None) is heard


def test_an_error_that_says_what_is_there_is_an_answer_on_a_network_that_fails_too() -> None:
    program = LinkFailure("rename a file", Wire("server", 0, "lose-reply")).program
    for name, heard in (("FileNotFoundException", True), ("IOException", False), ("RuntimeException", True)):
        own = Execution(Trace((Step(program.lanes[1][0], 1),), (Event(Raised(ancestry(name)), 10, 20),)))
        [call] = history_of(program, [Execution(Trace((), ())), own], Away(5, 30, 5)).calls
        assert (call.returned is not None) is heard


def test_what_is_smaller_fails_once() -> None:
    program = LinkFailure("create", Wire("server", 0, "reset", times=4)).program
    assert any(isinstance(one.fault, Wire) and one.fault.times == 1 for one in smaller(program))


def test_rows_are_of_the_links_that_there_are_and_come_once() -> None:
    rows = [row for row, _ in failing_links(SHIPPED, 1, ("namenode",), 5000, 5000, 30)]
    of_link = [row for row in rows if isinstance(row, LinkFailure)]
    assert len(of_link) == len(rows) and {row.fault.part for row in of_link} == {"namenode"}
    systematic = of_link[:-30]
    assert len({*systematic}) == len(systematic)
    assert failing_links(SHIPPED, 1, (), 50, 50, 0) == ()
    assert failing_links(SHIPPED, 1, ("namenode",), 40, 3, 5) == failing_links(SHIPPED, 1, ("namenode",), 40, 3, 5)


def test_scenarios_are_those_that_the_contract_has() -> None:
    assert {"append", "concat", "truncate"} & {*scenarios(Contract({}))} == set()
    assert scenarios(None) == [*SCENARIOS]


# --- known errors of clients

DISTURBED = [race for race in every_race() if race.disturbed is Wire and not race.by_itself]
HANGING = [race for race in every_race() if race.by_itself and race.clause == COMPLETE]
NULL, UNCHECKED = "java.lang.NullPointerException", "java.io.UncheckedIOException"
STACKS = {
    "sftp/takes-a-failure-of-the-network-for-an-answer": (
        "java.io.FileNotFoundException",
        "org.apache.hadoop.fs.sftp.SFTPFileSystem.getFileStatus(SFTPFileSystem.java:233)",
    ),
    "ftp/raises-a-runtime-exception-where-the-network-fails": (
        "org.apache.hadoop.fs.ftp.FTPException",
        "org.apache.hadoop.fs.ftp.FTPFileSystem.getHomeDirectory(FTPFileSystem.java:721)",
    ),
    "hdfs/takes-a-cut-reply-for-a-whole-one": (
        NULL,
        "org.apache.hadoop.hdfs.client.impl.BlockReaderRemote.newBlockReader(BlockReaderRemote.java:431)",
    ),
    "s3a/takes-a-cut-reply-for-an-empty-one": (
        NULL,
        "org.apache.hadoop.fs.s3a.impl.S3AStoreImpl.lambda$headObject$3(S3AStoreImpl.java:691)",
    ),
    "s3a/finds-no-directory-where-a-listing-is-cut": (
        "java.io.FileNotFoundException",
        "org.apache.hadoop.fs.s3a.S3AFileSystem.s3GetFileStatus(S3AFileSystem.java:4118)",
    ),
    "s3a/does-not-find-the-upload-that-it-completed": (
        "java.io.FileNotFoundException",
        "org.apache.hadoop.fs.s3a.S3AUtils.translateException(S3AUtils.java:289)"
        "\n\tat org.apache.hadoop.fs.s3a.WriteOperationHelper.finalizeMultipartUpload(WriteOperationHelper.java:316)",
    ),
    "s3a/raises-an-unchecked-exception-for-a-cut-reply": (
        UNCHECKED,
        "software.amazon.awssdk.protocols.xml.internal.unmarshall.XmlResponseParserUtils.parse(X.java:67)",
    ),
}
MORE = [
    (
        "ftp/raises-a-runtime-exception-where-the-network-fails",
        (
            "org.apache.hadoop.fs.ftp.FTPException",
            "org.apache.hadoop.fs.ftp.FTPFileSystem.isFile(FTPFileSystem.java:623)",
        ),
    ),
    (
        "s3a/takes-a-cut-reply-for-an-empty-one",
        (NULL, "org.apache.hadoop.fs.s3a.S3AFileSystem.s3GetFileStatus(S3AFileSystem.java:4051)"),
    ),
]
"""Where else they are raised."""
ELSEWHERE = "org.apache.hadoop.fs.Elsewhere.call(Elsewhere.java:1)"


def refused(race: KnownRace, name: str, frame: str, fault: Wire) -> History:
    """A history of the program of a known race, whose last call raised an error out of a frame."""
    program = replace(race.program, fault=fault)
    error = Raised((name, *ancestry("RuntimeException")), "", f"{name}: null\n\tat {frame}\n\tat {ELSEWHERE}")
    calls: list[Observed] = [
        Call(0, call, Returned(True if isinstance(call, Mkdirs) else None), 0, 1) for call in program.beginning
    ]
    calls.append(Call(1, program.lanes[1][0], error, 2, 3))
    return History(program, tuple(calls), (BEGINNING,) * len(program.beginning) + (1,))


ANSWERS = {
    "webhdfs/returns-false-for-what-it-did-where-the-reply-is-lost": True,
    "sftp/takes-a-failure-of-the-network-for-an-answer": False,
}
"""Known answers that are false: whether they are known of what took effect alone."""


def hung(race: KnownRace, fault: str, is_there: bool, call: Operation | None = None) -> History:
    """A history of the program of a known race, of which the call did not return, and of a look afterwards."""
    wire = race.program.fault
    assert isinstance(wire, Wire)
    look = GetFileStatus(("a",))
    wanted = race.program.lanes[1][0] if call is None else call
    lanes = (race.program.lanes[0], (wanted,))
    program = replace(race.program, lanes=lanes, ending=(look,), fault=replace(wire, fault=fault))
    status = Returned(Status(("a",), True, 4096))
    answer: Outcome = status if is_there else Raised(ancestry("FileNotFoundException"))
    calls: tuple[Observed, ...] = (
        Call(1, wanted, Unknown("no answer", hung=True), 2, None),
        Call(0, look, answer, 4, 5),
    )
    return History(program, calls, (1, ENDING))


@pytest.mark.parametrize("race", HANGING, ids=lambda race: race.id)
def test_a_call_is_known_to_hang_by_its_fault_and_its_kind_alone(race: KnownRace) -> None:
    judge = Judge(Oracle(with_quirks(load_shipped(race.store), race.store)), races_of((race.store,)))
    for is_there in (False, True):
        history = hung(race, "half-open", is_there)
        judged = judge.judge(history)
        assert (judged.verdict, judged.known) == ("waived", (race,))
        blamed = RACES.blame(judge, history, judged)
        finding = RACES.finding(judge, history, judged, blamed)
        assert (finding.signature, finding.verdict, finding.clause) == (race.signature, "waived", race.clause)
        assert history.calls[blamed.place].returned is None and "does not return" in finding.observed
        assert judge.judge(hung(race, "reset", is_there)).verdict == "violation"
        assert judge.judge(hung(race, "half-open", is_there, Sync("held", "hflush"))).verdict == "violation"
        assert Judge(Oracle(load_shipped(race.store))).judge(history).verdict == "violation"


@pytest.mark.parametrize("race", HANGING, ids=lambda race: race.id)
def test_of_a_call_that_is_known_to_hang_the_rest_is_judged(race: KnownRace) -> None:
    """A directory that is there although nobody was asked to make it is a violation."""
    judge = Judge(Oracle(with_quirks(load_shipped(race.store), race.store)), races_of((race.store,)))
    history = hung(race, "half-open", True, Delete(("b",), False))
    assert judge.judge(history).verdict == "violation"


def test_each_known_error_has_its_stack() -> None:
    assert {race.id for race in DISTURBED} == STACKS.keys() | ANSWERS.keys()


@pytest.mark.parametrize("race_id", ANSWERS)
def test_a_known_answer_is_known_by_its_fault_and_what_is_there(race_id: str) -> None:
    race = next(one for one in DISTURBED if one.id == race_id)
    judge = Judge(Oracle(with_quirks(load_shipped(race.store), race.store)), races_of((race.store,)))
    gone = Raised(ancestry("FileNotFoundException"))
    for fault in ("lose-reply", "slow-down"):
        for is_there in (False, True):
            program: Concurrent = replace(
                race.program,
                lanes=((), (Delete(("a",), False),)),
                ending=(GetFileStatus(("a",)),),
                fault=Wire(race.store, 0, fault),
            )
            made: Observed = Call(0, program.beginning[0], Returned(None), 0, 1)
            deleted: Observed = Call(1, program.lanes[1][0], Returned(False), 2, 3)
            look: Observed = Call(0, program.ending[0], gone, 4, 5)
            if is_there:  # what is left of a file that is there is read, as no status is made up here
                program = replace(program, ending=(Open(("a",)),))
                look = Call(0, Open(("a",)), data_of(program.beginning[0]), 4, 5)
            judged = judge.judge(History(program, (made, deleted, look), (BEGINNING, 1, ENDING)))
            known = fault == "lose-reply" and not (is_there and ANSWERS[race_id])
            assert judged.known == ((race,) if known else ()), (fault, is_there)
            assert known or judged.verdict == "violation"


def data_of(created: Operation) -> Returned:
    assert isinstance(created, Create)
    whole = b"".join(content.chunks(created.content))
    return Returned(Data(len(whole), hashlib.sha256(whole).hexdigest()))


@pytest.mark.parametrize("known", [*STACKS.items(), *MORE], ids=lambda known: known[0])
def test_a_known_error_is_known_by_its_fault_its_class_and_where_it_was_raised(
    known: tuple[str, tuple[str, str]],
) -> None:
    race_id, (name, frame) = known
    race = next(one for one in DISTURBED if one.id == race_id)
    fault = race.program.fault
    assert isinstance(fault, Wire)
    judge = Judge(Oracle(with_quirks(load_shipped(race.store), race.store)), races_of((race.store,)))
    assert judge.judge(refused(race, name, frame, fault)).known == (race,)
    for other in (
        refused(race, name, ELSEWHERE, fault),
        refused(race, "java.lang.IllegalStateException", frame, fault),
        refused(race, name, frame, replace(fault, fault="slow-down")),
        refused(race, name, frame.partition("\n")[0], fault) if "\n" in frame else None,
    ):
        assert other is None or judge.judge(other).verdict == "violation"


@pytest.mark.parametrize("beginning", [Mkdirs(("a", "s")), Create(("a",), content.of(1, 3), False)], ids=type)
@pytest.mark.parametrize("call", [Delete(("a",), True), Rename(("a",), ("d",))], ids=type)
def test_only_a_directory_is_not_found_where_a_listing_is_cut(beginning: Operation, call: Operation) -> None:
    """Delete says so by false: of a file, and of another fault, that is a violation as ever."""
    race = next(one for one in DISTURBED if one.id == "s3a/finds-no-directory-where-a-listing-is-cut")
    name, frame = STACKS[race.id]
    refusal = Raised((name, *ancestry("IOException")), "", f"\tat {frame}")
    made: Observed = Call(0, beginning, Returned(True if isinstance(beginning, Mkdirs) else None), 0, 1)
    answered: Observed = Call(1, call, Returned(False) if isinstance(call, Delete) else refusal, 2, 3)
    judge = Judge(Oracle(with_quirks(load_shipped("s3a"), "s3a")), races_of(("s3a",)))
    for fault in ("cut-reply", "lose-reply"):
        program: Concurrent = Concurrent((beginning,), ((), (call,)), (0, 0), fault=Wire("s3", 0, fault, amount=14))
        judged = judge.judge(History(program, (made, answered), (BEGINNING, 1)))
        if isinstance(beginning, Mkdirs) and fault == "cut-reply":
            assert judged.known == (race,)
        else:
            assert judged.verdict == "violation"
