"""Operations on a real directory: what each gives, that a refused one leaves nothing, and that no link is followed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fsconform.adapters import errnos
from fsconform.adapters.folders import trees
from fsconform.adapters.posix import calls
from fsconform.adapters.posix.session import PosixSession
from fsconform.adapters.posix.store import PosixStore
from fsconform.engine.protocol import Job
from fsconform.model.core import content as contents
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Data, NotExpressible, Outcome, Raised, Returned, Status
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.write import Write
from fsconform.model.filesystem.programs import Step
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.predicates import Exists

ONE, TWO = contents.of(1, 100), contents.of(2, 70_000)
A, B, AB, ABC = ("a",), ("b",), ("a", "b"), ("a", "b", "c")
LONG = "n" * 256
FNF, EXISTS, PARENT = "FileNotFoundException", "FileAlreadyExistsException", "ParentNotDirectoryException"
PATH = "PathIOException"


def put(path: tuple[str, ...]) -> Create:
    return Create(path, ONE, False)


def outcomes(session: PosixSession, *operations: Operation) -> list[Outcome]:
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
        *(Mkdirs(AB), put(("a", "f")), Open(("a", "f")), Create(("a", "f"), TWO, True)),
        *(Append(("a", "f"), ONE), Open(("a", "f")), GetFileStatus(("a", "f")), GetFileStatus(A)),
        *(ListStatus(A), ListStatus(("a", "f")), Exists(A), Exists(B), Rename(A, B)),
        *(Exists(A), Delete(("b", "f"), False), Delete(B, True), ListStatus(())),
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
        ([], Mkdirs(ABC), True),
        ([Mkdirs(A)], Mkdirs(A), True),
        ([], Mkdirs(()), True),
        ([put(A)], Mkdirs(A), EXISTS),
        ([put(A)], Mkdirs(ABC), PARENT),
        ([], put(ABC), None),
        ([put(A)], put(A), EXISTS),
        ([put(A)], put(ABC), PARENT),
        ([Mkdirs(A)], put(A), EXISTS),
        ([Mkdirs(A)], Create(A, ONE, True), EXISTS),
        ([], Create((), ONE, True), EXISTS),
        ([], Append(A, ONE), FNF),
        ([put(A)], Append(AB, ONE), FNF),
        ([Mkdirs(A)], Append(A, ONE), "PathIsDirectoryException"),
        ([], Open(A), FNF),
        ([put(A)], Open(AB), FNF),
        ([Mkdirs(A)], Open(A), "PathIsDirectoryException"),
        ([], Delete(A, True), False),
        ([put(A)], Delete(AB, True), False),
        ([Mkdirs(A)], Delete(A, False), True),
        ([Mkdirs(AB)], Delete(A, False), "PathIsNotEmptyDirectoryException"),
        ([], Delete((), False), True),
        ([put(A)], Delete((), False), "PathIsNotEmptyDirectoryException"),
        ([put(ABC)], Delete((), True), True),
        ([], GetFileStatus(A), FNF),
        ([put(A)], GetFileStatus(AB), FNF),
        ([put(A)], Exists(AB), False),
        ([], Exists((LONG,)), PATH),
        ([], ListStatus(A), FNF),
        ([put(A)], ListStatus(AB), FNF),
        ([], Rename(A, A), FNF),
        ([put(A)], Rename(AB, B), FNF),
        ([put(A)], Rename(A, A), True),
        ([put(AB)], Rename(AB, A), True),
        ([put(A)], Rename(A, ()), True),
        ([put(A)], Rename(A, ("b", "c")), FNF),
        ([put(A), put(B)], Rename(A, ("b", "c")), PARENT),
        ([put(AB), put(B)], Rename(A, B), EXISTS),
        ([put(AB), put(("c", "a")), put(("c", "d"))], Rename(A, ("c",)), EXISTS),
        ([put(A), Mkdirs(("b", "a"))], Rename(A, B), EXISTS),
        ([put(AB), put(("c", "a", "d"))], Rename(A, ("c",)), EXISTS),
        ([Mkdirs(A)], Rename(A, AB), PATH),
        ([], Rename((), A), PATH),
        ([put(A)], Rename(A, (LONG,)), PATH),
    ],
    ids=repr,
)
def test_each_case(session: PosixSession, before: list[Operation], operation: Operation, wanted: object) -> None:
    assert told(outcomes(session, *before, operation)[-1]) == wanted


@pytest.mark.parametrize(
    ("before", "rename", "after"),
    [
        ([put(A), Create(B, TWO, False)], Rename(A, B), {B: 100}),
        ([put(A), Mkdirs(B)], Rename(A, B), {B: None, ("b", "a"): 100}),
        ([put(A), Create(("b", "a"), TWO, False)], Rename(A, B), {B: None, ("b", "a"): 100}),
        ([put(("a", "c")), Mkdirs(B)], Rename(A, B), {B: None, ("b", "c"): 100}),
        ([Mkdirs(A), put(("b", "c"))], Rename(A, B), {B: None, ("b", "c"): 100, ("b", "a"): None}),
        ([put(AB)], Rename(AB, A), {A: None, AB: 100}),
        ([put(AB)], Rename(AB, ()), {A: None, B: 100}),
    ],
    ids=repr,
)
def test_where_a_rename_ends(
    session: PosixSession, before: list[Operation], rename: Rename, after: dict[tuple[str, ...], int | None]
) -> None:
    program = tuple(map(Step, (*before, rename)))
    (execution,) = session.execute([Job(program, (len(before),))])
    ((_, snapshot),) = execution.snapshots
    assert snapshot.consistent and execution.trace.events[-1].outcome == Returned(True)
    assert {one.listed.path: None if one.data is None else one.data.length for one in snapshot.entries} == after


@pytest.mark.parametrize("operation", [Mkdirs(("a", LONG, "b")), put(("a", "b", LONG)), put(("a", LONG, "b"))])
def test_parents_of_what_is_refused_go_again(session: PosixSession, operation: Operation) -> None:
    refused, listed = outcomes(session, operation, ListStatus(()))
    assert (told(refused), told(listed)) == (PATH, ())
    refused, kept = outcomes(session, Mkdirs(A), operation, ListStatus(()))[1:]
    assert told(refused) == PATH and [one.path for one in told(kept)] == [A]  # type: ignore[attr-defined]


NAMELESS = ["", ".", "..", "a/b", "/", "a\0b", "a\ud800", "../../x"]


@pytest.mark.parametrize("name", NAMELESS, ids=repr)
@pytest.mark.parametrize("place", [(), ("d",)])
def test_names_that_posix_cannot_say(session: PosixSession, name: str, place: tuple[str, ...]) -> None:
    path = (*place, name)
    asked: tuple[Operation, ...] = (
        *(Mkdirs(path), put((*path, "x")), Append(path, ONE), Open(path), Delete(path, True)),
        *(Rename(path, A), Rename(("ok",), path), GetFileStatus(path), Exists(path)),
        *(ListStatus(path), ListStatus(())),
    )
    _, *refused, listed = outcomes(session, put(("ok",)), *asked)
    assert all(isinstance(outcome, NotExpressible) and outcome.reason for outcome in refused), refused
    assert [one.path for one in told(listed)] == [("ok",)]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "name", ["a b", "a.", "a:b", "a\\b", "*", "a\nb", "\x01", "é", "e\u0301", "😀", "é" * 127, "..."]
)
def test_all_other_names_are_taken_literally(session: PosixSession, name: str) -> None:
    created, listed, read = outcomes(session, put((name, name)), ListStatus((name,)), Open((name, name)))
    assert created == Returned(None) and told(read) == Data(100, contents.digest(ONE) or "")
    assert [one.path for one in told(listed)] == [(name, name)]  # type: ignore[attr-defined]


def test_deep_trees_and_paths_longer_than_one_string(session: PosixSession) -> None:
    deep = ("d",) * 1200
    assert [told(one) for one in outcomes(session, Mkdirs(deep), put((*deep, "f")), Delete(("d",), True))] == [
        *(True, None, True)
    ]
    x, y = ("x", *["dddddd"] * 400), ("y", *["dddddd"] * 400)
    moved = (*x, *y, "f")
    got = outcomes(
        session,
        Mkdirs(x),
        put((*y, "f")),
        Rename(("y",), (*x, "y")),
        Exists(moved),
        Delete(("x",), True),
    )
    assert [told(one) for one in got] == [True, None, True, True, True]


def test_a_write_in_parts_is_whole(session: PosixSession, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda file, data: write(file, data[:999]))
    _, read = outcomes(session, Create(A, TWO, False), Open(A))
    assert told(read) == Data(70_000, contents.digest(TWO) or "")


def test_no_descriptor_stays_open(session: PosixSession) -> None:
    program = tuple(
        Step(operation)
        for operation in (
            *(
                put(ABC),
                put(ABC),
                put((*ABC, "d")),
                Open(AB),
                Open(ABC),
                Append(AB, ONE),
                ListStatus(AB),
            ),
            *(ListStatus(ABC), Mkdirs(("a", LONG, "b")), Rename(A, ABC), Rename(ABC, ("x", "y", "z"))),
            *(Delete(A, False), Delete(A, True), Mkdirs(("p", "q", LONG))),
        )
    )
    before = os.listdir("/proc/self/fd")
    assert len(list(session.execute([Job(program, (5,))] * 20))) == 20
    assert len(os.listdir("/proc/self/fd")) == len(before)


def test_stacks_come_when_asked_for(session: PosixSession) -> None:
    job = Job((Step(Open(A)),), stacks=True)
    (execution,) = session.execute([job])
    outcome = execution.trace.events[0].outcome
    assert isinstance(outcome, Raised) and "FileNotFoundError" in outcome.stack
    assert isinstance(outcomes(session, Open(A))[0], Raised) and outcomes(session, Open(A))[0].stack == ""  # type: ignore[union-attr]


def test_request_rate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    session = PosixStore("local", tmp_path / "sandbox", request_rate=0.001).session()
    outcomes(session, Exists(A), Exists(A), Exists(A))
    session.close()
    assert len(slept) == 2 and 900 < slept[0] < 1001 < 1900 < slept[1] < 2001
    for rate in (0, -1.0):
        with pytest.raises(ValueError, match="above 0"):
            PosixStore("local", tmp_path, request_rate=rate)


LINKED: list[tuple[Operation, object]] = [
    (Open(("file",)), PATH),
    (Create(("file",), ONE, True), PATH),
    (Append(("file",), ONE), PATH),
    (Mkdirs(("dir",)), EXISTS),
    (Mkdirs(("dir", "new")), PARENT),
    (Mkdirs(("dir", "new", "er")), PARENT),
    (put(("dir", "new")), PARENT),
    (Create(("dir", "keep"), ONE, True), PARENT),
    (Append(("dir", "keep"), ONE), FNF),
    (Open(("dir", "keep")), FNF),
    (ListStatus(("dir", "keep")), FNF),
    (Exists(("dir", "keep")), False),
    (Delete(("dir", "keep"), False), False),
    (Rename(("dir", "keep"), ("stolen",)), FNF),
    (Rename(("own",), ("dir", "new")), PARENT),
    (Delete(("dir",), True), True),
    (Delete(("file",), True), True),
    (Delete(("tree",), True), True),
    (Delete((), True), True),
]


@pytest.mark.parametrize(("operation", "wanted"), LINKED, ids=repr)
def test_no_link_leads_out(base: int, tmp_path: Path, operation: Operation, wanted: object) -> None:
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
        got = told(errnos.raised(error, calls.makes(operation), "p"))
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
    assert [one.path for one in calls.list_status(base, ListStatus(()))] == [B]


def test_of_no_bytes_one_by_one_none_is_written_to_a_closed_stream(session: PosixSession) -> None:
    """No call is made, so none can be refused; a byte, and an array of none, can be."""
    begun = (OpenWriter(A, "w", "create"), CloseWriter("w"))
    writes = (Write("w", (), via="bytes"), Write("w", contents.of(1, 1), via="bytes"), Write("w", ()))
    assert [told(one) for one in outcomes(session, *begun, *writes)[2:]] == [None, "IOException", "IOException"]
