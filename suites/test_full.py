"""A store without space: only with ``-m full``, on a place that is small.

Run by ``pytest --store NAME``; the plugin gives an item for each witness, and for each part of what explores further.
"""

from __future__ import annotations

from collections.abc import Callable


def test_full(fsconform_piece: Callable[[], None]) -> None:
    fsconform_piece()
