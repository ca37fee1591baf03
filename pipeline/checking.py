"""Whether the files that a campaign's markers name are there and whole, looked at before anything hangs on them.

A folder may have been copied in part, or come from somebody else: a file that is missing or cut off is named, with how
to mend it, and not left to whoever reads it far away.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fsconform.pipeline import layout, schema
from fsconform.pipeline.depot import Depot


def mend(marker: layout.Marker) -> str:
    """How a file that a marker names is had again."""
    return (
        f"copy the campaign's folder again, or remove {layout.marker_file(marker.unit)} in it and say the same "
        "`fsconform campaign` again, which executes that unit once more"
    )


def check_files(depot: Depot, markers: Iterable[layout.Marker], tables: Sequence[str] = schema.TABLES) -> None:
    """Look at the sizes of the files of some tables. Raises SchemaError, which names the first that is not whole.

    Raises DepotError too.
    """
    for marker in markers:
        for file in (marker.files[table] for table in tables if table in marker.files):
            size = depot.size(file.name)
            if size is None:
                raise schema.SchemaError(f"{file.name}: is missing: {mend(marker)}")
            if size != file.bytes:
                raise schema.SchemaError(
                    f"{file.name}: has {size:,} bytes, and {file.bytes:,} were written: {mend(marker)}"
                )


def first_broken(depot: Depot, markers: Iterable[layout.Marker], tables: Sequence[str] = schema.TABLES) -> str:
    """Which file can't be read, and how to mend it; empty if all can. Raises DepotError."""
    for marker in markers:
        for table in tables:
            for name in marker.names(table):
                try:
                    schema.from_parquet(table, depot.read(name) or b"", name)
                except schema.SchemaError as error:
                    return f"{error}: {mend(marker)}"
    return ""
