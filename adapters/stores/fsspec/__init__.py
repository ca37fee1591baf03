"""The store ``fsspec``: how it is brought up."""

from __future__ import annotations

from functools import partial

from fsconform.adapters.stores.preset import Preset
from fsconform.adapters.stores.starting import on_folder

STORE = Preset(
    "fsspec",
    "fsspec's LocalFileSystem on this machine, with its option auto_mkdir",
    "fsspec",
    partial(on_folder, "python", {}),
    missing=list,
    modules=("fsspec",),
    java=False,
    shards=1,
    pace="fast",
    default=False,
)
