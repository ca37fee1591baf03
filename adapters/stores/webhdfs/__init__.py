"""The store ``webhdfs``: how it is brought up."""

from __future__ import annotations

from fsconform.adapters import temporary
from fsconform.adapters.stores.preset import Preset
from fsconform.adapters.stores.site import Connection, Setup, Site
from fsconform.adapters.stores.starting import START_SECONDS, started
from fsconform.engine.injection import WEBHDFS


def bring_up(preset: Preset, setup: Setup) -> Site:
    """Bring it up. Raises JarError, NoJava, ServiceError or OSError."""
    from fsconform.adapters.network import known
    from fsconform.adapters.services.hdfs import HdfsService

    jars, home = setup.jars("minicluster"), temporary.folder(preset.name)
    hdfs = HdfsService(home / "hdfs", jars, progress=setup.say, start_timeout=START_SECONDS)
    service = started(preset.name, home, setup, [hdfs])
    connection = Connection(
        preset.name,
        uri=f"{hdfs.web_uri}/fsconform",
        group="minicluster",  # the shaded client reads answers by Jersey, which its own jars lack in Hadoop 3.5.0
        configuration=hdfs.client_configuration() | {"fs.defaultFS": hdfs.web_uri},
        versions=hdfs.versions,
    )
    return Site(connection, home, service, known.of_webhdfs(hdfs))


STORE = Preset(
    "webhdfs",
    "HDFS by way of HTTP: Hadoop's WebHdfsFileSystem on a NameNode and a DataNode of its own",
    "webhdfs",
    bring_up,
    default=False,
    links=(WEBHDFS,),
    pace="slow",
)
