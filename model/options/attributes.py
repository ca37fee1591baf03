"""The options that bear on operations which deal with extended attributes, ACLs, policies, snapshots and links."""

from __future__ import annotations

from fsconform.model.options.base import Option

JUDGED: tuple[Option, ...] = ()
