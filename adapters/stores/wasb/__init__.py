"""The store ``wasb``: how it is brought up."""

from __future__ import annotations

from fsconform.adapters import temporary
from fsconform.adapters.stores.preset import Preset, needs_hadoop
from fsconform.adapters.stores.site import Setup, Site
from fsconform.adapters.stores.starting import by_own_client

WASB = "wasb-3.3.6"
"""The profile of the last Hadoop line whose hadoop-azure has the connector."""


def bring_up(preset: Preset, setup: Setup) -> Site:
    """Bring it up. Raises JarError, NoJava, ServiceError or OSError."""
    from fsconform.adapters.services.azurite import AzuriteService

    home = temporary.folder(preset.name)
    return by_own_client(preset, home, setup, AzuriteService(home / "azurite", setup.say), WASB)


def missing() -> list[str]:
    """What this machine lacks to run it."""
    from fsconform.adapters.nodejs import lacks
    from fsconform.adapters.services.azurite import AZURITE

    return needs_hadoop() + lacks(AZURITE)


STORE = Preset(
    "wasb",
    "Hadoop's NativeAzureFileSystem, of Hadoop 3.3.6, on Azurite: an emulator of Azure's blobs from npm",
    "wasb",
    bring_up,
    default=False,
    missing=missing,
    pace="slow",
)
