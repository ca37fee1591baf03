"""The store ``ftp``: how it is brought up."""

from __future__ import annotations

from fsconform.adapters import temporary
from fsconform.adapters.stores.preset import Preset, needs_hadoop
from fsconform.adapters.stores.site import Connection, Setup, Site
from fsconform.adapters.stores.starting import started


def bring_up(preset: Preset, setup: Setup) -> Site:
    """Bring it up. Raises JarError, NoJava, ServiceError or OSError."""
    from fsconform.adapters.services.transfer import TransferServer

    home = temporary.folder(preset.name)
    server = TransferServer("ftp", home / preset.name, setup.say)
    service = started(preset.name, home, setup, [server])
    # Two sessions that make it at once would fail: mkdirs of both clients looks, and then makes.
    (server.folder / "fsconform").mkdir()
    connection = Connection(
        preset.name,
        uri=f"{server.uri}/fsconform",
        configuration=server.client_configuration(),
        versions=server.versions,
    )
    return Site(connection, home, service)


def missing() -> list[str]:
    """What this machine lacks to run it."""
    from fsconform.adapters.services.transfer import lacks

    return needs_hadoop() + lacks("ftp")


STORE = Preset(
    "ftp",
    "Hadoop's FTPFileSystem on an FTP server",
    "ftp",
    bring_up,
    default=False,
    missing=missing,
    pace="slow",
)
