"""The built-in stores that are driven by libraries of Python: how each is brought up. None is in the default job."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, Protocol

from fsconform.adapters import temporary
from fsconform.app.coming_up import logs_kept
from fsconform.app.sites import Connection, Service, Setup, Site
from fsconform.engine.effort import Pace


@dataclass(frozen=True, slots=True)
class Row:
    """A built-in store, as :class:`fsconform.app.presets.Preset` describes them.

    ``bring_up`` is given the name, the setup and a folder in memory, or None; ``needs`` is the service behind it.
    """

    name: str
    statement: str
    bring_up: Callable[[str, Setup, str | None], Site]
    needs: Literal["", "minio", "hadoop"] = ""
    lacks: Callable[[], list[str]] = list
    """What this machine lacks beside the service."""
    shards: int = 1
    draft: bool = False
    """Whether no run has ended with 0 yet: its contract and its waivers are not finished."""

    @property
    def pace(self) -> Pace:
        """What it can be asked for: what has a service behind it is slow through Python."""
        return "slow" if self.needs else "fast"


class _Startable(Service, Protocol):
    def start(self) -> None:
        """Start it, and return when it answers. Raises ServiceError or NoJava."""
        ...


def lacking(extra: str, *modules: str) -> list[str]:
    """What to install for modules that are not here: one sentence, or nothing."""
    gone = [module for module in modules if find_spec(module) is None]
    return [f"no {' and no '.join(gone)}: pip install 'fsconform[{extra}]'"] if gone else []


def _started(name: str, setup: Setup, home: Path, service: _Startable) -> None:
    """Start a service; where that fails its logs are kept and the rest is removed."""
    with logs_kept(name, home, setup, service.stop):
        service.start()


def _local(name: str, setup: Setup, memory: str | None) -> Site:
    home = temporary.folder(name)
    return Site(Connection(name, "python", (home / "sandbox").as_uri()), home)


def _s3(name: str, setup: Setup, memory: str | None, sandbox: str = "/sandbox") -> Site:
    from fsconform.adapters.services.minio import MinioService

    home = temporary.folder(name, memory)
    service = MinioService(home / "minio", progress=setup.say)
    _started(name, setup, home, service)
    reached = service.s3a_configuration()
    settings = {
        "endpoint": service.endpoint,
        "access.key": reached["fs.s3a.access.key"],
        "secret.key": reached["fs.s3a.secret.key"],
        "region": reached["fs.s3a.endpoint.region"],
    }
    uri = f"s3://{service.bucket}{sandbox}"
    return Site(Connection(name, "python", uri, configuration=settings, versions=service.versions), home, service)


def _webhdfs(name: str, setup: Setup, memory: str | None) -> Site:
    from fsconform.adapters.services.hdfs import HdfsService
    from fsconform.app.presets_hadoop import START_SECONDS

    jars = setup.jars("minicluster")
    home = temporary.folder(name)
    service = HdfsService(home / "hdfs", jars, progress=setup.say, start_timeout=START_SECONDS)
    _started(name, setup, home, service)
    return Site(Connection(name, "python", f"{service.web_uri}/fsconform", versions=service.versions), home, service)


ROWS: tuple[Row, ...] = (
    Row("pyarrow", "pyarrow.fs.LocalFileSystem on this machine", _local),
    Row(
        "pyarrow-s3",
        "pyarrow.fs.S3FileSystem on MinIO, which is started, stopped and cleaned up",
        _s3,
        "minio",
        shards=2,
    ),
    Row(
        "fsspec",
        "fsspec's LocalFileSystem on this machine, with its option auto_mkdir",
        _local,
        lacks=partial(lacking, "fsspec", "fsspec"),
    ),
    Row(
        "fsspec-s3",
        "s3fs, the S3 filesystem of fsspec, on MinIO, which is started, stopped and cleaned up",
        partial(_s3, sandbox=""),
        "minio",
        partial(lacking, "fsspec", "fsspec", "s3fs"),
        shards=2,
    ),
    Row(
        "webhdfs-python",
        "WebHDFS through the package hdfs: a NameNode and a DataNode that are started, stopped and cleaned up",
        _webhdfs,
        "hadoop",
        partial(lacking, "webhdfs", "hdfs"),
        shards=2,
    ),
)
