"""What a listing's departure is told to be of: what else the bucket holds, or once held."""

from __future__ import annotations

import pytest

from fsconform.model.core import content as contents
from fsconform.model.objects.answers import EMPTY_BUCKET, Bucket, Done, Listing, Page, Version
from fsconform.model.objects.operations import ListObjectsV2
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
