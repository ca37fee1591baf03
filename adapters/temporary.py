"""Temporary folders: each has in its name which process made it, so that a later one knows what was left behind."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path

from fsconform.adapters.offspring import is_alive, owner

MEMORY = "/dev/shm"
KEPT = "kept"
"""A file of this name in a folder says that a person was sent there, and that it is not left over."""

_NAME = re.compile(r"fsconform-[A-Za-z0-9._-]*-(\d+\.\d+\.[0-9a-f]{8})-[a-z0-9_]{8}")


def folder(name: str, place: str | None = None) -> Path:
    """A new folder that only this user may enter; ``place`` says where it is to be. Raises OSError."""
    return Path(tempfile.mkdtemp(prefix=f"fsconform-{name}-{owner()}-", dir=place))


def keep(path: Path) -> None:
    """Say of a folder that a person is sent to it. Raises OSError."""
    (path / KEPT).touch()


def stale() -> list[Path]:
    """Folders of this user whose makers are gone, and that nobody was sent to."""
    found = []
    for place in dict.fromkeys((tempfile.gettempdir(), MEMORY)):
        try:
            entries = sorted(os.scandir(place), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            name = _NAME.fullmatch(entry.name)
            if name is None or not entry.is_dir(follow_symlinks=False) or is_alive(name[1]):
                continue
            path = Path(entry.path)
            try:
                if path.lstat().st_uid == os.getuid() and not (path / KEPT).exists():
                    found.append(path)
            except OSError:
                continue
    return found


def remove(path: Path) -> str:
    """Remove a folder that :func:`stale` gave; why that failed, else an empty text."""
    try:
        shutil.rmtree(path)
    except FileNotFoundError:
        return ""
    except (OSError, RecursionError) as error:
        return f"{path} could not be removed: {getattr(error, 'strerror', None) or error}"
    return ""
