"""The meaning of the operations that list, match and sum up."""

from __future__ import annotations

from fsconform.model.branches import Meaning

MEANINGS: tuple[Meaning, ...] = ()
