"""Java calls for the operations that change the namespace or files beyond the core."""

from __future__ import annotations

from typing import Any

HANDLERS: dict[tuple[type, str], Any] = {}
