"""The store ``hdfs``: how it is brought up."""

from __future__ import annotations

from fsconform.adapters import temporary
from fsconform.adapters.stores.preset import Preset
from fsconform.adapters.stores.site import CONTAINER, Connection, Setup, Site
from fsconform.adapters.stores.starting import logs_kept
from fsconform.engine.injection import DATANODE, NAMENODE


def bring_up(preset: Preset, setup: Setup) -> Site:
    """Bring it up. Raises JarError, NoJava, ServiceError or OSError."""
    from fsconform.adapters.network import known
    from fsconform.adapters.services.hdfs import ADVERTISED, HdfsService

    jars = setup.jars("minicluster")
    home = temporary.folder("hdfs")
    service = HdfsService(home / "hdfs", jars, progress=setup.say, advertised=ADVERTISED)
    told: dict[str, str] = {}
    with logs_kept("hdfs", home, setup, lambda: service.stop()):
        if setup.via == CONTAINER:
            from fsconform.adapters.stores import boxes

            service, told = boxes.hdfs(home / "hdfs", jars, setup)
        if setup.on_volumes:
            service.on_volumes()
        service.start()
    configuration = service.client_configuration()
    connection = Connection(
        preset.name, uri=f"{service.uri}/fsconform", configuration=configuration, versions=service.versions | told
    )
    return Site(connection, home, service, None if setup.via == CONTAINER else known.of_hdfs(service))


STORE = Preset(
    "hdfs",
    "HDFS: a NameNode and a DataNode that are started, stopped and cleaned up",
    "hdfs",
    bring_up,
    pace="reference",
    roots=True,
    contained=True,
    parts=(NAMENODE, DATANODE),
    kills=True,
    machines=("cluster", "datanode-0", "namenode"),
    links=(NAMENODE, DATANODE),
    listed=4,
)
