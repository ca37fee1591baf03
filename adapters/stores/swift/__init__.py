"""The store ``swift``: how it is brought up."""

from __future__ import annotations

from fsconform.adapters import temporary
from fsconform.adapters.stores.preset import Preset, needs_hadoop
from fsconform.adapters.stores.site import Setup, Site
from fsconform.adapters.stores.starting import by_own_client

SWIFT = "swift-3.3.1"
"""The profile of a Hadoop that has the connector to OpenStack Swift."""


def bring_up(preset: Preset, setup: Setup) -> Site:
    """Bring it up. Raises JarError, NoJava, ServiceError or OSError."""
    from fsconform.adapters.services.swift import SwiftService

    home = temporary.folder(preset.name)
    return by_own_client(preset, home, setup, SwiftService(home / "swift", setup.say), SWIFT)


def missing() -> list[str]:
    """What this machine lacks to run it."""
    from fsconform.adapters.services.swift import lacks

    return needs_hadoop() + lacks()


STORE = Preset(
    "swift",
    "Hadoop's SwiftNativeFileSystem, of Hadoop 3.3.1, on OpenStack Swift, which is started, stopped and cleaned up",
    "swift",
    bring_up,
    default=False,
    missing=missing,
    pace="slow",
)
