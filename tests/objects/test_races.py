"""Races on the object store in memory: a sound one shows none, and each seeded fault is found, confirmed and told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from fsconform.adapters.meeting import board
from fsconform.adapters.s3.clients import ObjectClients
from fsconform.adapters.s3.session import S3Session
from fsconform.engine.histories.concurrent import Concurrent, History, decode, encode
from fsconform.engine.histories.confirming import Confirmer, Met, serial
from fsconform.engine.histories.delays import Delays
from fsconform.engine.histories.linearizability import Call
from fsconform.engine.objects.histories import ObjectJudge
from fsconform.engine.objects.races import OBJECT_RACES
from fsconform.model.core import content
from fsconform.model.core.outcomes import Unknown
from fsconform.model.objects import clauses as ids
from fsconform.model.objects import operations as ops
from fsconform.model.objects.answers import Answer, Done, Entry, Found, Listing, Page, Refused
from fsconform.model.objects.contract import NO_CONDITIONAL_WRITES, STRICT, ObjectContract
from fsconform.model.objects.operations import Request
from fsconform.model.objects.verdicts import md5
from fsconform.proving.objects.faults import RACES, raced
from fsconform.proving.objects.store import ObjectError
from fsconform.suites.s3_races import CHANGING, LOOKING, SEVERAL, Cell, Several, Watch, cells, watches

JUDGE = ObjectJudge(STRICT)

FOUND: dict[str, tuple[Cell | Watch | Several, str]] = {
    "bulk-delete-loses-writes": (Cell("two objects", "put c", "delete both"), ids.LIST_AFTER_WRITE),
    "complete-beside-abort": (Cell("an upload", "complete", "abort"), ids.NO_SUCH_UPLOAD),
    "complete-mixes-with-put": (Cell("an object and an upload", "put", "complete"), ids.ATOMIC_UPDATES),
    "complete-undoes-put": (Cell("an object and an upload", "put", "complete if none"), ids.CONSISTENT),
    "copy-mixes-source": (Cell("an object", "put", "copy to b"), ids.ATOMIC_UPDATES),
    "get-mixes-old-and-new": (Cell("an object", "put", "get"), ids.ATOMIC_UPDATES),
    "get-sees-put-late": (Watch("nothing", "put", "get"), ids.CONSISTENT),
    "head-cached-by-client": (Watch("an object", "put", "head"), ids.CONSISTENT),
    "if-match-loses-updates": (Cell("an object", "put if match", "put if match"), ids.FIRST_WINS),
    "if-none-match-checks-then-acts": (Cell("nothing", "put if none", "put if none"), ids.FIRST_WINS),
    "list-shows-deleted": (Watch("an object", "delete", "list"), ids.LIST_AFTER_WRITE),
    "list-shows-put-late": (Watch("nothing", "put", "list"), ids.LIST_AFTER_WRITE),
    "pages-by-position": (Watch("two objects", "delete", "list by pages"), ids.LIST_AFTER_WRITE),
    "part-lost": (Cell("an upload", "upload part", "upload part"), ids.PART_STORED),
    "put-shows-half": (Watch("an object", "put", "get"), ids.ATOMIC_UPDATES),
    "version-lost": (Cell("versions", "put", "put"), ids.VERSIONS_ALL),
}
"""Of each fault a program that shows it, and by which clause it is told."""


def clients(fault: str = "") -> ObjectClients:
    store = raced(fault)
    return ObjectClients(S3Session(store.client(0), ObjectError), [store.client(1)], board)


def met(two: ObjectClients, delays: Delays, programs: Sequence[Concurrent[Request]], number: int) -> list[Any]:
    """What comes of a round of programs."""
    histories = two.execute([delays.moved(program, number) for program in programs])
    delays.note(histories)
    return [Met(history, JUDGE.judge(history)) for history in histories]


def test_a_sound_store_shows_no_race() -> None:
    rows: list[Cell | Watch | Several] = [*[*cells()][::4], *[*watches()][::4], *SEVERAL]
    chosen = [one.program for one in rows]
    two, delays = clients(), Delays()
    found = [one for number in range(3) for one in met(two, delays, chosen, number)]
    assert {one.judged.verdict for one in found} == {"conforms"}
    assert sum(one.history.overlaps for one in found) > len(found) // 3


def test_every_request_is_somewhere_and_every_fault_has_its_row() -> None:
    used = {name for cell in cells() for name in (cell.first, cell.second)}
    assert used == {*CHANGING, *LOOKING}
    assert FOUND.keys() == RACES.keys()
    assert {clause for _, clause in FOUND.values()} >= ids.OF_RACES


@pytest.mark.timeout(120)
@pytest.mark.parametrize("fault", RACES)
def test_each_fault_is_found_confirmed_and_told(fault: str) -> None:
    cell, clause = FOUND[fault]
    two, delays = clients(fault), Delays()
    first: Any = None
    for number in range(160):
        first = next((one for one in met(two, delays, [cell.program] * 4, number) if one.judged.fails), None)
        if first is not None:
            break
    assert first is not None
    confirmed = Confirmer(two, JUDGE, delays).confirm(first)
    told = OBJECT_RACES.proven(JUDGE, confirmed, 1)
    assert confirmed.is_confirmed and not confirmed.alone
    assert (told.finding.verdict, told.finding.clause) == ("violation", clause)
    assert confirmed.met.history.program.size <= first.history.program.size
    assert told.finding.signature.count(" beside ") == 1 and "'" not in told.finding.signature
    rows = OBJECT_RACES.sequence(told)
    assert [row.marked for row in rows].count(True) == 1 and {row.client for row in rows} == {0, 1}
    assert decode(encode(confirmed.met.history.program, ops.encode), ops.decode) == confirmed.met.history.program


@pytest.mark.parametrize("completes", [False, True])
@pytest.mark.parametrize(
    ("fault", "condition"),
    [
        ("if-none-match-checks-then-acts", {"IfNoneMatch": "*"}),
        ("if-match-loses-updates", {"IfMatch": "*"}),
        ("put-shows-half", {}),
        ("version-lost", {}),
    ],
)
def test_an_upload_that_two_end_at_once_is_gone_for_one(
    fault: str, condition: dict[str, str], completes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In whichever request a fault leaves a gap, who comes second is told that there is no such upload."""
    store = raced(fault)
    store.create_bucket(Bucket="b")
    store.put_bucket_versioning(Bucket="b", VersioningConfiguration={"Status": "Enabled"})
    if "IfMatch" in condition:
        store.put_object(Bucket="b", Key="a", Body=b"old")
    upload = {"Bucket": "b", "Key": "a", "UploadId": store.create_multipart_upload(Bucket="b", Key="a")["UploadId"]}
    part = {"PartNumber": 1, "ETag": store.upload_part(**upload, PartNumber=1, Body=b"new")["ETag"]}
    ended: list[str] = []

    def end(by_completing: bool) -> None:
        try:
            if by_completing:
                store.complete_multipart_upload(**upload, MultipartUpload={"Parts": [part]}, **condition)
            else:
                store.abort_multipart_upload(**upload)
            ended.append("ended")
        except ObjectError as error:
            ended.append(error.code)

    def gap() -> None:
        monkeypatch.setattr(store, "gap", lambda: None)
        end(completes)

    monkeypatch.setattr(store, "gap", gap)
    end(True)
    assert sorted(ended) == ["NoSuchUpload", "ended"] and not store.of("b").pending


def put(key: str, seed: int, **more: Any) -> ops.PutObject:
    return ops.PutObject(key, content.of(seed, 3), **more)


def done(request: ops.PutObject) -> Done:
    return Done(200, Found(etag=md5(request.content)))


def history(*rows: tuple[int, Request, Answer, int, int]) -> History[Request, Answer]:
    """A history of lanes: client, request, answer, and from when to when."""
    calls = tuple(Call(client, request, answer, begun, end) for client, request, answer, begun, end in rows)
    lanes = tuple(tuple(call.operation for call in calls if call.client == client) for client in (0, 1))
    return History(Concurrent((), lanes, (0, 0)), calls, tuple(call.client for call in calls))


def listed(*writes: ops.PutObject) -> Done:
    entries = tuple(Entry(one.key, md5(one.content), 3) for one in writes)
    return Done(200, Listing((Page(entries, told=len(entries)),)))


def test_a_listing_looks_at_one_key_after_another_but_at_none_too_late() -> None:
    a, b = put("a", 1), put("b", 2)
    rows = ((0, a, done(a), 0, 10), (0, b, done(b), 20, 30))
    beside = history(*rows, (1, ops.ListObjectsV2(), listed(b), 5, 25))
    assert JUDGE.judge(beside).verdict == "conforms"
    late = history(*rows, (1, ops.ListObjectsV2(), listed(b), 15, 25))
    assert JUDGE.judge(late).verdict == "violation"
    made_up = history(*rows, (1, ops.ListObjectsV2(), listed(a, b, put("c", 3)), 5, 40))
    assert JUDGE.judge(made_up).verdict == "violation"


def test_conditions_are_those_that_the_client_knew_of() -> None:
    first, other = put("a", 1), put("a", 2)
    mine, theirs = put("a", 3, if_match=ops.LATEST), put("a", 2)
    refused = Refused(412, "PreconditionFailed")
    rows = ((0, first, done(first), 0, 1), (1, theirs, done(other), 2, 3))
    assert JUDGE.judge(history(*rows, (0, mine, refused, 4, 5))).verdict == "conforms"
    assert JUDGE.judge(history(*rows, (0, mine, done(mine), 4, 5))).verdict == "violation"
    ignoring = ObjectJudge(ObjectContract({NO_CONDITIONAL_WRITES: True}))
    assert ignoring.judge(history(*rows, (0, mine, done(mine), 4, 5))).verdict == "conforms"


def test_a_conflict_is_for_conditional_writes_beside_another_change() -> None:
    first, conflict = put("a", 1), Refused(409, "ConditionalRequestConflict")
    conditional = put("a", 2, if_none_match=ops.ANY)
    rows = ((0, first, done(first), 0, 10),)
    assert JUDGE.judge(history(*rows, (1, conditional, conflict, 5, 15))).verdict == "conforms"
    assert JUDGE.judge(history(*rows, (1, conditional, conflict, 11, 15))).verdict == "violation"
    assert JUDGE.judge(history(*rows, (1, put("a", 2), conflict, 5, 15))).verdict == "violation"


def test_what_nobody_knows_is_inconclusive() -> None:
    first = put("a", 1)
    unheard = history((0, first, done(first), 0, 10), (1, put("a", 2), Unknown("no answer"), 5, 15))
    assert JUDGE.judge(unheard).verdict == "inconclusive"
    assert JUDGE.judge(replace(unheard, lost="nobody came")).verdict == "inconclusive"


def test_what_is_broken_by_one_client_alone_is_excused_and_nothing_else() -> None:
    again = (ops.CreateMultipartUpload("a"), ops.AbortMultipartUpload(1), ops.AbortMultipartUpload(1))
    told = (Done(200, upload="u"), Done(204), Done(204))
    rows = [(0, request, answer, 2 * n, 2 * n + 1) for n, (request, answer) in enumerate(zip(again, told, strict=True))]
    alone = history(*rows)
    assert JUDGE.judge(alone).verdict == "violation"
    excusing = JUDGE.excusing([alone])
    assert excusing.judge(alone).verdict == "conforms"
    lost = history(*rows, (1, put("b", 1), done(put("b", 1)), 0, 1), (1, ops.GetObject("b"), Refused(404), 2, 3))
    assert excusing.judge(lost).verdict == "violation"


def test_a_race_is_none_where_one_client_alone_shows_it() -> None:
    cell = Cell("an object", "put", "get").program
    (forth, back) = serial(cell)
    assert [len(one.lanes) for one in (forth, back)] == [1, 1]
    two = clients("pages-by-position")
    assert {JUDGE.judge(one).verdict for one in two.execute([forth, back])} == {"conforms"}


def test_clients_need_a_lane_each() -> None:
    lane: ops.Program = (put("a", 1),)
    program = Concurrent((), (lane,) * 3, (0, 0, 0))
    with pytest.raises(ValueError, match="more lanes than there are clients"):
        clients().execute([program])


def test_below_a_prefix_versions_are_left_out_and_all_else_is_played() -> None:
    store = raced()
    store.create_bucket(Bucket="given")
    two = ObjectClients(S3Session(store.client(0), ObjectError, "given", "some/where/"), [store.client(1)], board)
    played, left = two.execute([Cell("an upload", "complete", "put").program, Cell("versions", "put", "get").program])
    assert JUDGE.judge(played).verdict == "conforms" and JUDGE.judge(left).verdict == "inconclusive"
    assert not store.of("given").journal and not store.of("given").pending
