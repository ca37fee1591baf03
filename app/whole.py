"""Files that commands write: without the secrets that are known; and some that are there whole or not at all.

What is written whole is a run's: its records have lost their secrets before (``scrubbing.hidden``). All other files go
through ``write_text`` and ``write_json``.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import stat
from pathlib import Path
from typing import Any

from fsconform.engine.secrecy import KNOWN


def write_text(path: Path, text: str) -> None:
    """Write a text to a file, without secrets. Raises OSError."""
    path.write_text(KNOWN.text(text), "utf-8")


def write_json(path: Path, document: Any, kept: tuple[str, ...] = ("program",), sort_keys: bool = False) -> None:
    """Write a document as JSON, its texts without secrets, but for fields named in ``kept``. Raises OSError."""
    told = KNOWN.records(document, kept)
    path.write_text(json.dumps(told, indent=1, sort_keys=sort_keys) + "\n", "utf-8")


def write_whole(path: Path, data: bytes) -> None:
    """Write a file beside its place and move it there: the last writer's stays. Raises OSError, and leaves nothing.

    What is there and is no file, as a device or a pipe, is written to and stays, and so does a link.
    """
    place = _place_of_a_file(path)
    if place is None:
        path.write_bytes(data)
        return
    _replace(place, data)


def _place_of_a_file(path: Path) -> Path | None:
    """Where a file is, or is to be, with links followed; None for what can only be written to. Raises OSError."""
    place = Path(os.path.realpath(path))
    try:
        found = path.stat()
    except FileNotFoundError:
        return place
    if not stat.S_ISREG(found.st_mode):
        return None
    # A link of the system to an open file, as /dev/stdout, is no name of that file: who has it open must get this too.
    return None if path.absolute().is_relative_to("/dev") or path.absolute().is_relative_to("/proc") else place


def _replace(path: Path, data: bytes) -> None:
    half = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    try:
        half.write_bytes(data)
        half.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            half.unlink()
        raise
