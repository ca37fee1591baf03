"""What a seeded fault is, and the registry that fault modules fill."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from fsconform.proving.full_store import FullStore


@dataclass(frozen=True, slots=True)
class Fault:
    """One deviation: ``reference`` names the bug of a real store that it is modelled on, where there is one.

    ``clause`` is the row of the catalogue that it breaks, for those of the further operations. Some clauses speak of
    stores that can do less or more than this one: ``abilities`` are the fields of kept.Abilities that the faulty store
    differs in from the start, ``declared`` the contract options that say so. ``root`` is true if only the real root
    shows it.
    """

    name: str
    description: str
    reference: str
    kind: type[FullStore]
    clause: str = ""
    abilities: Mapping[str, bool] = field(default_factory=dict)
    declared: Mapping[str, bool] = field(default_factory=dict)
    root: bool = False


REGISTRY: dict[str, Fault] = {}


_Kind = TypeVar("_Kind", bound=FullStore)


def seeded(
    name: str,
    description: str,
    reference: str = "",
    clause: str = "",
    abilities: Mapping[str, bool] | None = None,
    declared: Mapping[str, bool] | None = None,
    root: bool = False,
) -> Callable[[type[_Kind]], type[_Kind]]:
    """Register a store class as the fault ``name``. Raises ValueError if the name is taken."""

    def register(kind: type[_Kind]) -> type[_Kind]:
        if name in REGISTRY:
            raise ValueError(f"two faults are called {name}")
        REGISTRY[name] = Fault(name, description, reference, kind, clause, abilities or {}, declared or {}, root)
        return kind

    return register
