"""Stores in memory with the quirks of real stores, and the shadows beside them: a module a store."""

from __future__ import annotations

from fsconform.adapters.proving.quirks import hdfs, rawlocal, s3a
from fsconform.adapters.proving.quirks.base import SHADOWS, TWINS, Twin

__all__ = ["SHADOWS", "TWINS", "Twin", "hdfs", "rawlocal", "s3a"]
