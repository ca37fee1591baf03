"""The store ``spark-file``, for Spark's writers."""

from __future__ import annotations

from fsconform.adapters.stores.layers import WriterPreset

WRITERS = WriterPreset(
    "spark-file", "Spark's writers on this machine's filesystem, through Hadoop's LocalFileSystem", "file"
)
