"""The store ``local``: how it is brought up."""

from __future__ import annotations

from functools import partial

from fsconform.adapters.stores.preset import Preset
from fsconform.adapters.stores.starting import on_folder

STORE = Preset(
    "local",
    "this machine's filesystem through Python: judged is the mapping of errno to the specification's errors",
    "local",
    partial(on_folder, "posix", {}),
    missing=list,
    java=False,
    shards=1,
    machines=("machine",),
    listed=1,
)
