"""Known bugs that are not held against a store: of Hadoop's base classes, which a user's own store inherits, and those
that a file says a program was judged with."""

from __future__ import annotations

from collections.abc import Iterable

from fsconform.adapters.stores.contracts import shipped
from fsconform.adapters.stores.quirks import is_set, with_quirks
from fsconform.adapters.stores.quirks.hadoop import inherited
from fsconform.app.presets import PRESETS
from fsconform.engine.protocol import Store
from fsconform.model.filesystem.contract import Contract


def with_inherited(contract: Contract, store: Store) -> Contract:
    """The contract with the quirks of the methods that a store inherits; its sessions must have been opened."""
    names = inherited(getattr(store, "declared_by", {}))
    return with_quirks(contract, *names) if names else contract


def with_recorded(contract: Contract, names: Iterable[str]) -> Contract:
    """The contract with the sets that a file names; a store without known bugs has no set. Raises ValueError."""
    names = tuple(names)
    stores = {*PRESETS, *shipped(), *(preset.below for preset in PRESETS.values())} - {""}
    for name in names:
        if not is_set(name) and name.removesuffix("-root") not in stores:
            raise ValueError(
                f"no set of quirks {name!r}: name the sets of stores that there are, as hdfs, or leave it out of quirks"
            )
    return with_quirks(contract, *names)
