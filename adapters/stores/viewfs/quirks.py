"""The quirks of ViewFileSystem on HDFS: those of HDFS that its mount table hands on, and of Hadoop's base class."""

from __future__ import annotations

from fsconform.adapters.stores.hdfs.quirks import of_hdfs
from fsconform.adapters.stores.quirks.shared import renamed_below_itself, renamed_to_itself

_DELETES_FIRST = "viewfs/deletes-the-destination-of-a-rename-with-options-first"

QUIRKS = (
    renamed_to_itself("viewfs", _DELETES_FIRST),
    renamed_below_itself("viewfs", _DELETES_FIRST),
    *of_hdfs(
        "refused-long-name-makes-parents",
        "refused-over-quota-makes-parents",
        "overwriting-over-quota-loses-the-file",
        "claims-symlinks-in-contexts",
        "takes-a-byte-for-a-closed-stream",
        "does-not-declare-drop-behind",
        "null-range-raises-null-pointer",
    ),
)
