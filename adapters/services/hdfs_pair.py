"""A pair of NameNodes with one DataNode: one NameNode is active, and on request the other takes its place.

The edits are shared through a directory. Clients know the pair by a logical name, and look for the one that is active.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from fsconform.adapters.java import Java, find_java
from fsconform.adapters.patience import Patience
from fsconform.adapters.services import hdfs_configuration
from fsconform.adapters.services.daemon import START_SECONDS, Daemon, ServiceError
from fsconform.adapters.services.hdfs import (
    DATANODE_CLASS,
    JVM,
    NAMENODE_CLASS,
    TAKEN,
    ask,
    ready,
)
from fsconform.adapters.services.ports import free_port
from fsconform.adapters.services.service import Service

NAMESERVICE = "fsconform"
"""The logical name of the pair."""

ADMINISTRATION_CLASS = "org.apache.hadoop.hdfs.tools.DFSHAAdmin"

_NAMENODES = ("one", "two")
_ATTEMPTS = 3
_HEAP_MEGABYTES = 192


class HdfsPair(Service):
    """Two NameNodes and a DataNode. ``work`` is a directory, new or empty, that the service makes and removes.

    ``jars`` are those of a profile's ``minicluster`` group. From the start on the NameNodes take turns: each is active
    for ``turn`` seconds, whatever clients do meanwhile; with 0 they change on request alone.
    """

    def __init__(
        self,
        work: Path,
        jars: Sequence[Path],
        progress: Callable[[str], None] = lambda message: None,
        turn: float = 0.0,
        start_timeout: float = START_SECONDS,
    ) -> None:
        """Describe the service. ``start_timeout`` is in seconds, as ``turn`` is."""
        super().__init__("HDFS with two NameNodes", work, progress, start_timeout)
        self._jars, self._turn = tuple(jars), turn
        self._log_names = (*(f"namenode-{name}" for name in _NAMENODES), "datanode-0", "format", "failovers")
        self._java: Java | None = None
        self._ports: dict[str, int] = {}
        self._namenodes: dict[str, Daemon] = {}
        self._active = _NAMENODES[0]
        self._ending = threading.Event()
        self._turns: threading.Thread | None = None
        self.versions: dict[str, str] = {}
        self.failovers = 0

    @property
    def uri(self) -> str:
        """The filesystem's URI: the logical name."""
        return f"hdfs://{NAMESERVICE}"

    @property
    def active(self) -> str:
        """The NameNode that was made active last, ``one`` or ``two``."""
        return self._active

    def client_configuration(self) -> dict[str, str]:
        """Hadoop settings for a client of the pair. Raises ServiceError before the start."""
        if not self._ports:
            raise ServiceError("the pair of NameNodes has no addresses before it is started")
        return {
            **hdfs_configuration.client_settings(self._host, 0, 1, self._addresses()),
            f"dfs.client.failover.proxy.provider.{NAMESERVICE}": (
                "org.apache.hadoop.hdfs.server.namenode.ha.ConfiguredFailoverProxyProvider"
            ),
            # A change takes about a second: clients look again soon, and for as long as their time-out lets them.
            "dfs.client.failover.sleep.base.millis": "20",
            "dfs.client.failover.sleep.max.millis": "500",
            "dfs.client.failover.max.attempts": "60",
        }

    def alive(self) -> bool:
        """Whether every daemon runs."""
        return len(self._daemons) == len(_NAMENODES) + 1 and super().alive()

    def start(self) -> None:
        """Format, start all daemons, make one NameNode active, wait until a file could be written.

        Raises ServiceError or NoJava.
        """
        super().start()
        if self._turn:
            self._turns = threading.Thread(target=self._take_turns, name="failing over", daemon=True)
            self._turns.start()

    def stop(self) -> None:
        """Stop the daemons and remove the work directory. May be called twice, and after a failed start.

        If a daemon failed before, the logs stay.
        """
        self._ending.set()
        if self._turns is not None:
            self._turns.join()
            self._turns = None
        super().stop()
        self._daemons, self._namenodes = [], {}

    def fail_over(self) -> None:
        """Make the NameNode active that stands by, the other one a standby. Raises ServiceError if that fails."""
        other = next(name for name in _NAMENODES if name != self._active)
        began = time.monotonic()
        self._administer("-failover", self._active, other)
        self._active, self.failovers = other, self.failovers + 1
        with self._log("failovers").open("a", encoding="utf-8") as log:
            log.write(f"{time.strftime('%H:%M:%S')} active: {other}, after {time.monotonic() - began:.1f} s\n")

    def _take_turns(self) -> None:
        while not self._ending.wait(self._turn):
            try:
                self.fail_over()
            except ServiceError as error:
                with self._log("failovers").open("a", encoding="utf-8") as log:
                    log.write(f"{error}\n")
                return

    def _bring_up(self) -> None:
        self._java, self.failovers = find_java(), 0
        self._ending.clear()
        for attempt in range(1, _ATTEMPTS + 1):
            self._ports = {name: free_port(self._host) for name in _NAMENODES}
            shutil.rmtree(self._work, ignore_errors=True)
            (self._work / "logs").mkdir(parents=True)
            try:
                self._attempt()
                return
            except ServiceError:
                taken = any(TAKEN.search(daemon.text()) for daemon in self._namenodes.values())
                if not taken or attempt == _ATTEMPTS:
                    raise
                self._stop_daemons()
                self._daemons = []

    def _attempt(self) -> None:
        patience = Patience(self._timeout)
        self._progress(f"Starting two NameNodes and a DataNode as {self.uri}.")
        first, second = _NAMENODES
        tool = self._daemon("format", first, NAMENODE_CLASS, "-format", "-force", "-nonInteractive")
        tool.finish(patience, "Formatting the NameNodes' storage")
        shutil.copytree(self._work / f"namenode-{first}" / "name", self._work / f"namenode-{second}" / "name")
        self._namenodes = {name: self._daemon(f"namenode-{name}", name, NAMENODE_CLASS) for name in _NAMENODES}
        self._daemons = list(self._namenodes.values())
        for namenode in self._namenodes.values():
            namenode.start()
        self._wait(patience, lambda: all("NameNode RPC up at: " in one.text() for one in self._namenodes.values()))
        datanode = self._daemon("datanode-0", "", DATANODE_CLASS)
        self._daemons.append(datanode)
        datanode.start()
        self._active = first
        self._administer("-transitionToActive", first)
        self._wait(patience, self._is_ready)

    def _is_ready(self) -> bool:
        """Whether the active NameNode is out of safe mode, and both know the DataNode's space."""
        told = {name: ask(self._host, daemon) for name, daemon in self._namenodes.items()}
        active = told[self._active]
        if active is None or not ready(active, 1):
            return False
        assert self._java is not None
        self.versions = {"hadoop": str(active.get("SoftwareVersion", "")), "java": self._java.version}
        return True

    def _administer(self, *arguments: str) -> None:
        tool = self._daemon("administration", "", ADMINISTRATION_CLASS, *arguments)
        tool.log.unlink(missing_ok=True)
        tool.finish(Patience(self._timeout), "The administration of the NameNodes")

    def _addresses(self) -> dict[str, str]:
        """What daemons and clients both must know of the pair."""
        return {
            "fs.defaultFS": self.uri,
            "dfs.nameservices": NAMESERVICE,
            f"dfs.ha.namenodes.{NAMESERVICE}": ",".join(_NAMENODES),
            **{
                f"dfs.namenode.rpc-address.{NAMESERVICE}.{name}": f"{self._host}:{port}"
                for name, port in self._ports.items()
            },
        }

    def _daemon(self, name: str, namenode: str, main_class: str, *arguments: str) -> Daemon:
        """A daemon or a tool; ``namenode`` says which of the two it is, empty for neither."""
        assert self._java is not None
        home = self._work / (f"namenode-{namenode}" if namenode else name)
        settings = hdfs_configuration.daemon_settings(self._host, 0, home, {}) | self._addresses()
        del settings["dfs.namenode.rpc-address"]
        settings |= {
            "dfs.namenode.shared.edits.dir": (self._work / "shared").as_uri(),
            "dfs.ha.fencing.methods": "shell(/bin/true)",
            "dfs.ha.standby.checkpoints": "false",
            "dfs.ha.tail-edits.period": "1s",
            "dfs.ha.log-roll.period": "-1",
            **{
                f"dfs.namenode.http-address.{NAMESERVICE}.{one}": settings["dfs.namenode.http-address"]
                for one in _NAMENODES
            },
        }
        if namenode:
            settings |= {"dfs.nameservice.id": NAMESERVICE, "dfs.ha.namenode.id": namenode}
        for folder in (home / "conf", home / "tmp", self._work / "shared"):
            folder.mkdir(parents=True, exist_ok=True)
        for site in ("core-site.xml", "hdfs-site.xml"):
            (home / "conf" / site).write_text(hdfs_configuration.as_xml(settings), encoding="utf-8")
        (home / "conf" / "log4j.properties").write_text(hdfs_configuration.logging(), encoding="utf-8")
        path = ":".join(str(part) for part in (home / "conf", *self._jars))
        options = (f"-Xmx{_HEAP_MEGABYTES}m", f"-Djava.io.tmpdir={home / 'tmp'}", f"-Dhadoop.log.dir={home / 'tmp'}")
        command = (str(self._java.executable), *JVM, *options, "-cp", path, main_class, *arguments)
        return Daemon(name, command, home, self._log(name))
