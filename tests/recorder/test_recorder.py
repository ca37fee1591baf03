"""The recorder in a real JVM: every outermost call is in the recording, once, with its outcome."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from importlib import resources
from itertools import pairwise
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from fsconform.adapters.recorder.building import RecorderError, source_of
from fsconform.records.given import GivenError
from fsconform.records.recording import CallLine, read, schema_bytes

SCHEMA = resources.files("fsconform.records") / "recording.schema.json"


@pytest.fixture(scope="module")
def calls(application: Path) -> list[CallLine]:
    """The calls of the application, in the order in which they ended."""
    (file,) = application.iterdir()
    recording, found = read(file)
    assert recording.ended
    assert not recording.torn
    assert [store.implementation for store in recording.stores.values()] == ["org.apache.hadoop.fs.RawLocalFileSystem"]
    return [line for _, line in found]


def test_outermost_calls_are_recorded_once(calls: list[CallLine]) -> None:
    """RawLocalFileSystem calls itself in nearly all of these."""
    first = [call for call in calls if not call.paths[0].endswith(("/t0", "/t1"))]
    assert [call.call for call in first] == [
        *("mkdirs", "open to write", "hflush", "close", "open", "open", "getFileStatus", "listStatus"),
        *("exists", "getFileStatus", "rename", "delete"),
    ]
    assert Counter(call.call for call in calls if call not in first) == {
        "open to write": 100,
        "close": 100,
        "delete": 100,
    }
    assert len({call.thread for call in calls}) == 3


def test_outcomes_are_recorded(calls: list[CallLine]) -> None:
    by_name = {call.call: call for call in reversed(calls)}
    digest = hashlib.sha256(b"hello world").hexdigest()
    assert (by_name["close"].length, by_name["close"].sha256) == (11, digest)
    assert (by_name["open"].length, by_name["open"].sha256, by_name["open"].part) == (11, digest, False)
    assert [call.part for call in calls if call.call == "open"] == [False, True]
    missing = next(call for call in calls if call.error)
    assert missing.error[0] == "java.io.FileNotFoundException"
    assert by_name["rename"].did is True
    assert by_name["rename"].paths[1].endswith("/a/é😀")
    listed = by_name["listStatus"].listed
    assert listed is not None
    assert [(entry.path.rpartition("/")[2], entry.dir, entry.length) for entry in listed] == [("one", False, 11)]


def test_times_are_of_one_clock(calls: list[CallLine]) -> None:
    for thread in {call.thread for call in calls}:
        own = [call for call in calls if call.thread == thread and call.call != "open"]
        assert all(before.end <= after.begin for before, after in pairwise(own))


def test_lines_keep_the_schema(application: Path) -> None:
    (file,) = application.iterdir()
    validator = Draft202012Validator(json.loads(SCHEMA.read_bytes()))
    for text in file.read_text("ascii").splitlines():
        validator.validate(json.loads(text))


def test_schema_is_up_to_date() -> None:
    assert SCHEMA.read_bytes() == schema_bytes()


def _changed(application: Path, folder: Path, before: str, after: str) -> Path:
    (file,) = application.iterdir()
    text = file.read_text("ascii")
    assert before in text
    (folder / "x.jsonl").write_text(text.replace(before, after, 1), "ascii")
    return folder / "x.jsonl"


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ('"format":1', '"format":2', "has format 2"),
        ('"kind":"begin"', '"kind":"store"', "line 1: no line of a recording"),
        ('"call":"mkdirs"', '"call":7', "line 3: no line of a recording"),
        ('"kind":"call","call":"mkdirs","store":0', '"kind":"call","call":"mkdirs","store":9', "names store 9"),
        ('"kind":"end","calls":', '"kind":"end","calls":1', "lines were taken out"),
    ],
)
def test_damaged_recordings_are_refused(application: Path, tmp_path: Path, before: str, after: str, told: str) -> None:
    with pytest.raises(GivenError, match=told):
        read(_changed(application, tmp_path, before, after))


def test_recording_is_read_up_to_a_torn_line(application: Path, tmp_path: Path) -> None:
    (file,) = application.iterdir()
    lines = file.read_bytes().splitlines(keepends=True)
    (tmp_path / "x.jsonl").write_bytes(b"".join(lines[:8]) + lines[8][:-10])
    recording, calls = read(tmp_path / "x.jsonl")
    assert (recording.torn, recording.ended, len(calls)) == (9, False, 6)


def test_names_that_are_no_classes_are_refused() -> None:
    with pytest.raises(RecorderError, match="no full name"):
        source_of("org.example.A { static { } }")
