"""Twins of the quirks of ViewFileSystem, and their shadows: those of the base class that it inherits."""

from __future__ import annotations

from fsconform.proving.quirks.shared import overwriting

overwriting("viewfs")
