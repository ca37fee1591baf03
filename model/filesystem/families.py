"""Loads each module of each family, so that all operations, what they mean, and all rules are entered: :func:`load`.

A module that is put into a family's folder is one of it; no list has to name it.
"""

from __future__ import annotations

import importlib
import pkgutil

FAMILIES = ("namespace", "status", "metadata", "output", "input", "transfer", "protocols")
"""The packages, in the order of the documents' headings."""


def load() -> None:
    """Load all families, in one order, and then the rules that bear on all of them."""
    for family in (*FAMILIES, "rules"):
        package = importlib.import_module(f"fsconform.model.filesystem.{family}")
        for module in sorted(found.name for found in pkgutil.iter_modules(package.__path__)):
            importlib.import_module(f"{package.__name__}.{module}")
