"""The store ``hdfs-cluster``: how it is brought up."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from fsconform.adapters.stores.preset import Preset
from fsconform.adapters.stores.site import Setup
from fsconform.adapters.stores.starting import START_SECONDS, on_hdfs
from fsconform.engine.injection import DATANODE, NAMENODE

if TYPE_CHECKING:
    from fsconform.adapters.services.hdfs_cluster import HdfsCluster


def cluster(work: Path, jars: Sequence[Path], setup: Setup) -> HdfsCluster:
    """What runs."""
    from fsconform.adapters.services.hdfs_cluster import HdfsCluster

    return HdfsCluster(work, jars, progress=setup.say, start_timeout=START_SECONDS)


STORE = Preset(
    "hdfs-cluster",
    "HDFS with three DataNodes of two volumes each on two racks: files have three replicas",
    "hdfs",
    partial(on_hdfs, cluster),
    default=False,
    draft=True,
    parts=(NAMENODE, DATANODE),
)
