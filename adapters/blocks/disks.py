"""The replicas of a block on the disk of a DataNode: two files, the data and the metadata with their checksums."""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

_META = re.compile(r"blk_\d+_(\d+)\.meta")
_HEADER = 7
"""Bytes before the checksums: the version (2), the kind of checksum (1), how many bytes each is of (4)."""

CRC32 = 1
"""The kind of checksum that is understood here; clients choose it by ``dfs.checksum.type``."""


@dataclass(frozen=True, slots=True)
class OnDisk:
    """A replica on a disk. ``stamp`` is -1 without metadata, ``length`` without data."""

    stamp: int = -1
    length: int = -1
    sound: bool = True
    data: Path | None = None
    meta: Path | None = None


def replica(volumes: Iterable[Path], block: int) -> OnDisk | None:
    """A node's replica of a block; of several the one with the greatest stamp. None if it has none of its files."""
    found = [one for volume in volumes for one in _found(volume, block)]
    return max(found, key=lambda one: one.stamp, default=None)


def _found(volume: Path, block: int) -> Iterator[OnDisk]:
    """The replicas of a block in a volume. Folders that go away meanwhile are passed over."""
    name = f"blk_{block}"
    for folder, _, names in os.walk(volume):
        if name in names:
            read = _read(Path(folder, name))
            if read is not None:
                yield read
            continue
        for meta in names:
            if meta.startswith(f"{name}_") and _META.fullmatch(meta):
                path = Path(folder, meta)
                yield OnDisk(stamp=_stamp(path), meta=path)


def _stamp(meta: Path) -> int:
    match = _META.fullmatch(meta.name)
    return int(match[1]) if match else -1


def _read(data: Path) -> OnDisk | None:
    """What two files say; None where the data went meanwhile."""
    metas = [path for path in data.parent.glob(f"{data.name}_*.meta") if _META.fullmatch(path.name)]
    try:
        held = data.read_bytes()
    except OSError:
        return None
    if not metas:
        return OnDisk(length=len(held), data=data)
    meta = max(metas, key=_stamp)
    try:
        sound = fits(held, meta.read_bytes())
    except OSError:
        return OnDisk(length=len(held), data=data)
    return OnDisk(_stamp(meta), len(held), sound, data, meta)


def fits(data: bytes, meta: bytes) -> bool:
    """Whether the checksums of a metadata file are those of the data. Those of another kind than CRC32 are taken so."""
    if len(meta) < _HEADER or meta[2] != CRC32:
        return len(meta) >= _HEADER
    chunk = int.from_bytes(meta[3:_HEADER], "big")
    told = meta[_HEADER:]
    sums = b"".join(zlib.crc32(data[start : start + chunk]).to_bytes(4, "big") for start in range(0, len(data), chunk))
    return told == sums


def spoil(found: OnDisk, how: str) -> bool:
    """Change a byte of the data or of the first checksum, or take the last byte away; False if there is none."""
    if found.data is None or found.meta is None or found.length < 1:
        return False
    if how == "truncated":
        with found.data.open("r+b") as file:
            file.truncate(found.length - 1)
        return True
    path, place = (found.data, found.length // 2) if how == "data" else (found.meta, _HEADER)
    with path.open("r+b") as file:
        file.seek(place)
        byte = file.read(1)
        file.seek(place)
        file.write(bytes((byte[0] ^ 0xFF,)))
    return True
