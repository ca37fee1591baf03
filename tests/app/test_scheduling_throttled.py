"""A store that throttles now and then is judged all the same; one that only throttles is inconclusive, and no more."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from fsconform.adapters.jars import load_profile, resolve
from fsconform.adapters.java import NoJava, find_java
from fsconform.records.codec import loads
from fsconform.records.results import StoreRecord

Command = Callable[..., subprocess.CompletedProcess[str]]
RAWLOCAL = Path(__file__).parents[2] / "adapters" / "stores" / "rawlocal" / "contract.xml"

SOURCE = """
package busy;
import java.io.*;
import java.net.*;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.*;
/** The raw local file system, which is too busy now and then below the directory of a run. */
public class BusyFileSystem extends FilterFileSystem {
  static class RequestThrottledException extends IOException {
    RequestThrottledException(String text) { super(text); }
  }
  static class Local extends RawLocalFileSystem {
    @Override public URI getUri() { return URI.create("busy:///"); }
  }
  private int every, count;
  private String name, error;
  public BusyFileSystem() { super(new Local()); }
  @Override public void initialize(URI uri, Configuration conf) throws IOException {
    super.initialize(uri, conf);
    every = conf.getInt("busy.every", 0);
    name = conf.get("busy.name", "");
    error = conf.get("busy.error", "");
  }
  private void perhaps(Path path) throws IOException {
    if (!path.toUri().getPath().matches(".*/run-[^/]+/g.*")) return;
    boolean now = every > 0 && ++count % every == 0 || path.getName().equals(name);
    if (!now) return;
    switch (error) {
      case "refused": throw new ConnectException("Connection refused");
      case "slow": throw new SocketTimeoutException("Read timed out");
      case "plain": throw new IOException("Status Code: 503");
      default: throw new RequestThrottledException("reduce your request rate");
    }
  }
  @Override public FileStatus getFileStatus(Path path) throws IOException {
    perhaps(path);
    return super.getFileStatus(path);
  }
  @Override public boolean mkdirs(Path path) throws IOException {
    perhaps(path);
    return super.mkdirs(path);
  }
  @Override public boolean delete(Path path, boolean recursive) throws IOException {
    if (path.getName().startsWith("p")) perhaps(path);
    return super.delete(path, recursive);
  }
}
"""


@pytest.fixture(scope="module")
def jar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A jar with the busy FileSystem."""
    try:
        javac = find_java().home / "bin" / "javac"
    except NoJava as error:
        pytest.skip(str(error))
    compiler = str(javac) if javac.is_file() else shutil.which("javac")
    if compiler is None:
        pytest.skip("there is no javac")
    home = tmp_path_factory.mktemp("busy")
    source = home / "BusyFileSystem.java"
    source.write_text(SOURCE, "utf-8")
    class_path = os.pathsep.join(map(str, resolve(load_profile(), ("client",))))
    subprocess.run([compiler, "-nowarn", "-cp", class_path, "-d", home / "classes", source], check=True, timeout=120)
    return Path(shutil.make_archive(str(home / "busy"), "zip", home / "classes")).rename(home / "busy.jar")


@pytest.fixture
def busy(tmp_path: Path, jar: Path) -> tuple[str, ...]:
    """The options that judge it, by single calls and witnesses only; further ``NAME=VALUE`` are its configuration."""
    return (
        *("run", "--uri", f"busy://{tmp_path}/sandbox", "--jars", str(jar), "--contract", str(RAWLOCAL)),
        *("--suite", "namespace", "paths", "content"),
        *("--budget", "0", "--shards", "1", "--op", "mkdirs", "--out", "out"),
        *("--conf", "fs.busy.impl=busy.BusyFileSystem"),
    )


def _store(folder: Path) -> StoreRecord:
    (store,) = loads(folder / "out" / "latest" / "results.json").stores
    return store


@pytest.mark.long
def test_now_and_then_is_noted_and_hides_nothing(fsconform: Command, tmp_path: Path, busy: tuple[str, ...]) -> None:
    ran = fsconform(*busy)
    assert ran.returncode == 0, ran.stderr
    calm = _store(tmp_path)
    assert not any("throttled" in one.note for one in calm.explorers)
    for error in ("throttled", "refused"):
        ran = fsconform(*busy, "busy.every=211", f"busy.error={error}")
        assert ran.returncode == 0, ran.stderr
        store = _store(tmp_path)
        assert not store.problems
        assert (store.programs, store.operations, store.probes) == (calm.programs, calm.operations, calm.probes)
        assert store.verdicts == calm.verdicts and store.clauses == calm.clauses
        assert [one.signature for one in store.divergences] == [one.signature for one in calm.divergences]
        assert {one.confirmed for one in store.divergences} == {one.confirmed for one in calm.divergences}
        assert any("throttled" in one.note and "tried again" in one.note for one in store.explorers)
        assert not any("throttled" in one.note for one in store.explorers if one.programs == 0)


@pytest.mark.long
def test_the_same_text_of_another_class_is_an_answer(fsconform: Command, tmp_path: Path, busy: tuple[str, ...]) -> None:
    ran = fsconform(*busy, "busy.name=c", "busy.error=plain")
    assert ran.returncode == 1, ran.stderr
    assert _store(tmp_path).verdicts["violation"] > 0


@pytest.mark.long
def test_always_is_inconclusive(fsconform: Command, tmp_path: Path, busy: tuple[str, ...]) -> None:
    for every, error, why in (("1", "throttled", "the store throttles"), ("2", "slow", "did not answer in time")):
        ran = fsconform(*busy, f"busy.every={every}", f"busy.error={error}")
        assert ran.returncode == 3, ran.stderr
        store = _store(tmp_path)
        (lost, *more) = store.problems
        assert lost.startswith("6 programs in a row could not be executed: ") and why in lost
        assert any(problem.startswith("throttled ") for problem in more)
        assert not any(store.verdicts[verdict] for verdict in ("violation", "undeclared", "declared-false"))


def test_a_part_that_stays_busy_is_inconclusive(fsconform: Command, tmp_path: Path, busy: tuple[str, ...]) -> None:
    ran = fsconform(*busy, "busy.name=e", "--suite", "delete")
    assert ran.returncode == 3, ran.stderr
    store = _store(tmp_path)
    (problem,) = store.problems
    assert (
        problem.startswith("throttled ") and "RequestThrottledException" in problem and "could not be judged" in problem
    )
    assert store.verdicts["inconclusive"] > 0
    assert not any(store.verdicts[verdict] for verdict in ("violation", "undeclared", "declared-false"))
    assert store.operations > 20
