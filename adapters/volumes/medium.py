"""Faults of the medium that a volume is: no more space, no changes taken, a byte of a stored file that changed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from fsconform.adapters.volumes.durability import CAPACITY
from fsconform.adapters.volumes.volume import Volume
from fsconform.engine.injection import DATANODE, MACHINE, MINIO, Medium

STORED: Mapping[tuple[str, str], re.Pattern[str]] = {
    (MACHINE, "data"): re.compile(r"(?:.*/)?[^./][^/]*"),
    (MACHINE, "checksums"): re.compile(r"(?:.*/)?\.[^/]+\.crc"),
    (DATANODE, "data"): re.compile(r".*/blk_\d+"),
    (DATANODE, "checksums"): re.compile(r".*/blk_\d+_\d+\.meta"),
    (MINIO, "data"): re.compile(r"(?!\.minio\.sys/).*/part\.\d+"),
    (MINIO, "checksums"): re.compile(r"(?!\.minio\.sys/).*/xl\.meta"),
}
"""Files of data and of checksums, by their paths below the volume of a part.

Hadoop's checksum filesystem has NAME in .NAME.crc; a DataNode has a block in blk_ID and its checksums in
blk_ID_STAMP.meta; MinIO has a large object in part.N, checksums among its bytes, and what describes it in xl.meta.
"""


def can_fail(part: str, fault: Medium) -> bool:
    """Whether it is known how the medium of a part fails so."""
    return not fault.is_flip or (part, fault.fault) in STORED


@dataclass(frozen=True, slots=True)
class Flipped:
    """A byte of a file that was changed: the path is from the top of the volume."""

    volume: Volume
    path: str
    offset: int


class Media:
    """The volumes of some parts, and what is wrong with them by now."""

    def __init__(self) -> None:
        self._flipped: list[Flipped] = []
        self._limited: list[Volume] = []

    def spoil(self, volumes: Sequence[Volume], fault: Medium) -> None:
        """Let volumes fail. Raises VolumeLost, OSError, FileNotFoundError where no such file is stored."""
        for volume in volumes:
            if fault.is_flip:
                self._flipped.append(_flipped(volume, fault))
                continue
            self._limited.append(volume)
            if fault.fault == "full":
                volume.limit(_used(volume) + fault.amount)
            else:
                volume.read_only(on=True)

    def mend(self) -> None:
        """Let all be well again that was spoilt: a file that is gone stays so. Raises VolumeLost."""
        while self._limited:
            volume = self._limited.pop()
            volume.limit(CAPACITY)
            volume.read_only(on=False)
        while self._flipped:
            one = self._flipped.pop()
            with suppress(OSError):
                one.volume.flip(one.path, one.offset)


def _used(volume: Volume) -> int:
    """Bytes that are taken."""
    found = os.statvfs(volume.place)
    return (found.f_blocks - found.f_bfree) * found.f_frsize


def _flipped(volume: Volume, fault: Medium) -> Flipped:
    """Flip a byte of the file of its kind that was written last. Raises FileNotFoundError where there is none."""
    pattern = STORED[fault.part, fault.fault]
    found = [(status.st_mtime_ns, path, status.st_size) for path, status in _files(volume.place) if status.st_size]
    own = [one for one in found if pattern.fullmatch(one[1])]
    if not own:
        raise FileNotFoundError(f"nothing is stored on {volume.place} that is {fault.fault} of {fault.part}")
    _, path, size = max(own)
    offset = fault.amount % size
    volume.flip(path, offset)
    return Flipped(volume, path, offset)


def _files(top: Path) -> Iterator[tuple[str, os.stat_result]]:
    """All regular files below a directory, by their paths from there; what goes away meanwhile is left out."""
    for folder, _, names in os.walk(top):
        for name in names:
            path = Path(folder, name)
            with suppress(OSError):
                yield str(path.relative_to(top)), path.stat(follow_symlinks=False)
