"""The operations: calls at the FileSystem interface, as frozen data."""

from __future__ import annotations

from fsconform.model.core.operation import Operation, bounds, check_bound, defaults, paths_of, shape, with_paths
from fsconform.model.filesystem.operations import (
    administration,
    attributes,
    changes,
    checksums,
    core,
    listing,
    metadata,
    mishaps,
    protocols,
    streams,
    writers,
)
from fsconform.model.filesystem.operations.core import (
    Append,
    Create,
    Delete,
    Exists,
    GetFileStatus,
    ListStatus,
    Mkdirs,
    Open,
    Rename,
)

__all__ = [
    "ALL",
    "MUTATORS",
    "NAMES",
    "Append",
    "Create",
    "Delete",
    "Exists",
    "GetFileStatus",
    "ListStatus",
    "Mkdirs",
    "Open",
    "Operation",
    "Rename",
    "bounds",
    "check_bound",
    "core",
    "defaults",
    "paths_of",
    "shape",
    "with_paths",
]

ALL: tuple[type[Operation], ...] = (
    *core.ALL,
    *listing.ALL,
    *metadata.ALL,
    *attributes.ALL,
    *changes.ALL,
    *protocols.ALL,
    *administration.ALL,
    *streams.ALL,
    *writers.ALL,
    *mishaps.ALL,
    *checksums.ALL,
)

MUTATORS: tuple[type[Operation], ...] = tuple(kind for kind in ALL if kind.MUTATES)

NAMES: dict[type, str] = {kind: kind.NAME for kind in ALL}
