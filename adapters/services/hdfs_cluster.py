"""An HDFS of several machines: a NameNode and three to five DataNodes with two volumes each, on racks by a table.

Each daemon is a process with ports and directories of its own, which it keeps: it can be killed, halted, started again,
decommissioned, and DataNodes can be added. The NameNode knows the racks by the names of the DataNodes, as all of them
have the address of this machine.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fsconform.adapters.patience import Patience, patient
from fsconform.adapters.services.daemon import START_SECONDS, Daemon, ServiceError
from fsconform.adapters.services.hdfs import DATANODE_CLASS, NAMENODE_CLASS, TAKEN, HdfsService, ask, live
from fsconform.adapters.services.ports import free_port
from fsconform.adapters.services.service import PortTaken

FEWEST, MOST = 3, 5
"""DataNodes."""

VOLUMES = 2
"""Of each DataNode."""

RACKS = ("/rack-0", "/rack-0", "/rack-1", "/rack-1", "/rack-2")
"""Of the DataNodes, in their order, where nothing else is said."""

APART = tuple(f"/rack-{number}" for number in range(MOST))
"""A rack for each: any node may then take any replica."""

SETTINGS: Mapping[str, str] = {
    "dfs.replication": "3",
    "net.topology.node.switch.mapping.impl": "org.apache.hadoop.net.StaticMapping",
    # A node that has more connections than twice the mean is left out by default: of three often one.
    "dfs.namenode.redundancy.considerLoad": "false",
    # Silent for 2 x 1 s + 10 heartbeats a DataNode is dead; by default that takes 10.5 minutes.
    "dfs.namenode.heartbeat.recheck-interval": "1000",
    "dfs.namenode.reconstruction.pending.timeout-sec": "5",
    "dfs.namenode.replication.work.multiplier.per.iteration": "10",
    "dfs.namenode.decommission.interval": "1s",
    "dfs.blockreport.intervalMsec": "10000",
    "dfs.datanode.directoryscan.interval": "2",
    "dfs.block.scanner.volume.bytes.per.second": "104857600",
    "dfs.datanode.scan.period.hours": "1",
    # A lease is renewed every 30 s. The soft limit is a constant of 60 s.
    "dfs.namenode.lease-hard-limit-sec": "120",
}
"""What is so here beside the settings of every HDFS of ours: how soon what is lost, excess or corrupt is noticed."""

DFS_ADMIN = "org.apache.hadoop.hdfs.tools.DFSAdmin"
_CAUSE = re.compile(
    r"^(?:.*Exiting with status \d+: )?(?:[\w.]+\.)?(\w+(?:Exception|Error): .*(?:\n(?!\d{4}-|\t|/\*).+)*)", re.M
)
_POLL_SECONDS = 0.25
_HTTP_SECONDS = 5.0


def _table(racks: Sequence[str]) -> dict[str, str]:
    """The table of racks: those of the DataNodes, in their order."""
    rows = (f"{_host_of(number)}={rack}" for number, rack in enumerate(racks))
    return {"net.topology.configured.node.mapping": ",".join(rows)}


def _host_of(number: int) -> str:
    """The name of a DataNode, by which the table of racks knows it: an address of this machine alone."""
    return f"127.0.0.{number + 11}"


def _why(text: str) -> str:
    """Why a daemon ended, of what it logged."""
    told = _CAUSE.findall(text)
    return str(told[-1]).strip() if told else "\n".join(text.splitlines()[-5:])


@dataclass(frozen=True, slots=True)
class Ports:
    """The ports of a DataNode: of data, of calls, of HTTP."""

    data: int
    calls: int
    web: int


class HdfsCluster(HdfsService):
    """The cluster. ``work`` is a directory, new or empty, that it makes and removes.

    ``jars`` are those of a profile's ``minicluster`` group. ``configuration`` is laid over the daemons' and clients'
    settings.
    """

    def __init__(
        self,
        work: Path,
        jars: Sequence[Path],
        datanodes: int = FEWEST,
        configuration: Mapping[str, str] | None = None,
        racks: Sequence[str] = RACKS,
        progress: Callable[[str], None] | None = None,
        start_timeout: float = START_SECONDS,
    ) -> None:
        """Describe the cluster. ``start_timeout`` is in seconds on an idle machine; ``racks`` has one for each node.

        Raises ValueError for a number of DataNodes that is not 3 to 5.
        """
        if not FEWEST <= datanodes <= MOST:
            raise ValueError(f"a cluster has {FEWEST} to {MOST} DataNodes, not {datanodes}")
        super().__init__(
            work,
            jars,
            configuration={**SETTINGS, **_table(racks), **(configuration or {})},
            datanodes=datanodes,
            progress=progress,
            start_timeout=start_timeout,
            heap_megabytes=192,
        )
        self._racks = tuple(racks)
        self._ports: dict[str, Ports] = {}
        self._down: set[str] = set()
        self._halted: set[str] = set()
        self._reports: dict[str, int] = {}
        self._began: dict[str, int] = {}

    # What there is.

    @property
    def datanode_names(self) -> tuple[str, ...]:
        """The names of the DataNodes, killed ones too."""
        return tuple(daemon.name for daemon in self._daemons[1:])

    @property
    def down(self) -> frozenset[str]:
        """The daemons that were killed, and not started again."""
        return frozenset(self._down)

    def node_at(self, address: str) -> str:
        """The DataNode with an address for data, as the NameNode has it. Raises KeyError for one that is not ours."""
        return {f"{self._host}:{ports.data}": name for name, ports in self._ports.items()}[address]

    def volumes_of(self, name: str) -> list[Path]:
        """The directories of a DataNode's volumes."""
        return [self._work / name / "data" / f"volume-{number}" for number in range(VOLUMES)]

    def rack_of(self, name: str) -> str:
        """The rack of a DataNode."""
        return self._racks[int(name.rpartition("-")[2])]

    def nodes(self) -> dict[str, dict[str, Any]]:
        """What the NameNode says of each DataNode that it holds for alive, by our names. Raises ServiceError."""
        information = ask(self._host, self._daemons[0])
        if information is None:
            raise ServiceError("the NameNode of the cluster does not answer")
        return self._by_name(information)

    def _by_name(self, information: dict[str, Any]) -> dict[str, dict[str, Any]]:
        known = {f"{self._host}:{ports.data}": name for name, ports in self._ports.items()}
        return {known[node["xferaddr"]]: node for node in live(information) if node.get("xferaddr") in known}

    # What is done to it.

    def crash(self, part: str) -> None:
        """Send a daemon SIGKILL, and wait until it is gone. Raises KeyError for a name that no daemon has."""
        daemon = self._named(part)
        if part == self._daemons[0].name:
            self._reports = {name: self._reported(name) for name in self.datanode_names if name not in self._down}
        self._down.add(part)
        self._halted.discard(part)
        daemon.crash()

    def restart(self, part: str) -> None:
        """Start a daemon again that was killed, on its ports and its directories, and wait until it serves.

        A DataNode serves once the NameNode has its report of all of its blocks. Raises ServiceError if that takes too
        long, KeyError for a name that no daemon has.
        """
        daemon = self._named(part)
        if not daemon.alive():
            heard = len(daemon.text())
            daemon.start()
            self._down.discard(part)
            self._wait(Patience(self._timeout), lambda: self._serves_again(daemon, heard))

    def halt(self, part: str) -> None:
        """Send a daemon SIGSTOP: it says nothing more, and keeps its connections. Raises KeyError."""
        pid = self._named(part).pid
        if pid is not None and part not in self._down:
            self._halted.add(part)
            os.kill(pid, signal.SIGSTOP)

    def go_on(self, part: str) -> None:
        """Send a halted daemon SIGCONT. Raises KeyError."""
        pid = self._named(part).pid
        if pid is not None and part in self._halted:
            self._halted.discard(part)
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)

    def add_datanode(self) -> str:
        """Start one DataNode more, and wait until it serves; its name. Raises ServiceError, also for a sixth."""
        number = len(self.datanode_names)
        if number >= MOST:
            raise ServiceError(f"a cluster has {MOST} DataNodes at most")
        daemon = self._datanode(number)
        self._daemons.append(daemon)
        self._datanodes = number + 1
        daemon.start()
        self._wait(Patience(self._timeout), lambda: self._serves_again(daemon, 0))
        return daemon.name

    def decommission(self, names: Collection[str]) -> None:
        """Ask for these DataNodes to be decommissioned, and for no others; return at once.

        :meth:`nodes` says by ``adminState`` how far they are. Raises ServiceError.
        """
        places = [f"{self._host}:{self._ports[name].data}\n" for name in names]
        (self._work / "excluded").write_text("".join(places), encoding="utf-8")
        self.administer(DFS_ADMIN, "-refreshNodes")

    def relaunch(self, jars: Sequence[Path], namenode: Sequence[str] = (), datanodes: Sequence[str] = ()) -> str:
        """Stop all daemons, and start them from other jars and with these options, until they serve.

        Returns why the NameNode ended, and then nothing runs; else nothing. Raises ServiceError.
        """
        self._stop_daemons()
        self._jars, self._reports = tuple(jars), {}
        first = self._daemon("namenode", NAMENODE_CLASS, *namenode)
        heard, patience = len(first.text()), Patience(self._timeout)
        self._daemons = [first]
        first.start()
        while not self._listens_anew(heard):
            if first.poll() is not None:
                return _why(first.text()[heard:])
            if patience.over:
                raise ServiceError(f"the NameNode does not serve after it was started anew:\n{first.tail()}")
            time.sleep(_POLL_SECONDS)
        for number in range(self._datanodes):
            self._daemons.append(self._daemon(f"datanode-{number}", DATANODE_CLASS, *datanodes))
            self._daemons[-1].start()
        self._wait(patience, lambda: self._serves_again(first, heard))
        first.next_as(self._daemon(first.name, NAMENODE_CLASS))
        for daemon in self._daemons[1:]:
            daemon.next_as(self._daemon(daemon.name, DATANODE_CLASS))
        return ""

    def roll_back(self, jars: Sequence[Path]) -> str:
        """Stop all daemons, and roll back to the release of these jars, until they serve; as :meth:`relaunch`."""
        self._stop_daemons()
        self._jars = tuple(jars)
        tool = self._daemon("namenode", NAMENODE_CLASS, "-rollback", log="rollback", said="Y")
        heard = len(tool.text())
        tool.start()
        code = tool.wait(Patience(self._timeout))
        tool.stop()
        if code is None:
            raise ServiceError(f"the NameNode does not end its rollback:\n{tool.tail()}")
        return _why(tool.text()[heard:]) if code else self.relaunch(jars, (), ("-rollback",))

    def storages(self) -> dict[str, list[Path]]:
        """The storage directories of each daemon."""
        found = {"namenode": [self._work / "namenode" / "name"]}
        return found | {name: self.volumes_of(name) for name in self.datanode_names}

    def until(self, done: Callable[[], bool], seconds: float) -> bool:
        """Wait until something holds, for so many seconds on an idle machine at most; whether it does."""
        patience = Patience(seconds)
        while not done():
            if patience.over:
                return False
            time.sleep(_POLL_SECONDS)
        return True

    def stop(self) -> None:
        """Stop the daemons and remove the work directory. May be called twice, and after a failed start."""
        for name in tuple(self._halted):
            self.go_on(name)
        # One that is down by our account and runs: a kill or a start was interrupted.
        self._daemons = [daemon for daemon in self._daemons if daemon.name not in self._down or daemon.alive()]
        super().stop()

    def failure(self) -> str:
        """Which daemons ended of themselves; those that were killed did not."""
        told = (
            f"The {one.name} ended with code {code}; see {one.log}:\n{one.tail()}"
            for one in self._daemons
            if one.name not in self._down and (code := one.poll()) is not None
        )
        return "\n".join(told)

    def alive(self) -> bool:
        """Whether every daemon runs that was not killed."""
        return bool(self._daemons) and not self.failure()

    # How it is started.

    def _bring_up(self) -> None:
        (self._work / "excluded").touch()
        super()._bring_up()

    def _attempt(self, first: bool) -> None:
        self._ports.clear()
        for name in self._log_names:
            if name.startswith("datanode"):
                self._log(name).unlink(missing_ok=True)
        super()._attempt(first)

    def _ended(self, failure: str) -> ServiceError:
        ended = [one for one in self._daemons if one.name not in self._down and one.poll() is not None]
        if any(TAKEN.search(daemon.text()) for daemon in ended):
            return PortTaken(f"a port of {', '.join(one.name for one in ended)} went to another program: {failure}")
        return ServiceError(failure)

    def _settings(self, name: str, home: Path) -> dict[str, str]:
        settings = super()._settings(name, home) | {"dfs.hosts.exclude": str(self._work / "excluded")}
        if not name.startswith("datanode"):
            return settings
        if name not in self._ports:
            self._ports[name] = Ports(*(free_port(self._host) for _ in range(3)))
            if name not in self._log_names:
                self._log_names = (*self._log_names, name)
        ports = self._ports[name]
        return settings | {
            "dfs.datanode.hostname": self._named_host(name),
            "dfs.datanode.address": f"{self._host}:{ports.data}",
            "dfs.datanode.ipc.address": f"{self._host}:{ports.calls}",
            # WebHDFS sends its clients to the name.
            "dfs.datanode.http.address": f"{self._named_host(name)}:{ports.web}",
            "dfs.datanode.data.dir": ",".join(path.as_uri() for path in self.volumes_of(name)),
        }

    def _named_host(self, name: str) -> str:
        return _host_of(int(name.rpartition("-")[2]))

    def _datanode(self, number: int) -> Daemon:
        return self._daemon(f"datanode-{number}", DATANODE_CLASS)

    def _serves_again(self, daemon: Daemon, heard: int) -> bool:
        namenode = self._daemons[0]
        if daemon is not namenode:
            return self._reported(daemon.name) > 0 and self._is_alive(daemon.name)
        if not self._listens_anew(heard):
            return False
        awaited = [name for name in self.datanode_names if name not in self._down | self._halted]
        if any(self._reported(name) <= self._reports.get(name, 0) for name in awaited):
            return False
        information = ask(self._host, namenode) or {}
        return information.get("Safemode") == "" and set(awaited) <= set(self._by_name(information))

    def _is_alive(self, name: str) -> bool:
        found = self._by_name(ask(self._host, self._daemons[0]) or {}).get(name)
        return found is not None and found.get("capacity", 0) > 0

    def _reported(self, name: str) -> int:
        """How often a DataNode has reported all of its blocks since it was started; 0 if it does not answer."""
        for bean in self._beans(name, "Hadoop:service=DataNode,name=DataNodeActivity*"):
            return int(bean.get("BlockReportsNumOps", 0))
        return 0

    def _beans(self, name: str, query: str) -> Iterable[dict[str, Any]]:
        port = self._ports[name].web
        connection = http.client.HTTPConnection(self._named_host(name), port, timeout=patient(_HTTP_SECONDS))
        try:
            connection.request("GET", f"/jmx?qry={query}")
            return list(json.loads(connection.getresponse().read())["beans"])
        except (OSError, http.client.HTTPException, ValueError, KeyError):
            return []
        finally:
            connection.close()
