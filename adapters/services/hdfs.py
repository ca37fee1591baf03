"""A real HDFS on this machine: a NameNode and DataNodes as processes of their own, on loopback, gone when stopped."""

from __future__ import annotations

import http.client
import json
import re
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from fsconform.adapters.java import Java, find_java
from fsconform.adapters.patience import Patience, patient
from fsconform.adapters.services import hdfs_configuration
from fsconform.adapters.services.daemon import START_SECONDS, Daemon, Launcher, ServiceError, process
from fsconform.adapters.services.ports import is_free, loopback
from fsconform.adapters.services.service import PortTaken, Service
from fsconform.adapters.volumes.powered import ALL, Lose

NAMENODE_CLASS = "org.apache.hadoop.hdfs.server.namenode.NameNode"
DATANODE_CLASS = "org.apache.hadoop.hdfs.server.datanode.DataNode"

_STORES = {NAMENODE_CLASS: "name", DATANODE_CLASS: "data"}
"""Where in its home each kind of daemon keeps what it stores."""

TAKEN = re.compile(r"java\.net\.BindException|Address already in use|Port in use")
"""How a daemon's log tells that a port went to another program."""
_HTTP_PORT = re.compile(r"HttpServer2: Jetty bound to port (\d+)")
_LISTENS = re.compile(r"NameNode RPC up at: ")
_SAFE_MODE_SECONDS = 10.0
"""For so long a NameNode is given to leave safe mode by itself, on an idle machine."""
_NOTICE_SECONDS, _LOOK_SECONDS = 5.0, 0.05
ADVERTISED = "127.0.0.2"
"""A second address of this machine, at which no daemon listens: what stands before a DataNode listens there."""

JVM = (
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-XX:-UsePerfData",
    "-Djava.net.preferIPv4Stack=true",
)
"""What the JVM of each daemon is told."""


class HdfsService(Service):
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
        advertised: str = "",
    ) -> None:
        """Describe the service. ``start_timeout`` is in seconds on an idle machine.

        ``audit`` is a file for the NameNode's audit log. ``advertised`` is the name that DataNodes give themselves:
        clients use it in place of the address if they are told to.
        ``launcher`` starts the daemons; ``java`` and ``jars`` are as they are there.

        Raises ValueError for a host that is not loopback.
        """
        super().__init__("HDFS", work, progress, start_timeout)
        if datanodes < 1:
            raise ValueError(f"datanodes must be at least 1, not {datanodes}")
        self._jars = tuple(jars)
        self._host, self._asked_port, self._port = loopback(host), port, port or 0
        self._audit = audit.absolute() if audit is not None else None
        self._overrides = (hdfs_configuration.CALLERS if audit is not None else {}) | dict(configuration or {})
        self._datanodes = datanodes
        self._heap = heap_megabytes
        self._java = java
        self._launcher = launcher
        self._advertised = advertised
        datanode_logs = (f"datanode-{number}" for number in range(datanodes))
        self._log_names = ("format", "namenode", *datanode_logs, "administration")
        self._versions: dict[str, str] = {}
        self._seen: set[str] = set()
        self._known: set[str] = set()

    @property
    def uri(self) -> str:
        """The filesystem's URI. Raises ServiceError before the start."""
        return f"hdfs://{self._host}:{self.port}"

    @property
    def web_uri(self) -> str:
        """The same filesystem by WebHDFS, on the NameNode's HTTP port. Raises ServiceError before the start."""
        ports: list[str] = _HTTP_PORT.findall(self._daemons[0].text()) if self._daemons else []
        if not ports:
            raise ServiceError("the HDFS service has no HTTP port before it is started")
        return f"webhdfs://{self._host}:{ports[-1]}"

    @property
    def versions(self) -> dict[str, str]:
        """Versions of Hadoop and Java, as the running NameNode tells them."""
        return dict(self._versions)

    def client_configuration(self) -> dict[str, str]:
        """Hadoop settings for a client of this service. Raises ServiceError before the start."""
        assert self.uri
        return hdfs_configuration.client_settings(self._host, self._port, self._datanodes, self._overrides)

    def datanodes(self) -> list[tuple[str, int]]:
        """Where the DataNodes that are alive listen for clients. Raises ServiceError if none is."""
        found = sorted(addresses(ask(self._host, self._daemons[0]))) if self._daemons else []
        if not found:
            raise ServiceError("no DataNode of the HDFS service is alive")
        return [(host, int(port)) for host, _, port in (one.rpartition(":") for one in found)]

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of the daemons that are processes of this machine."""
        return tuple(daemon.name for daemon in self._daemons) if self._launcher is process else ()

    def lose_power(self, part: str, lose: Lose) -> None:
        """As other services do. A NameNode that comes back knows no DataNode, and waits until all have reported."""
        self._known = self._seen if part not in (ALL, "namenode") else set()
        super().lose_power(part, lose)

    def crash(self, part: str) -> None:
        """Send a daemon SIGKILL, and wait until it is gone. Raises KeyError for a name that no daemon has."""
        self._known = self._seen
        super().crash(part)

    def notice(self, part: str) -> None:
        """A NameNode that has less room than "dfs.namenode.resource.du.reserved" says goes into safe mode."""
        patience = Patience(_NOTICE_SECONDS)
        while part in (ALL, "namenode") and not patience.over:
            information = ask(self._host, self._daemons[0])
            if information is None or information.get("Safemode"):
                return
            time.sleep(_LOOK_SECONDS)

    def recover(self) -> None:
        """As other services do. A NameNode that keeps to the safe mode in which it went for want of space is killed.

        It stays there until an administrator sends it out ("dfsadmin -safemode leave") or it is started again; since
        Hadoop 3.4 (HDFS-17231) it leaves by itself once there is room.
        """
        self._known = set()
        namenode = self._daemons[0]
        if namenode.alive() and not self._recovered(Patience(_SAFE_MODE_SECONDS)) and self.alive():
            namenode.crash()
        super().recover()

    def _serves(self) -> bool:
        return self._is_ready(self._daemons[0])

    def _serves_again(self, daemon: Daemon, heard: int) -> bool:
        namenode = self._daemons[0]
        if daemon is not namenode:
            return self._is_ready(namenode, self._known)
        return self._listens_anew(heard) and self._is_ready(namenode)

    def _listens_anew(self, heard: int) -> bool:
        """Whether a NameNode that was started anew listens; ``heard`` is the length of its log before."""
        told = self._daemons[0].text()
        return all(pattern.search(told, heard) for pattern in (_LISTENS, _HTTP_PORT))

    def _bring_up(self) -> None:
        self._java = self._java or find_java()
        self._on_a_port(self._asked_port, self._attempt)

    def _attempt(self, first: bool) -> None:
        patience = Patience(self._timeout)
        if self._asked_port and not is_free(self._host, self._port):
            log = self._log("namenode")
            log.parent.mkdir(exist_ok=True)
            log.write_text(f"not started: another program listens on {self._host}:{self._port}\n", encoding="utf-8")
            raise PortTaken(self._taken_text())
        if first:
            self._progress("Formatting the NameNode's storage.")
            tool = self._daemon("namenode", NAMENODE_CLASS, "-format", "-force", "-nonInteractive", log="format")
            tool.finish(patience, "Formatting the NameNode's storage")
        namenode = self._daemon("namenode", NAMENODE_CLASS)
        self._daemons = [namenode]
        self._progress(f"Starting HDFS on {self.uri}.")
        namenode.start()
        # Only now the DataNodes: if the port had gone to another HDFS, ours would join that one.
        self._wait(patience, lambda: _LISTENS.search(namenode.text()) is not None)
        for number in range(self._datanodes):
            datanode = self._daemon(f"datanode-{number}", DATANODE_CLASS)
            self._daemons.append(datanode)
            datanode.start()
        self._wait(patience, lambda: self._is_ready(namenode))

    def administer(self, main_class: str, *arguments: str) -> None:
        """Run a tool for administrators with the service's configuration, once it is up. Raises ServiceError."""
        tool = self._daemon("administration", main_class, *arguments)
        tool.finish(Patience(self._timeout), main_class.rpartition(".")[2])

    def _ended(self, failure: str) -> ServiceError:
        namenode = self._daemons[0]
        taken = namenode.poll() is not None and TAKEN.search(namenode.text())
        return PortTaken(self._taken_text()) if taken else ServiceError(failure)

    def _is_ready(self, namenode: Daemon, gone: Collection[str] = ()) -> bool:
        """Whether the NameNode is out of safe mode and has space on every DataNode.

        If a DataNode was started anew, not all of the addresses are those that were known before: ``gone``.
        """
        information = ask(self._host, namenode)
        if not information or not ready(information, self._datanodes):
            return False
        if self._powered.wanted and not all(_has_reported(one) for one in live(information)):
            return False
        if gone and addresses(information) <= set(gone):
            return False
        # Taken here, as nothing may come between a kill and the moment that it is meant for.
        self._seen = addresses(information)
        assert self._java is not None
        self._versions = {"hadoop": str(information.get("SoftwareVersion", "")), "java": self._java.version}
        return True

    def _daemon(self, name: str, main_class: str, *arguments: str, log: str = "", said: str = "") -> Daemon:
        """A daemon with a home that holds its configuration and its storage. ``said`` answers what it asks for."""
        assert self._java is not None
        home = self._work / name
        settings = self._settings(name, home)
        for folder in (home / "conf", home / "tmp", self._work / "logs"):
            folder.mkdir(parents=True, exist_ok=True)
        if main_class in _STORES:
            self._powered.mount(name, home / _STORES[main_class], self._log(f"volume-{name}"))
        # In both: hdfs-default.xml is read between the two and would take precedence over what only core-site.xml says.
        for site in ("core-site.xml", "hdfs-site.xml"):
            (home / "conf" / site).write_text(hdfs_configuration.as_xml(settings), encoding="utf-8")
        logging = hdfs_configuration.logging(self._audit if name == "namenode" else None)
        (home / "conf" / "log4j.properties").write_text(logging, encoding="utf-8")
        path = ":".join(str(part) for part in (home / "conf", *self._jars))
        options = (f"-Xmx{self._heap}m", f"-Djava.io.tmpdir={home / 'tmp'}", f"-Dhadoop.log.dir={home / 'tmp'}")
        command = (str(self._java.executable), *JVM, *options, "-cp", path, main_class, *arguments)
        if said:
            command = ("/bin/sh", "-c", 'echo "$0" | "$@"', said, *command)
        return self._launcher(name, command, home, self._log(log or name))

    def _settings(self, name: str, home: Path) -> dict[str, str]:
        """What a daemon is told that has a home."""
        overrides = hdfs_configuration.DURABLE | self._overrides if self._powered.wanted else self._overrides
        return hdfs_configuration.daemon_settings(self._host, self._port, home, overrides, self._advertised)

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


def live(information: dict[str, Any] | None) -> list[dict[str, Any]]:
    """What a NameNode says of each DataNode that is alive."""
    return list(json.loads((information or {}).get("LiveNodes") or "{}").values())


def addresses(information: dict[str, Any] | None) -> set[str]:
    """The addresses of the DataNodes that a NameNode says are alive."""
    return {str(node.get("xferaddr", "")) for node in live(information)}


_JUST_NOW = 2
"""Minutes since a DataNode's last report of its blocks; of one that has not reported yet it is the machine's uptime."""


def _has_reported(node: dict[str, Any]) -> bool:
    """Whether a DataNode has told which blocks it has, as far as a machine that is up for longer than that shows it."""
    return int(node.get("lastBlockReport", 0)) < _JUST_NOW


def ready(information: dict[str, Any], datanodes: int) -> bool:
    """Whether files can be written: no safe mode, and so many DataNodes that have reported their storage."""
    return (
        information.get("Safemode") == "" and sum(one.get("capacity", 0) > 0 for one in live(information)) >= datanodes
    )
