"""The store ``file``: how it is brought up."""

from __future__ import annotations

from fsconform.adapters import temporary
from fsconform.adapters.stores.preset import Preset
from fsconform.adapters.stores.site import Connection, Setup, Site


def bring_up(preset: Preset, setup: Setup) -> Site:
    """Bring it up. Raises JarError, NoJava, ServiceError or OSError."""
    home = temporary.folder(preset.name)
    configuration = {"fs.file.impl.disable.cache": "true"}
    return Site(Connection(preset.name, uri=(home / "sandbox").as_uri(), configuration=configuration, own=True), home)


STORE = Preset(
    "file",
    "Hadoop's LocalFileSystem, with checksums, on this machine",
    "file",
    bring_up,
    listed=2,
)
