"""Streams that files are read and written by: positions, visibility, Syncable, leases, and what they refuse.

Run by ``pytest --store NAME``; the plugin gives an item for each witness, and for each part of what explores further.
"""

from __future__ import annotations

from collections.abc import Callable


def test_streams(fsconform_piece: Callable[[], None]) -> None:
    fsconform_piece()
