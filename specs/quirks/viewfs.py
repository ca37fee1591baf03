"""The quirks of ViewFileSystem on HDFS: those of HDFS that its mount table hands through."""

from __future__ import annotations

from fsconform.specs.quirks.hdfs import of_hdfs

QUIRKS = of_hdfs(
    "refused-long-name-makes-parents",
    "refused-over-quota-makes-parents",
    "overwriting-over-quota-loses-the-file",
    "claims-symlinks-in-contexts",
    "takes-a-byte-for-a-closed-stream",
    "does-not-declare-drop-behind",
    "null-range-raises-null-pointer",
)
