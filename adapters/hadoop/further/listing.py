"""Java calls for the operations that list, match and sum up."""

from __future__ import annotations

from typing import Any

HANDLERS: dict[tuple[type, str], Any] = {}
