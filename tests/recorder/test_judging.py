"""The judge of recordings: on the store in memory, with wrong answers put in, and on calls that overlap."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
import pytest

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.engine.recordings.cells import NEW_DIRECTORY
from fsconform.engine.recordings.events import Event, event_of
from fsconform.engine.recordings.judge import RecordingJudge, Tally
from fsconform.engine.recordings.knowledge import Known
from fsconform.model.core.errors import ancestry
from fsconform.model.filesystem.oracle import Oracle
from fsconform.proving.store import MemoryStore, StoreError
from fsconform.records.recording import CallLine, Entry

ORACLE = Oracle(load_shipped("proving"))
ATOMIC = Oracle(load_shipped("hdfs"))
EMPTY = Known(NEW_DIRECTORY)
FAULTS = ("status", "listing", "content", "did", "lost", "made up")


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def line(name: str, *paths: str, at: tuple[int, int], thread: int = 0, **more: Any) -> CallLine:
    return CallLine(name, 0, thread, *at, paths, **more)


class Recorder:
    """Calls on a store in memory, recorded one after another."""

    def __init__(self, seed: int) -> None:
        self.store = MemoryStore()
        self.dice = random.Random(seed)
        self.now = 0
        self.streams = 0
        self.lines: list[CallLine] = []

    def path(self) -> str:
        return "/" + "/".join(self.dice.choice("abc") for _ in range(self.dice.randint(1, 4)))

    def note(self, name: str, *paths: str, **more: Any) -> None:
        self.now += 10
        self.lines.append(line(name, *paths, at=(self.now, self.now + 5), **more))

    def entry(self, status: Any) -> Entry:
        return Entry(str(status.path), status.is_dir, status.length, max(1, status.block_size))

    def call(self) -> None:
        """Make a call, and note it as the recorder does."""
        path, other, store = self.path(), self.path(), self.store
        names = ("mkdirs", "create", "create", "delete", "rename", "getFileStatus", "listStatus", "open", "exists")
        name = self.dice.choice(names)
        arguments: dict[str, Any] = {}
        paths = (path, other) if name == "rename" else (path,)
        if name == "delete":
            arguments = {"recursive": self.dice.random() < 0.5}
        if name == "create":
            self.streams += 1
            arguments = {"mode": self.dice.choice(("create", "overwrite")), "parents": True, "stream": self.streams}
        try:
            match name:
                case "mkdirs":
                    self.note(name, path, did=store.mkdirs(path))
                case "create":
                    data = self.dice.randbytes(self.dice.randint(0, 3))
                    store.create(path, data, arguments["mode"] == "overwrite")
                    self.note("open to write", path, **arguments)
                    self.note("close", path, stream=self.streams, length=len(data), sha256=sha(data))
                case "delete":
                    self.note(name, path, did=store.delete(path, arguments["recursive"]), **arguments)
                case "rename":
                    self.note(name, path, other, did=store.rename(path, other))
                case "getFileStatus":
                    self.note(name, path, status=self.entry(store.get_file_status(path)))
                case "listStatus":
                    self.note(name, path, listed=tuple(map(self.entry, store.list_status(path))))
                case "open":
                    read = store.open(path)
                    self.note(name, path, length=len(read), sha256=sha(read))
                case "exists":
                    self.note(name, path, did=store.exists(path))
        except StoreError as error:
            called = "open to write" if name == "create" else name
            self.note(called, *paths, error=error.classes, message=error.message, **arguments)


def recorded(seed: int, count: int, unseen: int = 0) -> list[CallLine]:
    """The lines of so many calls, after others that nobody recorded."""
    recorder = Recorder(seed)
    while len(recorder.lines) < unseen:
        recorder.call()
    recorder.lines.clear()
    while len(recorder.lines) < count:
        recorder.call()
    return recorder.lines


def judged(lines: Iterable[CallLine], known: Known | None = None, oracle: Oracle = ORACLE) -> Tally:
    events: list[Event] = []
    for number, one in enumerate(lines, 1):
        events.append(event_of(0, number, "memory:", one, lambda classes, message: ""))
    return RecordingJudge(oracle, known).follow(events)


@pytest.mark.parametrize(("seed", "count", "unseen"), [(1, 10_000, 300), (2, 1_000, 0), (3, 1_000, 2_000)])
def test_a_sound_recording_shows_nothing(seed: int, count: int, unseen: int) -> None:
    tally = judged(recorded(seed, count, unseen))
    assert tally.flagged == []
    assert tally.calls >= count
    assert tally.judged > count * 0.6
    assert tally.judged + tally.learned + tally.unjudged == tally.calls


def changed(lines: list[CallLine], fault: str, after: int) -> Iterator[tuple[int, CallLine]]:
    """Lines from one number on with a wrong answer in each, that shows for sure where all is known."""
    change = msgspec.structs.replace
    for number, one in enumerate(lines[after:], after):
        match fault, one.call:
            case "status", "getFileStatus" if one.status and not one.status.dir:
                yield number, change(one, status=change(one.status, length=one.status.length + 1))
            case "listing", "listStatus" if one.listed:
                yield number, change(one, listed=one.listed[1:])
            case "content", "open" if one.sha256:
                yield number, change(one, sha256=sha(b"other"), length=5)
            case "did", "exists":
                yield number, change(one, did=not one.did)
            case "lost", "getFileStatus" if one.status:
                yield number, change(one, status=None, error=ancestry("FileNotFoundException"), message="lost")
            case "made up", "getFileStatus" if one.error:
                yield number, change(one, error=(), status=Entry(one.paths[0], False, 1, 1))


@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_answer_is_found(fault: str) -> None:
    """From an empty store on all is known: each wrong answer is found, at its line, and once."""
    lines = recorded(7, 400)
    places = list(changed(lines, fault, 150))
    assert places
    for number, wrong in places[:6]:
        tally = judged([*lines[:number], wrong, *lines[number + 1 :]], EMPTY)
        assert [flag.place for flag in tally.flagged][:1] == [(0, number + 1)]
        assert tally.flagged[0].verdict == "violation"
        assert tally.flagged[0].clause


@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_answer_is_found_from_an_unknown_beginning(fault: str) -> None:
    lines = recorded(8, 700, unseen=300)
    found = [
        bool(judged([*lines[:number], wrong, *lines[number + 1 :]]).flagged)
        for number, wrong in list(changed(lines, fault, 500))[:5]
    ]
    assert sum(found) >= len(found) * 0.8


def test_what_is_not_known_is_not_judged() -> None:
    calls = [
        line("getFileStatus", "/x/f", at=(0, 1), status=Entry("/x/f", False, 3, 1)),
        line("listStatus", "/x", at=(2, 3), listed=(Entry("/x/f", False, 3, 1), Entry("/x/g", True, 0, 0))),
        line("open", "/x/f", at=(4, 5), length=3, sha256=sha(b"abc")),
    ]
    tally = judged(calls)
    assert (tally.flagged, tally.judged, tally.learned) == ([], 0, 3)
    assert judged([*calls, line("listStatus", "/x", at=(6, 7), listed=calls[1].listed)]).judged == 1
    learned = [*calls, line("getFileStatus", "/x/g/h", at=(6, 7), status=Entry("/x/g/h", False, 1, 1))]
    assert judged(learned).flagged == []
    forgotten = [*calls, line("exists", "/x/h", at=(6, 7), did=True)]
    (flag,) = judged(forgotten).flagged
    assert flag.place == (0, 4)


def test_a_file_that_is_being_written_is_not_judged() -> None:
    def calls(size: int) -> list[CallLine]:
        return [
            line("open to write", "/f", at=(0, 1), mode="overwrite", parents=True, stream=1),
            line("getFileStatus", "/f", at=(2, 3), status=Entry("/f", False, 1, 1)),
            line("close", "/f", at=(4, 5), stream=1, length=2, sha256=sha(b"ab")),
            line("getFileStatus", "/f", at=(6, 7), status=Entry("/f", False, size, 1)),
        ]

    assert judged(calls(2)).flagged == []
    (flag,) = judged(calls(1)).flagged
    assert (flag.place, flag.call) == ((0, 4), "getFileStatus(/f)")


def test_a_file_renamed_while_it_is_written_is_not_known_afterwards() -> None:
    calls = [
        line("open to write", "/f", at=(0, 1), mode="overwrite", parents=True, stream=1),
        line("rename", "/f", "/g", at=(2, 3), did=True),
        line("close", "/f", at=(4, 5), stream=1, length=2, sha256=sha(b"ab")),
        line("exists", "/f", at=(6, 7), did=False),
        line("exists", "/g", at=(8, 9), did=True),
    ]
    assert judged(calls, EMPTY).flagged == []


def half_moved(*looks: tuple[str, bool]) -> list[CallLine]:
    """A rename onto a directory that has one of its names, and is refused after it moved a part: then looks."""
    calls = []
    for number, path in enumerate(("/a/b/a", "/b/a/b", "/b/c"), 1):
        at = number * 10
        calls.append(line("open to write", path, at=(at, at + 1), mode="create", parents=True, stream=number))
        calls.append(line("close", path, at=(at + 2, at + 3), stream=number, length=1, sha256=sha(b"x")))
    refused = ancestry("FileAlreadyExistsException")
    calls.append(line("rename", "/b", "/a", at=(50, 51), error=refused, message="/a/b/a is there"))
    calls += [line("exists", path, at=(at, at + 1), did=did) for at, (path, did) in enumerate(looks, 60)]
    return calls


def test_known_bugs_of_the_store_are_followed() -> None:
    """RawLocalFileSystem moves a part of a directory and refuses the rest; losing that part is something else."""
    local = Oracle(load_shipped("rawlocal"))
    tally = judged(half_moved(("/b/c", False), ("/a/b/c", True), ("/b/a/b", True)), EMPTY, local)
    assert tally.flagged == []
    tally = judged(half_moved(("/b/c", True), ("/a/b/c", False)), EMPTY, local)
    assert (tally.flagged, tally.quirks) == ([], {})
    (flag,) = judged(half_moved(("/b/a/b", False)), EMPTY, local).flagged
    assert flag.call == "exists(/b/a/b)"
    (flag, *_) = judged(half_moved(("/b/c", False), ("/a/b/c", True)), EMPTY, ATOMIC).flagged
    assert flag.call == "rename(/b, /a)"  # of HDFS no such bug is known


def test_directories_that_are_merged_are_known_afterwards() -> None:
    """RawLocalFileSystem merges a directory with one of its name; what both held is there then."""
    local = Oracle(load_shipped("rawlocal"))
    made = [
        line("open to write", "/a/c", at=(0, 1), mode="create", parents=True, stream=1),
        line("close", "/a/c", at=(2, 3), stream=1, length=1, sha256=sha(b"x")),
        line("mkdirs", "/b/a", at=(4, 5), did=True),
        line("rename", "/a", "/b", at=(6, 7), did=True),
    ]
    listed = (Entry("/b/a/c", False, 1, 1),)
    assert judged([*made, line("listStatus", "/b/a", at=(8, 9), listed=listed)], EMPTY, local).flagged == []
    (flag,) = judged([*made, line("listStatus", "/b/a", at=(8, 9), listed=())], EMPTY, local).flagged
    assert flag.call == "listStatus(/b/a)"


def exclusive(*times: tuple[int, int]) -> list[CallLine]:
    """Creates of one path by several threads, none of which overwrites: all succeed."""
    return [
        line("open to write", "/f", at=at, thread=number, mode="create", parents=True, stream=number + 1)
        for number, at in enumerate(times)
    ]


def test_overlapping_calls_are_judged_by_their_orders() -> None:
    """Whichever of two exclusive creates comes first, the other has to fail."""
    assert judged(exclusive((0, 10)), EMPTY, ATOMIC).flagged == []
    tally = judged(exclusive((0, 10), (5, 15)), EMPTY, ATOMIC)
    (flag,) = tally.flagged
    assert flag.beside
    refused = line("open to write", "/f", at=(5, 15), thread=1, mode="create", parents=True, stream=2,
                   error=ancestry("FileAlreadyExistsException"))  # fmt: skip
    for first in ((0, 10), (8, 20)):
        tally = judged([*exclusive(first), refused], EMPTY, ATOMIC)
        assert (tally.flagged, tally.overlapping) == ([], 2)


def test_orders_keep_which_call_returned_first() -> None:
    """A look that begins after a delete returned can't come before it, though both overlap with a third call."""

    def calls(looked: tuple[int, int]) -> list[CallLine]:
        return [
            line("delete", "/f", at=(0, 10), did=True),
            line("exists", "/f", at=looked, thread=1, did=True),
            line("exists", "/f", at=(5, 40), thread=2, did=False),
        ]

    made = [
        line("open to write", "/f", at=(-9, -8), mode="overwrite", parents=True, stream=1),
        line("close", "/f", at=(-7, -6), stream=1, length=0, sha256=sha(b"")),
    ]
    assert judged([*made, *calls((8, 30))], EMPTY, ATOMIC).flagged == []
    (flag,) = judged([*made, *calls((20, 30))], EMPTY, ATOMIC).flagged
    assert flag.call == "exists(/f)"


def test_what_makes_one_directory_happens_at_once() -> None:
    calls = [
        line("mkdirs", "/d", at=(0, 10), did=True),
        line("exists", "/d", at=(5, 6), thread=1, did=True),
        line("exists", "/d", at=(7, 15), thread=1, did=False),
    ]
    (flag,) = judged(calls, EMPTY, ATOMIC).flagged
    assert flag.call == "exists(/d)"
    assert judged([calls[0], calls[2]], EMPTY, ATOMIC).flagged == []
    several = [msgspec.structs.replace(call, paths=(call.paths[0] + "/d",)) for call in calls]
    assert judged(several, EMPTY, ATOMIC).given_up == 3


def test_calls_that_need_not_happen_at_once_are_given_up() -> None:
    calls = [
        line("delete", "/d", at=(0, 10), did=True, recursive=True),
        line("exists", "/d/f", at=(5, 15), thread=1, did=True),
        line("exists", "/d/f", at=(20, 21), thread=1, did=True),
    ]
    tally = judged(calls, oracle=ATOMIC)
    assert (tally.flagged, tally.given_up) == ([], 2)
    (flag,) = judged([calls[0], calls[2]], oracle=ATOMIC).flagged
    assert flag.call == "exists(/d/f)"
