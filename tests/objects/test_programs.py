"""Programs of requests: their form as data, how they shrink, and how a session names what the store named."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from fsconform.adapters.s3.session import S3Session
from fsconform.engine.layers import Judgement, met
from fsconform.engine.objects.describe import call, observed
from fsconform.engine.objects.subject import OBJECTS, Proven, Tried, folded, parts_of, smaller, without
from fsconform.engine.subject import Finding
from fsconform.model.core import content as contents
from fsconform.model.core.outcomes import NotExpressible
from fsconform.model.objects import clauses as ids
from fsconform.model.objects import operations as ops
from fsconform.model.objects.contract import STRICT
from fsconform.proving.objects.faults import objects
from fsconform.proving.objects.lists import ListingObjects
from fsconform.proving.objects.store import ObjectError
from fsconform.suites.s3_objects import S3_OBJECTS

PUT = ops.PutObject("a", contents.of(1, 5))


def test_every_request_of_the_suite_is_data_and_comes_back() -> None:
    for group in S3_OBJECTS.groups:
        for program in itertools.islice(group.programs(3), 200):
            for request in program:
                assert ops.decode(ops.encode(request)) == request


def test_the_bounds_of_groups_are_the_numbers_of_their_programs() -> None:
    for group in S3_OBJECTS.groups:
        if 0 < group.bound < 2000:
            assert sum(1 for _ in group.programs(0)) == group.bound, group.name


def test_the_seed_decides_the_programs_that_are_drawn() -> None:
    drawn = next(group for group in S3_OBJECTS.groups if group.name == "random").programs
    first, again, other = (list(itertools.islice(drawn(seed), 20)) for seed in (1, 1, 2))
    assert first == again != other


@pytest.mark.parametrize(("key", "begins"), [("/a", True), ("a//b", False), ("a/", False), ("a", False)])
def test_a_waiver_can_ask_for_a_key_that_begins_with_a_slash(key: str, begins: bool) -> None:
    for program in ((ops.PutObject(key),), (ops.CopyObject("a", key),), (ops.DeleteObjects(("a", key)),)):
        assert ("begins with a slash" in OBJECTS.traits(program)) is begins


@pytest.mark.parametrize(
    ("plainest", "other", "left"),
    [("a", "b", 1), ("a", "/a", 1), ("/a", "/a", 1), ("/a", "a", 2)],
)
def test_what_needs_no_leading_slash_is_not_folded_into_what_may(plainest: str, other: str, left: int) -> None:
    def sample(signature: str, key: str) -> Proven:
        tried = Tried((ops.PutObject(key),), (), Judgement())
        return met(Finding(signature, "violation", ids.LIST_ALL, "MUST", 0, "ListObjectsV2", "", ""), tried, 3)

    rows = (("ListObjectsV2 omits a key", plainest), ("ListObjectsV2 (by pages) omits a key", other))
    found = folded({signature: sample(signature, key) for signature, key in rows})
    assert len(found) == left and sum(one.count for one in found) == 6


@pytest.mark.parametrize(
    "row",
    [
        {},
        {"request": "PutObjects"},
        {"request": "PutObject"},
        {"request": "PutObject", "key": 3},
        {"request": "PutObject", "key": "a", "colour": "red"},
        {"request": "PutObject", "key": "a", "if_match": "yesterday's"},
        {"request": "DeleteObjects", "keys": "a"},
        {"request": "PutObject", "key": "a", "content": [[1, -1, 0]]},
    ],
)
def test_what_is_no_request_is_refused(row: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="not a request"):
        ops.decode(row)


def test_uploads_are_numbered_anew_where_one_is_left_out() -> None:
    program = (
        ops.CreateMultipartUpload("a"),
        ops.UploadPart(1, 1),
        ops.CreateMultipartUpload("b"),
        ops.UploadPart(2, 1),
        ops.CompleteMultipartUpload(2, ("1",)),
    )
    left = (ops.CreateMultipartUpload("b"), ops.UploadPart(1, 1), ops.CompleteMultipartUpload(1, ("1",)))
    assert without(program, {0}) == left


def test_smaller_programs_are_smaller() -> None:
    finding = Finding("", "violation", "c", "MUST", 1, "ListObjectsV2", "e", "o")
    program = (ops.PutObject("x/y", contents.of(1, 9), meta="m"), ops.ListObjectsV2("x/", "/", 2), ops.HeadObject("q"))
    found = list(smaller(program, finding))
    assert found[0] == program[:2]
    assert any(one[0] == ops.PutObject("a/b", contents.of(1, 9), meta="m") for one in found)
    assert any(len(one) == 3 and one[1] == ops.ListObjectsV2("x/", "/") for one in found)
    assert all(len(one) <= len(program) for one in found)


def test_a_signature_comes_apart_into_request_roles_and_rest() -> None:
    assert parts_of("GetObject (object; range) returns less after PutObject") == (
        "GetObject",
        frozenset(("object", "range")),
        "returns less after PutObject",
    )
    assert parts_of("ListObjectsV2 omits a key") == ("ListObjectsV2", frozenset(), "omits a key")


def test_what_the_store_did_not_name_can_not_be_asked_for(session: Any) -> None:
    program = (ops.GetObject("a", version=1), ops.ListParts(1), PUT, ops.GetObject("b", if_match="latest"))
    seen = OBJECTS.attempt(session(), program, STRICT).seen
    assert [isinstance(answer, NotExpressible) for answer in seen] == [True, True, False, True]


def test_programs_leave_nothing_and_touch_nothing_outside_their_place(session: Any) -> None:
    playing = session(prefix="some/where/")
    store = playing._client
    store.put_object(Bucket="given", Key="some/other", Body=b"not ours")
    store.create_multipart_upload(Bucket="given", Key="some/other")
    for group in S3_OBJECTS.groups:
        for program in itertools.islice(group.programs(5), 15):
            playing.execute(program)
    assert [one.key for one in store.of("given").journal] == ["some/other"]
    assert [one.key for one in store.of("given").pending] == ["some/other"]


class WithoutVersions(ListingObjects):
    """A store that has no listing of versions."""

    STATUS = 501

    def list_object_versions(self, *_: Any, **parameters: Any) -> dict[str, Any]:
        raise ObjectError(self.STATUS, "NotImplemented")


class NotCleaned(WithoutVersions):
    """A store of which nobody knows what a bucket holds."""

    STATUS = 403


def test_a_store_without_a_listing_of_versions_is_emptied_by_its_listing_of_objects() -> None:
    store = WithoutVersions()
    playing = S3Session(store, ObjectError, reuse=9)
    for _ in range(2):
        assert OBJECTS.attempt(playing, (PUT, ops.ListObjectsV2()), STRICT).judgement.findings == []
    playing.close()
    assert not playing.left and not store.buckets


def test_a_bucket_that_could_not_be_emptied_serves_no_other_program() -> None:
    playing = S3Session(NotCleaned(), ObjectError, reuse=9)
    for _ in range(2):
        assert OBJECTS.attempt(playing, (PUT, ops.ListObjectsV2()), STRICT).judgement.findings == []
    playing.execute((ops.HeadObject("a"),))
    assert list(playing.left.values()) == [3]


class HidesUploads(ListingObjects):
    """A store that lists no uploads."""

    def list_multipart_uploads(self, *_: Any, **parameters: Any) -> dict[str, Any]:
        return {"ResponseMetadata": {"HTTPStatusCode": 200}}


def test_uploads_that_no_listing_shows_are_aborted_all_the_same() -> None:
    store = HidesUploads()
    playing = S3Session(store, ObjectError, reuse=9)
    begin, part = ops.CreateMultipartUpload("a"), ops.UploadPart(1, 1, contents.of(1, 5))
    playing.execute((begin, part, ops.CompleteMultipartUpload(1, ("1",)), begin))
    (bucket,) = store.buckets.values()
    assert not bucket.pending and not bucket.journal


def test_sets_with_a_key_that_ends_in_a_slash_have_it_empty_too() -> None:
    sets = next(group for group in S3_OBJECTS.groups if group.name == "sets of keys").programs(0)
    marker = ops.PutObject("a/", contents.of(1, 0))
    program = next(one for one in sets if one[0] == marker)
    faulty = S3Session(objects("omits-directory-marker"), ObjectError)
    (finding, *_) = OBJECTS.attempt(faulty, program, STRICT).judgement.findings
    assert finding.clause == ids.LIST_PREFIX


def test_requests_and_answers_are_told_in_words(session: Any) -> None:
    program = (
        PUT,
        ops.GetObject("a", "bytes=1-2"),
        ops.ListObjectsV2("", "/", 1),
        ops.DeleteObjects(("a", "b")),
        ops.HeadObject("a"),
    )
    tried = OBJECTS.attempt(session(), program, STRICT)
    assert [call(one) for one in program] == [
        "PutObject('a', 5 bytes)",
        "GetObject('a', range='bytes=1-2')",
        "ListObjectsV2(delimiter='/', max_keys=1)",
        "DeleteObjects(keys=['a', 'b'])",
        "HeadObject('a')",
    ]
    told = [observed(one) for one in tried.seen]
    assert told[1].startswith("206 2 bytes, SHA-256 ") and "bytes 1-2/5" in told[1]
    assert told[2:] == ["200 'a'", "200 deleted ['a', 'b']", "refused with 404 NoSuchKey"]
