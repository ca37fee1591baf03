"""What a listing's departure is told to be of: what else the bucket holds, or once held."""

from __future__ import annotations

import pytest

from fsconform.model.core import content as contents
from fsconform.model.objects import clauses as ids
from fsconform.model.objects.answers import EMPTY_BUCKET, Bucket, Done, Entry, Listing, Page, Refused, Version
from fsconform.model.objects.operations import ListMultipartUploads, ListObjectsV2, ListObjectVersions, Request
from fsconform.model.objects.rules import judge_request

OBJECT, DELETED = Version(1, "1", contents.of(1, 3)), Version(2, "2", None)
NOTHING = Listing((Page(()),))


def versioned(**objects: tuple[Version, ...]) -> Bucket:
    """A bucket of keys; an underscore in a name is a slash."""
    return Bucket({key.replace("_", "/"): versions for key, versions in objects.items()}, versioning="Enabled")


def told(bucket: Bucket, request: ListObjectsV2, listing: Listing) -> list[tuple[str, str]]:
    """The symptoms of a listing, each with what it is told of."""
    return [(one.symptom, one.who) for one in judge_request(request, bucket, Done(200, listing)).breaches]


@pytest.mark.parametrize(
    ("bucket", "who"),
    [
        (EMPTY_BUCKET, "delimiter"),
        (versioned(b=(OBJECT,)), "delimiter"),
        (versioned(a_b=(DELETED, OBJECT)), "delete markers alone below it; delimiter"),
    ],
)
def test_a_common_prefix_without_keys_is_told_with_the_delete_markers_below_it(bucket: Bucket, who: str) -> None:
    symptoms = told(bucket, ListObjectsV2("", "/"), Listing((Page((), ("a/",)),)))
    assert ("lists a common prefix without keys", who) in symptoms


@pytest.mark.parametrize(
    ("bucket", "role"),
    [
        (versioned(a_b=(OBJECT,)), ""),
        (versioned(a=(OBJECT,), a_b=(OBJECT,)), "below an object; "),
        (versioned(a=(DELETED, OBJECT), a_b=(OBJECT,)), "below a delete marker; "),
    ],
)
def test_an_omitted_key_is_told_with_what_is_above_it(bucket: Bucket, role: str) -> None:
    symptoms = told(bucket, ListObjectsV2("a/"), NOTHING)
    assert ("omits a key", f"{role}prefix; versioning enabled") in symptoms


def test_a_common_prefix_is_told_with_what_is_so_of_all_keys_below_it() -> None:
    bucket = versioned(a=(DELETED, OBJECT), a_b=(OBJECT,), a_b_c=(OBJECT,))
    symptoms = told(bucket, ListObjectsV2("", "/"), NOTHING)
    assert symptoms == [("omits a common prefix", "below a delete marker; delimiter; versioning enabled")]


def listing(*keys: str, prefixes: tuple[str, ...] = (), endless: bool = False) -> Listing:
    """A listing of these keys in one page, each with the length and the ETag that it has in the buckets here."""
    return Listing((Page(tuple(Entry(key, "", 3) for key in keys), prefixes),), endless)


PLAIN = versioned(a=(OBJECT,), b=(OBJECT,), c_d=(OBJECT,), e_f=(OBJECT,))


@pytest.mark.parametrize(
    ("request_", "answer", "breach"),
    [
        (ListObjectsV2("a"), listing("a", "b"), (ids.LIST_PREFIX, "lists a key without the prefix")),
        (
            ListObjectsV2(start_after="a"),
            listing("a", "b", "c/d", "e/f"),
            (ids.LIST_START_AFTER, "lists a key that comes before"),
        ),
        (
            ListObjectsV2("", "/"),
            listing("a", "b", "c/d", prefixes=("c/", "e/")),
            (ids.LIST_DELIMITER, "lists a key that is rolled up"),
        ),
        (
            ListObjectsV2("", "/"),
            listing("a", "b", prefixes=("e/", "c/")),
            (ids.LIST_ORDER, "lists common prefixes in another order"),
        ),
        (
            ListObjectsV2(max_keys=9),
            listing("a", "b", "c/d", "e/f", endless=True),
            (ids.LIST_MAX_KEYS, "says that more follows and gives nothing new"),
        ),
        (ListObjectsV2(), listing("a", "b", "c/d", "e/f"), None),
    ],
)
def test_what_a_listing_gives_too_much_is_told_by_what_asked_for_less(
    request_: ListObjectsV2, answer: Listing, breach: tuple[str, str] | None
) -> None:
    breaches = judge_request(request_, PLAIN, Done(200, answer)).breaches
    assert [(one.clause, one.symptom) for one in breaches] == ([] if breach is None else [breach])


def test_a_version_that_is_not_there_is_told_apart_from_a_key_that_is_not() -> None:
    bucket = versioned(a=(OBJECT,))
    other = Listing((Page((Entry("a", "", 3, "1", latest=True), Entry("a", "", 3, "7"))),))
    (breach,) = judge_request(ListObjectVersions(), bucket, Done(200, other)).breaches
    assert (breach.clause, breach.symptom) == (ids.VERSIONS_ONLY, "lists what is not there of a key")


@pytest.mark.parametrize(
    ("request_", "clause"),
    [
        (ListObjectsV2(), ids.LIST_ALL),
        (ListObjectVersions(), ids.VERSIONS_ALL),
        (ListMultipartUploads(), ids.UPLOADS_ALL),
    ],
)
def test_a_listing_that_is_refused_breaks_the_promise_to_list(request_: Request, clause: str) -> None:
    (breach,) = judge_request(request_, PLAIN, Refused(500, "InternalError")).breaches
    assert (breach.clause, breach.symptom) == (clause, "is refused with 500 InternalError")
