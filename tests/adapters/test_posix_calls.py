"""Operations on a real directory: what each gives, that a refused one leaves nothing, and that no link is followed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fsconform.adapters.folders import trees
from fsconform.adapters.posix import calls, errors
from fsconform.adapters.posix.session import PosixSession
from fsconform.adapters.posix.store import PosixStore
from fsconform.engine.protocol import Job
from fsconform.model.core import content as contents
from fsconform.model.core.outcomes import Data, NotExpressible, Outcome, Raised, Returned, Status
from fsconform.model.filesystem import operations as ops
from fsconform.model.filesystem.operations.writers import CloseWriter, OpenWriter, Write
from fsconform.model.filesystem.programs import Step

ONE, TWO = contents.of(1, 100), contents.of(2, 70_000)
A, B, AB, ABC = ("a",), ("b",), ("a", "b"), ("a", "b", "c")
LONG = "n" * 256
FNF, EXISTS, PARENT = "FileNotFoundException", "FileAlreadyExistsException", "ParentNotDirectoryException"
PATH = "PathIOException"


def put(path: tuple[str, ...]) -> ops.Create:
    return ops.Create(path, ONE, False)


def outcomes(session: PosixSession, *operations: ops.Operation) -> list[Outcome]:
    (execution,) = session.execute([Job(tuple(map(Step, operations)))])
    assert execution.lost == "" and all(0 < one.invoked <= one.returned for one in execution.trace.events)
    return [event.outcome for event in execution.trace.events]


def told(outcome: Outcome) -> object:
    """A returned value, or the short name of what was raised."""
    if isinstance(outcome, Raised):
        return outcome.classes[0].rpartition(".")[2]
    assert isinstance(outcome, Returned)
    return outcome.value


@pytest.fixture
def session(tmp_path: Path) -> Iterator[PosixSession]:
    opened = PosixStore("local", tmp_path / "sandbox").session()
    yield opened
    opened.close()
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def base(tmp_path: Path) -> Iterator[int]:
    """The open directory ``base``, beside the directory ``outside`` with a file ``keep``."""
    for name in ("base", "outside"):
        (tmp_path / name).mkdir()
    (tmp_path / "outside" / "keep").write_text("kept")
    descriptor = os.open(tmp_path / "base", os.O_RDONLY)
    yield descriptor
    os.close(descriptor)


def test_round_trip(session: PosixSession) -> None:
    got = outcomes(
        session,
        *(ops.Mkdirs(AB), put(("a", "f")), ops.Open(("a", "f")), ops.Create(("a", "f"), TWO, True)),
        *(ops.Append(("a", "f"), ONE), ops.Open(("a", "f")), ops.GetFileStatus(("a", "f")), ops.GetFileStatus(A)),
        *(ops.ListStatus(A), ops.ListStatus(("a", "f")), ops.Exists(A), ops.Exists(B), ops.Rename(A, B)),
        *(ops.Exists(A), ops.Delete(("b", "f"), False), ops.Delete(B, True), ops.ListStatus(())),
    )
    made, created, first, *_ = got
    assert (made, created) == (Returned(True), Returned(None))
    assert first == Returned(Data(100, contents.digest(ONE) or ""))
    assert got[5] == Returned(Data(70_100, contents.digest(TWO + ONE) or ""))
    file, directory = told(got[6]), told(got[7])
    assert isinstance(file, Status) and isinstance(directory, Status)
    assert (file.path, file.is_dir, file.length) == (("a", "f"), False, 70_100) and file.block_size > 0
    assert (directory.path, directory.is_dir, directory.length) == (A, True, 0)
    listed = told(got[8])
    assert isinstance(listed, tuple)
    assert sorted((one.path, one.is_dir, one.length) for one in listed) == [(AB, True, 0), (("a", "f"), False, 70_100)]
    assert told(got[9]) == (file,)
    assert [told(one) for one in got[10:]] == [True, False, True, False, True, True, ()]


@pytest.mark.parametrize(
    ("before", "operation", "wanted"),
    [
        ([], ops.Mkdirs(ABC), True),
        ([ops.Mkdirs(A)], ops.Mkdirs(A), True),
        ([], ops.Mkdirs(()), True),
        ([put(A)], ops.Mkdirs(A), EXISTS),
        ([put(A)], ops.Mkdirs(ABC), PARENT),
        ([], put(ABC), None),
        ([put(A)], put(A), EXISTS),
        ([put(A)], put(ABC), PARENT),
        ([ops.Mkdirs(A)], put(A), EXISTS),
        ([ops.Mkdirs(A)], ops.Create(A, ONE, True), EXISTS),
        ([], ops.Create((), ONE, True), EXISTS),
        ([], ops.Append(A, ONE), FNF),
        ([put(A)], ops.Append(AB, ONE), FNF),
        ([ops.Mkdirs(A)], ops.Append(A, ONE), "PathIsDirectoryException"),
        ([], ops.Open(A), FNF),
        ([put(A)], ops.Open(AB), FNF),
        ([ops.Mkdirs(A)], ops.Open(A), "PathIsDirectoryException"),
        ([], ops.Delete(A, True), False),
        ([put(A)], ops.Delete(AB, True), False),
        ([ops.Mkdirs(A)], ops.Delete(A, False), True),
        ([ops.Mkdirs(AB)], ops.Delete(A, False), "PathIsNotEmptyDirectoryException"),
        ([], ops.Delete((), False), True),
        ([put(A)], ops.Delete((), False), "PathIsNotEmptyDirectoryException"),
        ([put(ABC)], ops.Delete((), True), True),
        ([], ops.GetFileStatus(A), FNF),
        ([put(A)], ops.GetFileStatus(AB), FNF),
        ([put(A)], ops.Exists(AB), False),
        ([], ops.Exists((LONG,)), PATH),
        ([], ops.ListStatus(A), FNF),
        ([put(A)], ops.ListStatus(AB), FNF),
        ([], ops.Rename(A, A), FNF),
        ([put(A)], ops.Rename(AB, B), FNF),
        ([put(A)], ops.Rename(A, A), True),
        ([put(AB)], ops.Rename(AB, A), True),
        ([put(A)], ops.Rename(A, ()), True),
        ([put(A)], ops.Rename(A, ("b", "c")), FNF),
        ([put(A), put(B)], ops.Rename(A, ("b", "c")), PARENT),
        ([put(AB), put(B)], ops.Rename(A, B), EXISTS),
        ([put(AB), put(("c", "a")), put(("c", "d"))], ops.Rename(A, ("c",)), EXISTS),
        ([put(A), ops.Mkdirs(("b", "a"))], ops.Rename(A, B), EXISTS),
        ([put(AB), put(("c", "a", "d"))], ops.Rename(A, ("c",)), EXISTS),
        ([ops.Mkdirs(A)], ops.Rename(A, AB), PATH),
        ([], ops.Rename((), A), PATH),
        ([put(A)], ops.Rename(A, (LONG,)), PATH),
    ],
    ids=repr,
)
def test_each_case(
    session: PosixSession, before: list[ops.Operation], operation: ops.Operation, wanted: object
) -> None:
    assert told(outcomes(session, *before, operation)[-1]) == wanted


@pytest.mark.parametrize(
    ("before", "rename", "after"),
    [
        ([put(A), ops.Create(B, TWO, False)], ops.Rename(A, B), {B: 100}),
        ([put(A), ops.Mkdirs(B)], ops.Rename(A, B), {B: None, ("b", "a"): 100}),
        ([put(A), ops.Create(("b", "a"), TWO, False)], ops.Rename(A, B), {B: None, ("b", "a"): 100}),
        ([put(("a", "c")), ops.Mkdirs(B)], ops.Rename(A, B), {B: None, ("b", "c"): 100}),
        ([ops.Mkdirs(A), put(("b", "c"))], ops.Rename(A, B), {B: None, ("b", "c"): 100, ("b", "a"): None}),
        ([put(AB)], ops.Rename(AB, A), {A: None, AB: 100}),
        ([put(AB)], ops.Rename(AB, ()), {A: None, B: 100}),
    ],
    ids=repr,
)
def test_where_a_rename_ends(
    session: PosixSession, before: list[ops.Operation], rename: ops.Rename, after: dict[tuple[str, ...], int | None]
) -> None:
    program = tuple(map(Step, (*before, rename)))
    (execution,) = session.execute([Job(program, (len(before),))])
    ((_, snapshot),) = execution.snapshots
    assert snapshot.consistent and execution.trace.events[-1].outcome == Returned(True)
    assert {one.listed.path: None if one.data is None else one.data.length for one in snapshot.entries} == after


@pytest.mark.parametrize("operation", [ops.Mkdirs(("a", LONG, "b")), put(("a", "b", LONG)), put(("a", LONG, "b"))])
def test_parents_of_what_is_refused_go_again(session: PosixSession, operation: ops.Operation) -> None:
    refused, listed = outcomes(session, operation, ops.ListStatus(()))
    assert (told(refused), told(listed)) == (PATH, ())
    refused, kept = outcomes(session, ops.Mkdirs(A), operation, ops.ListStatus(()))[1:]
    assert told(refused) == PATH and [one.path for one in told(kept)] == [A]  # type: ignore[attr-defined]


NAMELESS = ["", ".", "..", "a/b", "/", "a\0b", "a\ud800", "../../x"]


@pytest.mark.parametrize("name", NAMELESS, ids=repr)
@pytest.mark.parametrize("place", [(), ("d",)])
def test_names_that_posix_cannot_say(session: PosixSession, name: str, place: tuple[str, ...]) -> None:
    path = (*place, name)
    asked: tuple[ops.Operation, ...] = (
        *(ops.Mkdirs(path), put((*path, "x")), ops.Append(path, ONE), ops.Open(path), ops.Delete(path, True)),
        *(ops.Rename(path, A), ops.Rename(("ok",), path), ops.GetFileStatus(path), ops.Exists(path)),
        *(ops.ListStatus(path), ops.ListStatus(())),
    )
    _, *refused, listed = outcomes(session, put(("ok",)), *asked)
    assert all(isinstance(outcome, NotExpressible) and outcome.reason for outcome in refused), refused
    assert [one.path for one in told(listed)] == [("ok",)]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "name", ["a b", "a.", "a:b", "a\\b", "*", "a\nb", "\x01", "é", "e\u0301", "😀", "é" * 127, "..."]
)
def test_all_other_names_are_taken_literally(session: PosixSession, name: str) -> None:
    created, listed, read = outcomes(session, put((name, name)), ops.ListStatus((name,)), ops.Open((name, name)))
    assert created == Returned(None) and told(read) == Data(100, contents.digest(ONE) or "")
    assert [one.path for one in told(listed)] == [(name, name)]  # type: ignore[attr-defined]


def test_deep_trees_and_paths_longer_than_one_string(session: PosixSession) -> None:
    deep = ("d",) * 1200
    assert [told(one) for one in outcomes(session, ops.Mkdirs(deep), put((*deep, "f")), ops.Delete(("d",), True))] == [
        *(True, None, True)
    ]
    x, y = ("x", *["dddddd"] * 400), ("y", *["dddddd"] * 400)
    moved = (*x, *y, "f")
    got = outcomes(
        session,
        ops.Mkdirs(x),
        put((*y, "f")),
        ops.Rename(("y",), (*x, "y")),
        ops.Exists(moved),
        ops.Delete(("x",), True),
    )
    assert [told(one) for one in got] == [True, None, True, True, True]


def test_a_write_in_parts_is_whole(session: PosixSession, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda file, data: write(file, data[:999]))
    _, read = outcomes(session, ops.Create(A, TWO, False), ops.Open(A))
    assert told(read) == Data(70_000, contents.digest(TWO) or "")


def test_no_descriptor_stays_open(session: PosixSession) -> None:
    program = tuple(
        Step(operation)
        for operation in (
            *(
                put(ABC),
                put(ABC),
                put((*ABC, "d")),
                ops.Open(AB),
                ops.Open(ABC),
                ops.Append(AB, ONE),
                ops.ListStatus(AB),
            ),
            *(ops.ListStatus(ABC), ops.Mkdirs(("a", LONG, "b")), ops.Rename(A, ABC), ops.Rename(ABC, ("x", "y", "z"))),
            *(ops.Delete(A, False), ops.Delete(A, True), ops.Mkdirs(("p", "q", LONG))),
        )
    )
    before = os.listdir("/proc/self/fd")
    assert len(list(session.execute([Job(program, (5,))] * 20))) == 20
    assert len(os.listdir("/proc/self/fd")) == len(before)


def test_stacks_come_when_asked_for(session: PosixSession) -> None:
    job = Job((Step(ops.Open(A)),), stacks=True)
    (execution,) = session.execute([job])
    outcome = execution.trace.events[0].outcome
    assert isinstance(outcome, Raised) and "FileNotFoundError" in outcome.stack
    assert isinstance(outcomes(session, ops.Open(A))[0], Raised) and outcomes(session, ops.Open(A))[0].stack == ""  # type: ignore[union-attr]


def test_request_rate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    session = PosixStore("local", tmp_path / "sandbox", request_rate=0.001).session()
    outcomes(session, ops.Exists(A), ops.Exists(A), ops.Exists(A))
    session.close()
    assert len(slept) == 2 and 900 < slept[0] < 1001 < 1900 < slept[1] < 2001
    for rate in (0, -1.0):
        with pytest.raises(ValueError, match="above 0"):
            PosixStore("local", tmp_path, request_rate=rate)


LINKED: list[tuple[ops.Operation, object]] = [
    (ops.Open(("file",)), PATH),
    (ops.Create(("file",), ONE, True), PATH),
    (ops.Append(("file",), ONE), PATH),
    (ops.Mkdirs(("dir",)), EXISTS),
    (ops.Mkdirs(("dir", "new")), PARENT),
    (ops.Mkdirs(("dir", "new", "er")), PARENT),
    (put(("dir", "new")), PARENT),
    (ops.Create(("dir", "keep"), ONE, True), PARENT),
    (ops.Append(("dir", "keep"), ONE), FNF),
    (ops.Open(("dir", "keep")), FNF),
    (ops.ListStatus(("dir", "keep")), FNF),
    (ops.Exists(("dir", "keep")), False),
    (ops.Delete(("dir", "keep"), False), False),
    (ops.Rename(("dir", "keep"), ("stolen",)), FNF),
    (ops.Rename(("own",), ("dir", "new")), PARENT),
    (ops.Delete(("dir",), True), True),
    (ops.Delete(("file",), True), True),
    (ops.Delete(("tree",), True), True),
    (ops.Delete((), True), True),
]


@pytest.mark.parametrize(("operation", "wanted"), LINKED, ids=repr)
def test_no_link_leads_out(base: int, tmp_path: Path, operation: ops.Operation, wanted: object) -> None:
    inside, outside = tmp_path / "base", tmp_path / "outside"
    (inside / "tree").mkdir()
    (inside / "own").write_text("own")
    for place in (inside, inside / "tree"):
        (place / "dir").symlink_to(outside)
        (place / "file").symlink_to(outside / "keep")
    kind = type(operation)
    try:
        got: object = calls.CALLS[kind](base, operation)
    except OSError as error:
        got = told(errors.raised(error, calls.makes(operation), "p"))
    assert got == wanted
    assert os.listdir(outside) == ["keep"] and (outside / "keep").read_text() == "kept"


def test_a_link_in_the_place_of_a_directory_is_not_cleared(base: int, tmp_path: Path) -> None:
    (tmp_path / "base" / "dir").symlink_to(tmp_path / "outside")
    with pytest.raises(NotADirectoryError):
        trees.clear(base, (b"dir",))
    with pytest.raises(NotADirectoryError), trees.scanned(base, (b"dir",)):
        pass
    assert os.listdir(tmp_path / "outside") == ["keep"]


def test_an_entry_that_goes_away_is_not_listed(base: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b"):
        (tmp_path / "base" / name).touch()
    scanned: Callable[..., object] = trees.scanned

    class Going:
        """The entries of a directory, one of which is removed after it was read."""

        def __init__(self, *arguments: object) -> None:
            self.inner = scanned(*arguments)

        def __enter__(self) -> list[os.DirEntry[str]]:
            found = list(self.inner.__enter__())  # type: ignore[attr-defined]
            (tmp_path / "base" / "a").unlink()
            return found

        def __exit__(self, *exc: object) -> None:
            self.inner.__exit__(*exc)  # type: ignore[attr-defined]

    monkeypatch.setattr(calls, "scanned", Going)
    assert [one.path for one in calls.list_status(base, ops.ListStatus(()))] == [B]


def test_of_no_bytes_one_by_one_none_is_written_to_a_closed_stream(session: PosixSession) -> None:
    """No call is made, so none can be refused; a byte, and an array of none, can be."""
    begun = (OpenWriter(A, "w", "create"), CloseWriter("w"))
    writes = (Write("w", (), via="bytes"), Write("w", contents.of(1, 1), via="bytes"), Write("w", ()))
    assert [told(one) for one in outcomes(session, *begun, *writes)[2:]] == [None, "IOException", "IOException"]
