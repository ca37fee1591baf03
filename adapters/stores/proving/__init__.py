"""The store ``proving``: how it is brought up."""

from __future__ import annotations

from fsconform.adapters.stores.preset import Preset
from fsconform.adapters.stores.site import Connection, Setup, Site
from fsconform.engine.injection import SERVER


def bring_up(preset: Preset, setup: Setup) -> Site:
    """Bring it up. Raises JarError, NoJava, ServiceError or OSError."""
    return Site(Connection(preset.name, "proving", "proving:///"))


STORE = Preset(
    "proving",
    "the harness's own store in memory, with seeded faults on request",
    "proving",
    bring_up,
    missing=list,
    java=False,
    shards=1,
    default=False,
    roots=True,
    parts=(SERVER,),
    machines=("machine", "server"),
    links=(SERVER,),
    listed=6,
)
