"""Sets of quirks by name: those of a store stand in its folder, those that several share beside this module.

A module with a set has a tuple ``QUIRKS``, and may have a tuple ``RACES`` of known races. A store that is built on
another one, or shares its contract, has the quirks of that one too.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import Any

from fsconform.engine.histories.known_races import KnownRace
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.quirks import Quirk, Quirks

_STORES = "fsconform.adapters.stores"


@cache
def quirks_of(names: tuple[str, ...]) -> Quirks:
    """The quirks of the sets of these names; a name without a set adds nothing."""
    found: dict[str, Quirk] = {}
    for name in names:
        found.update((quirk.id, quirk) for quirk in _set(name))
    return Quirks(found.values(), names, quirks_of)


def _set(name: str) -> Iterable[Quirk]:
    """The quirks of a set; of ``SET:PART`` those of a part of it."""
    store, _, part = name.partition(":")
    module = _sets().get(store.replace("-", "_"))
    if module is None:  # a replay file may name anything, and nothing else is to be imported
        return ()
    loaded = importlib.import_module(module)
    quirks: Iterable[Quirk] = _parts(loaded).get(part, ()) if part else loaded.QUIRKS
    return quirks


@cache
def races_of(names: tuple[str, ...]) -> tuple[KnownRace, ...]:
    """The known races of the sets of these names."""
    found: dict[str, KnownRace] = {}
    for name in names:
        module = _sets().get(name.replace("-", "_"))
        if module is not None:
            races: Iterable[KnownRace] = getattr(importlib.import_module(module), "RACES", ())
            found.update((race.id, race) for race in races)
    return tuple(found.values())


def _parts(module: Any) -> Mapping[str, Iterable[Quirk]]:
    found: Mapping[str, Iterable[Quirk]] = getattr(module, "BY_METHOD", {})
    return found


def is_set(name: str) -> bool:
    """Whether there is a set of this name, ``SET:PART`` too, that has quirks."""
    return bool(tuple(_set(name))) and not name.endswith(":")


@cache
def _sets() -> dict[str, str]:
    """The modules that hold sets, by the set's name: ``s3a``, its real root ``s3a_root``, and what stores share."""
    shared = {module.name: f"{__name__}.{module.name}" for module in pkgutil.iter_modules(__path__)}
    found = {name: module for name, module in shared.items() if hasattr(importlib.import_module(module), "QUIRKS")}
    stores = resources.files(_STORES)
    for folder in stores.iterdir():
        for file, name in (("quirks", folder.name), ("root_quirks", f"{folder.name}_root")):
            if (folder / f"{file}.py").is_file():
                found[name] = f"{_STORES}.{folder.name}.{file}"
    return found


def with_quirks(contract: Contract, *names: str) -> Contract:
    """The contract with the quirks of these sets beside those that it has."""
    held = contract.quirks.names if contract.quirks is not None else ()
    return replace(contract, quirks=quirks_of(tuple(dict.fromkeys((*held, *filter(None, names))))))


def every_race() -> tuple[KnownRace, ...]:
    """The known races of all shipped stores, by their ids."""
    return tuple(sorted(races_of(tuple(_sets())), key=lambda race: race.id))


def every() -> tuple[Quirk, ...]:
    """The quirks of all shipped stores, by their ids."""
    found: dict[str, Quirk] = {}
    for module in _sets().values():
        quirks: Iterable[Quirk] = importlib.import_module(module).QUIRKS
        found.update((quirk.id, quirk) for quirk in quirks)
    return tuple(found[name] for name in sorted(found))
