"""The store ``fsspec-s3``: how it is brought up."""

from __future__ import annotations

from fsconform.adapters.stores.preset import Preset
from fsconform.adapters.stores.python_on_minio import on_minio
from fsconform.adapters.stores.site import Setup, Site
from fsconform.adapters.stores.starting import lacking, needs_minio


def bring_up(preset: Preset, setup: Setup) -> Site:
    """Bring it up. Raises JarError, NoJava, ServiceError or OSError."""
    return on_minio(preset.name, setup, "")


STORE = Preset(
    "fsspec-s3",
    "s3fs, the S3 filesystem of fsspec, on MinIO, which is started, stopped and cleaned up",
    "fsspec-s3",
    bring_up,
    missing=lambda: [*needs_minio(), *lacking("fsspec", "fsspec", "s3fs")],
    java=False,
    shards=2,
    pace="slow",
    default=False,
)
