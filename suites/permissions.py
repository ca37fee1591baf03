"""Calls of several users and of a superuser, granted and denied by owner, group, mode and sticky bit."""

from __future__ import annotations

from fsconform.engine.grammar import Grammar, Suite
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.protocols.calls_by_users import CallsByUsers

PERMISSIONS = Suite(
    "permissions",
    "metadata",
    "calls of three users and a superuser in trees of all owners and modes",
    witnesses=("permissions",),
    grammar=Grammar(weights=((Mkdirs, 2), (Create, 1), (Delete, 1), (Rename, 1), (CallsByUsers, 8)), longest=8),
    default=False,
)
