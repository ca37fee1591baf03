"""The object store ``s3-proving``."""

from __future__ import annotations

from fsconform.adapters.stores.layers import ObjectPreset

OBJECTS = ObjectPreset("s3-proving", "An object store in memory that proves the harness: see --fault", listed=2)
