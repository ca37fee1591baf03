"""Losses of power: what was promised to survive, on the store in memory; each seeded fault is found and told."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from fsconform.adapters.meeting import board
from fsconform.adapters.stores.contracts import load_shipped
from fsconform.adapters.stores.quirks import races_of
from fsconform.engine.histories.concurrent import Concurrent, History, Observed, decode, encode
from fsconform.engine.histories.confirming import Confirmed, Met
from fsconform.engine.histories.delays import Delays
from fsconform.engine.histories.execution import Clients
from fsconform.engine.histories.judging import Judge, Judged
from fsconform.engine.histories.linearizability import Call
from fsconform.engine.histories.power import CLOSED_DURABLE, HSYNC_DURABLE
from fsconform.engine.histories.subject import RACES
from fsconform.engine.injection import MACHINE, MINIO, SERVER, Away, PowerLoss
from fsconform.harness.races import injector_of
from fsconform.model.core import content
from fsconform.model.core.content import Content
from fsconform.model.core.errors import ancestry
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Data, Outcome, Raised, Returned, facts
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.options.writers import CLOSE_DURABLE, NAMESPACE_DURABLE
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.sync import Sync
from fsconform.model.filesystem.output.write import Write
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.proving.faults import OUTAGES, SHARED
from fsconform.proving.session import ProvingStore
from fsconform.reports.histories import heading
from fsconform.suites.power import IN_THE_CALL, ONCE_RETURNED, SCENARIOS, Outage, outages

CONTRACT = load_shipped("proving")
JUDGE = Judge(Oracle(CONTRACT))
SILENT = Contract({**CONTRACT.declared, CLOSE_DURABLE: False, NAMESPACE_DURABLE: False})

A, D, K, HELD = ("a",), ("d",), ("k",), "held"
FIRST, SECOND = content.of(2, 5), content.of(3, 8)
DONE, TRUE = Returned(None), Returned(True)
SYNCED = Returned(facts("sync", answer="done", capability=True, syncable=True))
MISSING, UNREADABLE = Raised(ancestry("FileNotFoundException")), Raised(ancestry("IOException"))


def rows_of(part: str, *scenarios: str) -> list[Outage]:
    return [
        row
        for row in outages(CONTRACT)
        if row.part == part and row.moment == ONCE_RETURNED and row.scenario in scenarios
    ]


def outages_on(fault: str, rows: Sequence[Outage], rounds: int = 1) -> list[tuple[History, Judged]]:
    store = ProvingStore(fault=fault or None)
    clients, delays = Clients([store.session(), store.session()], board, injector_of(store)), Delays()
    found = []
    for number in range(rounds):
        histories = clients.execute([delays.moved(row.program, number) for row in rows])
        delays.note(histories)
        found += [(history, JUDGE.judge(history)) for history in histories]
    return found


def test_a_sound_store_loses_nothing_that_it_promised() -> None:
    rows = [row for row in outages(CONTRACT) if row.part in (MACHINE, SERVER)]
    assert {row.scenario for row in rows} == SCENARIOS.keys()
    found = outages_on("", rows)
    assert {history.lost for history, _ in found} == {""}
    assert {judged.verdict for _, judged in found} == {"conforms"}


FOUND = {
    "hsync-without-a-sync": ("hsync", HSYNC_DURABLE),
    "hsync-only-flushes": ("hsync, close, rename", HSYNC_DURABLE),
    "synced-unreadable-once-back": ("hsync", HSYNC_DURABLE),
    "close-without-a-sync": ("create", CLOSED_DURABLE),
    "disk-shared-with-others": ("create", CLOSED_DURABLE),
    "journal-lazy": ("delete a file", "introduction.consistency.delete"),
}
"""Of each fault the scenario that shows it, and the clause by which it is told."""


@pytest.mark.parametrize("fault", FOUND)
def test_each_fault_is_found(fault: str) -> None:
    scenario, clause = FOUND[fault]
    for part in (MACHINE, SERVER) if fault != "journal-lazy" else (SERVER,):
        shown = [one for one in outages_on(fault, rows_of(part, scenario)) if one[1].verdict == "violation"]
        assert shown, part
        history, judged = shown[0]
        blamed = RACES.blame(JUDGE, history, judged)
        assert blamed.clause == clause
        finding = RACES.finding(JUDGE, history, judged, blamed)
        assert finding.impact == "data lost"
        assert f"{part} without power then (" in finding.signature


def test_all_faults_are_tried() -> None:
    assert OUTAGES.keys() == FOUND.keys() - {"journal-lazy"}
    assert {name: SHARED[name].clause for name in FOUND} == {name: clause for name, (_, clause) in FOUND.items()}


# --- what is promised


def history_of(
    rows: Sequence[tuple[Operation, Outcome]], looks: Sequence[tuple[Operation, Outcome]], fault: PowerLoss
) -> History:
    calls, places, at = list[Observed](), list[int](), 0
    for operation, outcome in [(Create(K, SECOND, False), DONE), *rows, *looks]:
        place = 1 if any(operation is one for one, _ in rows) else -2 if calls else -1
        calls.append(Call(max(place, 0), operation, outcome, at, at + 1))
        places.append(place)
        at += 2
    lane = tuple(operation for operation, _ in rows)
    program = Concurrent((Create(K, SECOND, False),), ((), lane), (0, 0), tuple(one for one, _ in looks), fault=fault)
    return History(
        program, tuple(calls), tuple(places), away=Away(2 * len(rows) + 1, 2 * len(rows) + 2, 2 * len(rows) + 1)
    )


POSIX = PowerLoss("minio", 0, returned=True, survives="nothing", seed=0, discipline="posix")
ORDERED = replace(POSIX, discipline="ordered")


def data_of(found: Content, zeros: int = 0) -> Returned:
    whole = b"".join(content.chunks(found)) + bytes(zeros)
    return Returned(Data(len(whole), hashlib.sha256(whole).hexdigest()))


HSYNCED = [(OpenWriter(A, HELD, "create"), DONE), (Write(HELD, FIRST), DONE), (Sync(HELD, "hsync"), SYNCED)]
WRITTEN_ON = [*HSYNCED, (Write(HELD, SECOND), DONE)]
RENAMED = [*HSYNCED, (CloseWriter(HELD), DONE), (Rename(A, D), TRUE)]
THERE = (Open(K), data_of(SECOND))


@pytest.mark.parametrize(
    ("rows", "looks", "fault", "verdict"),
    [
        (HSYNCED, [(Open(A), data_of(FIRST))], ORDERED, "conforms"),
        (HSYNCED, [(Open(A), MISSING)], ORDERED, "violation"),
        (HSYNCED, [(Open(A), UNREADABLE)], POSIX, "violation"),
        # Its name was in no directory that was synced.
        (HSYNCED, [(Open(A), MISSING)], POSIX, "conforms"),
        (HSYNCED, [(Open(A), data_of(content.slice_of(FIRST, 0, 4)))], ORDERED, "violation"),
        (WRITTEN_ON, [(Open(A), data_of(FIRST))], ORDERED, "conforms"),
        (WRITTEN_ON, [(Open(A), data_of((*FIRST, *SECOND)))], ORDERED, "conforms"),
        (WRITTEN_ON, [(Open(A), data_of(FIRST, 3))], POSIX, "conforms"),
        (WRITTEN_ON, [(Open(A), data_of(SECOND))], ORDERED, "violation"),
        # A rename that no directory was synced after may be lost, and the file is found where it was.
        (RENAMED, [(Open(A), data_of(FIRST)), (Open(D), MISSING)], ORDERED, "conforms"),
        (RENAMED, [(Open(A), MISSING), (Open(D), data_of(FIRST))], ORDERED, "conforms"),
        (RENAMED, [(Open(A), MISSING), (Open(D), MISSING)], ORDERED, "violation"),
        # Who looked under one name alone has seen nothing.
        (RENAMED, [(Open(D), MISSING)], ORDERED, "conforms"),
        ([(Create(A, FIRST, False), DONE)], [(Open(A), MISSING)], ORDERED, "conforms"),
    ],
)
def test_what_is_promised_where_names_are_not(
    rows: list[tuple[Operation, Outcome]], looks: list[tuple[Operation, Outcome]], fault: PowerLoss, verdict: str
) -> None:
    assert Judge(Oracle(SILENT)).judge(history_of(rows, [THERE, *looks], fault)).verdict == verdict


def test_what_was_there_before_and_nobody_touched_stays() -> None:
    judged = Judge(Oracle(SILENT)).judge(history_of(HSYNCED, [(Open(K), MISSING), (Open(A), data_of(FIRST))], POSIX))
    assert judged.verdict == "conforms"  # its directory may never have been synced, by POSIX alone
    judged = Judge(Oracle(SILENT)).judge(history_of(HSYNCED, [(Open(K), MISSING), (Open(A), data_of(FIRST))], ORDERED))
    assert judged.verdict == "violation" and judged.broken is not None and judged.broken.call == 0


def test_what_was_not_promised_is_counted() -> None:
    looks: list[tuple[Operation, Outcome]]
    looks = [(Open(A), data_of(FIRST)), (Open(D), MISSING), (GetFileStatus(D), MISSING)]
    assert Judge(Oracle(SILENT)).judge(history_of(RENAMED, looks, ORDERED)).lost == ("a rename",)
    created = history_of([(Create(A, FIRST, False), DONE)], [(Open(A), MISSING)], ORDERED)
    assert Judge(Oracle(SILENT)).judge(created).lost == ("what create saved",)


# --- known losses


def test_a_known_loss_accepts_what_it_says_and_nothing_beside_it() -> None:
    on_minio, plain = Judge(Oracle(CONTRACT), races_of(("s3a",))), Judge(Oracle(CONTRACT))
    lost = history_of([(Create(A, FIRST, False), DONE)], [THERE, (Open(A), MISSING)], replace(ORDERED, part=MINIO))
    assert (plain.judge(lost).verdict, on_minio.judge(lost).verdict) == ("violation", "waived")
    others = history_of([(Create(A, FIRST, False), DONE)], [(Open(K), MISSING)], replace(ORDERED, part=MINIO))
    assert on_minio.judge(others).verdict == "violation"
    elsewhere = replace(lost, program=replace(lost.program, fault=replace(ORDERED, part=SERVER)))
    assert on_minio.judge(elsewhere).verdict == "violation"
    on_hdfs = Judge(Oracle(CONTRACT), races_of(("hdfs",)))
    rows = [*HSYNCED, (CloseWriter(HELD), DONE)]
    named = Contract({**CONTRACT.declared, CLOSE_DURABLE: False})
    on_hdfs = Judge(Oracle(named), races_of(("hdfs",)))
    assert on_hdfs.judge(history_of(rows, [THERE, (Open(A), UNREADABLE)], ORDERED)).verdict == "waived"
    assert on_hdfs.judge(history_of(HSYNCED, [THERE, (Open(A), UNREADABLE)], ORDERED)).verdict == "violation"


@pytest.mark.parametrize(
    ("appended_to", "unread", "verdict"), [(K, K, "waived"), (A, K, "violation"), (None, K, "violation")]
)
def test_what_was_appended_to_is_forgotten_by_hdfs_and_nothing_beside_it(
    appended_to: Path | None, unread: Path, verdict: str
) -> None:
    rows: list[tuple[Operation, Outcome]] = [(Create(A, FIRST, False), DONE)]
    rows += [(Append(appended_to, FIRST), DONE)] if appended_to is not None else []
    lost = history_of(rows, [(Open(unread), UNREADABLE)], ORDERED)
    named = Oracle(Contract({**CONTRACT.declared, CLOSE_DURABLE: False}))
    assert Judge(named, races_of(("hdfs",))).judge(lost).verdict == verdict
    judged = Judge(named).judge(lost)
    assert judged.verdict == "violation" and judged.broken is not None
    assert judged.broken.clause == HSYNC_DURABLE, "close promises nothing there"


# --- programs


def proven_of(history: History, judged: Judged) -> Any:
    return RACES.proven(JUDGE, Confirmed(Met(history, judged), ()), 1)


def test_programs_are_data() -> None:
    rows = list(outages(None))
    assert len({row.program for row in rows}) > 100
    for row in rows[::7]:
        assert decode(encode(row.program)) == row.program
        assert encode(row.program)["power"]["part"] == row.part
    assert not [row for row in outages(Contract({})) if "hsync" in row.scenario]


@pytest.mark.parametrize(
    "changed",
    [
        {"part": "a b"},
        {"survives": "all"},
        {"seed": -1},
        {"discipline": "xfs"},
        {"returned": 1},
        {"returned": False},
        {"delay": -1},
    ],
)
def test_a_loss_that_can_not_be_meant_is_refused(changed: dict[str, object]) -> None:
    row = encode(Outage("hsync", MACHINE, IN_THE_CALL, "nothing", 0, "ordered", leased=False).program)
    with pytest.raises(ValueError, match=r"fault|power|survives|seed|discipline"):
        decode({**row, "power": {**row["power"], **changed}})


def test_clients_of_the_machine_end_with_it() -> None:
    program = Outage("create", MACHINE, ONCE_RETURNED, "nothing", 0, "ordered", leased=False).program
    assert program.kill is not None
    with pytest.raises(ValueError, match="the one client that makes calls ends"):
        replace(program, kill=None)
    with pytest.raises(ValueError, match="the one client that makes calls ends"):
        replace(program, lanes=(program.lanes[1], program.lanes[1]))


def test_it_is_told_as_a_step() -> None:
    [(history, judged)] = outages_on("hsync-without-a-sync", rows_of(MACHINE, "hsync")[:1])
    blamed = RACES.blame(JUDGE, history, judged)
    confirmed_as = RACES.signature(history, judged, blamed)
    assert "its client killed then" in confirmed_as and "machine without power then (ordered disks)" in confirmed_as
    assert "lost with the power" in RACES.finding(JUDGE, history, judged, blamed).observed
    told = heading(RACES.history(proven_of(history, judged), "processes"))
    assert "client 2 is killed once the last of its calls had returned; drop power of machine" in told
    assert "nothing survives of what was not synced" in told


def test_a_loss_on_a_machine_that_is_not_there_is_not_tried() -> None:
    store = ProvingStore()
    clients = Clients([store.session(), store.session()], board, injector_of(store))
    program = Outage("create", "namenode", ONCE_RETURNED, "nothing", 0, "ordered", leased=False).program
    assert "no namenode of the harness's own" in clients.execute([program])[0].lost
