"""Java calls for the operations that deal with extended attributes, ACLs, policies, snapshots and links."""

from __future__ import annotations

from typing import Any

HANDLERS: dict[tuple[type, str], Any] = {}
