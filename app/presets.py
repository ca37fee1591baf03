"""The built-in stores: each is the general thing, a URI with jars and configuration, and a contract that is shipped."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from fsconform.adapters.jars import JarError, load_profile, resolve
from fsconform.adapters.java import NoJava, find_java
from fsconform.engine.protocol import Store

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Setup:
    """What stores are built with. ``logs`` is a folder for their logs; time-outs are in seconds, rates in calls a second."""

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
    groups: tuple[str, ...] = ("client",)
    shards: int = 2
    default: bool = True
    roots: bool = False
    """True if the suite on the real root may be asked of it."""

    def missing(self) -> list[str]:
        """What this machine lacks to run the store; empty if nothing."""
        if not self.groups:
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


def _local(preset: Preset, setup: Setup) -> Store:
    from fsconform.adapters.hadoop.store import HadoopStore

    home = Path(tempfile.mkdtemp(prefix=f"fsconform-{preset.name}-"))
    configuration = {"fs.file.impl.disable.cache": "true"}
    if preset.name == "rawlocal":
        configuration["fs.file.impl"] = "org.apache.hadoop.fs.RawLocalFileSystem"
    return HadoopStore(
        preset.name,
        (home / "sandbox").as_uri(),
        classpath=_jars(preset, setup),
        configuration=configuration,
        xmx=setup.xmx,
        operation_timeout=setup.operation_timeout,
        request_rate=setup.request_rate,
        log_folder=setup.logs,
        cleanup=(home,),
    )


def _hdfs(preset: Preset, setup: Setup) -> Store:
    from fsconform.adapters.hadoop.store import HadoopStore
    from fsconform.adapters.services.hdfs import HdfsService

    home = Path(tempfile.mkdtemp(prefix="fsconform-hdfs-"))
    jars = _jars(preset, setup)
    service = HdfsService(home / "hdfs", jars, progress=setup.say)
    service.start()
    return HadoopStore(
        preset.name,
        f"{service.uri}/fsconform",
        classpath=jars,
        configuration=service.client_configuration(),
        xmx=setup.xmx,
        operation_timeout=setup.operation_timeout,
        request_rate=setup.request_rate,
        log_folder=setup.logs,
        service=service,
        cleanup=(home,),
        real_root=setup.real_root,
    )


def _proving(preset: Preset, setup: Setup) -> Store:
    from fsconform.adapters.proving.session import ProvingStore

    return ProvingStore(preset.name, fault=setup.fault or None, real_root=setup.real_root)


def _jars(preset: Preset, setup: Setup) -> list[Path]:
    profile = load_profile(setup.profile) if setup.profile else load_profile()
    return resolve(profile, preset.groups, setup.say)


def build_custom(name: str, custom: Custom, setup: Setup) -> Store:
    """The store that a user names. Raises JarError or NoJava."""
    from fsconform.adapters.hadoop.store import HadoopStore

    profile = load_profile(setup.profile) if setup.profile else load_profile()
    return HadoopStore(
        name,
        custom.uri,
        jars=custom.jars,
        classpath=resolve(profile, ("client",), setup.say),
        configuration=custom.configuration,
        configuration_files=custom.configuration_files,
        xmx=setup.xmx,
        operation_timeout=setup.operation_timeout,
        request_rate=setup.request_rate,
        log_folder=setup.logs,
    )


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
            groups=("client", "minicluster"),
            roots=True,
        ),
        Preset(
            "proving",
            "the harness's own store in memory, with seeded faults on request",
            "proving",
            _proving,
            groups=(),
            shards=1,
            default=False,
            roots=True,
        ),
    )
}

DEFAULT: tuple[str, ...] = tuple(name for name, preset in PRESETS.items() if preset.default)
