"""The store ``viewfs``: how it is brought up."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from fsconform.adapters import temporary
from fsconform.adapters.stores.preset import Preset
from fsconform.adapters.stores.site import Connection, Setup, Site
from fsconform.adapters.stores.starting import START_SECONDS, started

if TYPE_CHECKING:
    from fsconform.adapters.services.hdfs import HdfsService

MOUNTS = "fsconform"
"""The name of the mount table."""


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


def bring_up(preset: Preset, setup: Setup) -> Site:
    """Bring it up. Raises JarError, NoJava, ServiceError or OSError."""
    from fsconform.adapters.services.hdfs import HdfsService

    jars, home = setup.jars("minicluster"), temporary.folder(preset.name)
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


STORE = Preset(
    "viewfs",
    "Hadoop's ViewFileSystem: a mount table over two HDFS and a folder; programs run below one",
    "viewfs",
    bring_up,
    default=False,
)
