"""Media that fail, on the store in memory: a sound one shows nothing, each seeded fault is found and reported."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from fsconform.adapters.meeting import board
from fsconform.adapters.stores.contracts import load_shipped
from fsconform.adapters.stores.quirks import races_of, with_quirks
from fsconform.engine.histories.concurrent import Concurrent, History, Observed, decode, encode
from fsconform.engine.histories.confirming import Confirmed, Confirmer, Met
from fsconform.engine.histories.delays import Delays
from fsconform.engine.histories.execution import Clients, history_of
from fsconform.engine.histories.judging import Judge, Judged
from fsconform.engine.histories.subject import RACES
from fsconform.engine.injection import MACHINE, SERVER, Away, Medium, Wire
from fsconform.engine.protocol import Execution
from fsconform.harness.races import injector_of, seen_again
from fsconform.model.core import content
from fsconform.model.core.errors import ancestry
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Data, Outcome, Raised, Returned
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.options.writers import CHECKSUMS_VERIFIED
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.write import Write
from fsconform.model.filesystem.programs import Event, Step, Trace
from fsconform.proving.faults import MEDIA
from fsconform.proving.session import ProvingStore
from fsconform.reports.histories import heading
from fsconform.suites.medium import CHANGES, READS, Spoilage, spoilages

CONTRACT = load_shipped("proving")
JUDGE = Judge(Oracle(CONTRACT))
ROWS = [row for row in spoilages(CONTRACT) if row.fault.part == SERVER]
A = ("a",)

FOUND = {
    "full-close-swallows": ("write and close", "full", "outputstream.saved"),
    "full-loses-what-was-there": ("create", "full", "introduction.consistency.create"),
    "full-until-it-is-restarted": ("append", "full", "introduction.consistency.create"),
    "read-only-says-done": ("mkdirs deep", "read-only", "filesystem.mkdirs.post"),
    "medium-error-at-run-time": ("create", "full", "introduction.failures.no-runtime-exception"),
    "flipped-bytes-read": ("read", "data", "filesystem.open.post"),
    "flipped-bytes-read-by-position": ("read by positions", "data", "fsdatainputstream.read-buffer.post.bytes"),
    "flipped-bytes-end-a-read": ("read", "checksums", "filesystem.open.post"),
}
"""Of each fault the scenario and the fault of the medium that show it, and the clause by which it is reported."""


def clients_on(fault: str) -> Clients:
    store = ProvingStore(fault=fault or None)
    return Clients([store.session(), store.session()], board, injector_of(store))


def met(clients: Clients, rows: Sequence[Spoilage]) -> list[Met]:
    return [Met(history, JUDGE.judge(history)) for history in clients.execute([row.program for row in rows])]


def test_a_sound_store_shows_nothing() -> None:
    assert {row.scenario for row in ROWS} == {*CHANGES, *READS}
    found = met(clients_on(""), ROWS)
    assert {one.history.lost for one in found} == {""}
    assert {one.judged.verdict for one in found} == {"conforms"}
    assert all(one.history.away for one in found)


def test_every_fault_has_its_row() -> None:
    assert {name: fault.clause for name, fault in MEDIA.items()} == {name: row[-1] for name, row in FOUND.items()}


@pytest.mark.parametrize("fault", FOUND)
def test_each_fault_is_found_confirmed_and_reported(fault: str) -> None:
    scenario, of_medium, clause = FOUND[fault]
    rows = [row for row in ROWS if row.scenario == scenario and row.fault.fault == of_medium and not row.fault.delay]
    clients = clients_on(fault)
    first = next(one for one in met(clients, rows) if one.judged.fails)
    confirmed = Confirmer(clients, JUDGE, Delays()).confirm(first)
    told = RACES.proven(JUDGE, confirmed, 1)
    assert confirmed.is_confirmed and confirmed.met.history.program.fault == first.history.program.fault
    assert (told.finding.verdict, told.finding.clause) == ("violation", clause)
    assert first.history.program.fault is not None
    assert first.history.program.fault.title in told.finding.signature


@pytest.mark.parametrize("part", [MACHINE, SERVER])
def test_a_fault_comes_meanwhile_too(part: str) -> None:
    rows = [row for row in spoilages(CONTRACT) if row.fault.part == part and row.fault.delay]
    clients, delays = clients_on(""), Delays()
    for number in range(3):
        histories = clients.execute([delays.moved(row.program, number) for row in rows])
        delays.note(histories)
        assert {JUDGE.judge(history).verdict for history in histories} == {"conforms"}
        assert all(history.program.fault and history.program.fault.delay for history in histories)


def test_a_replay_spoils_the_medium_too() -> None:
    store = ProvingStore(fault="flipped-bytes-read")
    row = Spoilage("read", Medium(SERVER, 0, "data", 8), leased=False)
    found, unjudged = seen_again(store, CONTRACT, row.program)
    assert [one.finding.clause for one in found] == ["filesystem.open.post"] and not unjudged


# --- what a failed call may have done

HELD, FIRST, LARGE = "held", content.of(2, 5), content.of(3, 80)
DONE, NO_SPACE = Returned(None), Raised(ancestry("IOException"))
LANE: list[tuple[Operation, Outcome]]
LANE = [(OpenWriter(A, HELD, "create"), DONE), (Write(HELD, FIRST), DONE), (Write(HELD, LARGE), NO_SPACE)]
CLOSED = (CloseWriter(HELD), DONE)


def history_with(lane: Sequence[tuple[Operation, Outcome]], look: Outcome, fault: Medium | Wire) -> History:
    calls = tuple(operation for operation, _ in lane)
    program: Concurrent = Concurrent((), ((), calls), (0, 0), (Open(A),), fault=fault)
    events = [Event(outcome, 10 * at, 10 * at + 1) for at, (_, outcome) in enumerate(lane, 1)]
    after = Event(look, 1_000, 1_001)
    parts = [
        Execution(Trace((Step(Open(A), 0),), (after,))),
        Execution(Trace(tuple(Step(one, 1) for one in calls), tuple(events))),
    ]
    return history_of(program, parts, Away(5, 500, 5))


def data_of(found: content.Content) -> Returned:
    whole = b"".join(content.chunks(found))
    return Returned(Data(len(whole), hashlib.sha256(whole).hexdigest()))


FULL, FLIPPED = Medium(SERVER, 0, "full"), Medium(SERVER, 0, "data")


@pytest.mark.parametrize(
    ("lane", "there", "verdict"),
    [
        ([*LANE, CLOSED], (*FIRST, *LARGE), "conforms"),
        ([*LANE, CLOSED], FIRST, "conforms"),
        ([*LANE, CLOSED], (*FIRST, *content.slice_of(LARGE, 0, 33)), "conforms"),
        ([*LANE, CLOSED], content.slice_of(FIRST, 0, 4), "violation"),
        ([*LANE, CLOSED], (*FIRST, *content.slice_of(LARGE, 1, 33)), "violation"),
        # A close that raised promised nothing of what had been written; what is there was written all the same.
        ([*LANE, (CloseWriter(HELD), NO_SPACE)], content.slice_of(FIRST, 0, 4), "conforms"),
        ([(Create(A, LARGE, False), NO_SPACE)], content.slice_of(LARGE, 0, 33), "conforms"),
        ([(Create(A, LARGE, False), DONE)], content.slice_of(LARGE, 0, 33), "violation"),
    ],
)
def test_what_a_write_that_failed_may_leave(
    lane: list[tuple[Operation, Outcome]], there: content.Content, verdict: str
) -> None:
    assert JUDGE.judge(history_with(lane, data_of(there), FULL)).verdict == verdict


@pytest.mark.parametrize(
    ("lane", "there", "verdict"),
    [
        ([*LANE, CLOSED], (*FIRST, *content.slice_of(LARGE, 0, 33)), "conforms"),
        ([*LANE, CLOSED], content.slice_of(FIRST, 0, 4), "violation"),
        ([*LANE[:1], (Write(HELD, LARGE), DONE), CLOSED], content.slice_of(LARGE, 0, 33), "violation"),
    ],
)
def test_of_a_network_that_fails_a_write_to_a_stream_that_raised_may_leave_a_beginning(
    lane: list[tuple[Operation, Outcome]], there: content.Content, verdict: str
) -> None:
    assert JUDGE.judge(history_with(lane, data_of(there), Wire(SERVER, 0, "lose-reply"))).verdict == verdict


def test_a_file_that_is_not_found_is_refused_on_a_full_medium_and_lost_on_one_that_rots() -> None:
    missing = Raised(ancestry("FileNotFoundException"))
    assert JUDGE.judge(history_with([(Create(A, FIRST, False), missing)], missing, FULL)).verdict == "conforms"
    created: list[tuple[Operation, Outcome]] = [(Create(A, FIRST, False), DONE), (Open(A), missing)]
    assert JUDGE.judge(history_with(created, data_of(FIRST), FLIPPED)).verdict == "violation"
    unread: list[tuple[Operation, Outcome]] = [(Create(A, FIRST, False), DONE), (Open(A), NO_SPACE)]
    assert JUDGE.judge(history_with(unread, data_of(FIRST), FLIPPED)).verdict == "conforms"


# --- known answers

FS_ERROR = Raised(("org.apache.hadoop.fs.FSError", "java.lang.Error", "java.lang.Throwable"))
MISSING, THERE = Raised(ancestry("FileNotFoundException")), Mkdirs(("a", "s"))
LOCAL = with_quirks(load_shipped("rawlocal"), "rawlocal")
KNOWN, PLAIN = Judge(Oracle(LOCAL), races_of(("rawlocal",))), Judge(Oracle(LOCAL))
ON_MACHINE = Medium(MACHINE, 0, "full")


@pytest.mark.parametrize(
    ("lane", "look", "known"),
    [
        ([*LANE[:2], (Write(HELD, LARGE), FS_ERROR), CLOSED], data_of(FIRST), True),
        ([*LANE[:2], (Write(HELD, LARGE), FS_ERROR), CLOSED], data_of((*FIRST, *LARGE)), True),
        ([*LANE[:2], (Write(HELD, LARGE), FS_ERROR), CLOSED], data_of(content.slice_of(FIRST, 0, 3)), False),
        ([(Create(A, LARGE, False), FS_ERROR)], MISSING, True),
        ([(Create(A, LARGE, False), FS_ERROR)], data_of(LARGE), True),
        ([(THERE, Returned(False))], MISSING, True),
        ([(Create(A, FIRST, False), DONE), (Delete(A, False), Returned(False))], data_of(FIRST), True),
        ([(Create(A, FIRST, False), DONE), (Rename(A, ("d",)), Returned(False))], data_of(LARGE), False),
    ],
)
def test_what_local_stores_answer_is_known_where_a_disk_fails(
    lane: list[tuple[Operation, Outcome]], look: Outcome, known: bool
) -> None:
    history = history_with(lane, look, ON_MACHINE)
    assert KNOWN.judge(history).verdict == ("waived" if known else "violation")
    assert PLAIN.judge(history).fails
    sound = replace(history, program=replace(history.program, fault=None), away=None)
    assert KNOWN.judge(sound).fails


@pytest.mark.parametrize(
    ("fault", "known"),
    [
        (ON_MACHINE, True),
        (Medium(MACHINE, 0, "read-only"), False),
        (Wire(SERVER, 0, "cut-reply"), False),
    ],
)
def test_a_known_race_of_named_faults_is_known_where_one_of_them_is_injected(fault: Medium | Wire, known: bool) -> None:
    races = [replace(race, faults=frozenset({"full"})) for race in races_of(("rawlocal",))]
    history = history_with([*LANE[:2], (Write(HELD, LARGE), FS_ERROR), CLOSED], data_of(FIRST), ON_MACHINE)
    other = replace(history, program=replace(history.program, fault=fault))
    assert Judge(Oracle(LOCAL), races).judge(other).verdict == ("waived" if known else "violation")


# --- programs


def test_programs_are_data() -> None:
    rows = list(spoilages(None))
    assert len({row.program for row in rows}) == len(rows) > 300
    for row in rows[::7]:
        assert decode(encode(row.program)) == row.program
        assert encode(row.program)["medium"]["part"] == row.fault.part
    silent = Contract({**CONTRACT.declared, CHECKSUMS_VERIFIED: False})
    assert not [row for row in spoilages(silent) if row.fault.is_flip]


@pytest.mark.parametrize(
    "changed",
    [{"part": "a b"}, {"fault": "dust"}, {"amount": -1}, {"amount": 1 << 31}, {"amount": True}, {"delay": -1}],
)
def test_a_fault_that_can_not_be_meant_is_refused(changed: dict[str, object]) -> None:
    row = encode(ROWS[0].program)
    with pytest.raises(ValueError, match=r"fault|amount"):
        decode({**row, "medium": {**row["medium"], **changed}})


def proven_of(history: History, judged: Judged) -> Any:
    return RACES.proven(JUDGE, Confirmed(Met(history, judged), ()), 1)


def test_it_is_shown_as_a_step() -> None:
    row = Spoilage("read", Medium(SERVER, 0, "data", 1_000), leased=False)
    [one] = met(clients_on("flipped-bytes-read"), [row])
    shown = heading(RACES.history(proven_of(one.history, one.judged), "processes"))
    assert "flip byte 1,000 of the data that server stored last, before their calls" in shown


def test_a_medium_that_is_not_there_is_not_spoilt() -> None:
    row = Spoilage("create", Medium("namenode", 0, "full"), leased=False)
    [one] = met(clients_on(""), [row])
    assert "no namenode of the harness's own" in one.history.lost


def test_what_happens_before_the_calls_is_not_moved() -> None:
    assert FULL.at(17) == FULL and replace(FULL, delay=1).at(17).delay == 17


def _calls(history: History) -> list[Observed]:
    return [call for call, place in history.rows if place >= 0]


def test_one_write_is_shortened_at_a_time() -> None:
    from fsconform.engine.histories.medium import shortened

    there = (*FIRST, *content.slice_of(LARGE, 0, 33))
    found = list(shortened(history_with([*LANE, CLOSED], data_of(there), FULL)))
    lengths = [content.length(one.operation.content) for each in found for one in _calls(each)[2:3]]  # type: ignore[attr-defined]
    assert lengths == [33, 38]
    assert not list(shortened(history_with([*LANE, CLOSED], data_of(there), FLIPPED)))
