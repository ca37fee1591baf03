"""The store ``har``: how it is brought up."""

from __future__ import annotations

from fsconform.adapters import temporary
from fsconform.adapters.stores.preset import Preset
from fsconform.adapters.stores.site import Connection, Setup, Site


def bring_up(preset: Preset, setup: Setup) -> Site:
    """Bring it up. Raises JarError, NoJava, ServiceError or OSError."""
    from fsconform.adapters.hadoop import archive_format, archived

    home = temporary.folder(preset.name)
    first = home / "empty.har"
    archive_format.write({(): archive_format.Entry(0)}, first)
    connection = Connection(
        preset.name,
        uri=first.as_uri().replace("file:", "har:", 1),
        configuration={archived.FOLDER: str(home / "archives"), "fs.file.impl.disable.cache": "true"},
    )
    return Site(connection, home)


STORE = Preset(
    "har",
    "Hadoop's HarFileSystem on archives of what programs begin with; it can't be changed",
    "har",
    bring_up,
    default=False,
)
