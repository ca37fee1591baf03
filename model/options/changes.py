"""The options that bear on operations which change the namespace or files beyond the core."""

from __future__ import annotations

from fsconform.model.options.base import Option

JUDGED: tuple[Option, ...] = ()
