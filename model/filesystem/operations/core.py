"""The operations of the core: the namespace with whole-file content.

``Create``, ``Append`` and ``Open`` stand for the whole sequence open, write or read everything, close.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fsconform.model.core.operation import Operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.input.open import Open as Open
from fsconform.model.filesystem.namespace.append import Append as Append
from fsconform.model.filesystem.namespace.create import Create as Create
from fsconform.model.filesystem.namespace.delete import Delete as Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs as Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename as Rename


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
