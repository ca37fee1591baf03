"""The operations of the core: the namespace with whole-file content.

``Create``, ``Append`` and ``Open`` stand for the whole sequence open, write or read everything, close.
"""

from __future__ import annotations

from fsconform.model.core.operation import Operation
from fsconform.model.filesystem.input.open import Open as Open
from fsconform.model.filesystem.namespace.append import Append as Append
from fsconform.model.filesystem.namespace.create import Create as Create
from fsconform.model.filesystem.namespace.delete import Delete as Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs as Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename as Rename
from fsconform.model.filesystem.status.get_file_status import GetFileStatus as GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus as ListStatus
from fsconform.model.filesystem.status.predicates import Exists as Exists

ALL: tuple[type[Operation], ...] = (Mkdirs, Create, Append, Open, Delete, Rename, GetFileStatus, Exists, ListStatus)
