"""Clients that are killed in the middle of a call, or once it returned: processes that are really gone."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from fsconform.adapters.hadoop import session as session_module
from fsconform.adapters.hadoop.session import HadoopSession
from fsconform.adapters.hadoop.store import HadoopStore
from fsconform.adapters.jars import load_profile, resolve
from fsconform.adapters.meeting import board
from fsconform.adapters.posix.store import PosixStore
from fsconform.adapters.pythonic.store import PythonStore
from fsconform.adapters.victim import Victim
from fsconform.engine.histories.concurrent import Concurrent, History
from fsconform.engine.histories.execution import ENDING, Clients
from fsconform.engine.protocol import HasWorker, Job, Meeting, Session, Store, StoreLost
from fsconform.model.core import content
from fsconform.model.core.outcomes import Data, Returned, Unknown
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.write import Write
from fsconform.model.filesystem.programs import Event, Step
from fsconform.model.filesystem.status.list_status import ListStatus

A, B = ("a",), ("b",)
LARGE = content.of(3, 40_000_000)

ONCE_RETURNED = Concurrent(
    (Create(A, content.of(1, 3), False),),
    ((), (OpenWriter(B, "held", "create"), Write("held", content.of(2, 5)))),
    (0, 0),
    (ListStatus(()), Open(A)),
    kill="returned",
)
IN_THE_CALL = Concurrent((), ((), (Create(B, LARGE, False),)), (0, 0), (ListStatus(()),), kill=3_000_000)

Two = list[Session]


@pytest.fixture(params=["rawlocal", "local", "pyarrow"])
def two(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Two]:
    """Two sessions of a store, the second in a process of its own. What they make is gone in the end."""
    root = (tmp_path / "sandbox").as_uri()
    found: Store = PosixStore("local", tmp_path / "sandbox")
    if request.param == "pyarrow":
        found = PythonStore("pyarrow", "pyarrow", root, {}, 30.0)
    if request.param == "rawlocal":
        raw = {"fs.file.impl": "org.apache.hadoop.fs.RawLocalFileSystem"}
        jars = resolve(load_profile(), ("client",), lambda text: None)
        found = HadoopStore("rawlocal", root, classpath=jars, configuration=raw, logs_folder=tmp_path / "logs")
    with contextlib.ExitStack() as stack:
        stack.callback(found.close)
        first, second = found.session(), found.session()
        stack.callback(first.close)
        stack.callback(second.close)
        if request.param != "rawlocal":
            second = second.separate()  # type: ignore[attr-defined]
            stack.callback(second.close)
        yield [first, second]
    assert not (tmp_path / "sandbox").exists()


def worker(session: Session) -> int:
    assert isinstance(session, HasWorker) and session.worker_pid is not None
    return session.worker_pid


def test_a_client_dies_once_its_call_returned_and_the_other_goes_on(two: Two) -> None:
    before = worker(two[1])
    first, second = Clients(two, board).execute([ONCE_RETURNED, replace(ONCE_RETURNED, kill=None)])
    assert not psutil.pid_exists(before) and worker(two[1]) != before
    assert first.lost == second.lost == ""
    assert [place for _, place in first.rows] == [-1, 1, 1, ENDING, ENDING]
    assert all(call.returned is not None for call in first.calls)
    read = first.calls[-1].outcome
    assert isinstance(read, Returned) and isinstance(read.value, Data) and read.value.length == 3
    # What was written was not saved by the way: a file that is open is not closed by a death.
    assert [place for _, place in second.rows] == [-1, 1, 1, ENDING, ENDING]


def test_a_client_dies_in_its_call(two: Two) -> None:
    histories: list[History] = []
    for kill in (3_000_000, 1_000_000, 300_000, 10_000_000) * 3:
        histories += Clients(two, board).execute([replace(IN_THE_CALL, kill=kill)])
        if histories[-1].overlaps:
            break
    assert not any(history.lost for history in histories)
    pending = next(call for call in histories[-1].calls if call.returned is None)
    assert pending.client == 1 and isinstance(pending.outcome, Unknown)
    listed = histories[-1].calls[-1]
    assert isinstance(listed.outcome, Returned) and listed.invoked > pending.invoked


def test_who_can_not_be_killed_is_not_asked_to_be(tmp_path: Path) -> None:
    store = PosixStore("local", tmp_path / "sandbox")
    sessions: list[Session] = [store.session(), store.session()]
    killed, lives = Clients(sessions, board).execute([ONCE_RETURNED, replace(ONCE_RETURNED, kill=None)])
    assert "can't be killed" in killed.lost and not killed.calls
    assert lives.lost == "" and len(lives.calls) == 5
    for session in sessions:
        session.close()
    store.close()


class Struck:
    """A process that was only told to end."""

    times = 0

    def strike(self) -> None:
        self.times += 1


def test_what_was_heard_before_a_program_was_begun_anew_does_not_count() -> None:
    call = Create(A, content.of(1, 3), False)
    tried, done = Event(Unknown("the store asked to try again"), 1, 2), Event(Returned(None), 5, 6)
    with board() as place:
        process = Struck()
        victim = Victim(Job((Step(call, 1),), meeting=Meeting(place, 2, 1, 0, 0, 1, kill=10_000_000_000)), process)
        victim.hear(0, 1, None)
        victim.hear(0, 2, tried)
        victim.begin_anew()
        victim.hear(0, 5, None)
        victim.hear(0, 6, done)
        assert victim.execution().trace.events == (done,) and not process.times


def test_a_program_in_which_nobody_is_killed_strikes_nobody() -> None:
    with board() as place:
        process = Struck()
        victim = Victim(
            Job((Step(Create(A, content.of(1, 3), False), 1),), meeting=Meeting(place, 2, 1, 0, 0, 1)), process
        )
        victim.hear(0, 1, None)
        victim.hear(0, 2, Event(Returned(None), 1, 2))
        assert not victim.struck and not process.times


@pytest.mark.parametrize(("away", "refusals", "opens"), [(True, 2, True), (False, 1, False), (False, 0, True)])
def test_a_client_that_ended_with_a_machine_of_the_store_waits_until_that_is_back(
    monkeypatch: pytest.MonkeyPatch, away: bool, refusals: int, opens: bool
) -> None:
    """A store that went away by itself is reported as lost at once."""
    session, tried = object.__new__(HadoopSession), []

    def start(self: HadoopSession) -> None:
        tried.append(self)
        if len(tried) <= refusals:
            raise StoreLost("Connection refused")

    monkeypatch.setattr(HadoopSession, "_start", start)
    monkeypatch.setattr(session_module, "RETURNING_PAUSE_SECONDS", 0.0)
    session._is_store_away = away
    if opens:
        session._start_again()
        assert len(tried) == refusals + 1 and not session._is_store_away
    else:
        with pytest.raises(StoreLost):
            session._start_again()
        assert len(tried) == 1
