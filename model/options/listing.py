"""The options that bear on operations which list, match and sum up."""

from __future__ import annotations

from fsconform.model.options.base import Option

JUDGED: tuple[Option, ...] = ()
