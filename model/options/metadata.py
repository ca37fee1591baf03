"""The options that bear on operations which read and set what a store keeps of a path beside its bytes."""

from __future__ import annotations

from fsconform.model.options.base import Option

JUDGED: tuple[Option, ...] = ()
