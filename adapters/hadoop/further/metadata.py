"""Java calls for the operations that read and set what a store keeps of a path beside its bytes."""

from __future__ import annotations

from typing import Any

HANDLERS: dict[tuple[type, str], Any] = {}
