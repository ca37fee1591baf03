"""Further built-in stores behind Hadoop's FileSystem interface: how each is brought up. None is in the default job."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from fsconform.adapters import temporary
from fsconform.adapters.jars import bundled_profile, resolve
from fsconform.app.coming_up import logs_kept
from fsconform.app.sites import Connection, Service, Setup, Site
from fsconform.engine.effort import Pace

if TYPE_CHECKING:
    from fsconform.adapters.services.hdfs import HdfsService

START_SECONDS = 180.0
"""For so long a cluster may take to start: several come up at once, on a machine that may have other work."""


class Named(Protocol):
    """What is known of a preset where it is brought up."""

    @property
    def name(self) -> str:
        """The store's name."""
        ...


class Startable(Service, Protocol):
    """A service that is brought up here."""

    def start(self) -> None:
        """Start it, and return when it answers. Raises ServiceError or NoJava."""
        ...


class _OwnServer(Startable, Protocol):
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


@dataclass(frozen=True, slots=True)
class Row:
    """A built-in store, as :class:`fsconform.app.presets.Preset` describes them."""

    name: str
    statement: str
    bring_up: Callable[[Named, Setup], Site]
    contract: str = ""
    lacks: Callable[[], list[str]] = list
    """What this machine lacks beside Java and Hadoop's profile."""
    shards: int = 2
    like: str = ""
    """A store whose waivers and quirks hold for this one too, as far as it shows what they accept."""
    below: str = ""
    """The service that it runs on, whose quirks show through it."""
    draft: bool = False
    """Whether no run has ended with 0 yet: its contract and its waivers are not finished."""
    pace: Pace = "fast"


class Together:
    """Several services that are one store."""

    def __init__(self, services: Sequence[Service]) -> None:
        self._services = tuple(services)

    def stop(self) -> None:
        """Stop them all, the last first, whatever one of them raises. May be called twice."""
        with ExitStack() as ending:
            for service in self._services:
                ending.callback(service.stop)

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


def _home(preset: Named) -> Path:
    return temporary.folder(preset.name)


def _webhdfs(preset: Named, setup: Setup) -> Site:
    from fsconform.adapters.services.hdfs import HdfsService

    jars, home = setup.jars("minicluster"), _home(preset)
    hdfs = HdfsService(home / "hdfs", jars, progress=setup.say, start_timeout=START_SECONDS)
    service = started(preset.name, home, setup, [hdfs])
    connection = Connection(
        preset.name,
        uri=f"{hdfs.web_uri}/fsconform",
        group="minicluster",  # the shaded client reads answers by Jersey, which its own jars lack in Hadoop 3.5.0
        configuration=hdfs.client_configuration() | {"fs.defaultFS": hdfs.web_uri},
        versions=hdfs.versions,
    )
    return Site(connection, home, service)


MOUNTS = "fsconform"
"""The name of the mount table of the store viewfs."""


def mount_table(near: HdfsService, far: HdfsService, folder: Path) -> dict[str, str]:
    """Hadoop settings for a client that sees as one tree: ``/near`` of one HDFS, ``/far`` of another, ``/folder``.

    The last is a folder of this machine, behind the raw local filesystem.
    """
    table = f"fs.viewfs.mounttable.{MOUNTS}.link"
    settings = near.client_configuration() | {
        "fs.defaultFS": f"viewfs://{MOUNTS}/",
        "fs.file.impl": "org.apache.hadoop.fs.RawLocalFileSystem",
    }
    mounts = {"near": f"{near.uri}/near", "far": f"{far.uri}/far", "folder": folder.as_uri()}
    return settings | {f"{table}./{name}": target for name, target in mounts.items()}


def _viewfs(preset: Named, setup: Setup) -> Site:
    from fsconform.adapters.services.hdfs import HdfsService

    jars, home = setup.jars("minicluster"), _home(preset)
    near, far = (
        HdfsService(home / name, jars, progress=setup.say, start_timeout=START_SECONDS, heap_megabytes=192)
        for name in ("near", "far")
    )
    service = started(preset.name, home, setup, [near, far])
    folder = home / "files"
    folder.mkdir()
    connection = Connection(
        preset.name,
        uri=f"viewfs://{MOUNTS}/near/fsconform",
        configuration=mount_table(near, far, folder),
        versions=near.versions,
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


def _s3proxy(preset: Named, setup: Setup) -> Site:
    from fsconform.adapters.services.minio import MinioService
    from fsconform.adapters.services.s3proxy import PROFILE, S3ProxyService

    jars = resolve(bundled_profile(PROFILE), ("server",), setup.say)
    home = _home(preset)
    minio = MinioService(home / "minio", progress=setup.say)
    kept = started(preset.name, home, setup, [minio])
    try:
        proxy = S3ProxyService(home / "s3proxy", jars, minio.s3a_configuration(), "proxied", setup.say)
        service = Together([kept, started(preset.name, home, setup, [proxy])])
    except BaseException:
        kept.stop()
        raise
    connection = Connection(
        preset.name,
        uri=f"s3a://{proxy.bucket}/sandbox",
        group="s3a",
        configuration=proxy.s3a_configuration()
        | {"fs.s3a.buffer.dir": str(home / "buffer"), "fs.s3a.multipart.size": "5M"},
        versions=proxy.versions | minio.versions,
    )
    return Site(connection, home, service)


WASB = "wasb-3.3.6"
"""The profile of the last Hadoop line whose hadoop-azure has the connector."""

TURN_SECONDS = 8.0
"""For so long each NameNode of the store hdfs-ha is active before the other takes its place."""


def _pair(preset: Named, setup: Setup) -> Site:
    from fsconform.adapters.services.hdfs_pair import HdfsPair

    jars, home = setup.jars("minicluster"), _home(preset)
    pair = HdfsPair(home / "hdfs", jars, progress=setup.say, turn=TURN_SECONDS, start_timeout=START_SECONDS)
    service = started(preset.name, home, setup, [pair])
    connection = Connection(
        preset.name, uri=f"{pair.uri}/fsconform", configuration=pair.client_configuration(), versions=pair.versions
    )
    return Site(connection, home, service)


def _transfer(preset: Named, setup: Setup) -> Site:
    from fsconform.adapters.services.transfer import TransferServer

    home = _home(preset)
    server = TransferServer("sftp" if preset.name == "sftp" else "ftp", home / preset.name, setup.say)
    service = started(preset.name, home, setup, [server])
    # Two sessions that make it at once would fail: mkdirs of both clients looks, and then makes.
    (server.folder / "fsconform").mkdir()
    connection = Connection(
        preset.name,
        uri=f"{server.uri}/fsconform",
        configuration=server.client_configuration(),
        versions=server.versions,
    )
    return Site(connection, home, service)


def _lacks(protocol: Literal["ftp", "sftp"]) -> list[str]:
    from fsconform.adapters.services.transfer import lacks

    return lacks(protocol)


def _of_policy(preset: Named, setup: Setup) -> Site:
    from fsconform.adapters.services.hdfs_policies import PolicyHdfs

    jars, home = setup.jars("minicluster"), _home(preset)
    hdfs = PolicyHdfs("erasure-coded" if preset.name == "hdfs-ec" else "encrypted", home / "hdfs", jars, setup.say)
    service = started(preset.name, home, setup, [hdfs])
    connection = Connection(
        preset.name, uri=f"{hdfs.uri}/fsconform", configuration=hdfs.client_configuration(), versions=hdfs.versions
    )
    return Site(connection, home, service)


def _har(preset: Named, setup: Setup) -> Site:
    from fsconform.adapters.hadoop import archive_format, archived

    home = _home(preset)
    first = home / "empty.har"
    archive_format.write({(): archive_format.Entry(0)}, first)
    connection = Connection(
        preset.name,
        uri=first.as_uri().replace("file:", "har:", 1),
        configuration={archived.FOLDER: str(home / "archives"), "fs.file.impl.disable.cache": "true"},
    )
    return Site(connection, home)


def _by_own_client(preset: Named, home: Path, setup: Setup, server: _OwnServer, profile: str) -> Site:
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


def _wasb(preset: Named, setup: Setup) -> Site:
    from fsconform.adapters.services.azurite import AzuriteService

    home = _home(preset)
    return _by_own_client(preset, home, setup, AzuriteService(home / "azurite", setup.say), WASB)


def _lacks_azurite() -> list[str]:
    from fsconform.adapters.nodejs import lacks
    from fsconform.adapters.services.azurite import AZURITE

    return lacks(AZURITE)


SWIFT = "swift-3.3.1"
"""The profile of a Hadoop that has the connector to OpenStack Swift."""


def _swift(preset: Named, setup: Setup) -> Site:
    from fsconform.adapters.services.swift import SwiftService

    home = _home(preset)
    return _by_own_client(preset, home, setup, SwiftService(home / "swift", setup.say), SWIFT)


def _lacks_swift() -> list[str]:
    from fsconform.adapters.services.swift import lacks

    return lacks()


ROWS: tuple[Row, ...] = (
    Row(
        "webhdfs",
        "HDFS by way of HTTP: Hadoop's WebHdfsFileSystem on a NameNode and a DataNode of its own",
        _webhdfs,
        pace="slow",
    ),
    Row(
        "viewfs",
        "Hadoop's ViewFileSystem: a mount table over two HDFS and a folder; programs run below one",
        _viewfs,
    ),
    Row(
        "s3proxy",
        "S3A on S3Proxy: another S3 server, which keeps its objects in MinIO",
        _s3proxy,
        lacks=lacks_minio,
        like="s3a",
        below="minio",
        pace="slow",
    ),
    Row("hdfs-ha", "HDFS with two NameNodes that take each other's place while programs run", _pair, "hdfs"),
    Row(
        "hdfs-ec",
        "HDFS with three DataNodes, programs run below a directory that is erasure coded",
        _of_policy,
        like="hdfs",
    ),
    Row(
        "hdfs-encrypted",
        "HDFS, programs run in an encryption zone, with keys in a file",
        _of_policy,
        like="hdfs",
    ),
    Row("ftp", "Hadoop's FTPFileSystem on an FTP server", _transfer, lacks=partial(_lacks, "ftp"), pace="slow"),
    Row("sftp", "Hadoop's SFTPFileSystem on an SFTP server", _transfer, lacks=partial(_lacks, "sftp"), pace="slow"),
    Row("har", "Hadoop's HarFileSystem on archives of what programs begin with; it can't be changed", _har),
    Row(
        "wasb",
        "Hadoop's NativeAzureFileSystem, of Hadoop 3.3.6, on Azurite: an emulator of Azure's blobs from npm",
        _wasb,
        lacks=_lacks_azurite,
        pace="slow",
    ),
    Row(
        "swift",
        "Hadoop's SwiftNativeFileSystem, of Hadoop 3.3.1, on OpenStack Swift, which is started, stopped and cleaned up",
        _swift,
        lacks=_lacks_swift,
        pace="slow",
    ),
)
