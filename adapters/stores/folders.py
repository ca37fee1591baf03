"""Where the files of a store stand: one folder a store, named as the store is with ``_`` for ``-``.

``contract.xml`` is its contract, ``waivers.toml`` what is accepted of it; both may have a variant, as
``contract-hadoop-3.3.6.xml``. An object store has ``object-contract.xml``, and a store that Spark writes to has
``commit-contract-COMMITTER.xml`` and ``waivers-COMMITTER.toml``. ``page.md`` is what a reader wants to know of it.
"""

from __future__ import annotations

from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from fsconform.engine.waivers import Waiver, parse

CONTRACT, OBJECTS, COMMITS = "contract.xml", "object-contract.xml", "commit-contract-"
PAGE = "page.md"


def folders() -> tuple[Traversable, ...]:
    """The folders of all stores, by name."""
    found = (
        entry
        for entry in resources.files("fsconform.adapters.stores").iterdir()
        if entry.is_dir() and entry.name[0] != "_"
    )
    return tuple(sorted(found, key=lambda entry: entry.name))


def store_name(folder: Traversable) -> str:
    """The name of the store of a folder."""
    return folder.name.replace("_", "-")


def file_of(store: str, file: str) -> Traversable:
    """A file in the folder of a store. It need not be there."""
    return resources.files("fsconform.adapters.stores") / store.replace("-", "_") / file


def with_file(file: str) -> tuple[str, ...]:
    """The names of the stores that have a file of this name."""
    return tuple(sorted(store_name(folder) for folder in folders() if (folder / file).is_file()))


def waivers_in(store: str, variant: str = "") -> tuple[Waiver, ...]:
    """The waivers in a store's folder, of a variant if one is named; none if there is no file. Raises WaiverError."""
    file = f"waivers-{variant}.toml" if variant else "waivers.toml"
    entry = file_of(store, file)
    return parse(entry.read_text("utf-8"), Path(f"{store}/{file}")) if entry.is_file() else ()
