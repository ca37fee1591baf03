"""Stores that hang, crash and lie, written in Java and compiled here; and controllers that die."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from fsconform.adapters.hadoop.session import HadoopSession
from fsconform.adapters.hadoop.store import HadoopStore
from fsconform.adapters.meeting import Round, board
from fsconform.engine.histories.concurrent import Concurrent, History
from fsconform.engine.histories.execution import Clients
from fsconform.engine.injection import Away, Crash, InjectedFault
from fsconform.engine.protocol import Execution, Job, Meeting, SandboxRefused, StoreLost, Threads
from fsconform.model.core import content
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Raised, Returned, Status, Unknown
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.programs import Step
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.predicates import Exists

TRICK = """
package trick;
import java.io.*;
import java.net.URI;
import org.apache.hadoop.fs.*;
/** A local file system below the directory of trick.root, which misbehaves for certain names. */
public class TrickFileSystem extends RawLocalFileSystem {
  private String root() { return getConf().get("trick.root"); }
  @Override public URI getUri() { return URI.create("trick:///"); }
  @Override public File pathToFile(Path p) { return new File(root() + p.toUri().getPath()); }
  private int deep(int n) { return deep(n + 1) + 1; }
  @Override public FileStatus getFileStatus(Path p) throws IOException {
    switch (p.getName()) {
      case "hang": try { Thread.sleep(1000000000L); } catch (InterruptedException e) { } break;
      case "slow": try { Thread.sleep(3000L); } catch (InterruptedException e) { } break;
      case "halt": Runtime.getRuntime().halt(7); break;
      case "exit": System.exit(5); break;
      case "kill": new ProcessBuilder("kill", "-9", "" + ProcessHandle.current().pid()).start();
        try { Thread.sleep(1000000L); } catch (InterruptedException e) { } break;
      case "deep": deep(0); break;
      case "own": throw new IOException("own getFileStatus");
      case "memory": for (long[][] all = new long[999][];;) for (int i = 0; i < 999; i++) all[i] = new long[99999999];
      case "assert": throw new AssertionError("no luck");
      case "null": return null;
      case "shout": System.out.println("shouted out"); System.err.println("shouted err"); break;
      case "odd": throw new IOException("odd \\ud800 text");
      case "away": throw new java.net.ConnectException("nobody there");
    }
    FileStatus s = super.getFileStatus(p);
    return new FileStatus(s.getLen(), s.isDirectory(), 1, s.getBlockSize(), 0,
        p.getName().equals("elsewhere") ? new Path("trick:///else/where") : p);
  }
  @Override public FileStatus[] listStatus(Path p) throws IOException {
    String[] names = pathToFile(own(p, "listStatus")).list();
    if (names == null) throw new FileNotFoundException(p.toString());
    FileStatus[] all = new FileStatus[names.length];
    for (int i = 0; i < names.length; i++) all[i] = super.getFileStatus(new Path(p, names[i]));
    for (int i = 0; i < names.length; i++) all[i] = new FileStatus(all[i].getLen() + (names[i].equals("liar") ? 1 : 0),
        all[i].isDirectory(), 1, 1, 0, new Path(p, names[i]));
    return all;
  }
  private Path own(Path p, String call) throws IOException {
    if (p.getName().equals("own")) throw new IOException("own " + call);
    return p;
  }
  @Override public boolean exists(Path p) throws IOException { return super.exists(own(p, "exists")); }
  private static boolean broken = true;
  @Override public boolean mkdirs(Path p) throws IOException {
    if (p.getName().matches("once|p2") && broken) { broken = false; throw new IOException("a broken connection"); }
    return super.mkdirs(own(p, "mkdirs")); }
  @Override public FSDataInputStream open(Path p) throws IOException { return super.open(own(p, "open")); }
  @Override public FSDataOutputStream append(Path p) throws IOException { return super.append(own(p, "append")); }
  @Override public boolean delete(Path p, boolean r) throws IOException { return super.delete(own(p, "delete"), r); }
  @Override public boolean rename(Path a, Path b) throws IOException { return super.rename(own(a, "rename"), b); }
  @Override public void rename(Path a, Path b, Options.Rename... o) throws IOException {
    throw new IOException("rename with options"); }
  @Override public FSDataOutputStream create(Path p, boolean overwrite) throws IOException {
    own(p, "create");
    if (p.getName().equals("nothing")) return null;
    if (p.getName().equals("full")) return new FSDataOutputStream(new OutputStream() {
      public void write(int b) throws IOException { throw new IOException("disk full"); }
      public void close() throws IOException { throw new IOException("close failed"); } }, null);
    return super.create(p, overwrite);
  }
}
"""
QUICK = ("-XX:TieredStopAtLevel=1",)
"""Starts sooner: these tests start many JVMs."""

PATIENCE = 5
"""Seconds that a step may take: enough on a busy machine for every step that does not hang."""

OpenSession = Callable[..., HadoopSession]


def hadoop_jars() -> list[Path]:
    specification = importlib.util.find_spec("pyspark")
    assert specification is not None and specification.submodule_search_locations
    folder = Path(specification.submodule_search_locations[0]) / "jars"
    patterns = ("hadoop-client-api-*", "hadoop-client-runtime-*", "slf4j-api-*", "jcl-over-slf4j-*")
    return [jar for pattern in patterns for jar in folder.glob(f"{pattern}.jar")]


@pytest.fixture(scope="module")
def trick_classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    javac = shutil.which("javac")
    if javac is None:
        pytest.skip("javac is not on PATH: the misbehaving FileSystem cannot be compiled")
    folder = tmp_path_factory.mktemp("trick")
    source = folder / "TrickFileSystem.java"
    source.write_text(TRICK, encoding="utf-8")
    class_path = os.pathsep.join(map(str, hadoop_jars()))
    subprocess.run([javac, "-nowarn", "-cp", class_path, "-d", str(folder), str(source)], check=True, timeout=120)
    return folder


@pytest.fixture
def trick(trick_classes: Path, tmp_path: Path) -> Iterator[OpenSession]:
    opened: list[HadoopSession] = []
    stores: dict[HadoopSession, HadoopStore] = {}
    (tmp_path / "root").mkdir()

    def build(**settings: Any) -> HadoopSession:
        configuration = {"fs.trick.impl": "trick.TrickFileSystem", "trick.root": str(tmp_path / "root")}
        arguments: dict[str, Any] = {
            "sandbox": "/sandbox",
            "operation_timeout": PATIENCE,
            "jvm_arguments": QUICK,
            "logs_folder": tmp_path / "logs",
        }
        arguments |= settings
        beside = arguments.pop("beside", None)
        if beside is not None:
            opened.append(stores[beside].session())
            return opened[-1]
        on_root = arguments.pop("on_root", False)
        store = HadoopStore(
            "trick",
            "trick:///",
            jars=[trick_classes],
            classpath=hadoop_jars(),
            configuration=configuration,
            **arguments,
        )
        opened.append((store.on_root({"trick.more": "1"}) if on_root else store).session())
        stores[opened[-1]] = store
        return opened[-1]

    yield build
    for session in opened:
        session.close()


def job(*names: str) -> Job:
    return Job(tuple(Step(GetFileStatus((name,) if name else ())) for name in names))


def check_lost(execution: Execution, reason: str, steps_before: int, hung: bool = False) -> None:
    *before, last = execution.trace.events
    assert len(before) == steps_before
    assert all(isinstance(event.outcome, Raised | Returned) for event in before)
    assert isinstance(last.outcome, Unknown) and last.outcome.hung is hung
    assert reason in last.outcome.reason
    assert reason in execution.lost and f"step {steps_before + 1}" in execution.lost
    assert last.invoked < last.returned


def test_losses_are_told_and_survived(trick: OpenSession, tmp_path: Path) -> None:
    session = trick()
    jobs = [
        job("a", "hang", "b"),
        job("a", "b"),
        job("halt", "b"),
        job("a"),
        job("a", "b", "kill"),
        job("", "exit"),
        job("a"),
    ]
    hang, good, halt, good_2, kill, leave, good_3 = session.execute(jobs)
    check_lost(hang, f"no answer within {PATIENCE} s, and the worker was killed; it hung in", 1, hung=True)
    assert "trick.TrickFileSystem.getFileStatus" in hang.lost
    check_lost(halt, "status 7", 0)
    check_lost(kill, "signal 9 (SIGKILL)", 2)
    check_lost(leave, "status 5", 1)
    for execution in (good, good_2, good_3):
        assert execution.lost == "" and len(execution.trace.events) == len(execution.trace.program)
    assert Path(hang.lost.rpartition("see ")[2]).is_file()
    pid = session.worker_pid
    session.close()
    assert pid is not None and not psutil.pid_exists(pid)
    assert not (tmp_path / "root" / "sandbox").exists()


def test_a_directory_that_is_refused_once_costs_no_program(trick: OpenSession) -> None:
    executions = list(trick().execute([job("a")] * 4))
    assert [execution.lost for execution in executions] == [""] * 4
    session = trick()
    (once,) = session.execute([Job((Step(Mkdirs(("once",))),))])
    (event,) = once.trace.events
    assert isinstance(event.outcome, Raised) and event.outcome.message == "a broken connection", "a step is made once"


def test_threads_that_hang_are_told_and_slow_ones_waited_for(trick: OpenSession) -> None:
    session = trick()
    hang, slow = session.execute(
        [
            Job(job("a", "b", "hang", "c", "d").program, threads=Threads(1, (2, 1), (0, 0))),
            Job(job("a", "slow", "slow", "b", "c").program, threads=Threads(1, (2, 1), (0, 1000))),
        ]
    )
    check_lost(hang, f"no answer within {PATIENCE} s, and the worker was killed", 1, hung=True)
    assert slow.lost == "" and len(slow.trace.events) == 5
    first, *lanes, last = slow.trace.events
    assert lanes[1].returned - lanes[0].invoked > 5_900_000_000
    assert all(first.returned <= event.invoked and event.returned <= last.invoked for event in lanes)
    assert lanes[2].returned < lanes[0].returned


class Steadfast:
    """Who injects faults, and does no more than come and go."""

    def injects(self, fault: InjectedFault) -> bool:
        return True

    def inject(self, meeting: Meeting, fault: InjectedFault, goes_on: Callable[[], bool]) -> Away:
        place = Round(meeting)
        place.begin()
        place.end()
        return Away(0, time.monotonic_ns(), 0)


def met(trick: OpenSession, *names: str, fault: InjectedFault | None = None) -> tuple[History, float]:
    """What came of a lane of looks beside another client's one, and the seconds that it took."""
    first = trick()
    sessions = [first, trick(beside=first)]
    program: Concurrent = Concurrent(
        (), ((GetFileStatus(("a",)),), tuple(GetFileStatus((name,)) for name in names)), (0, 0), fault=fault
    )
    clients = Clients(sessions, board, Steadfast())
    clients.execute([replace(program, lanes=(program.lanes[0], program.lanes[0]))])
    began = time.monotonic()
    [history] = clients.execute([program])
    return history, time.monotonic() - began


@pytest.mark.parametrize("name", ["away", "halt"])
def test_the_others_do_not_wait_for_a_client_that_is_lost(trick: OpenSession, name: str) -> None:
    history, seconds = met(trick, name, "b")
    assert history.lost == "" and seconds < 20
    assert [call.returned is None for call in history.calls if call.client] == [True], "what came next was not asked"


def test_where_a_daemon_is_away_its_clients_go_on(trick: OpenSession) -> None:
    history, seconds = met(trick, "away", "b", fault=Crash("server", 0))
    assert history.lost == "" and seconds < 20
    away, after = (call for call in history.calls if call.client)
    assert isinstance(away.outcome, Unknown) and "nobody answers" in away.outcome.reason and away.returned is None
    assert isinstance(after.outcome, Raised)


def test_closing_does_not_wait_for_a_step_that_hangs(
    trick: OpenSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fsconform.adapters.hadoop.session.STOPPING_SECONDS", 0.5)
    session = trick(operation_timeout=240)
    executions = session.execute([job("a"), job("hang")])
    next(executions)
    executions.close()  # type: ignore[attr-defined]
    start = time.monotonic()
    session.close()
    assert time.monotonic() - start < 120
    assert not (tmp_path / "root" / "sandbox").exists()


def test_last_worker_lost_and_cleaned_nevertheless(trick: OpenSession, tmp_path: Path) -> None:
    session = trick()
    (execution,) = session.execute([job("halt")])
    check_lost(execution, "status 7", 0)
    assert list((tmp_path / "root" / "sandbox").glob("run-*/g0/p0"))
    session.close()
    assert not (tmp_path / "root" / "sandbox").exists()


def test_six_losses_in_a_row(trick: OpenSession) -> None:
    session = trick()
    executions = session.execute([job("halt")] * 7)
    for _ in range(6):
        check_lost(next(executions), "status 7", 0)
    with pytest.raises(StoreLost, match=r"6 programs in a row.*worker-.*\.log"):
        next(executions)
    (execution,) = session.execute([job("a")])
    assert execution.lost == ""


def test_odd_answers(trick: OpenSession, tmp_path: Path) -> None:
    steps: tuple[Operation, ...] = (
        *(GetFileStatus((name,)) for name in ("deep", "memory", "assert", "null", "shout", "odd")),
        Mkdirs(("elsewhere",)),
        GetFileStatus(("elsewhere",)),
        Create(("nothing",), (), True),
        Create(("full",), content.of(1, 10), True),
    )
    session = trick()
    (execution,) = session.execute([Job(tuple(map(Step, steps)))])
    session.close()
    deep, memory, failed, null, shout, odd, _, elsewhere, nothing, full = (
        event.outcome for event in execution.trace.events
    )
    for outcome, name in ((deep, "StackOverflowError"), (memory, "OutOfMemoryError"), (failed, "AssertionError")):
        assert isinstance(outcome, Raised) and outcome.classes[0] == f"java.lang.{name}"
        assert outcome.classes[-2:] == ("java.lang.Error", "java.lang.Throwable")
    assert null == Returned(None)
    assert isinstance(shout, Raised) and "shouted" not in shout.message
    assert "shouted out" in "".join(log.read_text(errors="replace") for log in (tmp_path / "logs").iterdir())
    assert isinstance(odd, Unknown) and "no valid text" in odd.reason
    assert isinstance(elsewhere, Returned) and isinstance(elsewhere.value, Status)
    assert elsewhere.value.path[0] == ".."
    assert isinstance(nothing, Raised) and nothing.classes[0] == "java.lang.NullPointerException"
    assert isinstance(full, Raised) and full.message == "disk full"


def test_what_a_store_overrides_is_what_is_called(trick: OpenSession) -> None:
    """Also where FileSystem has a body of its own for a call, and not another call of the same name."""
    own = ("own",)
    steps: tuple[Operation, ...] = (
        *(Mkdirs(own), Create(own, (), False), Append(own, ()), Open(own), Delete(own, True)),
        *(Rename(own, ("a",)), GetFileStatus(own), Exists(own), ListStatus(own)),
    )
    (execution,) = trick().execute([Job(tuple(map(Step, steps)))])
    messages = [getattr(event.outcome, "message", event.outcome) for event in execution.trace.events]
    assert messages == [f"own {step.NAME}" for step in steps]


def test_snapshot_of_a_liar(trick: OpenSession) -> None:
    steps = (Step(Create(("liar",), content.of(1, 3), True)), Step(Create(("null",), (), True)))
    (execution,) = trick().execute([Job(steps, (0, 1))])
    (_, lie), (_, null) = execution.snapshots
    assert not lie.consistent and "/liar disagree about the length" in lie.problem
    assert lie.entries[0].data is not None and lie.entries[0].data.length == 3
    assert not null.consistent and {entry.status is None for entry in null.entries} == {True, False}


def test_snapshot_that_hangs(trick: OpenSession) -> None:
    steps = (Step(Mkdirs(("hang",))), Step(Exists(("a",))))
    lost, good = trick(operation_timeout=3).execute([Job(steps, (0,)), job("a")])
    assert [event.outcome for event in lost.trace.events] == [Returned(True)]
    assert "during a snapshot" in lost.lost and lost.snapshots == ()
    assert good.lost == ""


def test_real_root(trick: OpenSession, tmp_path: Path) -> None:
    session = trick(real_root=True, sandbox="")
    steps = (
        Step(ListStatus(())),
        Step(Mkdirs(("a", "b"))),
        Step(GetFileStatus(())),
        Step(Delete((), True)),
    )
    for execution in session.execute([Job(steps)] * 2):
        first, second, third, _ = (event.outcome for event in execution.trace.events)
        assert (first, second) == (Returned(()), Returned(True))
        assert isinstance(third, Returned) and isinstance(third.value, Status) and third.value.path == ()
    session.close()
    (tmp_path / "root" / "mine").mkdir(parents=True)
    with pytest.raises(SandboxRefused, match="'mine'"):
        trick(real_root=True, sandbox="")
    assert os.listdir(tmp_path / "root") == ["mine"]


def test_real_root_of_a_store_that_was_started_here_is_emptied(trick: OpenSession, tmp_path: Path) -> None:
    (tmp_path / "root" / "left").mkdir(parents=True)
    session = trick(on_root=True, sandbox="")
    (execution,) = session.execute([Job((Step(ListStatus(())),))])
    assert [event.outcome for event in execution.trace.events] == [Returned(())]
    session.close()
    assert os.listdir(tmp_path / "root") == []


CONTROLLER = """
import sys, os
from pathlib import Path
from fsconform.adapters.hadoop.store import HadoopStore
from fsconform.engine.protocol import Job
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.programs import Step
jars, folder, root = sys.argv[1].split(os.pathsep), sys.argv[2], sys.argv[3]
store = HadoopStore("trick", "trick:///", jars=[folder], classpath=jars, sandbox="/sandbox",
                    logs_folder=Path(root) / "logs",
                    configuration={"fs.trick.impl": "trick.TrickFileSystem", "trick.root": root})
session = store.session()
if sys.argv[4] == "fork" and os.fork() == 0:
    import time
    os.write(1, f"child {os.getpid()}\\n".encode())
    time.sleep(600)
    os._exit(0)
os.write(1, f"worker {session.worker_pid}\\n".encode())
list(session.execute([Job((Step(GetFileStatus(("hang",))),))]))
"""


@pytest.mark.parametrize("manner", ["kill", "interrupt", "fork"])
def test_worker_ends_with_its_controller(trick_classes: Path, tmp_path: Path, manner: str) -> None:
    arguments = [os.pathsep.join(map(str, hadoop_jars())), str(trick_classes), str(tmp_path), manner]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", CONTROLLER, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        start_new_session=True,
        text=True,
    )
    told: dict[str, int] = {}
    try:
        assert process.stdout is not None
        while "worker" not in told or (manner == "fork" and "child" not in told):
            kind, number = process.stdout.readline().split()
            told[kind] = int(number)
        worker = psutil.Process(told["worker"])
        time.sleep(0.5)
        if manner == "interrupt":
            os.killpg(process.pid, signal.SIGINT)
        else:
            process.kill()
        process.wait(60)
        gone, _ = psutil.wait_procs([worker], timeout=60)
        assert gone == [worker]
    finally:
        process.kill()
        process.wait()
        if "child" in told:
            os.kill(told["child"], signal.SIGKILL)
