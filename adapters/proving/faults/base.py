"""What a seeded fault is, and the registry that fault modules fill."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fsconform.adapters.proving.store import MemoryStore


@dataclass(frozen=True, slots=True)
class Fault:
    """One deviation: ``reference`` names the bug of a real store that it is modelled on, where there is one."""

    name: str
    description: str
    reference: str
    kind: type[MemoryStore]


REGISTRY: dict[str, Fault] = {}


def seeded(name: str, description: str, reference: str = "") -> Callable[[type[MemoryStore]], type[MemoryStore]]:
    """Register a store class as the fault ``name``. Raises ValueError if the name is taken."""

    def register(kind: type[MemoryStore]) -> type[MemoryStore]:
        if name in REGISTRY:
            raise ValueError(f"two faults are called {name}")
        REGISTRY[name] = Fault(name, description, reference, kind)
        return kind

    return register
