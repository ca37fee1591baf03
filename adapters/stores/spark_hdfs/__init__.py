"""The store ``spark-hdfs``, for Spark's writers."""

from __future__ import annotations

from fsconform.adapters.stores.layers import WriterPreset

WRITERS = WriterPreset("spark-hdfs", "Spark's writers on HDFS, which is started for it", "hdfs")
