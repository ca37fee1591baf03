"""The object store ``s3``."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from fsconform.adapters.stores.layers import ObjectPreset, objects_on_minio

if TYPE_CHECKING:
    from fsconform.adapters.golang import Program


def program() -> Program:
    """The MinIO that runs."""
    from fsconform.adapters.services.minio import MINIO

    return MINIO


OBJECTS = ObjectPreset(
    "s3",
    "MinIO as an object store, which is started for it, asked through boto3",
    partial(objects_on_minio, program),
    listed=1,
)
