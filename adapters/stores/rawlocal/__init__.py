"""The store ``rawlocal``: how it is brought up."""

from __future__ import annotations

from fsconform.adapters import temporary
from fsconform.adapters.stores.preset import Preset
from fsconform.adapters.stores.site import Connection, Setup, Site


def bring_up(preset: Preset, setup: Setup) -> Site:
    """Bring it up. Raises JarError, NoJava, ServiceError or OSError."""
    home = temporary.folder(preset.name)
    configuration = {
        "fs.file.impl.disable.cache": "true",
        "fs.file.impl": "org.apache.hadoop.fs.RawLocalFileSystem",
    }
    return Site(Connection(preset.name, uri=(home / "sandbox").as_uri(), configuration=configuration, own=True), home)


STORE = Preset(
    "rawlocal",
    "Hadoop's RawLocalFileSystem on this machine",
    "rawlocal",
    bring_up,
    listed=3,
)
