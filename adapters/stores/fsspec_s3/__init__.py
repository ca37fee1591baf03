"""The store ``fsspec-s3``: how it is brought up."""

from __future__ import annotations

from functools import partial

from fsconform.adapters.stores.preset import Preset
from fsconform.adapters.stores.starting import needs_minio, on_minio

STORE = Preset(
    "fsspec-s3",
    "s3fs, the S3 filesystem of fsspec, on MinIO, which is started, stopped and cleaned up",
    "fsspec-s3",
    partial(on_minio, ""),
    missing=needs_minio,
    modules=("fsspec", "s3fs", "boto3"),
    java=False,
    shards=2,
    pace="slow",
    default=False,
)
