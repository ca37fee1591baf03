"""Files that commands write: without the secrets that are known; and some that are there whole or not at all.

What is written whole is a run's: its records have lost their secrets before (``scrubbing.hidden``). All other files go
through ``write_text`` and ``write_json``.
"""

from __future__ import annotations

import contextlib
import json
import secrets
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
    """Write a file beside its place and move it there: the last writer's stays. Raises OSError, and leaves nothing."""
    half = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    try:
        half.write_bytes(data)
        half.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            half.unlink()
        raise
