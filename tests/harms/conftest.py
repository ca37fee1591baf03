"""A MinIO, a gate in front of it, and Spark drivers in processes of their own, for what applications lose on S3A."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import socketserver
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from fsconform.adapters.golang import GoError, built
from fsconform.adapters.jars import JarError, bundled_profile, resolve
from fsconform.adapters.java import NoJava, find_java
from fsconform.adapters.services.minio import MINIO, MinioService

JOB = Path(__file__).with_name("job.py")
SECONDS = 900.0
"""How long a driver has, and how long the gate waits for all that are to meet there."""


@dataclass
class Gate:
    """A proxy before an S3 server: requests that match wait until ``meet`` of them are there, or for a ``kill``."""

    server: str
    pattern: str = ""
    meet: int = 0
    kill: Callable[[], None] | None = None
    after: int = 1
    """Which of the matching requests kills."""
    seen: list[str] = field(default_factory=list)
    _met: threading.Barrier | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def wait_for(self, pattern: str, meet: int) -> None:
        """From now on requests of this kind wait until so many of them are there; those that come later pass."""
        self.pattern, self.meet, self.kill, self.seen = pattern, meet, None, []
        self._met = threading.Barrier(meet)

    def kill_at(self, pattern: str, number: int, kill: Callable[[], None]) -> None:
        """The request of this kind that is the ``number``-th never arrives: who sends it is killed."""
        self.pattern, self.meet, self.kill, self.after, self.seen = pattern, 0, kill, number, []

    def passes(self, head: str) -> bool:
        """Called with the head of each request; whether it is passed on."""
        if not self.pattern or not re.search(self.pattern, head, re.IGNORECASE | re.DOTALL):
            return True
        with self._lock:
            self.seen.append(head.partition("\r\n")[0])
            number = len(self.seen)
        if self.kill is not None:
            if number < self.after:
                return True
            self.kill()
            return False
        if self._met is not None and number <= self.meet:
            self._met.wait(SECONDS)
        return True


class _Connection(socketserver.BaseRequestHandler):
    """One connection of a client, and one to the server. Heads of requests are read; all bytes stay as they are."""

    def handle(self) -> None:
        gate: Gate = self.server.gate  # type: ignore[attr-defined]
        host, _, port = urlsplit(gate.server).netloc.partition(":")
        with socket.create_connection((host, int(port))) as upstream:
            back = threading.Thread(target=_pump, args=(upstream, self.request), daemon=True)
            back.start()
            rest = b""
            while True:
                while b"\r\n\r\n" not in rest:
                    more = _received(self.request)
                    if not more:
                        return
                    rest += more
                head, _, rest = rest.partition(b"\r\n\r\n")
                if not gate.passes(head.decode("latin-1")):
                    return
                upstream.sendall(head + b"\r\n\r\n")
                length = re.search(rb"(?im)^content-length:\s*(\d+)", head)
                left = int(length[1]) if length else 0
                while left:
                    rest = rest or _received(self.request)
                    if not rest:
                        return
                    part, rest = rest[:left], rest[left:]
                    upstream.sendall(part)
                    left -= len(part)


def _received(connection: socket.socket) -> bytes:
    try:
        return connection.recv(1 << 16)
    except OSError:
        return b""


def _pump(source: socket.socket, sink: socket.socket) -> None:
    while part := _received(source):
        try:
            sink.sendall(part)
        except OSError:
            return
    try:
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        return


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    gate: Gate


@dataclass
class Lake:
    """A bucket on a MinIO behind a gate, with what Spark needs to reach it."""

    service: MinioService
    gate: Gate
    conf: Mapping[str, str]
    class_path: tuple[Path, ...]
    folder: Path
    jobs: list[Job] = field(default_factory=list)

    def driver(
        self, request: Mapping[str, Any], jars: tuple[Path, ...] = (), conf: Mapping[str, str] | None = None
    ) -> Job:
        """Begin a driver for a request, see ``job.py``."""
        home = self.folder / f"driver-{len(list(self.folder.iterdir()))}"
        home.mkdir()
        hadoop = {f"spark.hadoop.{name}": value for name, value in self.conf.items()}
        settings = {
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.extraClassPath": os.pathsep.join(map(str, (*self.class_path, *jars))),
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-UsePerfData",
            "spark.driver.memory": "768m",
            "spark.ui.enabled": "false",
            "spark.local.dir": str(home),
            "spark.sql.warehouse.dir": (home / "warehouse").as_uri(),
            "spark.sql.shuffle.partitions": "1",
            "spark.hadoop.fs.s3a.buffer.dir": str(home / "buffer"),
            **hadoop,
            **(conf or {}),
        }
        asked = {"master": "local[1]", "tasks": 1, **request, "conf": settings}
        variables = {**os.environ, "JAVA_HOME": str(find_java().home), "SPARK_LOCAL_IP": "127.0.0.1"}
        log = (home / "log").open("wb")
        child = subprocess.Popen(
            [sys.executable, str(JOB)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            env=variables,
            cwd=home,
            start_new_session=True,
        )
        log.close()
        job = Job(child, home / "log")
        self.jobs.append(job)
        assert child.stdin is not None
        # Its secrets stay out of the list of processes.
        child.stdin.write(json.dumps(asked).encode())
        child.stdin.close()
        return job

    def ask(
        self, request: Mapping[str, Any], jars: tuple[Path, ...] = (), conf: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """What a driver answers that nothing is done to."""
        return self.driver(request, jars, conf).answer()


@dataclass
class Job:
    """A driver that runs."""

    child: subprocess.Popen[bytes]
    log: Path

    def kill(self) -> None:
        """End it with its JVM, at once."""
        if self.child.poll() is None:
            os.killpg(self.child.pid, signal.SIGKILL)

    def answer(self) -> dict[str, Any]:
        """Its answer; ``{"ended": "killed"}`` if it was killed."""
        try:
            self.child.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            pytest.fail(f"a driver did not end within {SECONDS:.0f} s; see {self.log}")
        assert self.child.stdout is not None
        told = self.child.stdout.read()
        lines = told.decode().splitlines()
        if not lines:
            assert self.child.returncode == -signal.SIGKILL, self.log.read_text("utf-8", "replace")[-4000:]
            return {"ended": "killed"}
        answer: dict[str, Any] = json.loads(lines[-1])
        return answer


@pytest.fixture(scope="session")
def minio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MinioService]:
    """A MinIO."""
    try:
        executable = built(MINIO, print)
    except GoError as error:
        pytest.skip(str(error))
    with MinioService(tmp_path_factory.mktemp("minio") / "work", executable) as service:
        yield service


@pytest.fixture
def lake(minio: MinioService, tmp_path: Path) -> Iterator[Lake]:
    """A bucket of MinIO behind a gate."""
    try:
        find_java()
        class_path = tuple(resolve(bundled_profile("spark-4.1.2"), ("s3a",), print))
    except (JarError, NoJava) as error:
        pytest.skip(str(error))
    conf = dict(minio.s3a_configuration())
    gate = Gate(conf["fs.s3a.endpoint"])
    with _Server(("127.0.0.1", 0), _Connection) as server:
        server.gate = gate
        threading.Thread(target=server.serve_forever, daemon=True).start()
        conf["fs.s3a.endpoint"] = f"http://127.0.0.1:{server.server_address[1]}"
        folder = tmp_path / "drivers"
        folder.mkdir()
        found = Lake(minio, gate, conf, class_path, folder)
        yield found
        for job in found.jobs:
            job.kill()
        server.shutdown()


@pytest.fixture
def tables() -> Callable[[str], tuple[Path, ...]]:
    """The jars of a table format: ``iceberg`` or ``delta``."""

    def jars(group: str) -> tuple[Path, ...]:
        try:
            return tuple(resolve(bundled_profile("tables-4.1.2"), (group,), print))
        except JarError as error:
            pytest.skip(str(error))

    return jars
