"""Refusals of reads to which several preconditions lead at once."""

from __future__ import annotations

import pytest

from fsconform.model.objects.answers import EMPTY_BUCKET, Refused
from fsconform.model.objects.operations import GetObject
from fsconform.model.objects.rules import judge_request


@pytest.mark.parametrize(
    ("range", "answer", "accepted"),
    [
        ("bytes=-0", Refused(404, "NoSuchKey"), True),
        ("bytes=-0", Refused(416, "InvalidRange"), True),
        ("bytes=-0", Refused(403, "AccessDenied"), False),
        ("bytes=-1", Refused(416, "InvalidRange"), False),
        ("bytes=0-4", Refused(416, "InvalidRange"), False),
        ("", Refused(416, "InvalidRange"), False),
    ],
)
def test_of_a_missing_key_only_a_range_that_no_object_meets_may_be_refused_first(
    range: str, answer: Refused, accepted: bool
) -> None:
    assert (not judge_request(GetObject("key1", range=range), EMPTY_BUCKET, answer).breaches) is accepted
