"""What a seeded fault is, and the registry that fault modules fill."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from fsconform.adapters.proving.whole import WholeStore


@dataclass(frozen=True, slots=True)
class Fault:
    """One deviation: ``reference`` names the bug of a real store that it is modelled on, where there is one.

    ``clause`` is the row of the catalogue that it breaks, for those of the further operations.
    """

    name: str
    description: str
    reference: str
    kind: type[WholeStore]
    clause: str = ""


REGISTRY: dict[str, Fault] = {}


_Kind = TypeVar("_Kind", bound=WholeStore)


def seeded(name: str, description: str, reference: str = "", clause: str = "") -> Callable[[type[_Kind]], type[_Kind]]:
    """Register a store class as the fault ``name``. Raises ValueError if the name is taken."""

    def register(kind: type[_Kind]) -> type[_Kind]:
        if name in REGISTRY:
            raise ValueError(f"two faults are called {name}")
        REGISTRY[name] = Fault(name, description, reference, kind, clause)
        return kind

    return register
