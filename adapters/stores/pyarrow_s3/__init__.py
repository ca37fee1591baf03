"""The store ``pyarrow-s3``: how it is brought up."""

from __future__ import annotations

from fsconform.adapters.stores.preset import Preset
from fsconform.adapters.stores.python_on_minio import on_minio
from fsconform.adapters.stores.site import Setup, Site
from fsconform.adapters.stores.starting import needs_minio


def bring_up(preset: Preset, setup: Setup) -> Site:
    """Bring it up. Raises JarError, NoJava, ServiceError or OSError."""
    return on_minio(preset.name, setup, "/sandbox")


STORE = Preset(
    "pyarrow-s3",
    "pyarrow.fs.S3FileSystem on MinIO, which is started, stopped and cleaned up",
    "pyarrow-s3",
    bring_up,
    missing=needs_minio,
    java=False,
    shards=2,
    pace="slow",
    default=False,
)
