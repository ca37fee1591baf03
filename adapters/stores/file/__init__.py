"""The store ``file``: how it is brought up."""

from __future__ import annotations

from functools import partial

from fsconform.adapters.stores.preset import Preset
from fsconform.adapters.stores.starting import on_folder

STORE = Preset(
    "file",
    "Hadoop's LocalFileSystem, with checksums, on this machine",
    "file",
    partial(on_folder, "hadoop", {"fs.file.impl.disable.cache": "true"}),
    machines=("machine",),
    listed=2,
    kills=True,
)
