"""The store ``hdfs-ha``: how it is brought up."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from fsconform.adapters.stores.preset import Preset
from fsconform.adapters.stores.site import Setup
from fsconform.adapters.stores.starting import START_SECONDS, on_hdfs

if TYPE_CHECKING:
    from fsconform.adapters.services.hdfs_pair import HdfsPair

TURN_SECONDS = 8.0
"""For so long each NameNode is active before the other takes its place."""


def cluster(work: Path, jars: Sequence[Path], setup: Setup) -> HdfsPair:
    """What runs."""
    from fsconform.adapters.services.hdfs_pair import HdfsPair

    return HdfsPair(work, jars, progress=setup.say, turn=TURN_SECONDS, start_timeout=START_SECONDS)


STORE = Preset(
    "hdfs-ha",
    "HDFS with two NameNodes that take each other's place while programs run",
    "hdfs",
    partial(on_hdfs, cluster),
    default=False,
)
