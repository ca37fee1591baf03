"""Calls under quotas of names and space: what exactly reaches a quota, what is one beyond, and what is counted."""

from __future__ import annotations

from fsconform.engine.grammar import Grammar, Suite
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.protocols.calls_under_quotas import CallsUnderQuotas

QUOTAS = Suite(
    "quotas",
    "metadata",
    "calls in trees whose directories have quotas of names and space",
    witnesses=("quotas",),
    grammar=Grammar(weights=((Mkdirs, 2), (Create, 1), (Delete, 1), (Rename, 1), (CallsUnderQuotas, 8)), longest=8),
    default=False,
)
