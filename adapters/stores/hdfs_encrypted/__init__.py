"""The store ``hdfs-encrypted``: how it is brought up."""

from __future__ import annotations

from fsconform.adapters import temporary
from fsconform.adapters.stores.preset import Preset
from fsconform.adapters.stores.site import Connection, Setup, Site
from fsconform.adapters.stores.starting import started


def bring_up(preset: Preset, setup: Setup) -> Site:
    """Bring it up. Raises JarError, NoJava, ServiceError or OSError."""
    from fsconform.adapters.services.hdfs_policies import PolicyHdfs

    jars, home = setup.jars("minicluster"), temporary.folder(preset.name)
    hdfs = PolicyHdfs("encrypted", home / "hdfs", jars, setup.say)
    service = started(preset.name, home, setup, [hdfs])
    connection = Connection(
        preset.name, uri=f"{hdfs.uri}/fsconform", configuration=hdfs.client_configuration(), versions=hdfs.versions
    )
    return Site(connection, home, service)


STORE = Preset(
    "hdfs-encrypted",
    "HDFS, programs run in an encryption zone, with keys in a file",
    "hdfs-encrypted",
    bring_up,
    default=False,
    like="hdfs",
)
