"""The meaning of the operations that deal with extended attributes, ACLs, policies, snapshots and links."""

from __future__ import annotations

from fsconform.model.filesystem.branches import Meaning
from fsconform.model.filesystem.metadata import acls, policies, xattrs

MEANINGS: tuple[Meaning, ...] = (*xattrs.MEANINGS, *acls.MEANINGS, *policies.MEANINGS)
