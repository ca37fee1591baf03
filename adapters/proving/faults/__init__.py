"""Seeded faults: small deviations of the in-memory store, by name, that the harness must find."""

from __future__ import annotations

from fsconform.adapters.proving.faults import (
    answers,
    attributes,
    builders,
    caches,
    changes,
    claims,
    contents,
    copies,
    iterators,
    listings,
    metadata,
    names,
    protocols,
    queries,
    renames,
    trees,
    ways,
)
from fsconform.adapters.proving.faults.base import REGISTRY, Fault
from fsconform.adapters.proving.store import Behaviour
from fsconform.adapters.proving.whole import WholeStore

__all__ = ["FAULTS", "Fault", "faulty"]

_MODULES = (
    answers,
    attributes,
    builders,
    caches,
    changes,
    claims,
    contents,
    copies,
    iterators,
    listings,
    metadata,
    names,
    protocols,
    queries,
    renames,
    trees,
    ways,
)

FAULTS: dict[str, Fault] = dict(sorted(REGISTRY.items()))


def faulty(behaviour: Behaviour, fault: str) -> WholeStore:
    """A store of that behaviour with one fault. Raises KeyError if no fault has that name."""
    return FAULTS[fault].kind(behaviour)
