"""Stores in memory with the quirks of real stores, and the shadows beside them: a module a store."""

from __future__ import annotations

import importlib
import pkgutil

from fsconform.proving.quirks.base import SHADOWS, TWINS, Twin

__all__ = ["SHADOWS", "TWINS", "Twin"]

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
