"""The meaning of the operations that deal with extended attributes, ACLs, policies, snapshots and links."""

from __future__ import annotations

from fsconform.model.branches import Meaning

MEANINGS: tuple[Meaning, ...] = ()
