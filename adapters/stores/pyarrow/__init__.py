"""The store ``pyarrow``: how it is brought up."""

from __future__ import annotations

from functools import partial

from fsconform.adapters.stores.preset import Preset
from fsconform.adapters.stores.starting import on_folder

STORE = Preset(
    "pyarrow",
    "pyarrow.fs.LocalFileSystem on this machine",
    "pyarrow",
    partial(on_folder, "python", {}),
    missing=list,
    modules=("pyarrow",),
    java=False,
    shards=1,
    pace="fast",
    default=False,
)
