"""The store ``webhdfs-python``: how it is brought up."""

from __future__ import annotations

from fsconform.adapters import temporary
from fsconform.adapters.stores.preset import Preset, needs_hadoop
from fsconform.adapters.stores.site import Connection, Setup, Site
from fsconform.adapters.stores.starting import START_SECONDS, logs_kept


def bring_up(preset: Preset, setup: Setup) -> Site:
    """Bring it up. Raises JarError, NoJava, ServiceError or OSError."""
    from fsconform.adapters.services.hdfs import HdfsService

    jars = setup.jars("minicluster")
    home = temporary.folder(preset.name)
    service = HdfsService(home / "hdfs", jars, progress=setup.say, start_timeout=START_SECONDS)
    with logs_kept(preset.name, home, setup, service.stop):
        service.start()
    return Site(
        Connection(preset.name, "python", f"{service.web_uri}/fsconform", versions=service.versions), home, service
    )


STORE = Preset(
    "webhdfs-python",
    "WebHDFS through the package hdfs: a NameNode and a DataNode that are started, stopped and cleaned up",
    "webhdfs-python",
    bring_up,
    missing=needs_hadoop,
    modules=("hdfs",),
    java=True,
    shards=2,
    pace="slow",
    default=False,
)
