"""The store ``hdfs-ha``: how it is brought up."""

from __future__ import annotations

from fsconform.adapters import temporary
from fsconform.adapters.stores.preset import Preset
from fsconform.adapters.stores.site import Connection, Setup, Site
from fsconform.adapters.stores.starting import START_SECONDS, started

TURN_SECONDS = 8.0
"""For so long each NameNode is active before the other takes its place."""


def bring_up(preset: Preset, setup: Setup) -> Site:
    """Bring it up. Raises JarError, NoJava, ServiceError or OSError."""
    from fsconform.adapters.services.hdfs_pair import HdfsPair

    jars, home = setup.jars("minicluster"), temporary.folder(preset.name)
    pair = HdfsPair(home / "hdfs", jars, progress=setup.say, turn=TURN_SECONDS, start_timeout=START_SECONDS)
    service = started(preset.name, home, setup, [pair])
    connection = Connection(
        preset.name, uri=f"{pair.uri}/fsconform", configuration=pair.client_configuration(), versions=pair.versions
    )
    return Site(connection, home, service)


STORE = Preset(
    "hdfs-ha",
    "HDFS with two NameNodes that take each other's place while programs run",
    "hdfs",
    bring_up,
    default=False,
)
