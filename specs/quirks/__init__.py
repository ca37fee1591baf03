"""The quirks of the shipped stores: a module a store, named as the store is, with a tuple ``QUIRKS``.

A store that is built on another one, or shares its contract, has the quirks of that one too.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from fsconform.model.contract import Contract
from fsconform.model.quirks import Quirk, Quirks


@cache
def quirks_of(names: tuple[str, ...]) -> Quirks:
    """The quirks of the sets of these names; a name without a set adds nothing."""
    found: dict[str, Quirk] = {}
    for name in names:
        found.update((quirk.id, quirk) for quirk in _set(name))
    return Quirks(found.values(), names, quirks_of)


def _set(name: str) -> Iterable[Quirk]:
    """The quirks of a set; of ``SET:PART`` those of a part of it."""
    whole, _, part = name.partition(":")
    module = whole.replace("-", "_")
    if module not in _modules():  # a replay file may name anything, and nothing else is to be imported
        return ()
    loaded = importlib.import_module(f"{__name__}.{module}")
    quirks: Iterable[Quirk] = _parts(loaded).get(part, ()) if part else getattr(loaded, "QUIRKS", ())
    return quirks


def _parts(module: Any) -> Mapping[str, Iterable[Quirk]]:
    found: Mapping[str, Iterable[Quirk]] = getattr(module, "BY_METHOD", {})
    return found


def is_set(name: str) -> bool:
    """Whether there is a set of this name, ``SET:PART`` too, that has quirks."""
    return bool(tuple(_set(name))) and not name.endswith(":")


@cache
def _modules() -> frozenset[str]:
    return frozenset(module.name for module in pkgutil.iter_modules(__path__))


def with_quirks(contract: Contract, *names: str) -> Contract:
    """The contract with the quirks of these sets beside those that it has."""
    held = contract.quirks.names if contract.quirks is not None else ()
    return replace(contract, quirks=quirks_of(tuple(dict.fromkeys((*held, *filter(None, names))))))


def every() -> tuple[Quirk, ...]:
    """The quirks of all shipped stores, by their ids."""
    found: dict[str, Quirk] = {}
    for module in pkgutil.iter_modules(__path__):
        quirks: Iterable[Quirk] = getattr(importlib.import_module(f"{__name__}.{module.name}"), "QUIRKS", ())
        found.update((quirk.id, quirk) for quirk in quirks)
    return tuple(found[name] for name in sorted(found))
