"""What a store keeps of a path beside its bytes, and calls that few stores have.

Run by ``pytest --store NAME``; the plugin gives an item for each witness, and for each part of what explores further.
"""

from __future__ import annotations

from collections.abc import Callable


def test_attributes(fsconform_piece: Callable[[], None]) -> None:
    fsconform_piece()
