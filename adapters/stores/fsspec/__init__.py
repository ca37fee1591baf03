"""The store ``fsspec``: how it is brought up."""

from __future__ import annotations

from fsconform.adapters import temporary
from fsconform.adapters.stores.preset import Preset
from fsconform.adapters.stores.site import Connection, Setup, Site
from fsconform.adapters.stores.starting import lacking


def bring_up(preset: Preset, setup: Setup) -> Site:
    """Bring it up. Raises JarError, NoJava, ServiceError or OSError."""
    home = temporary.folder(preset.name)
    return Site(Connection(preset.name, "python", (home / "sandbox").as_uri()), home)


STORE = Preset(
    "fsspec",
    "fsspec's LocalFileSystem on this machine, with its option auto_mkdir",
    "fsspec",
    bring_up,
    missing=lambda: lacking("fsspec", "fsspec"),
    java=False,
    shards=1,
    pace="fast",
    default=False,
)
