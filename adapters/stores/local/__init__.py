"""The store ``local``: how it is brought up."""

from __future__ import annotations

from fsconform.adapters import temporary
from fsconform.adapters.stores.preset import Preset
from fsconform.adapters.stores.site import Connection, Setup, Site


def bring_up(preset: Preset, setup: Setup) -> Site:
    """Bring it up. Raises JarError, NoJava, ServiceError or OSError."""
    home = temporary.folder(preset.name)
    return Site(Connection(preset.name, "posix", (home / "sandbox").as_uri()), home)


STORE = Preset(
    "local",
    "this machine's filesystem through Python: judged is the mapping of errno to the specification's errors",
    "local",
    bring_up,
    missing=list,
    java=False,
    shards=1,
    listed=1,
)
