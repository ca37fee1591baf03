"""A pair of NameNodes with one DataNode: one NameNode is active, and on request the other takes its place.

The edits are shared through a directory. Clients know the pair by a logical name, and look for the one that is active.
"""

from __future__ import annotations

import atexit
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

NAMESERVICE = "fsconform"
"""The logical name of the pair."""

ADMINISTRATION_CLASS = "org.apache.hadoop.hdfs.tools.DFSHAAdmin"

_NAMENODES = ("one", "two")
_ATTEMPTS = 3
_POLL_SECONDS = 0.05
_HEAP_MEGABYTES = 192


class HdfsPair:
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
        host: str = "127.0.0.1",
    ) -> None:
        """Describe the service. ``start_timeout`` is in seconds, as ``turn`` is."""
        self._work, self._jars, self._host = work.absolute(), tuple(jars), host
        self._progress, self._turn, self._timeout = progress, turn, start_timeout
        self._java: Java | None = None
        self._ports: dict[str, int] = {}
        self._namenodes: dict[str, Daemon] = {}
        self._datanode: Daemon | None = None
        self._started = self._failed = False
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

    @property
    def pids(self) -> dict[str, int]:
        """The process id of each daemon, by its name."""
        return {daemon.name: daemon.pid for daemon in self._daemons() if daemon.pid is not None}

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

    def logs(self) -> list[Path]:
        """The logs there are, those of the NameNodes first."""
        names = [*(f"namenode-{name}" for name in _NAMENODES), "datanode-0", "format", "failovers"]
        return [path for name in names if (path := self._log(name)).is_file()]

    def alive(self) -> bool:
        """Whether every daemon runs."""
        daemons = self._daemons()
        return len(daemons) == len(_NAMENODES) + 1 and all(daemon.alive() for daemon in daemons)

    def start(self) -> None:
        """Format, start all daemons, make one NameNode active, wait until a file could be written.

        Raises ServiceError or NoJava.
        """
        if self._started:
            raise ServiceError("the pair of NameNodes is started already")
        if self._work.exists() and (not self._work.is_dir() or any(self._work.iterdir())):
            raise ServiceError(f"{self._work} is in use: a pair of NameNodes needs a directory that is new or empty")
        self._java = find_java()
        self._started, self._failed, self.failovers = True, False, 0
        self._ending.clear()
        atexit.register(self.stop)
        try:
            self._start_on_ports()
        except BaseException as error:
            self._failed = isinstance(error, Exception)
            self.stop()
            raise
        if self._turn:
            self._turns = threading.Thread(target=self._take_turns, name="failing over", daemon=True)
            self._turns.start()

    def stop(self) -> None:
        """Stop the daemons and remove the work directory. May be called twice, and after a failed start.

        If a daemon failed before, the logs stay.
        """
        if not self._started:
            return
        self._ending.set()
        if self._turns is not None:
            self._turns.join()
            self._turns = None
        self._failed = self._failed or any(daemon.poll() is not None for daemon in self._daemons())
        self._stop_daemons()
        for folder in self._work.iterdir() if self._failed and self._work.is_dir() else ():
            if folder.name != "logs":
                shutil.rmtree(folder, ignore_errors=True)
        if not self._failed:
            shutil.rmtree(self._work, ignore_errors=True)
        self._started = False
        atexit.unregister(self.stop)

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

    def _start_on_ports(self) -> None:
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

    def _attempt(self) -> None:
        patience = Patience(self._timeout)
        self._progress(f"Starting two NameNodes and a DataNode as {self.uri}.")
        first, second = _NAMENODES
        tool = self._daemon("format", first, NAMENODE_CLASS, "-format", "-force", "-nonInteractive")
        self._finish(tool, patience)
        shutil.copytree(self._work / f"namenode-{first}" / "name", self._work / f"namenode-{second}" / "name")
        self._namenodes = {name: self._daemon(f"namenode-{name}", name, NAMENODE_CLASS) for name in _NAMENODES}
        for namenode in self._namenodes.values():
            namenode.start()
        self._wait(patience, lambda: all("NameNode RPC up at: " in one.text() for one in self._namenodes.values()))
        self._datanode = self._daemon("datanode-0", "", DATANODE_CLASS)
        self._datanode.start()
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
        self._finish(tool, Patience(self._timeout))

    def _finish(self, tool: Daemon, patience: Patience) -> None:
        """Run a program to its end. Raises ServiceError if it fails or takes too long."""
        tool.log.unlink(missing_ok=True)
        tool.start()
        code = tool.wait(patience)
        tool.stop()
        if code != 0:
            what = "did not end in time" if code is None else f"ended with code {code}"
            raise ServiceError(f"The {tool.name} of the NameNodes {what}; see {tool.log}:\n{tool.tail()}")

    def _wait(self, patience: Patience, done: Callable[[], bool]) -> None:
        while not patience.over:
            for daemon in self._daemons():
                if daemon.pid is not None and (code := daemon.poll()) is not None:
                    raise ServiceError(f"The {daemon.name} ended with code {code}; see {daemon.log}:\n{daemon.tail()}")
            if done():
                return
            time.sleep(_POLL_SECONDS)
        logs = "\n".join(f"{daemon.name}, see {daemon.log}:\n{daemon.tail()}" for daemon in self._daemons())
        raise ServiceError(f"The NameNodes were not ready after {patience.seconds:.0f} s. Their logs end so:\n{logs}")

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

    def _daemons(self) -> list[Daemon]:
        return [*self._namenodes.values(), *([self._datanode] if self._datanode is not None else [])]

    def _stop_daemons(self) -> None:
        for daemon in self._daemons():
            daemon.ask_to_stop()
        for daemon in self._daemons():
            daemon.stop()
        self._namenodes, self._datanode = {}, None

    def _log(self, name: str) -> Path:
        return self._work / "logs" / f"{name}.log"
