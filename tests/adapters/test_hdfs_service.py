"""The HDFS service with real daemons: ready when it says so, private, and gone without a trace."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from hdfs import HdfsError, InsecureClient

from fsconform.adapters import jars
from fsconform.adapters.services import hdfs, hdfs_configuration, ports
from fsconform.adapters.services.daemon import Daemon, ServiceError
from fsconform.adapters.services.hdfs import HdfsService
from fsconform.adapters.stores.preset import presets


def _gone(pid: int, seconds: float = 60.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


@pytest.fixture(scope="module")
def minicluster() -> list[Path]:
    return jars.resolve(jars.load_profile(), ["minicluster"])


@pytest.fixture(scope="module")
def service(minicluster: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[HdfsService]:
    with HdfsService(tmp_path_factory.mktemp("hdfs"), minicluster) as running:
        yield running


def _listening(pid: int) -> set[str]:
    """Addresses the process listens on, as the kernel writes them (IPv4 only is asked for, but both are looked at)."""
    inodes = set()
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        try:
            inodes.add(str(descriptor.readlink()))
        except OSError:
            continue
    tables = [Path(f"/proc/{pid}/net/{name}").read_text().splitlines()[1:] for name in ("tcp", "tcp6")]
    rows = [line.split() for table in tables for line in table]
    return {row[1].split(":")[0] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in inodes}


def test_running_service_is_ready_and_private(service: HdfsService) -> None:
    assert service.alive()
    assert service.failure() == ""
    assert service.versions["hadoop"] == jars.DEFAULT
    assert service.uri == service.client_configuration()["fs.defaultFS"]
    assert [log.name for log in service.logs()] == ["format.log", "namenode.log", "datanode-0.log"]
    for pid in service.pids.values():
        assert _listening(pid) == {"0100007F"}, "127.0.0.1 and nothing else"
        assert os.getsid(pid) != os.getsid(0), "Ctrl-C at the terminal does not reach it"


def test_files_can_be_written_and_appended_to_at_once(service: HdfsService, tmp_path: Path) -> None:
    """Through a JVM of its own: create, append and read back; no lease or replica trouble in 200 rounds."""
    pytest.importorskip("jpype")
    script = tmp_path / "client.py"
    script.write_text(_CLIENT)
    command = [sys.executable, str(script), service.uri]
    done = subprocess.run(command, capture_output=True, text=True, timeout=250, check=False)
    assert done.stdout.split() == ["200", "rounds"], done.stderr[-2000:]


_CLIENT = """
import os, sys, jpype
from fsconform.adapters import jars, java
from fsconform.adapters.services import hdfs_configuration
class_path = [str(jar) for jar in jars.resolve(jars.load_profile())]
jpype.startJVM(str(java.find_java().libjvm), "-Xmx256m", classpath=class_path)
configuration = jpype.JClass("org.apache.hadoop.conf.Configuration")()
port = int(sys.argv[1].rsplit(":", 1)[1])
for name, value in hdfs_configuration.client_settings("127.0.0.1", port, 1, {}).items():
    configuration.set(name, value)
uri = jpype.JClass("java.net.URI")(sys.argv[1])
fs = jpype.JClass("org.apache.hadoop.fs.FileSystem").newInstance(uri, configuration)
rounds = 0
for number in range(200):
    path = jpype.JClass("org.apache.hadoop.fs.Path")(f"/round-{number}")
    for stream in (lambda: fs.create(path, True), lambda: fs.append(path)):
        out = stream()
        out.write(jpype.JArray(jpype.JByte)(b"x"))
        out.close()
    buffer = jpype.JArray(jpype.JByte)(8)
    source = fs.open(path)
    rounds += source.read(buffer) == 2 and fs.getFileStatus(path).getLen() == 2
    source.close()
print(rounds, "rounds", flush=True)
os._exit(0)
"""


@pytest.mark.long
def test_second_service_finds_another_port_and_its_stop_leaves_nothing(
    service: HdfsService, minicluster: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The port it picks first turns out to be taken when its NameNode comes to bind it: by the first service."""
    picks = [int(service.uri.rsplit(":", 1)[1])]
    real = ports.free_port
    monkeypatch.setattr(hdfs, "free_port", lambda host: picks.pop() if picks else real(host))
    work = tmp_path / "second"
    with HdfsService(work, minicluster) as second:
        pids = second.pids
        assert not picks, "the taken port was tried"
        assert second.alive()
        assert second.uri != service.uri
        assert not set(pids.values()) & set(service.pids.values())
    assert all(_gone(pid) for pid in pids.values())
    assert not work.exists()
    assert not second.alive()
    second.stop()
    assert service.alive(), "stopping one leaves the other alone"


def test_killed_datanode_is_noticed_and_its_log_is_kept(minicluster: list[Path], tmp_path: Path) -> None:
    service = HdfsService(tmp_path / "work", minicluster)
    service.start()
    try:
        os.kill(service.pids["datanode-0"], signal.SIGKILL)
        deadline = time.monotonic() + 60
        while service.alive() and time.monotonic() < deadline:
            time.sleep(0.02)
        assert not service.alive()
        assert "The datanode-0 ended with code 137" in service.failure()
        assert str(tmp_path / "work" / "logs" / "datanode-0.log") in service.failure()
        namenode = service.pids["namenode"]
    finally:
        service.stop()
    assert _gone(namenode)
    assert [path.name for path in (tmp_path / "work").iterdir()] == ["logs"]
    assert all(log.is_file() for log in service.logs())


def test_killed_harness_leaves_neither_daemon_nor_directory(tmp_path: Path) -> None:
    """With a daemon that takes no time to start; the guard is the same for all."""
    script = tmp_path / "harness.py"
    script.write_text(
        "import pathlib, sys, time\n"
        "from fsconform.adapters.services.daemon import Daemon\n"
        "home = pathlib.Path(sys.argv[1]); home.mkdir(parents=True)\n"
        "daemon = Daemon('sleeper', ['sleep', '600'], home, home / 'log'); daemon.start()\n"
        "print(daemon.pid, flush=True); time.sleep(600)\n"
    )
    home = tmp_path / "work" / "sleeper"
    harness = subprocess.Popen([sys.executable, str(script), str(home)], stdout=subprocess.PIPE, text=True)
    assert harness.stdout is not None
    pid = int(harness.stdout.readline())
    assert not _gone(pid, 0.1)
    harness.kill()
    harness.wait()
    harness.stdout.close()
    assert _gone(pid)
    deadline = time.monotonic() + 60
    while home.parent.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not home.parent.exists()


def test_daemon_that_ignores_sigterm_is_killed(tmp_path: Path) -> None:
    ignoring = "signal.signal(signal.SIGTERM, signal.SIG_IGN)"
    stubborn = f"import signal, time; {ignoring}; print('up', flush=True); time.sleep(600)"
    daemon = Daemon("stubborn", [sys.executable, "-c", stubborn], tmp_path, tmp_path / "log", grace=0.3)
    daemon.start()
    assert daemon.pid is not None
    while "up" not in daemon.text():
        time.sleep(0.01)
    daemon.stop()
    assert _gone(daemon.pid)
    assert daemon.poll() == 128 + signal.SIGKILL


def test_program_that_is_not_there_is_a_service_error(tmp_path: Path) -> None:
    with pytest.raises(ServiceError, match="ghost could not be started"):
        Daemon("ghost", [str(tmp_path / "no-such-program")], tmp_path, tmp_path / "log").start()


def test_taken_port_is_said_at_once_and_the_log_is_named(minicluster: list[Path], tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        service = HdfsService(tmp_path / "work", minicluster, port=port)
        with pytest.raises(ServiceError, match=rf"port {port} is taken.*namenode\.log"):
            service.start()
    assert not service.alive()
    assert [log.name for log in service.logs()] == ["namenode.log"]


def test_start_that_fails_names_the_daemon_and_shows_its_log(minicluster: list[Path], tmp_path: Path) -> None:
    service = HdfsService(tmp_path / "work", minicluster, configuration={"dfs.namenode.handler.count": "many"})
    with pytest.raises(ServiceError, match=r"namenode ended with code 1; see .*namenode\.log:(.|\n)*many"):
        service.start()
    assert not service.alive()
    assert service.logs(), "the log that was named is there to be read"


def test_directory_in_use_and_foreign_hosts_are_refused(minicluster: list[Path], tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("mine")
    with pytest.raises(ServiceError, match="new or empty"):
        HdfsService(tmp_path, minicluster).start()
    assert (tmp_path / "precious").read_text() == "mine"
    with pytest.raises(ValueError, match="loopback"):
        HdfsService(tmp_path / "work", minicluster, host="0.0.0.0")
    with pytest.raises(ServiceError, match="before it is started"):
        HdfsService(tmp_path / "work", minicluster).client_configuration()


def test_overrides_cannot_open_the_service_to_others() -> None:
    overrides = {"dfs.namenode.http-address": "0.0.0.0:1", "a": "<&>"}
    settings = hdfs_configuration.daemon_settings("127.0.0.1", 1, Path("/s"), overrides)
    assert settings["dfs.namenode.http-address"] == "127.0.0.1:0"
    assert "<value>&lt;&amp;&gt;</value>" in hdfs_configuration.as_xml(settings)


def test_web_interface_answers(service: HdfsService) -> None:
    text = service.logs()[1].read_text()
    port = text.split("Jetty bound to port ")[1].split()[0]
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/webhdfs/v1/?op=GETFILESTATUS", timeout=60) as answer:
        assert b"DIRECTORY" in answer.read()


@pytest.mark.timeout(600)
def test_a_daemon_that_is_crashed_comes_back_with_what_it_had(minicluster: list[Path], tmp_path: Path) -> None:
    with HdfsService(tmp_path / "hdfs", minicluster) as service:
        assert service.parts == presets()["hdfs"].parts == ("namenode", "datanode-0")
        uri = service.uri

        def client() -> InsecureClient:
            return InsecureClient(service.web_uri.replace("webhdfs", "http"), user="root", timeout=60)

        client().write("/one", b"first")
        for part in service.parts:
            before = service.pids[part]
            service.crash(part)
            assert _gone(before) and not service.alive()
            service.restart(part)
            assert service.alive() and service.pids[part] != before and service.uri == uri
            deadline = time.monotonic() + 60
            while True:  # a DataNode that has registered reports its blocks a moment later
                try:
                    with client().read("/one") as reader:
                        assert reader.read() == b"first"
                    break
                except HdfsError:
                    assert time.monotonic() < deadline
                    time.sleep(0.2)
            client().write(f"/after-{part}", b"then")
    assert not (tmp_path / "hdfs").exists()
