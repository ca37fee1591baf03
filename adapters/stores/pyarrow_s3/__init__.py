"""The store ``pyarrow-s3``: how it is brought up."""

from __future__ import annotations

from functools import partial

from fsconform.adapters.stores.preset import Preset
from fsconform.adapters.stores.starting import needs_minio, on_minio

STORE = Preset(
    "pyarrow-s3",
    "pyarrow.fs.S3FileSystem on MinIO, which is started, stopped and cleaned up",
    "pyarrow-s3",
    partial(on_minio, "/sandbox"),
    missing=needs_minio,
    modules=("pyarrow", "boto3"),
    java=False,
    shards=2,
    pace="slow",
    default=False,
)
