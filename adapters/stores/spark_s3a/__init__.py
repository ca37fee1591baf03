"""The store ``spark-s3a``, for Spark's writers."""

from __future__ import annotations

from fsconform.adapters.stores.layers import WriterPreset

WRITERS = WriterPreset("spark-s3a", "Spark's writers on S3A, with a MinIO that is started for it", "s3a")
