"""Sessions in processes of their own: they execute there, end with their parent, and leave nothing behind."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest

from fsconform.adapters import together
from fsconform.adapters.folders.marker import MARKER
from fsconform.adapters.folders.sandbox import Sandbox
from fsconform.adapters.meeting import board
from fsconform.adapters.posix.session import PosixSession
from fsconform.adapters.posix.store import PosixStore
from fsconform.adapters.pythonic.places import KeptPlaces
from fsconform.adapters.separate import frames, session
from fsconform.adapters.separate.process import SessionProcess
from fsconform.adapters.separate.processes import Processes
from fsconform.adapters.separate.session import SeparateSession
from fsconform.engine.histories.concurrent import Concurrent
from fsconform.engine.histories.execution import Clients
from fsconform.engine.protocol import Execution, HasWorker, Job, Session, StoreLost
from fsconform.engine.secrecy import KNOWN
from fsconform.harness.races import apart
from fsconform.model.core import content
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Returned
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.programs import Step

A, B = ("a",), ("b",)
JOB = Job((Step(Mkdirs(A)), Step(Create(("a", "b"), content.of(1, 3), False))))
TWO: Concurrent[Operation] = Concurrent((), ((Mkdirs(A),), (Mkdirs(B),)), (0, 0))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[PosixStore]:
    found = PosixStore("local", tmp_path / "sandbox", logs_folder=tmp_path / "logs")
    yield found
    found.close()


@pytest.fixture
def two(store: PosixStore) -> Iterator[list[Session]]:
    """Two sessions in processes of their own, beside two that are not."""
    with contextlib.ExitStack() as stack:
        sessions: list[Session] = [store.session() for _ in range(2)]
        for one in sessions:
            stack.callback(one.close)
        yield apart(sessions, stack)


def pid_of(found: Session) -> int:
    """The process of a session."""
    assert isinstance(found, HasWorker) and found.worker_pid is not None
    return found.worker_pid


def test_clients_are_processes(two: list[Session], monkeypatch: pytest.MonkeyPatch) -> None:
    def here(*_: Any) -> Any:
        raise AssertionError("a program is executed in this process")

    monkeypatch.setattr(PosixSession, "_execute", here)
    assert len({os.getpid(), *map(pid_of, two)}) == 3
    histories = Clients(two, board).execute([TWO] * 40)
    assert [history.lost for history in histories] == [""] * 40
    assert all(isinstance(call.outcome, Returned) for history in histories for call in history.calls)
    for _ in range(50):  # on a busy machine one of the two may wait for a processor
        if any(history.overlaps for history in histories):
            break
        histories += Clients(two, board).execute([TWO] * 40)
    assert any(history.overlaps for history in histories)


def test_processes_wait_awake_and_threads_do_not(
    two: list[Session], store: PosixStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The shortest sleep is longer than most calls: whoever sleeps up to the common start meets nobody."""
    meetings: list[Any] = []
    execute, execute_here = SeparateSession.execute, PosixSession.execute

    def noted(self: SeparateSession, jobs: Sequence[Job]) -> Iterator[Execution]:
        meetings.extend(job.meeting for job in jobs)
        return execute(self, jobs)

    def noted_here(self: PosixSession, jobs: Sequence[Job]) -> Iterator[Execution]:
        meetings.extend(job.meeting for job in jobs)
        return execute_here(self, jobs)

    monkeypatch.setattr(SeparateSession, "execute", noted)
    monkeypatch.setattr(PosixSession, "execute", noted_here)
    Clients(two, board).execute([TWO])
    with contextlib.ExitStack() as stack:
        threads: list[Session] = [store.session() for _ in range(2)]
        for one in threads:
            stack.callback(one.close)
        Clients(threads, board).execute([TWO])
    assert [meeting.alone for meeting in meetings] == [True, True, False, False]

    class Clock:
        """A clock on which each look takes 10 microseconds, and each sleep what it is asked for."""

        def __init__(self) -> None:
            self.now, self.slept = 0, list[float]()

        def monotonic_ns(self) -> int:
            self.now += 10_000
            return self.now

        def sleep(self, seconds: float) -> None:
            self.slept.append(seconds)
            self.now += int(seconds * 1e9)

    for alone in (True, False):
        clock = Clock()
        monkeypatch.setattr(together, "time", clock)
        together.wait_until(1_000_000, alone)
        assert 1_000_000 <= clock.now < 1_010_001
        assert (0.0 in clock.slept) is not alone and max(clock.slept) > 0.0005


def test_one_client_alone_needs_no_process(store: PosixStore) -> None:
    with contextlib.ExitStack() as stack:
        alone: list[Session] = [store.session()]
        stack.callback(alone[0].close)
        assert apart(alone, stack) == alone and isinstance(alone[0], PosixSession)


def test_a_killed_process_costs_its_program_and_leaves_nothing(two: list[Session], tmp_path: Path) -> None:
    first, other = pid_of(two[0]), pid_of(two[1])
    executions = two[0].execute([JOB] * 2000)
    assert not next(executions).lost
    os.kill(first, signal.SIGKILL)
    found = list(executions)
    (lost,) = [one for one in found if one.lost]
    assert len(found) == 1999 and "ended by signal 9 (SIGKILL)" in lost.lost and "session-" in lost.lost
    assert not lost.trace.events and lost.trace.program == JOB.program
    assert pid_of(two[0]) != first and pid_of(two[1]) == other
    # Two sessions of this process, and two of others: of the killed one nothing is left.
    assert len([name for name in os.listdir(tmp_path / "sandbox") if name != MARKER]) == 4


def test_clients_go_on_where_one_was_killed(two: list[Session]) -> None:
    os.kill(pid_of(two[1]), signal.SIGKILL)
    histories = Clients(two, board).execute([TWO] * 5)
    assert [bool(history.lost) for history in histories] == [True, False, False, False, False]


def test_what_sessions_made_is_gone_with_them(store: PosixStore, tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("x")
    with contextlib.ExitStack() as stack:
        sessions: list[Session] = [store.session() for _ in range(2)]
        for one in sessions:
            stack.callback(one.close)
        separate = apart(sessions, stack)
        pids = [pid_of(one) for one in separate]
        os.kill(pids[0], signal.SIGKILL)
    assert not any(map(psutil.pid_exists, pids))
    assert sorted(os.listdir(tmp_path)) == ["kept", "logs"]


def test_no_more_is_cleared_than_the_directory_of_a_session(tmp_path: Path) -> None:
    sandbox = Sandbox(tmp_path / "sandbox")
    for name in ("sandbox/mine", "run-0", "sandbox/run-1"):
        (tmp_path / name).mkdir()
    for name in ("mine", "../run-0", "run-0/..", "", "run-1"):
        sandbox.clear(name)
    assert (tmp_path / "sandbox" / "mine").is_dir() and (tmp_path / "run-0").is_dir()
    assert not (tmp_path / "sandbox" / "run-1").exists()
    sandbox.leave(False, False)


def test_places_of_a_lost_session_are_removed_from_a_service() -> None:
    class Kept:
        """Remembers places."""

        def __init__(self) -> None:
            self.places: set[str] = set()
            self.make, self.remove = self.places.add, self.places.discard

        def beginning(self, name: str) -> list[str]:
            return [place for place in self.places if place.startswith(name)]

    kept = Kept()
    one, other = KeptPlaces("bucket", kept, "run-1", "-"), KeptPlaces("bucket", kept, "run-2", "-")
    for number in (1, 2):
        one.fresh(number)
        other.fresh(number)
    one.clear("run-2")
    assert kept.places == {"bucket-run-1-p1", "bucket-run-1-p2"}


class Dying(SessionProcess):
    """Is killed whenever it is to execute something."""

    def send(self, request: frames.Request) -> None:
        """Kill it before."""
        if isinstance(request, frames.Execute):
            os.kill(self.pid, signal.SIGKILL)
        super().send(request)


def opening_of(tmp_path: Path) -> frames.Opening:
    """Opens a session on a sandbox."""
    from fsconform.adapters.posix.store import _opened

    return partial(_opened, "local", tmp_path / "sandbox", None)


def test_a_store_whose_processes_all_die_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "MOST_LOSSES", 3)
    found = SeparateSession(opening_of(tmp_path), lambda: Dying(tmp_path / "session-0.log"), lambda run: None)
    executions = found.execute([JOB] * 5)
    assert all("signal 9" in next(executions).lost for _ in range(2))
    with pytest.raises(StoreLost, match=r"3 programs in a row could not be executed: .*signal 9"):
        next(executions)
    found.close()


def test_a_batch_that_is_given_up_does_not_answer_the_next(two: list[Session]) -> None:
    given_up = two[0].execute([JOB] * 50)
    next(given_up)
    del given_up
    other = Job((Step(Mkdirs(B)),))
    assert [one.trace.program for one in two[0].execute([other])] == [other.program]


def test_a_process_that_does_not_answer_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "ANSWER_SECONDS", 0.1)
    slow = PosixStore("local", tmp_path / "sandbox", request_rate=0.01, logs_folder=tmp_path / "logs")
    with contextlib.ExitStack() as stack:
        sessions: list[Session] = [slow.session() for _ in range(2)]
        for one in sessions:
            stack.callback(one.close)
        first = apart(sessions, stack)[0]
        pid = pid_of(first)
        (execution,) = first.execute([JOB])
        assert "no answer within" in execution.lost and not psutil.pid_exists(pid)
    slow.close()


def test_errors_come_back_as_what_they_are(tmp_path: Path) -> None:
    (tmp_path / "sandbox").write_text("x")
    processes = Processes(tmp_path / "logs")
    with pytest.raises(Exception, match="is a file") as caught:
        processes.session(opening_of(tmp_path), lambda run: None)
    assert type(caught.value).__name__ == "SandboxRefused"
    with pytest.raises(RuntimeError, match="invalid literal for int"):
        processes.session(int, lambda run: None)  # type: ignore[arg-type]


def test_logs_have_no_secrets(tmp_path: Path) -> None:
    KNOWN.learn(["wJalrXUtnFEMIK7MDENG"])
    processes = Processes(tmp_path / "logs")
    says: Any = partial(print, "the key is wJalrXUtnFEMIK7MDENG", flush=True)
    processes.session(says, lambda run: None).close()
    (log,) = processes.logs()
    assert "the key is" in Path(log).read_text() and "wJalrXUtnFEMIK7MDENG" not in Path(log).read_text()
    KNOWN.forget()


PARENT = """
import os, sys, time
from pathlib import Path
from fsconform.adapters.posix.store import PosixStore
from fsconform.engine.protocol import Job
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.programs import Step
session = PosixStore("local", Path(sys.argv[1]), 0.001).session()
separate = session.separate()
if sys.argv[2] == "forked" and os.fork() == 0:
    os.write(1, f"child {os.getpid()}\\n".encode())
    time.sleep(600)
    os._exit(0)
os.write(1, f"worker {separate.worker_pid}\\n".encode())
if sys.argv[2] != "idle":
    list(separate.execute([Job((Step(Mkdirs(("a",))), Step(Mkdirs(("b",)))))]))
time.sleep(600)
"""


@pytest.mark.parametrize("manner", ["idle", "busy", "forked"])
def test_a_process_ends_with_its_parent(tmp_path: Path, manner: str) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "TMPDIR": str(tmp_path)}
    parent = subprocess.Popen(
        [sys.executable, "-P", "-c", PARENT, str(tmp_path / "sandbox"), manner],
        stdout=subprocess.PIPE,
        env=environment,
        text=True,
    )
    told: dict[str, int] = {}
    try:
        assert parent.stdout is not None
        while "worker" not in told or (manner == "forked" and "child" not in told):
            kind, number = parent.stdout.readline().split()
            told[kind] = int(number)
        worker = psutil.Process(told["worker"])
        time.sleep(0.5)
        parent.kill()
        parent.wait(60)
        gone, _ = psutil.wait_procs([worker], timeout=60)
        assert gone == [worker]
    finally:
        parent.kill()
        parent.wait()
        if "child" in told:
            os.kill(told["child"], signal.SIGKILL)
