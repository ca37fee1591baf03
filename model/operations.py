"""The operations: calls at the FileSystem interface, as frozen data.

``Create``, ``Append`` and ``Open`` stand for the whole sequence open, write or read everything, close.
"""

from __future__ import annotations

from dataclasses import dataclass

from fsconform.model.content import Content
from fsconform.model.paths import Path


@dataclass(frozen=True, slots=True)
class Mkdirs:
    """``mkdirs(path)``."""

    path: Path


@dataclass(frozen=True, slots=True)
class Create:
    """``create(path, overwrite)``, write ``content``, close."""

    path: Path
    content: Content
    overwrite: bool


@dataclass(frozen=True, slots=True)
class Append:
    """``append(path)``, write ``content``, close."""

    path: Path
    content: Content


@dataclass(frozen=True, slots=True)
class Open:
    """``open(path)``, read to the end, close."""

    path: Path


@dataclass(frozen=True, slots=True)
class Delete:
    """``delete(path, recursive)``."""

    path: Path
    recursive: bool


@dataclass(frozen=True, slots=True)
class Rename:
    """``rename(src, dst)``."""

    src: Path
    dst: Path


@dataclass(frozen=True, slots=True)
class GetFileStatus:
    """``getFileStatus(path)``."""

    path: Path


@dataclass(frozen=True, slots=True)
class Exists:
    """``exists(path)``."""

    path: Path


@dataclass(frozen=True, slots=True)
class ListStatus:
    """``listStatus(path)``."""

    path: Path


Operation = Mkdirs | Create | Append | Open | Delete | Rename | GetFileStatus | Exists | ListStatus

MUTATORS = (Mkdirs, Create, Append, Delete, Rename)

NAMES: dict[type, str] = {
    Mkdirs: "mkdirs",
    Create: "create",
    Append: "append",
    Open: "open",
    Delete: "delete",
    Rename: "rename",
    GetFileStatus: "getFileStatus",
    Exists: "exists",
    ListStatus: "listStatus",
}


def paths_of(operation: Operation) -> tuple[Path, ...]:
    """The paths an operation names, in the order of its arguments."""
    if isinstance(operation, Rename):
        return (operation.src, operation.dst)
    return (operation.path,)
