"""The built-in stores: each is the general thing, a URI with jars and configuration, and a contract that is shipped."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from fsconform.adapters.jars import JarError, load_profile, resolve
from fsconform.adapters.java import NoJava, find_java
from fsconform.engine.protocol import Session, Store

if TYPE_CHECKING:
    from fsconform.adapters.hadoop.store import HadoopStore
    from fsconform.adapters.services.hdfs import HdfsService

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Setup:
    """What stores are built with: a folder for logs, a time-out in seconds, a rate in calls a second and session."""

    logs: Path
    say: Say
    operation_timeout: float = 30.0
    request_rate: float | None = None
    xmx: str = "512m"
    profile: str = ""
    real_root: bool = False
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Custom:
    """A store that the user names: any Hadoop FileSystem."""

    uri: str
    jars: tuple[Path, ...] = ()
    configuration: dict[str, str] = field(default_factory=dict)
    configuration_files: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Preset:
    """A built-in store. ``shards`` is how many sessions drive it at once by default."""

    name: str
    statement: str
    contract: str
    build: Callable[[Preset, Setup], Store]
    hadoop: bool = True
    shards: int = 2
    default: bool = True
    roots: bool = False
    """True if the suite on the real root may be asked of it."""

    def missing(self) -> list[str]:
        """What this machine lacks to run the store; empty if nothing."""
        if not self.hadoop:
            return []
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


class Owned:
    """A store with what was brought up for it: a service that is stopped, and a folder that is removed, at its end."""

    def __init__(self, store: Store, home: Path, service: HdfsService | None = None) -> None:
        self._store, self._home, self._service = store, home, service

    @property
    def name(self) -> str:
        """The name under which results are reported."""
        return self._store.name

    @property
    def uri(self) -> str:
        """Where the store is."""
        return self._store.uri

    @property
    def versions(self) -> dict[str, str]:
        """Versions of the client and of the service."""
        return self._store.versions | (self._service.versions if self._service is not None else {})

    def session(self) -> Session:
        """Open a new session. Raises StoreLost or SandboxRefused."""
        return self._store.session()

    def logs(self) -> Iterable[str]:
        """Paths of the logs of the workers and of the service."""
        return [*self._store.logs(), *(map(str, self._service.logs()) if self._service is not None else ())]

    def close(self) -> None:
        """Close the store, stop its service and remove its folder. May be called twice."""
        try:
            self._store.close()
        finally:
            if self._service is not None:
                self._service.stop()
            shutil.rmtree(self._home, ignore_errors=True)


def _local(preset: Preset, setup: Setup) -> Store:
    home = Path(tempfile.mkdtemp(prefix=f"fsconform-{preset.name}-"))
    configuration = {"fs.file.impl.disable.cache": "true"}
    if preset.name == "rawlocal":
        configuration["fs.file.impl"] = "org.apache.hadoop.fs.RawLocalFileSystem"
    try:
        uri = (home / "sandbox").as_uri()
        return Owned(_hadoop(preset.name, Custom(uri, configuration=configuration), setup), home)
    except BaseException:
        shutil.rmtree(home, ignore_errors=True)
        raise


def _hdfs(preset: Preset, setup: Setup) -> Store:
    from fsconform.adapters.services.hdfs import HdfsService

    home = Path(tempfile.mkdtemp(prefix="fsconform-hdfs-"))
    service = HdfsService(home / "hdfs", _jars("minicluster", setup), progress=setup.say)
    try:
        service.start()
        custom = Custom(f"{service.uri}/fsconform", configuration=service.client_configuration())
        return Owned(_hadoop(preset.name, custom, setup), home, service)
    except BaseException:
        service.stop()
        shutil.copytree(home, setup.logs / "hdfs", ignore=shutil.ignore_patterns("data*", "name*"), dirs_exist_ok=True)
        shutil.rmtree(home, ignore_errors=True)
        raise


def _proving(preset: Preset, setup: Setup) -> Store:
    from fsconform.adapters.proving.session import ProvingStore

    return ProvingStore(preset.name, fault=setup.fault or None, real_root=setup.real_root)


def _jars(group: str, setup: Setup) -> list[Path]:
    profile = load_profile(setup.profile) if setup.profile else load_profile()
    return resolve(profile, (group,), setup.say)


def _hadoop(name: str, custom: Custom, setup: Setup) -> HadoopStore:
    from fsconform.adapters.hadoop.store import HadoopStore

    return HadoopStore(
        name,
        custom.uri,
        jars=custom.jars,
        classpath=_jars("client", setup),
        configuration=custom.configuration,
        configuration_files=custom.configuration_files,
        xmx=setup.xmx,
        operation_timeout=setup.operation_timeout,
        request_rate=setup.request_rate,
        logs_folder=setup.logs,
        real_root=setup.real_root,
    )


def build_custom(name: str, custom: Custom, setup: Setup) -> HadoopStore:
    """The store that a user names. Raises JarError or NoJava."""
    return _hadoop(name, custom, setup)


PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset("rawlocal", "Hadoop's RawLocalFileSystem on this machine", "rawlocal", _local),
        Preset("file", "Hadoop's LocalFileSystem, with checksums, on this machine", "file", _local),
        Preset(
            "hdfs",
            "HDFS: a NameNode and a DataNode that are started, stopped and cleaned up",
            "hdfs",
            _hdfs,
            roots=True,
        ),
        Preset(
            "proving",
            "the harness's own store in memory, with seeded faults on request",
            "proving",
            _proving,
            hadoop=False,
            shards=1,
            default=False,
            roots=True,
        ),
    )
}

DEFAULT: tuple[str, ...] = tuple(name for name, preset in PRESETS.items() if preset.default)
