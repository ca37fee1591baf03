"""The meaning of the operations that read and set what a store keeps of a path beside its bytes."""

from __future__ import annotations

from fsconform.model.branches import Meaning

MEANINGS: tuple[Meaning, ...] = ()
