"""Seeded faults: small deviations of the in-memory store, by name, that the harness must find."""

from __future__ import annotations

from fsconform.adapters.proving.faults import answers, caches, contents, listings, names, renames, trees
from fsconform.adapters.proving.faults.base import REGISTRY, Fault
from fsconform.adapters.proving.store import Behaviour
from fsconform.adapters.proving.whole import WholeStore

__all__ = ["FAULTS", "Fault", "faulty"]

_MODULES = (answers, caches, contents, listings, names, renames, trees)

FAULTS: dict[str, Fault] = dict(sorted(REGISTRY.items()))


def faulty(behaviour: Behaviour, fault: str) -> WholeStore:
    """A store of that behaviour with one fault. Raises KeyError if no fault has that name."""
    return FAULTS[fault].kind(behaviour)
