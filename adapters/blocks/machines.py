"""The machines of a real cluster, with a client that makes one call at a time: what programs are played on."""

from __future__ import annotations

import http.client
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from fsconform.adapters.blocks import disks, fsck, storages
from fsconform.adapters.hadoop.release import Raised, ReleaseClient
from fsconform.adapters.jars import JarError
from fsconform.adapters.patience import patient
from fsconform.adapters.services.daemon import ServiceError
from fsconform.adapters.services.hdfs_cluster import DFS_ADMIN, HdfsCluster
from fsconform.engine.blocks.playing import CallFailed, Player
from fsconform.engine.protocol import StoreLost
from fsconform.model.blocks.answers import Answer, Block, Counted, Replica, Sighted, Storage
from fsconform.model.blocks.steps import BLOCK_BYTES, OF_RELEASES, Program
from fsconform.model.core.content import Content, Segment
from fsconform.model.core.outcomes import Data

HOME = "/fsconform-blocks"
"""The directory below which programs have theirs."""

CLIENT: Mapping[str, str] = {"dfs.checksum.type": "CRC32"}
"""What the client is told beside the cluster's own settings."""

WAIT_SECONDS = 60.0
"""For so long a look waits, on an idle machine: all that the cluster does by itself takes less than 20 s."""

LEASE_SECONDS = 240.0
"""For so long the end of a lease is waited for: more than the hard limit, and the recovery of a block after it."""

_HTTP_SECONDS = 10.0
_CURSORS = "scanner.cursor*"


class Clients:
    """Processes that are clients of a cluster: one that writes, and, once it is asked for, another one."""

    def __init__(self, cluster: HdfsCluster, class_path: Sequence[Path], log: Path) -> None:
        """Start the one that writes. Raises StoreLost or NoJava."""
        self._cluster, self._class_path, self._log = cluster, tuple(class_path), log
        self._begun = 0
        self._other: ReleaseClient | None = None
        self.writer = self._begin()

    @property
    def other(self) -> ReleaseClient:
        """The other one. Raises StoreLost or NoJava."""
        if self._other is None:
            self._other = self._begin()
        return self._other

    def _begin(self) -> ReleaseClient:
        self._begun += 1
        name = self._log if self._begun == 1 else self._log.with_name(f"{self._log.stem}-{self._begun}.log")
        client = ReleaseClient(self._class_path, name).__enter__()
        try:
            failed = client.open(self._cluster.uri, {**self._cluster.client_configuration(), **CLIENT})
            if failed is not None:
                raise StoreLost(f"the cluster can't be opened: {failed.why}")
        except BaseException:
            client.__exit__(None, None, None)
            raise
        return client

    def vanish(self) -> None:
        """Kill the one that writes; the other one takes its place. Raises StoreLost or NoJava."""
        self.writer.kill()
        self.writer, self._other = self.other, None

    def close(self) -> None:
        """End them. May be called twice."""
        for client in (self.writer, self._other):
            if client is not None:
                client.__exit__(None, None, None)


@dataclass(frozen=True, slots=True)
class Releases:
    """The jars of the daemons, of an older release and of the newer one."""

    older: tuple[Path, ...]
    newer: tuple[Path, ...]


class HdfsMachines:
    """A cluster that is up, and a directory of it. With ``releases`` it began in the older one."""

    def __init__(self, cluster: HdfsCluster, clients: Clients, home: str, jars: Releases | None = None) -> None:
        self._cluster, self._clients, self._home, self._jars = cluster, clients, home, jars
        self._gone = False
        self._running = jars.older if jars is not None else ()

    def begin(self, file: str, replication: int) -> None:
        """Open a new file to write to. Raises CallFailed, as all calls of the client do."""
        self._ask("begin", file, factor=replication, block=BLOCK_BYTES)

    def reopen(self, file: str) -> None:
        """Open a file to append to."""
        self._ask("reopen", file)

    def write(self, file: str, content: Content) -> None:
        """Write to a file that is open."""
        rows = [(one.seed, one.length, one.offset) for one in content if isinstance(one, Segment)]
        self._ask("write", file, content=rows)

    def hflush(self, file: str) -> None:
        """Call hflush."""
        self._ask("hflush", file)

    def close(self, file: str) -> None:
        """Close it."""
        self._ask("close", file)

    def set_replication(self, file: str, replication: int) -> None:
        """Ask for another number of replicas."""
        if not self._ask("replicate", file, factor=replication):
            raise CallFailed("false")

    def read(self, file: str) -> Data:
        """Open a file and read it to its end."""
        length, digest = self._ask("digest", file)
        return Data(int(length), str(digest))

    def now(self) -> float:
        """The time of a monotonic clock."""
        return time.monotonic()

    def idle(self, seconds: float) -> None:
        """Let so much time pass."""
        time.sleep(seconds)

    def intrude(self, file: str) -> None:
        """Append as another client than the writer: once that is gone, as the one in its place."""
        client = self._clients.writer if self._gone else self._clients.other
        self._ask("reopen", file, client)
        self._ask("close", file, client)

    def vanish(self) -> None:
        """Kill the client that writes. Raises StoreLost."""
        self._clients.vanish()
        self._gone = True

    def is_closed(self, file: str) -> bool:
        """Whether the NameNode has the file as closed."""
        return bool(self._ask("closed", file))

    def outlast(self, done: Callable[[], bool]) -> bool:
        """Wait until something holds, or for longer than a lease has its hard limit."""
        return self._cluster.until(done, LEASE_SECONDS)

    def _ask(self, what: str, file: str, client: ReleaseClient | None = None, **arguments: Any) -> Any:
        answer = (client or self._clients.writer).call(what, path=f"{self._home}/{file}", **arguments)
        if isinstance(answer, Raised):
            raise CallFailed(answer.name, answer.message)
        return answer

    def look(self, file: str) -> Sighted:
        """What the NameNode has of a file's blocks, and the disks. Raises StoreLost."""
        told = self._page(f"{self._home}/{file}")
        replication = fsck.replication(told)
        return Sighted(-1 if replication is None else replication, tuple(map(self._block, fsck.blocks(told))))

    def _page(self, path: str) -> str:
        address = urlsplit(self._cluster.web_uri)
        connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=patient(_HTTP_SECONDS))
        query = f"ugi=root&path={quote(path)}&files=1&blocks=1&replicadetails=1&openforwrite=1"
        try:
            connection.request("GET", f"/fsck?{query}")
            return connection.getresponse().read().decode("utf-8", "replace")
        except (OSError, http.client.HTTPException) as error:
            raise StoreLost(f"the NameNode does not say which blocks there are: {error}") from error
        finally:
            connection.close()

    def _block(self, listed: fsck.Listed) -> Block:
        return Block(listed.id, listed.stamp, listed.length, tuple(self._replicas(listed)))

    def _replicas(self, listed: fsck.Listed) -> Iterator[Replica]:
        counted: dict[str, Counted] = {}
        for place in listed.places:
            with suppress(KeyError):
                counted[self._cluster.node_at(place.address)] = place.counted
        for node in self._cluster.datanode_names:
            found = disks.replica(self._cluster.volumes_of(node), listed.id)
            if found is not None:
                yield Replica(node, counted.get(node, ""), found.stamp, found.length, found.sound)
            elif node in counted:
                yield Replica(node, counted[node])

    @property
    def releases(self) -> bool:
        """Whether there is an older release that it began in."""
        return self._jars is not None

    def delete(self, file: str) -> None:
        """Delete a file."""
        if not self._ask("delete", file, recursive=False):
            raise CallFailed("false")

    def upgrade(self, asked: bool) -> str:
        """Start all daemons in the newer release. Raises StoreLost."""
        assert self._jars is not None
        return self._moved(self._cluster.relaunch, self._jars.newer, ("-upgrade",) if asked else ())

    def rollback(self) -> str:
        """Roll back to the older one. Raises StoreLost."""
        assert self._jars is not None
        return self._moved(self._cluster.roll_back, self._jars.older)

    def _moved(self, move: Callable[..., str], jars: tuple[Path, ...], *options: tuple[str, ...]) -> str:
        """Why it could not be moved to a release: then all is started as it was."""
        try:
            refused = move(jars, *options)
            if refused:
                again = self._cluster.relaunch(self._running)
                if again:
                    raise StoreLost(f"the cluster refused to change its release, and does not start again: {again}")
        except ServiceError as error:
            raise StoreLost(str(error)) from error
        if not refused:
            self._running = jars
        return refused

    def finalize(self) -> None:
        """Finalize the upgrade. Raises StoreLost."""
        try:
            self._cluster.administer(DFS_ADMIN, "-finalizeUpgrade")
        except ServiceError as error:
            raise StoreLost(str(error)) from error

    def storage(self) -> Storage:
        """What the storage directories have."""
        return storages.storage(self._cluster.storages())

    def until(self, done: Callable[[], bool]) -> bool:
        """Wait until something holds, or for long."""
        return self._cluster.until(done, WAIT_SECONDS)

    def kill(self, node: str) -> None:
        """Kill a DataNode."""
        self._cluster.crash(node)

    def restart(self, node: str) -> None:
        """Start it again. Raises StoreLost."""
        self._started(node)

    def restart_namenode(self) -> None:
        """Kill the NameNode, and start it again. Raises StoreLost."""
        self._cluster.crash("namenode")
        self._started("namenode")

    def spoil(self, node: str, block: Block, how: str) -> bool:
        """Spoil a node's replica of a block on its disk."""
        found = disks.replica(self._cluster.volumes_of(node), block.id)
        return found is not None and disks.spoil(found, how)

    def scan(self, node: str) -> None:
        """Start a node anew without what its scanner remembers: it begins with all that is there. Raises StoreLost."""
        self._cluster.crash(node)
        for volume in self._cluster.volumes_of(node):
            for path in volume.rglob(_CURSORS):
                path.unlink(missing_ok=True)
        self._started(node)

    def _started(self, part: str) -> None:
        try:
            self._cluster.restart(part)
        except ServiceError as error:
            raise StoreLost(str(error)) from error


Apart = Callable[[], tuple[HdfsCluster, Releases]]
"""Describes one more cluster, which is to begin in an older release. Raises JarError."""


class HdfsBlocks:
    """A session on a cluster of its own, and, for programs that upgrade one, on a new one each."""

    def __init__(self, cluster: HdfsCluster, class_path: Sequence[Path], log: Path, apart: Apart | None = None) -> None:
        """``class_path`` has the client's jars. The cluster must be up. Raises StoreLost or NoJava."""
        self._class_path, self._log, self._apart = tuple(class_path), log, apart
        self._cluster = cluster
        self._clients = Clients(cluster, class_path, log)
        self._number = 0
        self.versions = self._clients.writer.versions
        """The versions of Hadoop and of Java."""

    def execute(self, program: Program) -> tuple[Answer, ...]:
        """Play a program in a fresh directory, all nodes being up. Raises StoreLost."""
        self._number += 1
        if self._apart is not None and any(isinstance(step, OF_RELEASES) for step in program):
            return self._execute_apart(self._apart, program)
        self._mend()
        home = f"{HOME}/{self._number}"
        try:
            return Player(HdfsMachines(self._cluster, self._clients, home)).play(program)
        finally:
            self._clients.writer.call("abandon")
            self._clients.writer.call("delete", path=home, recursive=True)

    def _execute_apart(self, apart: Apart, program: Program) -> tuple[Answer, ...]:
        """Play a program on a cluster that is there for it alone."""
        try:
            cluster, releases = apart()
            log = self._log.with_name(f"{self._log.stem}-apart-{self._number}.log")
            with cluster, closing(Clients(cluster, self._class_path, log)) as clients:
                return Player(HdfsMachines(cluster, clients, HOME, releases)).play(program)
        except (ServiceError, JarError) as error:
            raise StoreLost(str(error)) from error

    def _mend(self) -> None:
        """Start what is down."""
        try:
            for node in sorted(self._cluster.down):
                self._cluster.restart(node)
        except ServiceError as error:
            raise StoreLost(str(error)) from error

    def close(self) -> None:
        """End the clients. May be called twice."""
        self._clients.close()
