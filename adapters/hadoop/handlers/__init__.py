"""Each operation as calls of Hadoop's client: a module for each family of the model; :func:`load` enters them."""

from __future__ import annotations

import importlib

from fsconform.model.filesystem.families import FAMILIES


def load() -> None:
    """Have each family enter its calls in :data:`fsconform.adapters.hadoop.calls.HANDLERS`."""
    for family in FAMILIES:
        importlib.import_module(f"{__name__}.{family}")
