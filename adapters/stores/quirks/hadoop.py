"""The quirks of Hadoop's own base classes, which a store has that does not override the method.

Each is asked for by the method that it lies in: ``hadoop:METHOD`` in the place of a store's name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from fsconform.adapters.stores.quirks.copies import copied_too_deep
from fsconform.adapters.stores.quirks.shared import null_range, renamed_below_itself, renamed_to_itself

SET = "hadoop"
BASE = "org.apache.hadoop.fs.FileSystem"
OF_STREAMS = {"readVectored": "org.apache.hadoop.fs.PositionedReadable"}
"""Methods of streams, with the type of Hadoop's that has them by default."""

_BY_METHOD = {
    "rename with options": (
        renamed_to_itself(SET, "rawlocal/deletes-what-is-renamed-to-itself-with-overwrite"),
        renamed_below_itself(SET, "rawlocal/deletes-a-destination-below-the-source-before-it-refuses"),
    ),
    "readVectored": (null_range(SET, "hdfs/raises-nullpointerexception-for-a-range-that-is-null"),),
    "copyFromLocalFile": (copied_too_deep(SET, "hdfs/copies-a-tree-one-level-too-deep"),),
}

BY_METHOD = {
    method: tuple(replace(quirk, title=f"{quirk.title} (inherited from Hadoop)") for quirk in quirks)
    for method, quirks in _BY_METHOD.items()
}
"""The quirks by the method that they lie in, of ``FileSystem`` or of those in OF_STREAMS."""

QUIRKS = tuple(quirk for quirks in BY_METHOD.values() for quirk in quirks)


def inherited(declared_by: Mapping[str, str]) -> tuple[str, ...]:
    """The names of the sets that a store has, from the class that declares each of its methods."""
    return tuple(f"{SET}:{method}" for method in BY_METHOD if declared_by.get(method) == OF_STREAMS.get(method, BASE))
