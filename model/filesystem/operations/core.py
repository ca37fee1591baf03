"""The operations of the core: the namespace with whole-file content.

``Create``, ``Append`` and ``Open`` stand for the whole sequence open, write or read everything, close.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fsconform.model.core.content import Content
from fsconform.model.core.operation import Operation
from fsconform.model.core.paths import Path


@dataclass(frozen=True, slots=True)
class Mkdirs(Operation):
    """``mkdirs(path)``."""

    NAME: ClassVar[str] = "mkdirs"
    MUTATES: ClassVar[bool] = True
    VIAS: ClassVar[tuple[str, ...]] = ("permission", "static", "context")
    path: Path
    via: str = ""


@dataclass(frozen=True, slots=True)
class Create(Operation):
    """``create(path, overwrite)``, write ``content``, close."""

    NAME: ClassVar[str] = "create"
    MUTATES: ClassVar[bool] = True
    VIAS: ClassVar[tuple[str, ...]] = (
        "path",
        "progress",
        "replication",
        "replication and progress",
        "buffer",
        "buffer and progress",
        "block size",
        "block size and progress",
        "permission",
        "flags",
        "static",
        "builder",
        "context",
    )
    path: Path
    content: Content
    overwrite: bool
    via: str = ""


@dataclass(frozen=True, slots=True)
class Append(Operation):
    """``append(path)``, write ``content``, close."""

    NAME: ClassVar[str] = "append"
    MUTATES: ClassVar[bool] = True
    VIAS: ClassVar[tuple[str, ...]] = ("buffer", "progress", "builder", "context")
    path: Path
    content: Content
    via: str = ""


@dataclass(frozen=True, slots=True)
class Open(Operation):
    """``open(path)``, read to the end, close."""

    NAME: ClassVar[str] = "open"
    VIAS: ClassVar[tuple[str, ...]] = ("buffer", "builder", "builder and status", "builder and length", "context")
    path: Path
    via: str = ""


@dataclass(frozen=True, slots=True)
class Delete(Operation):
    """``delete(path, recursive)``."""

    NAME: ClassVar[str] = "delete"
    MUTATES: ClassVar[bool] = True
    VIAS: ClassVar[tuple[str, ...]] = ("path", "context")
    path: Path
    recursive: bool
    via: str = ""


@dataclass(frozen=True, slots=True)
class Rename(Operation):
    """``rename(src, dst)``."""

    NAME: ClassVar[str] = "rename"
    MUTATES: ClassVar[bool] = True
    src: Path
    dst: Path


@dataclass(frozen=True, slots=True)
class GetFileStatus(Operation):
    """``getFileStatus(path)``."""

    NAME: ClassVar[str] = "getFileStatus"
    VIAS: ClassVar[tuple[str, ...]] = ("link", "context")
    path: Path
    via: str = ""


@dataclass(frozen=True, slots=True)
class Exists(Operation):
    """``exists(path)``."""

    NAME: ClassVar[str] = "exists"
    VIAS: ClassVar[tuple[str, ...]] = ("context",)
    path: Path
    via: str = ""


@dataclass(frozen=True, slots=True)
class ListStatus(Operation):
    """``listStatus(path)``."""

    NAME: ClassVar[str] = "listStatus"
    VIAS: ClassVar[tuple[str, ...]] = ("filter", "array", "array and filter", "iterator", "located", "context")
    path: Path
    via: str = ""


ALL: tuple[type[Operation], ...] = (Mkdirs, Create, Append, Open, Delete, Rename, GetFileStatus, Exists, ListStatus)
