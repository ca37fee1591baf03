"""What a store of a user's own inherits from Hadoop's base classes: their known bugs are not held against it."""

from __future__ import annotations

from fsconform.adapters.stores.quirks import with_quirks
from fsconform.adapters.stores.quirks.hadoop import inherited
from fsconform.engine.protocol import Store
from fsconform.model.filesystem.contract import Contract


def with_inherited(contract: Contract, store: Store) -> Contract:
    """The contract with the quirks of the methods that a store inherits; its sessions must have been opened."""
    names = inherited(getattr(store, "declared_by", {}))
    return with_quirks(contract, *names) if names else contract
