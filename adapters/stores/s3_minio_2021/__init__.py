"""The object store ``s3-minio-2021``."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from fsconform.adapters.stores.layers import ObjectPreset, objects_on_minio

if TYPE_CHECKING:
    from fsconform.adapters.golang import Program


def program() -> Program:
    """The MinIO that runs."""
    from fsconform.adapters.services.minio import MINIO_2021

    return MINIO_2021


OBJECTS = ObjectPreset(
    "s3-minio-2021",
    "MinIO of February 2021 as an object store, kept as an exhibit (a draft: see docs/s3.md)",
    partial(objects_on_minio, program),
    listed=3,
)
