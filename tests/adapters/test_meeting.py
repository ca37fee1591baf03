"""Sessions that meet on a board: all lanes of a concurrent program play in one directory and at once."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fsconform.adapters import meeting
from fsconform.adapters.hadoop.store import HadoopStore
from fsconform.adapters.jars import load_profile, resolve
from fsconform.adapters.meeting import NotMet, Round, board
from fsconform.adapters.posix.store import PosixStore
from fsconform.adapters.pythonic.store import PACKAGES, PythonStore
from fsconform.engine.histories.concurrent import Concurrent, decode, encode
from fsconform.engine.histories.execution import Clients
from fsconform.engine.histories.judging import Judge
from fsconform.engine.protocol import Meeting, Separable, Session, Store
from fsconform.model.core import content
from fsconform.model.core.outcomes import Returned, facts
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.input.open_reader import OpenReader
from fsconform.model.filesystem.input.read_stream import ReadOn
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.stream_answers import expected

A, B, C = ("a",), ("b",), ("c",)
PROGRAM = Concurrent(
    (Mkdirs(A),),
    ((Create(B, content.of(1, 3), False),), (Create(C, content.of(2, 5), False),)),
    (0, 0),
    (ListStatus(()),),
)


Opened = Callable[[int], list[Session]]


PREADING = ("local", "local apart", "pyarrow apart", "rawlocal")
"""Stores that read at a position without a seek."""


@pytest.fixture(params=[*PREADING, "fsspec apart"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opened]:
    """Opens so many sessions of a store, in processes of their own or not. What they make is gone in the end."""
    name, _, separate = request.param.partition(" ")
    found: Store = PosixStore("local", tmp_path / "sandbox")
    if name in PACKAGES:
        found = PythonStore(name, name, (tmp_path / "sandbox").as_uri(), {}, 30.0)
    if name == "rawlocal":
        found = HadoopStore(
            "rawlocal",
            (tmp_path / "sandbox").as_uri(),
            classpath=resolve(load_profile(), ("client",), lambda text: None),
            configuration={"fs.file.impl": "org.apache.hadoop.fs.RawLocalFileSystem"},
            logs_folder=tmp_path / "logs",
        )
    with contextlib.ExitStack() as stack:
        stack.callback(found.close)

        def several(number: int) -> list[Session]:
            sessions = [found.session() for _ in range(number)]
            for session in sessions:
                stack.callback(session.close)
            if separate:
                for session in list(sessions):
                    assert isinstance(session, Separable)
                    sessions[sessions.index(session)] = session.separate()
                for session in sessions:
                    stack.callback(session.close)
            return sessions

        yield several
    assert not (tmp_path / "sandbox").exists()


def test_lanes_play_at_once_in_one_directory(opened: Opened) -> None:
    two = Clients(opened(2), board)
    histories = two.execute([PROGRAM] * 20)
    for _ in range(50):  # clients that are threads of one process are seldom under way at once on a busy machine
        if any(history.overlaps for history in histories):
            break
        histories += two.execute([PROGRAM] * 20)
    for history in histories:
        assert history.lost == ""
        assert [place for _, place in history.rows] == [-1, *sorted((0, 1), key=history.places.index), -2]
        beginning, *lanes, ending = history.calls
        listed = ending.outcome
        assert isinstance(listed, Returned) and isinstance(listed.value, tuple)
        assert sorted(status.path for status in listed.value) == [A, B, C]
        assert all((beginning.returned or 0) <= call.invoked for call in lanes)
        assert all((call.returned or 0) <= ending.invoked for call in lanes)
    assert any(history.overlaps for history in histories)


THREADS = Concurrent(
    (Create(A, content.of(1, 100), False), OpenReader(A, "r")),
    ((ReadOn("r", ("pread 10 2",)),) * 3, (ReadOn("r", ("pread 20 3",)), Create(B, content.of(2, 5), False))),
    (0, 0),
    (ListStatus(()),),
    threads=True,
)


@pytest.mark.parametrize("opened", PREADING, indirect=True)
def test_threads_of_one_session_share_its_streams(opened: Opened) -> None:
    one = Clients(opened(1), board)
    histories = one.execute([THREADS] * 20)
    for _ in range(50):
        if any(history.overlaps for history in histories):
            break
        histories += one.execute([THREADS] * 20)
    judge = Judge(Oracle(Contract({})))
    for history in histories:
        assert history.lost == ""
        assert history.places[:2] == (-1, -1) and history.places[-1] == -2
        assert sorted(history.places[2:-1]) == [0, 0, 0, 1, 1]
        assert [call.client for call, place in history.rows if place >= 0] == list(history.places[2:-1])
        assert judge.judge(history).verdict == "conforms"
        for call, place in history.rows:
            if isinstance(call.operation, ReadOn):
                answer = expected(content.of(1, 100), *((20, 3) if place else (10, 2)))
                assert isinstance(call.outcome, Returned) and call.outcome.value == facts(
                    "input stream", **{"1": answer}
                )
    assert any(history.overlaps for history in histories)


def test_programs_of_threads_and_of_clients_keep_their_order(opened: Opened) -> None:
    histories = Clients(opened(2), board).execute([THREADS, PROGRAM, THREADS])
    assert [history.program for history in histories] == [THREADS, PROGRAM, THREADS]
    assert [len(history.calls) for history in histories] == [8, 4, 8]


def test_threads_stay_in_the_json_form() -> None:
    assert decode(encode(THREADS)) == THREADS and "threads" not in encode(PROGRAM)
    with pytest.raises(ValueError, match="true or false"):
        decode({**encode(THREADS), "threads": 1})


def test_processes_have_cores_of_their_own_up_to_their_end(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[tuple[int, ...]] = []
    monkeypatch.setattr(meeting, "_cores", lambda: (3, 5))
    monkeypatch.setattr(meeting, "_keep_to", kept.append)
    with board() as place:
        for seat in (0, 1, 2):
            part = Round(Meeting(place, 3, seat, 0, 0, 1, alone=True))
            part.start()
            monkeypatch.setattr(part, "_await_all", lambda *_: None)
            part.end()
        Round(Meeting(place, 3, 1, 0, 0, 1)).start()
    assert kept == [(3,), (3, 5), (5,), (3, 5), (3,), (3, 5)]


def test_whoever_is_alone_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meeting, "GATHERING_SECONDS", 0.05)
    with board() as place:
        for seat, told in ((0, "the other clients were not there"), (1, "the leading client was not there")):
            with pytest.raises(NotMet, match=told):
                Round(Meeting(place, 2, seat, 0, 0, 1)).begin()


def test_who_waits_for_all_to_be_there_goes_on_once_the_last_has_come(monkeypatch: pytest.MonkeyPatch) -> None:
    """A link that fails must not fail already while a client that goes by it is started anew."""
    monkeypatch.setattr(meeting, "LEADING_SECONDS", 0.05)
    with board() as place:
        waiting = Round(Meeting(place, 3, 2, 4, 0, 1))
        Round(Meeting(place, 3, 0, 4, 0, 1)).gone()
        Round(Meeting(place, 3, 1, 3, 0, 1)).gone()
        with pytest.raises(NotMet, match="the clients were not there"):
            waiting.gathered()
        Round(Meeting(place, 3, 1, 4, 0, 1)).gone()
        waiting.gathered()
