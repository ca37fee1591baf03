"""Deletes with versioning suspended: the null version is asked for by the page on deletes, not by that on writes."""

from __future__ import annotations

import pytest

from fsconform.model.core import content as contents
from fsconform.model.objects import clauses as ids
from fsconform.model.objects import operations as ops
from fsconform.model.objects.answers import Answered, Bucket, Bulk, Done, Found, Version
from fsconform.model.objects.rules import judge_request

EMPTY = "d41d8cd98f00b204e9800998ecf8427e"
DELETED = Bucket({"a": (Version(2, "2", None), Version(1, "1", contents.of(1, 3)))}, versioning="Suspended")


@pytest.mark.parametrize(
    ("request_", "answer", "breached"),
    [
        (ops.DeleteObject("a"), Done(204, Found(version="2", delete_marker=True)), [ids.DELETE_SUSPENDED]),
        (ops.DeleteObject("a"), Done(204, Found(version="null", delete_marker=True)), []),
        (ops.DeleteObjects(("a",)), Done(200, Bulk(("a",), markers=(("a", "2"),))), [ids.DELETE_SUSPENDED]),
        (ops.DeleteObject("a", 2), Done(204, Found(version="2")), [ids.DELETE_VERSION_MARKER]),
        (ops.PutObject("a"), Done(200, Found(EMPTY, version="3")), [ids.NULL_VERSION]),
    ],
)
def test_a_version_id_is_held_against_the_clause_of_its_request(
    request_: ops.Request, answer: Answered, breached: list[str]
) -> None:
    assert [one.clause for one in judge_request(request_, DELETED, answer).breaches] == breached
