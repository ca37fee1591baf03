"""Sessions that meet on a board: all lanes of a concurrent program play in one directory and at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fsconform.adapters import meeting
from fsconform.adapters.hadoop.store import HadoopStore
from fsconform.adapters.jars import load_profile, resolve
from fsconform.adapters.meeting import NotMet, Round, board
from fsconform.adapters.posix.store import PosixStore
from fsconform.engine.histories.concurrent import Concurrent, decode, encode
from fsconform.engine.histories.execution import Clients
from fsconform.engine.histories.judging import Judge
from fsconform.engine.protocol import Meeting, Store
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


@pytest.fixture(params=["local", "rawlocal"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    found: Store = PosixStore("local", tmp_path / "sandbox")
    if request.param == "rawlocal":
        found = HadoopStore(
            "rawlocal",
            (tmp_path / "sandbox").as_uri(),
            classpath=resolve(load_profile(), ("client",), lambda text: None),
            configuration={"fs.file.impl": "org.apache.hadoop.fs.RawLocalFileSystem"},
            logs_folder=tmp_path / "logs",
        )
    yield found
    found.close()


def test_lanes_play_at_once_in_one_directory(store: Store) -> None:
    sessions = [store.session() for _ in range(2)]
    try:
        two = Clients(sessions, board)
        histories = two.execute([PROGRAM] * 20)
        for _ in range(50):  # clients that are threads of one process are seldom under way at once on a busy machine
            if any(history.overlaps for history in histories):
                break
            histories += two.execute([PROGRAM] * 20)
    finally:
        for session in sessions:
            session.close()
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


def test_threads_of_one_session_share_its_streams(store: Store) -> None:
    session = store.session()
    try:
        one = Clients([session], board)
        histories = one.execute([THREADS] * 20)
        for _ in range(50):
            if any(history.overlaps for history in histories):
                break
            histories += one.execute([THREADS] * 20)
    finally:
        session.close()
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


def test_programs_of_threads_and_of_clients_keep_their_order(store: Store) -> None:
    sessions = [store.session() for _ in range(2)]
    try:
        histories = Clients(sessions, board).execute([THREADS, PROGRAM, THREADS])
    finally:
        for session in sessions:
            session.close()
    assert [history.program for history in histories] == [THREADS, PROGRAM, THREADS]
    assert [len(history.calls) for history in histories] == [8, 4, 8]


def test_threads_stay_in_the_json_form() -> None:
    assert decode(encode(THREADS)) == THREADS and "threads" not in encode(PROGRAM)
    with pytest.raises(ValueError, match="true or false"):
        decode({**encode(THREADS), "threads": 1})


def test_whoever_is_alone_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meeting, "GATHERING_SECONDS", 0.05)
    with board() as place:
        for seat, told in ((0, "the other clients were not there"), (1, "the leading client was not there")):
            with pytest.raises(NotMet, match=told):
                Round(Meeting(place, 2, seat, 0, 0, 1)).begin()
