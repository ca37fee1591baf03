"""Twins of the quirks of HDFS, and their shadows."""

from __future__ import annotations

from fsconform.adapters.proving.quirks.base import shadow, twin
from fsconform.adapters.proving.store import parent_of
from fsconform.adapters.proving.whole import WholeStore

LONGEST = 255
"""Bytes of UTF-8 in a name."""


def _is_long(element: str) -> bool:
    return len(element.encode("utf-8", "surrogatepass")) > LONGEST


@twin("hdfs/refused-long-name-makes-parents")
class _LongName(WholeStore):
    def mkdirs(self, path: str) -> bool:
        self.refuse_long(path)
        return super().mkdirs(path)

    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        self.refuse_long(path)
        super().create(path, data, overwrite)

    def refuse_long(self, path: str) -> None:
        """Refuse a name that is too long, once the directories before it are made."""
        name, key = self.locate(path)
        elements = name.split("/")[1:]
        place = next((place for place, element in enumerate(elements) if _is_long(element)), None)
        if place is None or self.nearest(key).data is not None:
            return
        self.beside(parent_of(path))
        if place:
            WholeStore.mkdirs(self, "/" + "/".join(elements[:place]))
        self.fail("IOException", path)

    def beside(self, parent: str) -> None:
        """What a shadow does beside it."""


@shadow("hdfs/refused-long-name-makes-parents", "refused-long-name-deletes-siblings", "files beside it are deleted")
class _LongNameDeletes(_LongName):
    def beside(self, parent: str) -> None:
        for shown in list(self.nodes[self.locate(parent)[1]].names if self.exists(parent) else ()):
            if self.nodes[f"{parent.rstrip('/')}/{shown}"].data is not None:
                self.remove_subtree(f"{parent.rstrip('/')}/{shown}")


@shadow(
    "hdfs/refused-long-name-makes-parents", "refused-long-name-leaves-a-file", "a file of the parent's name and .tmp"
)
class _LongNameLeaves(_LongName):
    def beside(self, parent: str) -> None:
        if parent != "/":
            WholeStore.create(self, f"{parent}.tmp", b"", True)
