"""What a killed fsconform, and connectors, leave: ended with their worker, told later, removed by ``clean``."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from click.testing import CliRunner

from fsconform.adapters import offspring, temporary
from fsconform.adapters.folders.marker import MARKER, NOTE
from fsconform.adapters.hadoop.store import HadoopStore
from fsconform.adapters.jars import load_profile, resolve
from fsconform.adapters.java import NoJava, find_java
from fsconform.app.main import main
from fsconform.engine.protocol import StoreLost
from fsconform.harness import leftovers
from fsconform.harness.leftovers import passing_logs

STARTING = """
package starting;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.RawLocalFileSystem;

/** Starts processes: one in the worker's group, one in a session of its own whose parent is gone. */
public class StartingFileSystem extends RawLocalFileSystem {
  @Override
  public void initialize(URI uri, Configuration conf) throws IOException {
    super.initialize(uri, conf);
    String name = conf.get("starting.name");
    new ProcessBuilder("sh", "-c", "exec sleep 600." + name).start();
    new ProcessBuilder("sh", "-c", "setsid sh -c 'sleep 600." + name + " & sleep 600." + name + "' &").start();
    if (conf.getBoolean("starting.halts", false)) {
      try {
        Thread.sleep(500);
      } catch (InterruptedException gone) {
        // it ends anyway
      }
      Runtime.getRuntime().halt(9);
    }
  }
}
"""


@pytest.fixture(scope="module")
def starting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    try:
        javac = find_java().home / "bin" / "javac"
    except NoJava as error:
        pytest.skip(str(error))
    compiler = str(javac) if javac.is_file() else shutil.which("javac")
    if compiler is None:
        pytest.skip("there is no javac")
    home = tmp_path_factory.mktemp("starting")
    (home / "StartingFileSystem.java").write_text(STARTING, "utf-8")
    path = os.pathsep.join(map(str, resolve(load_profile(), ("client",))))
    source = home / "StartingFileSystem.java"
    subprocess.run([compiler, "-nowarn", "-cp", path, "-d", home / "classes", source], check=True, timeout=200)
    return Path(shutil.make_archive(str(home / "starting"), "zip", home / "classes")).rename(home / "starting.jar")


@pytest.fixture
def name() -> str:
    """What the connector's processes of this test are known by: digits, as a part of a number of seconds."""
    return str(secrets.randbelow(10**9) + 10**9)


def there(name: str) -> list[int]:
    found = []
    for one in psutil.process_iter(["cmdline", "status"]):
        words = one.info["cmdline"] or []
        if words[:1] == ["sleep"] and words[1:] == [f"600.{name}"] and one.info["status"] != psutil.STATUS_ZOMBIE:
            found.append(one.pid)
    return found


def soon(holds: Callable[[], bool], seconds: float = 60.0) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if holds():
            return True
        time.sleep(0.1)
    return False


def store(tmp_path: Path, jar: Path, name: str, **more: str) -> HadoopStore:
    configuration = {"fs.file.impl": "starting.StartingFileSystem", "starting.name": name, **more}
    return HadoopStore(
        "starting",
        (tmp_path / "sandbox").as_uri(),
        classpath=resolve(load_profile(), ("client",)),
        jars=[jar],
        configuration=configuration,
        logs_folder=tmp_path / "logs",
    )


@pytest.mark.parametrize("way", ["closed", "killed", "halted"])
def test_what_a_connector_started_ends_with_it(tmp_path: Path, starting: Path, name: str, way: str) -> None:
    if way == "halted":
        with pytest.raises(StoreLost, match="ended with status 9"):
            store(tmp_path, starting, name, **{"starting.halts": "true"}).session()
    else:
        session = store(tmp_path, starting, name).session()
        assert soon(lambda: len(there(name)) >= 3)
        if way == "killed":
            assert session.worker_pid is not None
            os.kill(session.worker_pid, signal.SIGKILL)
        session.close()
    assert soon(lambda: not there(name), 10), [psutil.Process(one).cmdline() for one in there(name)]


RUNS = """
import sys, time
sys.path.insert(0, {here!r})
from fsconform.adapters import temporary
from fsconform.adapters.folders.marker import MARKER, NOTE
from fsconform.adapters.hadoop.store import HadoopStore
from fsconform.adapters.jars import load_profile, resolve
made = temporary.folder("copy")
(made / "secret").write_text("x")
store = HadoopStore("starting", {uri!r}, classpath=resolve(load_profile(), ("client",)), jars=[{jar!r}],
    configuration={{"fs.file.impl": "starting.StartingFileSystem", "starting.name": {name!r}}})
session = store.session()
print(made, session.worker_pid, flush=True)
time.sleep(600)
"""


def test_after_sigkill(tmp_path: Path, starting: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    script = RUNS.format(here=str(tmp_path), uri=(tmp_path / "sandbox").as_uri(), jar=str(starting), name=name)
    place = tmp_path / "tmp"
    place.mkdir()
    environment = os.environ | {"TMPDIR": str(place)}
    with subprocess.Popen([sys.executable, "-c", script], env=environment, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        made = run.stdout.readline().split()[0]
        assert soon(lambda: len(there(name)) >= 3)
        run.kill()
        run.wait()
    # The worker notices, and takes with it what was started.
    assert soon(lambda: not there(name)), there(name)
    monkeypatch.setenv("TMPDIR", str(place))
    monkeypatch.setattr(tempfile, "tempdir", None)
    leftovers._told.clear()
    options = ["--store", "proving", "--op", "append", "--budget", "0", "--out", str(tmp_path / "out")]
    ended = CliRunner().invoke(main, ["run", *options])
    assert ended.exit_code == 0
    assert "left by a fsconform that was killed" in ended.stderr and made in ended.stderr.replace("\n", "")
    assert Path(made).is_dir()
    (tmp_path / "sandbox" / "mine").write_text("x")
    options = ["--jars", str(starting), "--conf", "fs.file.impl=org.apache.hadoop.fs.RawLocalFileSystem"]
    ended = CliRunner().invoke(main, ["clean", "--uri", (tmp_path / "sandbox").as_uri(), *options])
    assert ended.exit_code == 0, ended.output
    assert f"removed {made}" in ended.output and "1 directories removed" in ended.output
    assert not [one for one in place.iterdir() if one.name.startswith("fsconform-") and "kept" not in os.listdir(one)]
    assert sorted(os.listdir(tmp_path / "sandbox")) == ["_fsconform_sandbox", "mine"]


def test_processes_whose_worker_could_not_end_them_are_told_and_removed(name: str) -> None:
    script = (
        "import os, subprocess; from fsconform.adapters import offspring; "
        f"subprocess.Popen(['sleep', '600.{name}'], env=os.environ | {{offspring.VARIABLE: offspring.mark()}}, "
        "start_new_session=True)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
    mine = {"PATH": os.environ["PATH"], offspring.VARIABLE: offspring.mark()}
    with subprocess.Popen(["sleep", "500"], env=mine) as alive:
        (pid,) = there(name)
        assert pid in [one.pid for one in offspring.stale()] and alive.pid not in [one.pid for one in offspring.stale()]
        leftovers.remove()
        assert soon(lambda: not there(name), 10) and alive.poll() is None
        alive.kill()


def test_only_what_is_ours_and_whose_maker_is_gone_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(temporary, "MEMORY", str(tmp_path))
    with subprocess.Popen(["true"]) as gone:
        gone.wait()
    dead = f"{gone.pid}.1.{offspring.place()}"
    (tmp_path / "aim").mkdir()
    (tmp_path / "aim" / "mine").touch()
    mine = [temporary.folder("hdfs"), tmp_path / "fsconform-mine", tmp_path / f"fsconform-{dead}-abc", tmp_path / "aim"]
    kept = tmp_path / f"fsconform-logs-{dead}-abcdefgh"
    link, file = tmp_path / f"fsconform-s3a-{dead}-link_aim", tmp_path / f"fsconform-s3a-{dead}-file_aim"
    for one in (*mine[1:3], kept):
        one.mkdir()
    temporary.keep(kept)
    link.symlink_to("aim")
    file.touch()
    left = tmp_path / f"fsconform-hdfs-{dead}-abcdefgh"
    (left / "data").mkdir(parents=True)
    assert temporary.stale() == [left]
    leftovers.remove()
    assert not left.exists() and (tmp_path / "aim" / "mine").is_file()
    assert all(one.exists() for one in (*mine, kept, link, file))


def test_a_process_that_has_the_number_of_another_is_not_taken_for_it() -> None:
    assert offspring.is_alive(offspring.owner())
    assert not offspring.is_alive(f"{os.getpid()}.17.{offspring.place()}")
    assert offspring.is_alive(f"{os.getpid()}.17.0123abcd"), "one of another container, or machine"
    assert offspring.is_alive("no owner")


@pytest.mark.parametrize("command", ["clean", "replay", "contract"])
def test_a_log_that_is_named_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(StoreLost), passing_logs(command) as logs:
        (logs.folder / "worker.log").write_text("words")
        raise StoreLost(f"see {logs.folder / 'worker.log'}")
    (kept,) = tmp_path.glob(f"fsconform-{command}-*")
    assert (kept / "worker.log").is_file() and (kept / temporary.KEPT).is_file()


def test_no_temporary_folder_is_made_that_does_not_say_who_made_it() -> None:
    root = Path(__file__).parents[2]
    bare = [
        f"{file.relative_to(root)}: {line.strip()}"
        for room in ("adapters", "app", "engine", "pipeline", "suites", "reports")
        for file in (root / room).rglob("*.py")
        for line in file.read_text("utf-8").splitlines()
        if "mkdtemp(" in line and file.name != "temporary.py" and "dir=into.parent" not in line
    ]
    assert not bare, "use adapters/temporary.py"


def test_directories_of_other_runs_in_a_sandbox_are_told(tmp_path: Path) -> None:
    (tmp_path / MARKER).write_bytes(NOTE)
    (tmp_path / "run-0123456789ab").mkdir()
    jars = resolve(load_profile(), ("client",))
    held = HadoopStore("x", tmp_path.as_uri(), classpath=jars, logs_folder=tmp_path.parent / "logs")
    with held.session(), held.session():
        assert held.others == ("run-0123456789ab",)
