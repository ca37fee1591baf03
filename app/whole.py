"""Files that are there whole or not at all, also where several processes write the same one."""

from __future__ import annotations

import contextlib
import secrets
from pathlib import Path


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
