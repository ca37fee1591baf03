"""The meaning of the operations that change the namespace or files beyond the core."""

from __future__ import annotations

from fsconform.model.branches import Meaning

MEANINGS: tuple[Meaning, ...] = ()
