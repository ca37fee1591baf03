"""The store ``hdfs-ec``: how it is brought up."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from fsconform.adapters.stores.preset import Preset
from fsconform.adapters.stores.site import Setup
from fsconform.adapters.stores.starting import on_hdfs

if TYPE_CHECKING:
    from fsconform.adapters.services.hdfs_policies import PolicyHdfs


def cluster(work: Path, jars: Sequence[Path], setup: Setup) -> PolicyHdfs:
    """What runs."""
    from fsconform.adapters.services.hdfs_policies import PolicyHdfs

    return PolicyHdfs("erasure-coded", work, jars, setup.say)


STORE = Preset(
    "hdfs-ec",
    "HDFS with three DataNodes, programs run below a directory that is erasure coded",
    "hdfs-ec",
    partial(on_hdfs, cluster),
    default=False,
    like="hdfs",
)
