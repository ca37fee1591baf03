"""The built-in stores: each is the general thing, a URI with jars and configuration, and a contract that is shipped."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from fsconform.adapters import temporary
from fsconform.adapters.hadoop.store import HadoopStore
from fsconform.adapters.jars import JarError, load_profile
from fsconform.adapters.java import NoJava, find_java
from fsconform.app import boxes, presets_hadoop, presets_python
from fsconform.app.boxes import CONTAINER
from fsconform.app.coming_up import logs_kept
from fsconform.app.sites import Connection, Setup, Site, custom_site, hadoop_store, owned
from fsconform.engine.effort import Pace
from fsconform.engine.protocol import Store

MEMORY = "/dev/shm"
MEMORY_BYTES = 2 << 30
"""Room that a folder in memory must have: programs clean up behind themselves, so a run needs far less."""


@dataclass(frozen=True, slots=True)
class Custom:
    """A store that the user names: any Hadoop FileSystem."""

    uri: str
    jars: tuple[Path, ...] = ()
    configuration: dict[str, str] = field(default_factory=dict)
    configuration_files: tuple[Path, ...] = ()


def _needs_hadoop() -> list[str]:
    lacks = []
    try:
        find_java()
    except NoJava as error:
        lacks.append(str(error))
    try:
        load_profile()
    except JarError as error:
        lacks.append(str(error))
    return lacks


def _needs_minio() -> list[str]:
    return _needs_hadoop() + presets_hadoop.lacks_minio()


@dataclass(frozen=True, slots=True)
class Preset:
    """A built-in store. ``shards`` is how many sessions drive it at once by default.

    ``pace`` says what it can be asked for: see :mod:`fsconform.engine.effort`.

    ``roots`` is true if the suite on the real root may be asked of it; ``missing`` says what this machine lacks to run
    it, empty if nothing.
    """

    name: str
    statement: str
    contract: str
    bring_up: Callable[[Preset, Setup], Site]
    missing: Callable[[], list[str]] = _needs_hadoop
    shards: int = 2
    pace: Pace = "fast"
    default: bool = True
    roots: bool = False
    java: bool = True
    """Whether Java is needed: for the client, or for the service."""
    contained: bool = False
    """Whether its service can run in a container."""
    like: str = ""
    """A store whose waivers and quirks hold for this one too, as far as it shows what they accept."""
    below: str = ""
    """The service that it runs on, whose quirks show through it and are reported as that service's."""

    def build(self, setup: Setup) -> Store:
        """Bring the store up. Raises JarError, NoJava, ServiceError, StoreLost or OSError."""
        return owned(self.bring_up(self, setup), setup)


def _posix(preset: Preset, setup: Setup) -> Site:
    home = temporary.folder(preset.name)
    return Site(Connection(preset.name, "posix", (home / "sandbox").as_uri()), home)


def _local(preset: Preset, setup: Setup) -> Site:
    home = temporary.folder(preset.name)
    configuration = {"fs.file.impl.disable.cache": "true"}
    if preset.name == "rawlocal":
        configuration["fs.file.impl"] = "org.apache.hadoop.fs.RawLocalFileSystem"
    return Site(Connection(preset.name, uri=(home / "sandbox").as_uri(), configuration=configuration, own=True), home)


def _hdfs(preset: Preset, setup: Setup) -> Site:
    from fsconform.adapters.services.hdfs import HdfsService

    jars = setup.jars("minicluster")
    home = temporary.folder("hdfs")
    service = HdfsService(home / "hdfs", jars, progress=setup.say)
    told: dict[str, str] = {}
    with logs_kept("hdfs", home, setup, lambda: service.stop()):
        if setup.via == CONTAINER:
            service, told = boxes.hdfs(home / "hdfs", jars, setup)
        service.start()
    configuration = service.client_configuration()
    connection = Connection(
        preset.name, uri=f"{service.uri}/fsconform", configuration=configuration, versions=service.versions | told
    )
    return Site(connection, home, service)


def _memory() -> str | None:
    """A folder in memory, if there is one with room: MinIO forces every object to its disk, which doubles its time."""
    try:
        enough = shutil.disk_usage(MEMORY).free >= MEMORY_BYTES
    except OSError:
        return None
    return MEMORY if enough and os.access(MEMORY, os.W_OK) else None


def _s3a(preset: Preset, setup: Setup) -> Site:
    from fsconform.adapters.services.minio import MinioService

    home = temporary.folder("s3a", _memory())
    service = MinioService(home / "minio", progress=setup.say)
    told: dict[str, str] = {}
    with logs_kept("s3a", home, setup, lambda: service.stop()):
        if setup.via == CONTAINER:
            service, told = boxes.minio(home / "minio", setup)
        service.start()
    connection = Connection(
        preset.name,
        uri=f"s3a://{service.bucket}/sandbox",
        group="s3a",
        # All else as S3A has it by default: what it buffers goes to a folder that is removed at the end, and parts are
        # as small as S3 allows, so that a file of a few MiB has several.
        configuration=service.s3a_configuration()
        | {"fs.s3a.buffer.dir": str(home / "buffer"), "fs.s3a.multipart.size": "5M"},
        versions=service.versions | told,
        # MinIO refuses what has the empty key of the root; S3A would try that again for more than a minute.
        root_configuration={"fs.s3a.retry.limit": "1"},
        own=True,
    )
    return Site(connection, home, service)


def _proving(preset: Preset, setup: Setup) -> Site:
    return Site(Connection(preset.name, "proving", "proving:///"))


def custom_connection(name: str, custom: Custom) -> Site:
    """The site of a store that a user names."""
    return custom_site(name, custom.uri, custom.jars, custom.configuration, custom.configuration_files)


def build_custom(name: str, custom: Custom, setup: Setup) -> HadoopStore:
    """The store that a user names. Raises JarError or NoJava."""
    return hadoop_store(custom_connection(name, custom).connection, setup)


def _stated(row: presets_python.Row | presets_hadoop.Row) -> str:
    return f"{row.statement} (a draft: see docs/more-stores.md)" if row.draft else row.statement


def _through_python(row: presets_python.Row) -> Preset:
    needs = {"": list, "minio": _needs_minio, "hadoop": _needs_hadoop}[row.needs]
    return Preset(
        row.name,
        _stated(row),
        row.name,
        lambda preset, setup: row.bring_up(preset.name, setup, _memory()),
        missing=lambda: [*needs(), *row.lacks()],
        java=row.needs == "hadoop",
        shards=row.shards,
        pace=row.pace,
        default=False,
    )


def _further(row: presets_hadoop.Row) -> Preset:
    return Preset(
        row.name,
        _stated(row),
        row.contract or row.name,
        row.bring_up,
        missing=lambda: _needs_hadoop() + row.lacks(),
        shards=row.shards,
        pace=row.pace,
        default=False,
        like=row.like,
        below=row.below,
    )


PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset(
            "local",
            "this machine's filesystem through Python: judged is the mapping of errno to the specification's errors",
            "local",
            _posix,
            missing=list,
            java=False,
            shards=1,
        ),
        Preset("file", "Hadoop's LocalFileSystem, with checksums, on this machine", "file", _local),
        Preset("rawlocal", "Hadoop's RawLocalFileSystem on this machine", "rawlocal", _local),
        Preset(
            "hdfs",
            "HDFS: a NameNode and a DataNode that are started, stopped and cleaned up",
            "hdfs",
            _hdfs,
            pace="reference",
            roots=True,
            contained=True,
        ),
        Preset(
            "s3a",
            "S3A on MinIO: an S3 server that is built once from source, started, stopped and cleaned up",
            "s3a",
            _s3a,
            missing=_needs_minio,
            below="minio",
            pace="slow",
            roots=True,
            contained=True,
        ),
        Preset(
            "proving",
            "the harness's own store in memory, with seeded faults on request",
            "proving",
            _proving,
            missing=list,
            java=False,
            shards=1,
            default=False,
            roots=True,
        ),
        *(_through_python(row) for row in presets_python.ROWS),
        *(_further(row) for row in presets_hadoop.ROWS),
    )
}

DEFAULT: tuple[str, ...] = tuple(name for name, preset in PRESETS.items() if preset.default)
