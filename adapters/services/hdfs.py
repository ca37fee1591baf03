"""A real HDFS on this machine: a NameNode and DataNodes as processes of their own, on loopback, gone when stopped."""

from __future__ import annotations

import atexit
import http.client
import ipaddress
import json
import re
import shutil
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from fsconform.adapters.java import Java, find_java
from fsconform.adapters.patience import Patience, patient
from fsconform.adapters.services import hdfs_configuration
from fsconform.adapters.services.daemon import START_SECONDS, Daemon, Launcher, ServiceError, process
from fsconform.adapters.services.ports import free_port, is_free

NAMENODE_CLASS = "org.apache.hadoop.hdfs.server.namenode.NameNode"
DATANODE_CLASS = "org.apache.hadoop.hdfs.server.datanode.DataNode"

_ATTEMPTS = 3
_POLL_SECONDS = 0.05
TAKEN = re.compile(r"java\.net\.BindException|Address already in use|Port in use")
"""How a daemon's log tells that a port went to another program."""
_HTTP_PORT = re.compile(r"HttpServer2: Jetty bound to port (\d+)")
_LISTENS = re.compile(r"NameNode RPC up at: ")
JVM = (
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-XX:-UsePerfData",
    "-Djava.net.preferIPv4Stack=true",
)
"""What the JVM of each daemon is told."""


class _PortTaken(ServiceError):
    """The NameNode's port went to another program."""


class HdfsService:
    """One HDFS. ``work`` is a directory, new or empty, that the service makes and removes.

    ``jars`` are those of a profile's ``minicluster`` group. ``configuration`` is laid over the daemons' and the
    client's settings. A stop removes everything; if a daemon failed before, its log stays and ``logs`` says where.
    """

    def __init__(
        self,
        work: Path,
        jars: Sequence[Path],
        host: str = "127.0.0.1",
        port: int | None = None,
        configuration: Mapping[str, str] | None = None,
        datanodes: int = 1,
        progress: Callable[[str], None] | None = None,
        start_timeout: float = START_SECONDS,
        heap_megabytes: int = 256,
        java: Java | None = None,
        audit: Path | None = None,
        launcher: Launcher = process,
    ) -> None:
        """Describe the service. ``start_timeout`` is in seconds on an idle machine.

        ``audit`` is a file for the NameNode's audit log.
        ``launcher`` starts the daemons; ``java`` and ``jars`` are as they are there.

        Raises ValueError for a host that is not loopback.
        """
        if not ipaddress.IPv4Address(host).is_loopback:
            raise ValueError(f"host must be an IPv4 loopback address, not {host!r}")
        if datanodes < 1:
            raise ValueError(f"datanodes must be at least 1, not {datanodes}")
        self._work = work.absolute()
        self._jars = tuple(jars)
        self._host = host
        self._asked_port = port
        self._port = port or 0
        self._audit = audit.absolute() if audit is not None else None
        self._overrides = (hdfs_configuration.CALLERS if audit is not None else {}) | dict(configuration or {})
        self._datanodes = datanodes
        self._progress = progress or (lambda message: None)
        self._timeout = start_timeout
        self._heap = heap_megabytes
        self._java = java
        self._launcher = launcher
        self._daemons: list[Daemon] = []
        self._failed = False
        self._started = False
        self._versions: dict[str, str] = {}
        self._known: set[str] = set()

    @property
    def uri(self) -> str:
        """The filesystem's URI. Raises ServiceError before the start."""
        if not self._port:
            raise ServiceError("the HDFS service has no URI before it is started")
        return f"hdfs://{self._host}:{self._port}"

    @property
    def web_uri(self) -> str:
        """The same filesystem by WebHDFS, on the NameNode's HTTP port. Raises ServiceError before the start."""
        found = _HTTP_PORT.search(self._daemons[0].text()) if self._daemons else None
        if found is None:
            raise ServiceError("the HDFS service has no HTTP port before it is started")
        return f"webhdfs://{self._host}:{found[1]}"

    @property
    def versions(self) -> dict[str, str]:
        """Versions of Hadoop and Java, as the running NameNode tells them."""
        return dict(self._versions)

    @property
    def pids(self) -> dict[str, int]:
        """The process id of each daemon, by its name."""
        return {daemon.name: daemon.pid for daemon in self._daemons if daemon.pid is not None}

    def client_configuration(self) -> dict[str, str]:
        """Hadoop settings for a client of this service. Raises ServiceError before the start."""
        assert self.uri
        return hdfs_configuration.client_settings(self._host, self._port, self._datanodes, self._overrides)

    def logs(self) -> list[Path]:
        """The logs there are, the NameNode's first."""
        names = ["format", "namenode", *(f"datanode-{number}" for number in range(self._datanodes)), "administration"]
        return [path for name in names if (path := self._log(name)).is_file()]

    def alive(self) -> bool:
        """Whether every daemon runs."""
        return bool(self._daemons) and all(daemon.alive() for daemon in self._daemons)

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of the daemons that are processes of this machine: each can be crashed and restarted."""
        return tuple(daemon.name for daemon in self._daemons) if self._launcher is process else ()

    def crash(self, part: str) -> None:
        """Send a daemon SIGKILL, and wait until it is gone. Raises KeyError for a name that no daemon has."""
        daemon = {daemon.name: daemon for daemon in self._daemons}[part]
        self._known = set(live(ask(self._host, self._daemons[0])))
        daemon.crash()

    def restart(self, part: str) -> None:
        """Start a daemon again that was crashed, on its port and its storage, and wait until files can be written.

        Raises ServiceError if that takes too long, KeyError for a name that no daemon has.
        """
        daemon = {daemon.name: daemon for daemon in self._daemons}[part]
        heard, namenode = len(daemon.text()), self._daemons[0]
        daemon.start()
        patience = Patience(self._timeout)
        if daemon is namenode:
            self._wait(namenode, patience, lambda: _LISTENS.search(namenode.text(), heard) is not None)
            self._wait(namenode, patience, lambda: _HTTP_PORT.search(namenode.text(), heard) is not None)
        known = self._known if daemon is not namenode else set[str]()
        self._wait(namenode, patience, lambda: self._is_ready(namenode, known))

    def failure(self) -> str:
        """Which daemons ended of themselves, with the path and the last lines of each log; empty if none did."""
        return "\n".join(
            f"The {one.name} ended with code {code}; see {one.log}:\n{one.tail()}"
            for one in self._daemons
            if (code := one.poll()) is not None
        )

    def start(self) -> None:
        """Format, start all daemons, and wait until a file could be written. Raises ServiceError or NoJava."""
        if self._started:
            raise ServiceError("the HDFS service is started already")
        if self._work.exists() and (not self._work.is_dir() or any(self._work.iterdir())):
            raise ServiceError(f"{self._work} is in use: the HDFS service needs a directory that is new or empty")
        self._java = self._java or find_java()
        self._started = True
        self._failed = False
        atexit.register(self.stop)
        try:
            self._work.mkdir(parents=True, exist_ok=True)
            self._start_on_a_port()
        except BaseException as error:
            self._failed = isinstance(error, Exception)
            self.stop()
            raise

    def stop(self) -> None:
        """Stop the daemons and remove the work directory. May be called twice, and after a failed start."""
        if not self._started:
            return
        self._failed = self._failed or any(daemon.poll() is not None for daemon in self._daemons)
        self._stop_daemons()
        if self._failed:
            for home in self._work.iterdir() if self._work.is_dir() else ():
                if home.is_dir() and home.name != "logs":
                    shutil.rmtree(home, ignore_errors=True)
        else:
            shutil.rmtree(self._work, ignore_errors=True)
        self._started = False
        atexit.unregister(self.stop)

    def __enter__(self) -> Self:
        """Start the service."""
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the service."""
        self.stop()

    def _start_on_a_port(self) -> None:
        """Try ports until one is ours, or the one that was asked for."""
        for attempt in range(1, _ATTEMPTS + 1):
            self._port = self._asked_port or free_port(self._host)
            try:
                self._attempt(formatted=attempt > 1)
                return
            except _PortTaken:
                self._stop_daemons()
                if self._asked_port or attempt == _ATTEMPTS:
                    raise
                self._log("namenode").unlink(missing_ok=True)

    def _attempt(self, formatted: bool) -> None:
        patience = Patience(self._timeout)
        if self._asked_port and not is_free(self._host, self._port):
            log = self._log("namenode")
            log.parent.mkdir(exist_ok=True)
            log.write_text(f"not started: another program listens on {self._host}:{self._port}\n", encoding="utf-8")
            raise _PortTaken(self._taken_text())
        if not formatted:
            self._format(patience)
        namenode = self._daemon("namenode", NAMENODE_CLASS)
        self._daemons = [namenode]
        self._progress(f"Starting HDFS on {self.uri}.")
        namenode.start()
        # Only now the DataNodes: if the port had gone to another HDFS, ours would join that one.
        self._wait(namenode, patience, lambda: _LISTENS.search(namenode.text()) is not None)
        for number in range(self._datanodes):
            datanode = self._daemon(f"datanode-{number}", DATANODE_CLASS)
            self._daemons.append(datanode)
            datanode.start()
        self._wait(namenode, patience, lambda: self._is_ready(namenode))

    def administer(self, main_class: str, *arguments: str) -> None:
        """Run a tool for administrators with the service's configuration, once it is up. Raises ServiceError."""
        tool = self._daemon("administration", main_class, *arguments)
        tool.start()
        patience = Patience(self._timeout)
        code = tool.wait(patience)
        tool.stop()
        if code != 0:
            what = f"did not end within {patience.seconds:.0f} s" if code is None else f"ended with code {code}"
            raise ServiceError(f"{main_class.rpartition('.')[2]} {what}; see {tool.log}:\n{tool.tail()}")

    def _format(self, patience: Patience) -> None:
        """Make the NameNode's storage."""
        self._progress("Formatting the NameNode's storage.")
        tool = self._daemon("namenode", NAMENODE_CLASS, "-format", "-force", "-nonInteractive", log="format")
        tool.start()
        code = tool.wait(patience)
        tool.stop()
        if code != 0:
            what = f"did not end within {patience.seconds:.0f} s" if code is None else f"ended with code {code}"
            raise ServiceError(f"Formatting the NameNode's storage {what}; see {tool.log}:\n{tool.tail()}")

    def _wait(self, namenode: Daemon, patience: Patience, done: Callable[[], bool]) -> None:
        """Return when ``done`` holds. Raises ServiceError if a daemon ends or the time is up before."""
        while not patience.over:
            if failure := self.failure():
                if namenode.poll() is not None and TAKEN.search(namenode.text()):
                    raise _PortTaken(self._taken_text())
                raise ServiceError(failure)
            if done():
                return
            time.sleep(_POLL_SECONDS)
        logs = "\n".join(f"{daemon.name}, see {daemon.log}:\n{daemon.tail()}" for daemon in self._daemons)
        raise ServiceError(f"HDFS was not ready after {patience.seconds:.0f} s. The last lines of its logs:\n{logs}")

    def _is_ready(self, namenode: Daemon, gone: Collection[str] = ()) -> bool:
        """Whether the NameNode is out of safe mode and has space on every DataNode.

        If a DataNode was started anew, not all of the addresses are those that were known before: ``gone``.
        """
        information = ask(self._host, namenode)
        if not information or not ready(information, self._datanodes):
            return False
        if gone and set(live(information)) <= set(gone):
            return False
        assert self._java is not None
        self._versions = {"hadoop": str(information.get("SoftwareVersion", "")), "java": self._java.version}
        return True

    def _daemon(self, name: str, main_class: str, *arguments: str, log: str = "") -> Daemon:
        """A daemon with a home that holds its configuration and its storage."""
        assert self._java is not None
        home = self._work / name
        settings = hdfs_configuration.daemon_settings(self._host, self._port, home, self._overrides)
        for folder in (home / "conf", home / "tmp", self._work / "logs"):
            folder.mkdir(parents=True, exist_ok=True)
        # In both: hdfs-default.xml is read between the two and would take precedence over what only core-site.xml says.
        for site in ("core-site.xml", "hdfs-site.xml"):
            (home / "conf" / site).write_text(hdfs_configuration.as_xml(settings), encoding="utf-8")
        logging = hdfs_configuration.logging(self._audit if name == "namenode" else None)
        (home / "conf" / "log4j.properties").write_text(logging, encoding="utf-8")
        path = ":".join(str(part) for part in (home / "conf", *self._jars))
        options = (f"-Xmx{self._heap}m", f"-Djava.io.tmpdir={home / 'tmp'}", f"-Dhadoop.log.dir={home / 'tmp'}")
        command = (str(self._java.executable), *JVM, *options, "-cp", path, main_class, *arguments)
        return self._launcher(name, command, home, self._log(log or name))

    def _stop_daemons(self) -> None:
        for daemon in self._daemons:
            daemon.ask_to_stop()
        for daemon in self._daemons:
            daemon.stop()

    def _log(self, name: str) -> Path:
        return self._work / "logs" / f"{name}.log"

    def _taken_text(self) -> str:
        log = self._log("namenode")
        said = next((line for line in self._lines("namenode") if TAKEN.search(line)), "")
        told = f" ({said.strip()})" if said else ""
        return f"port {self._port} is taken on {self._host}, the NameNode cannot listen there{told}; see {log}"

    def _lines(self, name: str) -> list[str]:
        return [line for daemon in self._daemons if daemon.name == name for line in daemon.text().splitlines()]


def ask(host: str, namenode: Daemon) -> dict[str, Any] | None:
    """What a NameNode says of itself over HTTP, or None as long as it does not answer."""
    ports: list[str] = _HTTP_PORT.findall(namenode.text())
    if not ports:
        return None
    connection = http.client.HTTPConnection(host, int(ports[-1]), timeout=patient(5))
    try:
        connection.request("GET", "/jmx?qry=Hadoop:service=NameNode,name=NameNodeInfo")
        beans = json.loads(connection.getresponse().read())["beans"]
    except (OSError, http.client.HTTPException, ValueError, KeyError):
        return None
    finally:
        connection.close()
    return beans[0] if beans else None


def live(information: dict[str, Any] | None) -> Iterator[str]:
    """The addresses of the DataNodes that a NameNode says are alive."""
    for node in json.loads((information or {}).get("LiveNodes") or "{}").values():
        yield str(node.get("xferaddr", ""))


def ready(information: dict[str, Any], datanodes: int) -> bool:
    """Whether files can be written: no safe mode, and so many DataNodes that have reported their storage."""
    live = json.loads(information.get("LiveNodes") or "{}").values()
    return information.get("Safemode") == "" and sum(node.get("capacity", 0) > 0 for node in live) >= datanodes
