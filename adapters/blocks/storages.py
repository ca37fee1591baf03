"""The storage directories of a NameNode and of DataNodes: which layout they have, what they keep of a state before."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from fsconform.model.blocks.answers import Storage

_LAYOUT = re.compile(r"^layoutVersion=(-?\d+)$", re.MULTILINE)
_BLOCK = re.compile(r"blk_(\d+)")
_USED = "dfsUsed"
"""What a volume remembers of the space that it takes: no part of a state."""


def storage(places: Mapping[str, Iterable[Path]]) -> Storage:
    """What the storage directories of each daemon have; what goes away meanwhile is passed over."""
    found = {name: list(folders) for name, folders in places.items()}
    layouts = tuple((name, _layout(folders)) for name, folders in found.items())
    kept = tuple((name, _kept(folders)) for name, folders in found.items())
    blocks = frozenset(block for folders in found.values() for folder in folders for block in _blocks(folder))
    return Storage(layouts, kept, blocks)


def _layout(folders: Iterable[Path]) -> str:
    """The layout version, if all directories name the same one."""
    versions = set()
    for folder in folders:
        try:
            match = _LAYOUT.search((folder / "current" / "VERSION").read_text("utf-8"))
        except OSError:
            match = None
        versions.add(match[1] if match else "")
    return versions.pop() if len(versions) == 1 else ""


def _kept(folders: Iterable[Path]) -> str:
    """A digest of the names and bytes of the files of the state before; empty if there is none."""
    digest, found = hashlib.sha256(), False
    for number, folder in enumerate(folders):
        for old in (folder / "previous", *sorted(folder.glob("current/BP-*/previous"))):
            for path in sorted(_files(old)):
                try:
                    content = path.read_bytes()
                except FileNotFoundError:
                    continue
                found = True
                digest.update(f"{number} {path.relative_to(folder)}\0".encode())
                digest.update(content)
    return digest.hexdigest() if found else ""


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in _walked(folder) if path.is_file() and path.name != _USED)


def _walked(folder: Path) -> Iterator[Path]:
    """The files below a folder; os.walk passes over folders that are gone, as pathlib's glob does not."""
    return (Path(place) / name for place, _, names in os.walk(folder) for name in names)


def _blocks(folder: Path) -> Iterator[int]:
    """The blocks of the present state."""
    for present in folder.glob("current/BP-*/current"):
        for path in _walked(present):
            if match := _BLOCK.fullmatch(path.name):
                yield int(match[1])
