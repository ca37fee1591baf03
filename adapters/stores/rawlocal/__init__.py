"""The store ``rawlocal``: how it is brought up."""

from __future__ import annotations

from functools import partial

from fsconform.adapters.stores.preset import Preset
from fsconform.adapters.stores.starting import on_folder

CONFIGURATION = {
    "fs.file.impl.disable.cache": "true",
    "fs.file.impl": "org.apache.hadoop.fs.RawLocalFileSystem",
}

STORE = Preset(
    "rawlocal",
    "Hadoop's RawLocalFileSystem on this machine",
    "rawlocal",
    partial(on_folder, "hadoop", CONFIGURATION),
    machines=("machine",),
    listed=3,
)
