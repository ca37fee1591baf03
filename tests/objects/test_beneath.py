"""The store below a connector, sound and with faults; the connector here only makes requests."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import pytest

from fsconform.adapters.s3.looking import Window
from fsconform.adapters.s3.session import S3Session
from fsconform.engine.objects import below_connector
from fsconform.engine.objects.below_connector import Look
from fsconform.harness.both_layers import record
from fsconform.proving.objects.faults import objects
from fsconform.proving.objects.store import ObjectError
from fsconform.records.results import BelowRecord
from fsconform.reports import words

BASE = "sandbox/run/g0/p0/"
PATHS = (("a",), ("a", "b"), ("c",), ("d",))

Change = Callable[[Any], object]


def put(key: str, body: bytes = b"abc") -> Change:
    return lambda client: client.put_object(Bucket="given", Key=BASE + key, Body=body)


def delete(key: str) -> Change:
    return lambda client: client.delete_object(Bucket="given", Key=BASE + key)


# A file beside a directory of its name, which a connector makes that does not look; a directory renamed; a file written
# anew; all deleted.
STEPS: tuple[tuple[Change, ...], ...] = (
    (put("", b""), put("a")),
    (put("a/b"),),
    (put("c/b"), delete("a/b")),
    (put("a", b"other"), put("d/", b"")),
    (delete("c/b"), put("a-b"), put("a/b")),
)


def seen(
    fault: str = "", steps: tuple[tuple[Change, ...], ...] = STEPS, paths: tuple[tuple[str, ...], ...] = PATHS
) -> BelowRecord:
    """The record of a connector that makes these changes, on a store with a fault."""
    client = objects(fault)
    client.create_bucket(Bucket="given")
    window = Window(client, ObjectError, "given")
    looks: list[Look] = []
    known: list[str] = []
    for changes in steps:
        for change in changes:
            with contextlib.suppress(ObjectError):
                change(client)
        looks.append(window.look(BASE, paths, known))
        known += looks[-1].held()
    session = S3Session(client, ObjectError, "given", "sandbox/run-below/")
    twin = below_connector.twin(paths, looks)
    found = record("memory:", looks, [""] * len(looks), twin, session.execute(twin.program))
    assert fault or all(key.startswith(BASE) for key in _left(client))  # what the requests made is gone
    return found


def _left(client: Any) -> list[str]:
    return [row["Key"] for row in client.list_objects_v2(Bucket="given").get("Contents", ())]


def test_a_sound_store_is_seen_step_by_step_and_keeps_its_clauses() -> None:
    found = seen()
    assert (found.verdict, found.breaches, found.note) == ("kept", [], "")
    assert [one.changed for one in found.steps] == [
        ["+ a"],
        ["+ a/b"],
        ["+ c/b", "- a/b"],
        ["+ d/", "~ a"],
        ["+ a-b", "+ a/b", "- c/b"],
    ]
    assert found.steps[2].objects == ["a, 3 bytes", "c/b, 3 bytes"]
    calls = [one.call for one in found.sequence]
    assert calls[:5] == [
        *("PutObject('a', 3 bytes)", "PutObject('a/b', 3 bytes)", "PutObject('c/b', 3 bytes)", "DeleteObject('a/b')"),
        "PutObject('a', 5 bytes)",
    ]
    # Keys that the program names, and markers of its directories, which were never there: tried at the end.
    tried = ["PutObject('d', 3 bytes)", "PutObject('a/')", "PutObject('a/b/')", "PutObject('c/')"]
    assert calls[-8::2] == tried and all("DeleteObject" in one for one in calls[-7::2])
    assert found.judged > 60 and {"GetObject.missing", "ListObjectsV2.delimiter"} <= set(found.clauses)
    assert "nothing there explains the divergence" in words.below(found)


CAUGHT = {
    "hides-below-objects": ("ListObjectsV2.all-keys", {"left", "requests"}),
    "omits-directory-object": ("ListObjectsV2.prefix", {"left", "requests"}),
    "sorts-by-directory": ("ListObjectsV2.order", {"left", "requests"}),
    "prefix-by-element": ("ListObjectsV2.prefix", {"requests"}),
    "key-count-of-keys-alone": ("ListObjectsV2.key-count", {"left", "requests"}),
    "deletes-below": ("ListObjectsV2.all-keys", {"requests"}),
    "reads-stale": ("HeadObject.as-get", {"left", "requests"}),
    "not-found-cached": ("HeadObject.as-get", {"left", "requests"}),
    "etag-of-the-key-too": ("Object.etag-md5", {"requests"}),
    "delete-ignored": ("DeleteObject.removes", {"requests"}),
}
"""Faults of the store below, each with a clause that is told, and where it shows."""


@pytest.mark.parametrize("fault", CAUGHT)
def test_a_fault_of_the_store_below_is_told_by_its_clause(fault: str) -> None:
    clause, layers = CAUGHT[fault]
    found = seen(fault)
    assert found.verdict == "departs"
    assert clause in {one.clause for one in found.breaches}
    assert {one.layer for one in found.breaches} == layers
    assert clause in words.below(found)
    shown = {(one.call, one.expected) for one in found.sequence if one.marked}
    told = {(one.request, one.expected) for one in found.breaches if one.layer == "requests"}
    assert shown <= told and {call for call, _ in shown} == {call for call, _ in told}


def test_a_write_that_the_store_refuses_is_tried_though_nothing_of_it_is_there() -> None:
    long = "x" * 256
    found = seen("keys-as-paths", ((put("a"),),), (("a",), (long, "b")))
    assert {(one.layer, one.clause) for one in found.breaches} == {("requests", "PutObject.adds-object")}
    assert any(one.request.startswith(f"PutObject('{long}/") for one in found.breaches)


def test_what_is_not_seen_is_not_called_sound() -> None:
    def lost(**_: object) -> None:
        raise ConnectionError("no answer")

    client: Any = objects()
    client.create_bucket(Bucket="given")
    client.head_object = lost
    look = Window(client, ObjectError, "given").look(BASE, PATHS, ())
    assert look.unknown() == "ConnectionError: no answer"


def test_keys_that_clients_of_http_may_change_on_the_way_are_not_asked_for() -> None:
    asked = below_connector.candidates([("a",), ("..", "b"), ("x" * 1025,)], ["", "a/./b", "c/d"])
    assert "a/c/d" in asked and "a/d" in asked and "c/d" in asked
    assert not any({".", ".."} & set(key.split("/")) for key in asked)
    assert all(len(key) <= 1024 for key in asked)
