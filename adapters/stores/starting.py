"""What stores share of starting services: several that are one store, folders in memory, logs of what did not start."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Literal as Choice
from typing import Protocol

from fsconform.adapters import temporary
from fsconform.adapters.services.daemon import ServiceError
from fsconform.adapters.stores.preset import Preset, needs_hadoop
from fsconform.adapters.stores.site import Connection, Crashable, Service, Setup, Site
from fsconform.adapters.volumes.powered import LocalMachine
from fsconform.engine.injection import MACHINE

_STORAGE = ("data", "name", "shared", "files", "tmp")
"""So begin the names of folders that hold what a service stores. A log may begin so too: it is a file."""


def _stored(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if name.startswith(_STORAGE) and (Path(folder) / name).is_dir()]


@contextmanager
def logs_kept(name: str, home: Path, setup: Setup, stop: Callable[[], object]) -> Iterator[None]:
    """Start services of a store within this. If that fails they are stopped, and their folder ``home`` is removed.

    What it has of logs goes to the run's logs, to a folder with the store's ``name``, and a ServiceError is raised anew
    with the paths that the logs have there.
    """
    try:
        yield
    except BaseException as error:
        stop()
        kept = setup.logs / name
        shutil.copytree(home, kept, ignore=_stored, dirs_exist_ok=True)
        shutil.rmtree(home, ignore_errors=True)
        if isinstance(error, ServiceError):
            raise ServiceError(str(error).replace(str(home), str(kept))) from error
        raise


START_SECONDS = 180.0
"""For so long a cluster may take to start: several come up at once, on a machine that may have other work."""

MEMORY = "/dev/shm"
MEMORY_BYTES = 2 << 30
"""Room that a folder in memory must have: programs clean up behind themselves, so a run needs far less."""


def memory() -> str | None:
    """A folder in memory, if there is one with room: MinIO forces every object to its disk, which doubles its time."""
    try:
        enough = shutil.disk_usage(MEMORY).free >= MEMORY_BYTES
    except OSError:
        return None
    return MEMORY if enough and os.access(MEMORY, os.W_OK) else None


class Startable(Service, Protocol):
    """A service that is brought up here."""

    def start(self) -> None:
        """Start it, and return when it answers. Raises ServiceError or NoJava."""
        ...


class OwnServer(Startable, Protocol):
    """A server whose client is of a profile of its own."""

    @property
    def uri(self) -> str:
        """The URI of its root."""
        ...

    @property
    def versions(self) -> dict[str, str]:
        """The versions of what runs."""
        ...

    def client_configuration(self) -> dict[str, str]:
        """Hadoop settings for a client of it."""
        ...


class Together:
    """Several services that are one store."""

    def __init__(self, services: Sequence[Service]) -> None:
        self._services = tuple(services)

    def stop(self) -> None:
        """Stop them all, the last first, whatever one of them raises. May be called twice."""
        with ExitStack() as ending:
            for service in self._services:
                ending.callback(service.stop)

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of the daemons of all that can be crashed and started again."""
        return tuple(part for service in self._crashable for part in service.parts)

    def crash(self, part: str) -> None:
        """Send a daemon SIGKILL, and wait until it is gone."""
        self._with(part).crash(part)

    def restart(self, part: str) -> None:
        """Start it again and wait until it serves. Raises ServiceError."""
        self._with(part).restart(part)

    @property
    def _crashable(self) -> list[Crashable]:
        return [service for service in self._services if isinstance(service, Crashable)]

    def _with(self, part: str) -> Crashable:
        """The service that has a daemon. Raises KeyError for a name that no daemon has."""
        return {name: service for service in self._crashable for name in service.parts}[part]

    def logs(self) -> Sequence[Path]:
        """The logs of all."""
        return [log for service in self._services for log in service.logs()]


def started(name: str, home: Path, setup: Setup, services: Sequence[Startable]) -> Service:
    """Start the services of a store; if one fails all are stopped, and what they leave goes to the run's logs.

    Raises ServiceError, NoJava or OSError.
    """
    together = Together(services)
    with logs_kept(name, home, setup, together.stop):
        for service in services:
            service.start()
    return together


def on_folder(
    kind: Choice["hadoop", "posix", "python"], configuration: Mapping[str, str], preset: Preset, setup: Setup
) -> Site:
    """A store in a folder of this machine. Raises OSError."""
    home = temporary.folder(preset.name)
    machine, place = None, home
    try:
        if setup.on_volumes:
            place = home / "volume"
            place.mkdir()
            machine = LocalMachine(MACHINE, place, home / "volume.log")
    except BaseException:
        shutil.rmtree(home, ignore_errors=True)
        raise
    uri, own = (place / "sandbox").as_uri(), kind == "hadoop"
    return Site(Connection(preset.name, kind, uri, configuration=dict(configuration), own=own), home, machine)


def on_hdfs(cluster: Callable[[Path, Sequence[Path], Setup], OwnServer], preset: Preset, setup: Setup) -> Site:
    """A store on a cluster of HDFS, which ``cluster`` describes. Raises JarError, NoJava, ServiceError or OSError."""
    jars, home = setup.jars("minicluster"), temporary.folder(preset.name)
    hdfs = cluster(home / "hdfs", jars, setup)
    service = started(preset.name, home, setup, [hdfs])
    connection = Connection(
        preset.name, uri=f"{hdfs.uri}/fsconform", configuration=hdfs.client_configuration(), versions=hdfs.versions
    )
    return Site(connection, home, service)


def on_minio(sandbox: str, preset: Preset, setup: Setup) -> Site:
    """A store of a library of Python on a MinIO of its own. Raises ServiceError or OSError."""
    from fsconform.adapters.services.minio import MinioService

    name = preset.name
    home = temporary.folder(name, memory())
    service = MinioService(home / "minio", progress=setup.say)
    with logs_kept(name, home, setup, service.stop):
        service.start()
    reached = service.s3a_configuration()
    settings = {
        "endpoint": service.endpoint,
        "access.key": reached["fs.s3a.access.key"],
        "secret.key": reached["fs.s3a.secret.key"],
        "region": reached["fs.s3a.endpoint.region"],
    }
    uri = f"s3://{service.bucket}{sandbox}"
    return Site(Connection(name, "python", uri, configuration=settings, versions=service.versions), home, service)


def by_own_client(preset: Preset, home: Path, setup: Setup, server: OwnServer, profile: str) -> Site:
    """The site of a server whose client is of a profile of its own, in a group by itself."""
    service = started(preset.name, home, setup, [server])
    connection = Connection(
        preset.name,
        uri=f"{server.uri}/sandbox",
        group=preset.name,
        profile=profile,
        configuration=server.client_configuration() | {"hadoop.tmp.dir": str(home / "buffer")},
        versions=server.versions,
    )
    return Site(connection, home, service)


def lacks_minio() -> list[str]:
    """What this machine lacks to build MinIO, where that was not done yet."""
    from fsconform.adapters.golang import GoError, built_path, find_go
    from fsconform.adapters.services.minio import MINIO

    try:
        if not built_path(MINIO).is_file():
            find_go(MINIO.minimum)
    except GoError as error:
        return [str(error)]
    return []


def needs_minio() -> list[str]:
    """What this machine lacks for S3A on MinIO."""
    return needs_hadoop() + lacks_minio()


def on_transfer_server(protocol: Choice["ftp", "sftp"], preset: Preset, setup: Setup) -> Site:
    """A store on a server of a protocol. Raises JarError, NoJava, ServiceError or OSError."""
    from fsconform.adapters.network.known import of_transfer
    from fsconform.adapters.services.transfer import TransferServer

    home = temporary.folder(preset.name)
    server = TransferServer(protocol, home / preset.name, setup.say)
    service = started(preset.name, home, setup, [server])
    # Two sessions that make it at once would fail: mkdirs of both clients looks, and then makes.
    (server.folder / "fsconform").mkdir()
    connection = Connection(
        preset.name,
        uri=f"{server.uri}/fsconform",
        configuration=server.client_configuration(),
        versions=server.versions,
    )
    return Site(connection, home, service, of_transfer(server))


def without_transfer_server(protocol: Choice["ftp", "sftp"]) -> list[str]:
    """What this machine lacks to run a store on such a server."""
    from fsconform.adapters.services.transfer import lacks

    return needs_hadoop() + lacks(protocol)
