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
from fsconform.engine.histories.concurrent import Concurrent
from fsconform.engine.histories.execution import Clients
from fsconform.engine.protocol import Meeting, Store
from fsconform.model.core import content
from fsconform.model.core.outcomes import Returned
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.status.list_status import ListStatus

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


def test_whoever_is_alone_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meeting, "GATHERING_SECONDS", 0.05)
    with board() as place:
        for seat, told in ((0, "the other clients were not there"), (1, "the leading client was not there")):
            with pytest.raises(NotMet, match=told):
                Round(Meeting(place, 2, seat, 0, 0, 1)).begin()
